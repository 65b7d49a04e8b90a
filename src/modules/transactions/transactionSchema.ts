import { hashInput } from '../../reads/input.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, liveField, readableWithBroadcast } from '../../schema/builder.ts';
import { addConnection } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { blockAt } from '../blocks/blockSchema.ts';
import { createBlockLoaders } from '../blocks/loaders.ts';
import { BlockRef } from '../blocks/refs.ts';
import { eventsOfType } from '../events/events.ts';
import { EventRef } from '../events/refs.ts';
import { searchArgs, searchConnection } from '../events/searchConnection.ts';
import { createTransactionLoaders } from './loaders.ts';
import * as refs from './refs.ts';
import { transactionSearch } from './search.ts';
import type { Transaction, TxProof } from './transactions.ts';

const TxProofRef = createRef<TxProof>('TxProof');
const MerkleProofRef = createRef<TxProof['proof']>('MerkleProof');

/**
 * The transaction with a hash; null if no block up to the height of the operation contains it. A malformed hash is
 * BAD_USER_INPUT.
 */
function transactionAt(root: Pinned<object>, hash: string): Awaitable<Pinned<Transaction> | null> {
  const pin = pinOf(root);
  return andThen(pin.loaders(createTransactionLoaders).transaction.load(hashInput('hash', hash)), (found) =>
    found === null || found.height > pin.height ? null : pinned(pin, found),
  );
}

/** Adds `Transaction`, `Query.transaction` and `Query.transactions`. */
export function addTransaction(builder: Builder): void {
  addType(builder);
  addProof(builder);
  addEntity(builder, refs.TransactionRef, { hash: transactionAt });
  addConnection(builder, refs.TransactionRef, refs.TransactionConnectionRef, 'transactions');
  addHeightFields(builder, (t) => ({
    transaction: t.field({
      type: refs.TransactionRef,
      description:
        'A committed transaction; null if no block up to the height of the operation contains it. INDEX_UNAVAILABLE if no node has a transaction index.',
      // A node writes the index after the block, so a transaction can appear later.
      extensions: liveField,
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      resolve: (root, { hash }) => transactionAt(root, hash),
    }),
    transactions: t.field({
      type: refs.TransactionConnectionRef,
      description:
        'Committed transactions whose events match, oldest first. Pass `query`, `where` or both. Needs a node with an index, or an\narchive of mode FULL that holds every height of the search.',
      // A node writes the index after the block.
      extensions: liveField,
      args: searchArgs(builder),
      resolve: (root, args, _context, info) => searchConnection(root, transactionSearch, false, args, info),
    }),
  }));
}

function addType(builder: Builder): void {
  builder.objectType(refs.TransactionRef, {
    description: 'A transaction in a block, with its result.',
    interfaces: [refs.SignedTransactionRef],
    fields: (t) => ({
      height: t.expose('height', { extensions: readableWithBroadcast, type: 'Int64', nullable: false }),
      index: t.exposeInt('index', {
        extensions: readableWithBroadcast,
        nullable: false,
        description: 'Index in the block, starting at 0.',
      }),
      block: t.field({ type: BlockRef, resolve: (tx) => blockAt(tx, tx.height) }),
      time: t.field({
        type: 'DateTime',
        description: 'Time of the block.',
        resolve: (tx) => andThen(pinOf(tx).loaders(createBlockLoaders).header.load(tx.height), ({ time }) => time),
      }),
      code: t.int({
        extensions: readableWithBroadcast,
        nullable: false,
        description: '0 is success.',
        resolve: ({ result }) => result.code,
      }),
      codespace: t.string({
        extensions: readableWithBroadcast,
        nullable: false,
        description: 'The module that defines the code, such as `sdk`; empty for code 0.',
        resolve: ({ result }) => result.codespace,
      }),
      log: t.string({
        extensions: readableWithBroadcast,
        nullable: false,
        description: 'The reason of a failure; empty on success.',
        resolve: ({ result }) => result.log,
      }),
      info: t.string({ extensions: readableWithBroadcast, nullable: false, resolve: ({ result }) => result.info }),
      data: t.field({
        extensions: readableWithBroadcast,
        type: 'Base64',
        description: 'The responses of the messages, in protobuf; null if the transaction failed.',
        resolve: ({ result }) => result.data,
      }),
      gasWanted: t.field({
        extensions: readableWithBroadcast,
        type: 'Int64',
        nullable: false,
        resolve: ({ result }) => result.gasWanted,
      }),
      gasUsed: t.field({
        extensions: readableWithBroadcast,
        type: 'Int64',
        nullable: false,
        resolve: ({ result }) => result.gasUsed,
      }),
      events: t.field({
        extensions: readableWithBroadcast,
        type: [EventRef],
        nullable: false,
        description: 'With `type`, only events of this type.',
        args: { type: t.arg.string() },
        resolve: ({ result }, { type }) => eventsOfType(result.events, type),
      }),
      proof: t.field({
        type: TxProofRef,
        description: 'Proof that the block contains the transaction.',
        resolve: (tx) => pinOf(tx).loaders(createTransactionLoaders).transactionProof.load(tx.hash),
      }),
    }),
  });
}

function addProof(builder: Builder): void {
  builder.objectType(TxProofRef, {
    description: 'Merkle proof of a transaction against the `dataHash` of its block.',
    fields: (t) => ({
      rootHash: t.expose('rootHash', { type: 'Hex', nullable: false }),
      data: t.expose('data', { type: 'Base64', nullable: false }),
      proof: t.expose('proof', { type: MerkleProofRef, nullable: false }),
    }),
  });
  builder.objectType(MerkleProofRef, {
    description: 'Path from a leaf to the root of a Merkle tree.',
    fields: (t) => ({
      total: t.expose('total', { type: 'Int64', nullable: false }),
      index: t.expose('index', { type: 'Int64', nullable: false }),
      leafHash: t.expose('leafHash', { type: 'Base64', nullable: false }),
      aunts: t.expose('aunts', { type: ['Base64'], nullable: false }),
    }),
  });
}
