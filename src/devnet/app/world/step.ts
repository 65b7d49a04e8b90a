import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { packAny } from '../runtime/keeper.ts';

/** A message as an Any. */
export function say<D extends DescMessage>(schema: D, init: MessageInitShape<D>): Any {
  return packAny(schema, create(schema, init));
}

/** Steps that happen one after the other, a minute apart, up to the last one `secondsBefore` the chain's genesis. */
export function inTurn(secondsBefore: number, messages: readonly HistoryStep['message'][]): HistoryStep[] {
  return messages.map((message, index) => ({ secondsBefore: secondsBefore + 60 * (messages.length - 1 - index), message }));
}
