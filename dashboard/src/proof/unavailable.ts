import type { SteleError } from '@stele/client';
import { errorWords } from '../data/failures.ts';

/** Why a server gives no proof, by the `reason` of PROOF_UNAVAILABLE. */
const reasons: Readonly<Record<string, string>> = {
  OFF: 'This server does not verify blocks, so it gives no proofs.',
  PRUNED: 'No node has the state of this block any more, so it cannot be proven.',
  NO_PROOFS: 'The nodes prove nothing at this block.',
  INVALID: 'The proof that a node gave does not verify, so the server did not pass it on.',
  OLDER:
    'Other validators signed this block than the newest one that this browser has verified. Only later blocks can be verified from it.',
  TOO_LARGE: 'The proof is larger than this server makes them.',
};

/** Why there is no proof, in words. */
export function unavailableWords(error: Pick<SteleError, 'code' | 'facts'>): string {
  if (error.code !== 'PROOF_UNAVAILABLE') return errorWords(error);
  const reason = typeof error.facts.reason === 'string' ? reasons[error.facts.reason] : undefined;
  return reason ?? 'This server sent no proof.';
}
