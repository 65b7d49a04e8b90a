import type { SteleError } from '@stele/client';
import { errorWords } from '../data/failures.ts';
import { proofsTexts } from '../language/proofs/texts.ts';

/** Why there is no proof, in words. */
export function unavailableWords(error: Pick<SteleError, 'code' | 'facts'>): string {
  if (error.code !== 'PROOF_UNAVAILABLE') return errorWords(error);
  // By the `reason` of PROOF_UNAVAILABLE.
  const reasons: Readonly<Record<string, string>> = proofsTexts.value.unavailable;
  const reason = typeof error.facts.reason === 'string' ? reasons[error.facts.reason] : undefined;
  return reason ?? proofsTexts.value.unavailable.none;
}
