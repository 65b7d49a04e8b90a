import { create, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { ParamsSchema } from '../../../../../../src/proto/cosmos/gov/v1/gov_pb.js';
import type { DecodedMessage, Keeper } from '../../runtime/keeper.ts';
import { endBlock } from './lifecycle.ts';
import { govMessages } from './messages.ts';
import { defaultParams } from './params.ts';
import { govQueries } from './queries.ts';
import { govKeys, govStore } from './state.ts';

/** The gov module: proposals of the chain that its stake votes on. */
export function createGovKeeper(decode: (message: Any) => DecodedMessage): Keeper {
  return {
    messages: govMessages(decode),
    queries: govQueries,
    initGenesis(context, { gov = defaultParams() }) {
      context.set(govStore, govKeys.params, toBinary(ParamsSchema, create(ParamsSchema, gov)));
    },
    endBlock,
  };
}
