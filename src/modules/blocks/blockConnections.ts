import type { GraphQLResolveInfo } from 'graphql';
import { malformed } from '../../chain/wire/decode.ts';
import { RequestError } from '../../reads/errors.ts';
import { checkHeight } from '../../reads/height.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection, derivedConnection } from '../../schema/connection.ts';
import { signedTx, type Transaction } from '../transactions/transactions.ts';
import { type BlockSummary, blockList } from './blocks.ts';
import { createBlockLoaders } from './loaders.ts';

/** The arguments of a list that is read in either direction at no further cost; its cursors belong to one direction. */
export function direction(
  name: string,
  { reverse, ...args }: ConnectionArgs,
): { name: string; reversed: boolean; args: ConnectionArgs } {
  const reversed = reverse ?? false;
  return { name: reversed ? `${name}/reversed` : name, reversed, args };
}

/**
 * A page of the blocks from `min` to `max`, newest first; without them, from the oldest that the node in use still has (asked now)
 * to the one read at. Heights are refused as everywhere; `min` above `max` is BAD_USER_INPUT in the node's words.
 */
export async function blocksOf(
  parent: Pinned<object>,
  min: bigint | undefined,
  max: bigint | undefined,
  connectionArgs: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<BlockSummary>>> {
  const pin = pinOf(parent);
  const loaders = pin.loaders(createBlockLoaders);
  const high = checkHeight('maxHeight', max ?? pin.height, pin.height);
  if (min !== undefined) checkHeight('minHeight', min, pin.height);
  if (min !== undefined && min > high) {
    const facts = { argument: 'minHeight', value: min.toString(), bound: 'at most `maxHeight`' };
    throw new RequestError('BAD_USER_INPUT', `min height ${min} can't be greater than max height ${high}`, facts);
  }
  const low = min ?? (await loaders.earliest.load(''));
  const { name, reversed, args } = direction(`blocks/${min ?? ''}-${max ?? ''}`, connectionArgs);
  const list = blockList((from, to) => loaders.range.load({ low: from, high: to }), low, high, !reversed);
  return chainConnection(pin, name, list, args, info);
}

function indexKey({ index }: Transaction): Uint8Array {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(index);
  return key;
}

/** A page of a block's transactions with their results, in block order: the block and its results are read whole, once. */
export function blockTransactions(
  block: Pinned<BlockSummary>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Transaction>> | null> {
  const pin = pinOf(block);
  const loaders = pin.loaders(createBlockLoaders);
  const { height } = block.header;
  const items = async (): Promise<readonly Transaction[]> => {
    if (block.numTxs === 0n) return [];
    const [{ txs }, results] = await Promise.all([loaders.block.load(height), loaders.results.load(height)]);
    return txs.map((tx, index) => {
      const result = results.txs[index];
      if (result === undefined) throw malformed(`block ${height} has fewer results than transactions`);
      return { ...signedTx(tx), height, index, result };
    });
  };
  return derivedConnection(pin, `block/${height}/transactions`, items, indexKey, args, info);
}
