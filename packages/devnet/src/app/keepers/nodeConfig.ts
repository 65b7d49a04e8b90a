import { Service } from '../../../../../src/proto/cosmos/base/node/v1beta1/query_pb.js';
import { type Keeper, onQuery } from '../runtime/keeper.ts';

/**
 * The configuration of a node. `minimumGasPrice` is a list such as `0.025000000000000000nhash`; empty for none. Not recorded: the format is from the source of the
 * Cosmos SDK v0.53.6, and the rest is that of a node that keeps every state.
 */
export function createNodeConfigKeeper(minimumGasPrice: string): Keeper {
  const answer = { minimumGasPrice, pruningKeepRecent: '0', pruningInterval: '0', haltHeight: 0n };
  return { messages: [], queries: [onQuery(Service.method.config, () => answer)] };
}
