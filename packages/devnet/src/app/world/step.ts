import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { packAny } from '../runtime/keeper.ts';

/** Creates a message and packs it into an Any. */
export function toAny<D extends DescMessage>(schema: D, init: MessageInitShape<D>): Any {
  return packAny(schema, create(schema, init));
}

/** Creates steps at intervals of a minute, the last of them `secondsBefore` the genesis. */
export function inTurn(secondsBefore: number, messages: readonly HistoryStep['message'][]): HistoryStep[] {
  return messages.map((message, index) => ({ secondsBefore: secondsBefore + 60 * (messages.length - 1 - index), message }));
}
