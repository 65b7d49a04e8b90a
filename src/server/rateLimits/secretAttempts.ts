import type { Refused } from '../../answers/caller.ts';

/**
 * A refusal of a secret, unless the secret is correct. `by` is the limit that is exceeded: that of the sender's address, or
 * that of the client.
 */
export interface RefusedSecret extends Refused {
  readonly by: 'address' | 'client';
}

/** A secret that is about to be checked. It is already counted as wrong. */
export interface SecretAttempt {
  /** The refusal; undefined within the limits. */
  readonly refused: RefusedSecret | undefined;
  /** Takes the count back, because the secret was correct. */
  succeed(): void;
}

/** Counts a secret before it is checked. `clientId` is undefined if there is no such client. */
export type CountAttempt = (clientId: string | undefined) => SecretAttempt;
