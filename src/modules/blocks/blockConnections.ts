import type { GraphQLResolveInfo } from 'graphql';
import { RequestError } from '../../reads/errors.ts';
import { checkHeight } from '../../reads/height.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection, direction } from '../../schema/connection.ts';
import { type BlockSummary, blockList } from './blocks.ts';
import { createBlockLoaders } from './loaders.ts';

/**
 * A page of the blocks from `min` to `max`, newest first. `min` defaults to the oldest block of the current node, `max` to the
 * height of the operation. Both are checked by {@link checkHeight}. A `min` above `max` is BAD_USER_INPUT with the message of
 * the node.
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
