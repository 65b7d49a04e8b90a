import { heightPlace } from '../../reads/pin.ts';
import type { JsonResult } from '../execution/result.ts';
import type { OperationContext } from '../operation/context.ts';
import { costPlace } from '../request/answer.ts';

/**
 * A result with the height that it was read at, and with its cost if the request asked for it. Both are places, which are filled
 * when the answer is sent.
 */
export function withExtensions(result: JsonResult, { height, outcome, record }: OperationContext): JsonResult {
  const wantsCost = outcome.wantsCost && record.cost !== undefined;
  if (height === undefined && !wantsCost) return result;
  const { data, errors, extensions } = result;
  // Most results have nothing else. A copy of them takes longer.
  if (data !== undefined && errors === undefined && extensions === undefined && !wantsCost)
    return { data, extensions: { height: heightPlace.toString() } };
  return {
    ...result,
    extensions: {
      ...result.extensions,
      ...(height !== undefined && { height: heightPlace.toString() }),
      ...(wantsCost && { cost: costPlace }),
    },
  };
}
