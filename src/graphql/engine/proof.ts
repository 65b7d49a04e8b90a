import { isSetHash } from '../../answers/assurance.ts';
import type { Report } from '../../answers/errors.ts';
import { signalOf } from '../../chain/base/time.ts';
import { explainAnswer, proofsOff, proofUnavailable } from '../../chain/proofs/answerProofs.ts';
import { proofBoundsOf } from '../../config/limits/limits.ts';
import { badInput } from '../../reads/errors.ts';
import { heightPlace } from '../../reads/pin.ts';
import { toGraphQLError } from '../documents/errors.ts';
import type { JsonResult } from '../execution/execution.ts';
import type { OperationContext, WantedProof } from './context.ts';

/** Throws why the answer of an operation can have no proof, before anything of it is charged or executed. */
export function checkProof(proof: WantedProof, isQuery: boolean): void {
  if (proof.invalid !== undefined) throw badInput('extensions.proof', proof.invalid, '`true` or `false`');
  if (!isSetHash(proof.trusted))
    throw badInput('trusted', proof.trusted ?? '', 'the hash of a validator set: 64 hexadecimal digits');
  if (!isQuery)
    throw proofUnavailable(
      'OPERATION',
      'Only single results of queries have proofs: no mutation, no subscription, no live query and no history has one.',
    );
  if (proof.proofs === undefined) throw proofsOff();
}

/**
 * Adds the proof of a result to its extensions. If there is none, the data stays, `extensions.proof` is null, and an error says why.
 */
export async function withProof(result: JsonResult, context: OperationContext, report: Report): Promise<JsonResult> {
  const { proof, height, limits, caller, record, outcome, params, signal } = context;
  if (proof?.proofs === undefined || height === undefined || result.data === undefined) return result;
  try {
    // The height is written into the answer when it is sent.
    const answer = {
      data: JSON.parse(result.data.replaceAll(heightPlace.toString(), height.toString())),
      errors: result.errors,
    };
    const question = { document: outcome.text ?? '', variables: params?.variables, operationName: params?.operationName };
    const { bundle, keys } = await proof.proofs.of(height, explainAnswer(answer, question), {
      trusted: proof.trusted,
      ...proofBoundsOf(limits),
      signal: signalOf(signal),
    });
    caller.charge(keys);
    record.cost = (record.cost ?? 0) + keys;
    return { ...result, extensions: { ...result.extensions, proof: bundle } };
  } catch (error) {
    const { errors = [] } = result;
    return {
      ...result,
      errors: [...errors, toGraphQLError(error, record.id, report)],
      extensions: { ...result.extensions, proof: null },
    };
  }
}
