import { signal } from '@preact/signals';
import { path } from '../routing/router.ts';

/** An answer whose proof is wrong. It takes the place of the page that showed it. */
export interface Refutation {
  /** The path of the page. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  /** The path of the wrong field. undefined if the proof as a whole is wrong. */
  readonly field: string | undefined;
  readonly chainId: string | undefined;
  readonly height: string | undefined;
  /** Saves the answer with its proof as a file. */
  readonly save: () => void;
}

/** The last answer of the page whose proof was wrong. undefined if all proofs held. */
export const refuted = signal<Refutation | undefined>(undefined);

/** Puts the red page in the place of the present one. */
export function refute(refutation: Omit<Refutation, 'path'>): void {
  refuted.value = { ...refutation, path: path.value };
}
