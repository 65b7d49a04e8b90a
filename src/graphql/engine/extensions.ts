import { costPlace } from '../../answers/answer.ts';
import { createBlockLoaders } from '../../modules/blocks/query.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import { heightPlace, pinOf } from '../../reads/pin.ts';
import type { JsonResult } from '../execution/result.ts';
import type { OperationContext } from '../operation/context.ts';

/**
 * A result with the height that it was read at, and with the time of that block and its cost if the request asked for them. They are places, which are
 * filled when the answer is sent. It is a promise if the block has to be read for its time, which is left out if that fails.
 */
export function withExtensions(result: JsonResult, context: OperationContext): Awaitable<JsonResult> {
  const { height, outcome } = context;
  if (height === undefined || !outcome.wantsTime) return extended(result, context, undefined);
  const pin = pinOf(context.root);
  const printed = pin.printedTime();
  if (printed !== undefined) return extended(result, context, printed);
  const read = andThen(pin.loaders(createBlockLoaders).block.load(height), ({ header }) => header.time);
  if (!(read instanceof Promise)) return extended(result, context, read);
  return read.then(
    (time) => extended(result, context, time),
    () => {
      outcome.immutable = false;
      return extended(result, context, undefined);
    },
  );
}

function extended(result: JsonResult, { height, outcome, record }: OperationContext, time: string | undefined): JsonResult {
  const wantsCost = outcome.wantsCost && record.cost !== undefined;
  if (height === undefined && !wantsCost) return result;
  const { data, errors, extensions } = result;
  // Most results have nothing else. A copy of them takes longer.
  if (data !== undefined && errors === undefined && extensions === undefined && !wantsCost && time === undefined)
    return { data, extensions: { height: heightPlace.toString() } };
  return {
    ...result,
    extensions: {
      ...result.extensions,
      ...(height !== undefined && { height: heightPlace.toString() }),
      ...(time !== undefined && { time }),
      ...(wantsCost && { cost: costPlace }),
    },
  };
}
