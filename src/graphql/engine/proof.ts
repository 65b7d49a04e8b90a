import type { Report } from '../../answers/errors.ts';
import { isSetHash } from '../../answers/proofRequest.ts';
import { signalOf } from '../../chain/base/time.ts';
import { explainRequests, proofsOff, proofUnavailable } from '../../chain/proofs/answerProofs.ts';
import { proofBoundsOf } from '../../config/limits/limits.ts';
import { badInput } from '../../reads/errors.ts';
import { toGraphQLError } from '../documents/errors.ts';
import type { JsonResult } from '../execution/execution.ts';
import type { OperationContext } from './context.ts';

/** Throws why the answer of an operation can have no proof, before anything of it is charged or executed. */
export function checkProof({ proof }: Pick<OperationContext, 'proof'>, isQuery: boolean): void {
  if (proof === undefined) return;
  if (!isSetHash(proof.trusted))
    throw badInput('trusted', proof.trusted ?? '', 'the hash of a validator set: 64 hexadecimal digits');
  if (!isQuery)
    throw proofUnavailable('OPERATION', 'Only queries have proofs: no mutation, no subscription and no live query has one.');
  if (proof.proofs === undefined) throw proofsOff();
}

/**
 * Adds the proof of a result to its extensions. If there is none, the data stays, `extensions.proof` is null, and an error says why.
 */
export async function withProof(result: JsonResult, context: OperationContext, report: Report): Promise<JsonResult> {
  const { proof, height, limits, caller, record, outcome, dependencies, signal } = context;
  if (proof?.proofs === undefined || height === undefined || result.data === undefined) return result;
  try {
    const { bundle, keys } = await proof.proofs.of(height, explainRequests(dependencies.requests()), {
      trusted: proof.trusted,
      ...proofBoundsOf(limits),
      signal: signalOf(signal),
    });
    caller.charge(keys);
    record.cost = (record.cost ?? 0) + keys;
    return { ...result, extensions: { ...result.extensions, proof: bundle } };
  } catch (error) {
    outcome.immutable = false;
    const { errors = [] } = result;
    return {
      ...result,
      errors: [...errors, toGraphQLError(error, record.id, report)],
      extensions: { ...result.extensions, proof: null },
    };
  }
}
