import { isChainError } from '../../chain/base/errors.ts';
import { hashInput } from '../../reads/input.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type BlockStream, blockStream } from '../../reads/stream.ts';
import type { Builder } from '../../schema/builder.ts';
import { createTransactionLoaders } from './loaders.ts';
import { TransactionRef } from './refs.ts';
import { committed, type Transaction } from './transactions.ts';

/**
 * Sends the transaction with a hash once a block contains it, under the pin of that block. The stream follows new blocks before
 * it searches past ones, so it misses no block in between. Past blocks are searched in the memory of this server and, if a node
 * has one, in its index.
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

/** Adds `Subscription.transactionResult`. */
export function addTransactionResult(builder: Builder): void {
  builder.subscriptionField('transactionResult', (t) =>
    t.field({
      type: TransactionRef,
      nullable: false,
      description:
        'The transaction with this hash, once a block contains it; at once if one already does. Then the stream completes.',
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      subscribe: (root, { hash }) => transactionResult(root, hashInput('hash', hash)),
      resolve: (transaction) => transaction,
    }),
  );
}
