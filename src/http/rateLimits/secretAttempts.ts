import type { Refused } from '../../graphql/request/caller.ts';

/** What refuses a secret unless it is right, and whose limit is passed: that of the address that it came from, or of the client that it is for. */
export interface RefusedSecret extends Refused {
  readonly by: 'address' | 'client';
}

/** A secret that is about to be checked. It has been counted as a wrong one. */
export interface SecretAttempt {
  /** undefined within the limits. */
  readonly refused: RefusedSecret | undefined;
  /** The secret was right: it is not counted. */
  succeed(): void;
}

/** Counts a secret before it is checked: of the client with this id, or of none that there is. */
export type CountAttempt = (clientId: string | undefined) => SecretAttempt;
