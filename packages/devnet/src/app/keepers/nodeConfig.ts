import { Service } from '../../../../../src/proto/cosmos/base/node/v1beta1/query_pb.js';
import { type Keeper, onQuery } from '../runtime/keeper.ts';

/**
 * The configuration of a node. `minimumGasPrice` is a list such as `0.025000000000000000nhash`; empty for none. The format, also of
 * the other fields, is that of wasmd 0.61 with SDK 0.53.
 */
export function createNodeConfigKeeper(minimumGasPrice: string): Keeper {
  const answer = { minimumGasPrice, pruningKeepRecent: '0', pruningInterval: '0', haltHeight: 0n };
  return { messages: [], queries: [onQuery(Service.method.config, () => answer)] };
}
