import type { GraphQLResolveInfo } from 'graphql';
import { malformed } from '../../chain/wire/json.ts';
import { type Awaitable, both } from '../../reads/loader.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs } from '../../schema/builder.ts';
import { type Connection, type ConnectionArgs, derivedConnection } from '../../schema/connection.ts';
import type { BlockSummary } from '../blocks/blocks.ts';
import { createBlockLoaders } from '../blocks/loaders.ts';
import { BlockRef, BlockResultsRef } from '../blocks/refs.ts';
import { TransactionConnectionRef, TxExecRef } from './refs.ts';
import { signedTx, type Transaction } from './transactions.ts';

function indexKey({ index }: Transaction): Uint8Array {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(index);
  return key;
}

/** A page of the transactions of a block with their results, in block order. The block and its results are read once, whole. */
function blockTransactions(
  block: Pinned<BlockSummary>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Transaction>> | null> {
  const pin = pinOf(block);
  const loaders = pin.loaders(createBlockLoaders);
  const { height } = block.header;
  const items = (): Awaitable<readonly Transaction[]> => {
    if (block.numTxs === 0n) return [];
    return both(loaders.block.load(height), loaders.results.load(height), ({ txs }, results) =>
      txs.map((tx, index) => {
        const result = results.txs[index];
        if (result === undefined) throw malformed(`block ${height} has fewer results than transactions`);
        return { ...signedTx(tx), height, index, result };
      }),
    );
  };
  return derivedConnection(pin, `block/${height}/transactions`, items, indexKey, args, info);
}

/** Adds `Block.transactions` and `BlockResults.txsResults`. */
export function addBlockTransactions(builder: Builder): void {
  builder.objectField(BlockRef, 'transactions', (t) =>
    t.field({
      type: TransactionConnectionRef,
      description: 'In block order.',
      args: connectionArgs(builder),
      resolve: (block, args, _context, info) => blockTransactions(block, args, info),
    }),
  );
  builder.objectField(BlockResultsRef, 'txsResults', (t) =>
    t.field({
      type: [TxExecRef],
      nullable: false,
      description: 'One result for each transaction, in block order.',
      resolve: ({ txs }) => txs,
    }),
  );
}
