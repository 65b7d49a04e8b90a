import { isChainError } from '../../chain/base/errors.ts';
import type { CommittedTx } from '../../chain/blocks/blockLog.ts';
import { badInput } from '../../reads/errors.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type BlockStream, blockStream } from '../../reads/stream.ts';
import type { Builder } from '../../schema/builder.ts';
import { hashInput } from '../events/argument.ts';
import { createTransactionLoaders } from '../transactions/loaders.ts';
import { signedTx, type Transaction } from '../transactions/transactions.ts';
import { blockAt } from './blockSchema.ts';
import { BlockRef, TransactionRef } from './refs.ts';

/** The height behind which a stream begins: that of the caller, else the one read at. Below 0 it is BAD_USER_INPUT. */
export function startAfter(root: Pinned<object>, after: bigint | null | undefined): bigint {
  if (after != null && after < 0n) throw badInput('after', after.toString(), 'a height of at least 0');
  return after ?? pinOf(root).height;
}

/** A root for each block above `after`, pinned to that block: every event is read at its own height. */
function blockRoots(root: Pinned<object>, after: bigint): BlockStream<Pinned<object>> {
  const { client, at, signal } = pinOf(root);
  return blockStream({
    blocks: client.blocks.from(after, { signal }),
    step: ({ header }) => ({ events: [pinned(at(header.height), {})] }),
  });
}

/**
 * The transaction of this hash, once a block holds it, under the pin of that block. The blocks to come are followed before the past is
 * asked, so a block in between is not missed. The past is what this server has in memory and what a node's index holds;
 * without an index only the former.
 */
function transactionResult(root: Pinned<object>, hash: string): BlockStream<Pinned<Transaction>> {
  const pin = pinOf(root);
  const past = pastTransaction(pin, hash);
  past.catch(() => undefined);
  return blockStream({
    blocks: pin.client.blocks.from(pin.height, { signal: pin.signal }),
    async first() {
      const found = await past;
      return found && { height: found.height, events: [pinned(pin.at(found.height), found)], last: true, isPresent: true };
    },
    step(block) {
      const { height } = block.header;
      const found = block.transactions.find((transaction) => transaction.hash === hash);
      return found === undefined ? { events: [] } : { events: [pinned(pin.at(height), committed(height, found))], last: true };
    },
  });
}

async function pastTransaction(pin: Pin, hash: string): Promise<Transaction | undefined> {
  const seen = pin.client.blocks.transaction(hash);
  if (seen !== undefined) return committed(seen.block.header.height, seen.transaction);
  try {
    return (await pin.loaders(createTransactionLoaders).transaction.load(hash)) ?? undefined;
  } catch (error) {
    if (isChainError(error, 'INDEX_UNAVAILABLE')) return undefined;
    throw error;
  }
}

/** A transaction of a committed block. */
export function committed(height: bigint, { tx, index, result }: CommittedTx): Transaction {
  return { ...signedTx(tx), height, index, result };
}

/** Adds the subscriptions of the node module. */
export function addSubscriptions(builder: Builder): void {
  builder.subscriptionField('newBlock', (t) =>
    t.field({
      type: BlockRef,
      nullable: false,
      description: 'Every block, exactly once, in order.',
      args: { after: t.arg({ type: 'Int64' }) },
      subscribe: (root, { after }) => blockRoots(root, startAfter(root, after)),
      resolve: (event) => blockAt(event, pinOf(event).height),
    }),
  );
  builder.subscriptionField('transactionResult', (t) =>
    t.field({
      type: TransactionRef,
      nullable: false,
      description:
        'The transaction of this hash when a block holds it, at once if one already does; then the stream completes.',
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      subscribe: (root, { hash }) => transactionResult(root, hashInput('hash', hash)),
      resolve: (transaction) => transaction,
    }),
  );
}
