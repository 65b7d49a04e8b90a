import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { addConnection } from '../../schema/connection.ts';
import { addEntity } from '../../schema/entities.ts';
import { liveField } from '../../schema/live.ts';
import { ofSent } from '../../schema/scopes.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { type Account, AccountRef, accountOf } from '../account/schema.ts';
import { typesOf } from '../any/codec.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { CoinRef, coinOf } from '../bank/refs.ts';
import { blockAt } from '../blocks/blockSchema.ts';
import { createBlockLoaders } from '../blocks/loaders.ts';
import * as refs from '../blocks/refs.ts';
import { hashInput } from '../events/argument.ts';
import { ofType } from '../events/events.ts';
import { createTransactionLoaders } from './loaders.ts';
import { type Fee, feeOf, signersOf } from './signers.ts';
import type { Transaction, TxProof } from './transactions.ts';
import { messagesOf, txJson } from './txBytes.ts';

const FeeRef = createRef<Pinned<Fee>>('TransactionFee');
const TxProofRef = createRef<TxProof>('TxProof');
const MerkleProofRef = createRef<TxProof['proof']>('MerkleProof');

/** A committed transaction by its hash in hex; null when no block up to the height read holds it. A malformed hash is BAD_USER_INPUT. */
async function transactionAt(root: Pinned<object>, hash: string): Promise<Pinned<Transaction> | null> {
  const pin = pinOf(root);
  const found = await pin.loaders(createTransactionLoaders).transaction.load(hashInput('hash', hash));
  return found === null || found.height > pin.height ? null : pinned(pin, found);
}

/** Adds transactions and `Query.transaction`. */
export function addTransactions(builder: Builder): void {
  addSignedTransaction(builder);
  addFee(builder);
  addTransaction(builder);
  addProof(builder);
  addEntity(builder, refs.TransactionRef, { hash: transactionAt });
  addConnection(builder, refs.TransactionRef, refs.TransactionConnectionRef, 'transactions');
  addHeightFields(builder, (t) => ({
    transaction: t.field({
      type: refs.TransactionRef,
      description:
        'A committed transaction; null when no block up to the height read holds it. INDEX_UNAVAILABLE when that cannot be known.',
      // The index is written behind the block: an absence may not last.
      extensions: liveField,
      args: { hash: t.arg({ type: 'Hex', required: true }) },
      resolve: (root, { hash }) => transactionAt(root, hash),
    }),
  }));
}

function addSignedTransaction(builder: Builder): void {
  builder.interfaceType(refs.SignedTransactionRef, {
    description: 'A signed transaction, committed or not. Decoded fields are null when the bytes are no Cosmos transaction.',
    fields: (t) => ({
      hash: t.expose('hash', { extensions: ofSent, type: 'Hex', nullable: false, description: 'SHA-256 of the bytes.' }),
      tx: t.expose('tx', { extensions: ofSent, type: 'Base64', nullable: false, description: 'The bytes.' }),
      messages: t.field({
        extensions: ofSent,
        type: [AnyMessageRef],
        resolve: (tx) => {
          const decoded = tx.decoded();
          return decoded && messagesOf(decoded).map((message) => anyOf(tx, message));
        },
      }),
      signers: t.field({
        type: [AccountRef],
        resolve: async (tx): Promise<Pinned<Account>[] | null> =>
          (await signersOf(tx))?.map((address) => accountOf(tx, address)) ?? null,
      }),
      memo: t.string({ extensions: ofSent, resolve: (tx) => tx.decoded()?.body.memo ?? null }),
      fee: t.field({
        extensions: ofSent,
        type: FeeRef,
        resolve: async (tx) => {
          const fee = await feeOf(tx);
          return fee && pinned(pinOf(tx), fee);
        },
      }),
      timeoutHeight: t.field({
        extensions: ofSent,
        type: 'UInt64',
        description: 'Last height at which it may be included; null when there is none.',
        resolve: (tx) => tx.decoded()?.body.timeoutHeight || null,
      }),
      json: t.field({
        extensions: ofSent,
        type: 'JSON',
        description: 'All of it, decoded: body, auth info, signatures.',
        resolve: async (tx) => (tx.decoded() === null ? null : txJson(await typesOf(pinOf(tx)), Buffer.from(tx.tx, 'base64'))),
      }),
    }),
  });
}

function addFee(builder: Builder): void {
  builder.objectType(FeeRef, {
    description: 'What a transaction offers for being included, and who pays.',
    fields: (t) => ({
      amount: t.field({
        extensions: ofSent,
        type: [CoinRef],
        nullable: false,
        resolve: (fee) => fee.amount.map((coin) => coinOf(fee, coin)),
      }),
      gasLimit: t.expose('gasLimit', { extensions: ofSent, type: 'UInt64', nullable: false }),
      payer: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The first signer unless the transaction names another.',
        resolve: (fee) => accountOf(fee, fee.payer),
      }),
      granter: t.field({
        type: AccountRef,
        description: 'Whose fee grant pays; null when none does.',
        resolve: (fee) => (fee.granter === null ? null : accountOf(fee, fee.granter)),
      }),
    }),
  });
}

function addTransaction(builder: Builder): void {
  builder.objectType(refs.TransactionRef, {
    description: 'A transaction in a block, with what it did.',
    interfaces: [refs.SignedTransactionRef],
    fields: (t) => ({
      height: t.expose('height', { extensions: ofSent, type: 'Int64', nullable: false }),
      index: t.exposeInt('index', { extensions: ofSent, nullable: false, description: 'Place in the block, from 0.' }),
      block: t.field({ type: refs.BlockRef, resolve: (tx) => blockAt(tx, tx.height) }),
      time: t.field({
        type: 'DateTime',
        description: 'Time of the block.',
        resolve: async (tx) => (await pinOf(tx).loaders(createBlockLoaders).header.load(tx.height)).time,
      }),
      code: t.int({ extensions: ofSent, nullable: false, description: '0 is success.', resolve: ({ result }) => result.code }),
      codespace: t.string({
        extensions: ofSent,
        nullable: false,
        description: 'Who defines the code, such as `sdk`; empty for 0.',
        resolve: ({ result }) => result.codespace,
      }),
      log: t.string({
        extensions: ofSent,
        nullable: false,
        description: 'Why it failed; empty on success.',
        resolve: ({ result }) => result.log,
      }),
      info: t.string({ extensions: ofSent, nullable: false, resolve: ({ result }) => result.info }),
      data: t.field({
        extensions: ofSent,
        type: 'Base64',
        description: 'What the messages answered, in protobuf; null when it failed.',
        resolve: ({ result }) => result.data,
      }),
      gasWanted: t.field({ extensions: ofSent, type: 'Int64', nullable: false, resolve: ({ result }) => result.gasWanted }),
      gasUsed: t.field({ extensions: ofSent, type: 'Int64', nullable: false, resolve: ({ result }) => result.gasUsed }),
      events: t.field({
        extensions: ofSent,
        type: [refs.EventRef],
        nullable: false,
        description: 'With `type`, only these.',
        args: { type: t.arg.string() },
        resolve: ({ result }, { type }) => ofType(result.events, type),
      }),
      proof: t.field({
        type: TxProofRef,
        description: 'Proof that the block holds it.',
        resolve: (tx) => pinOf(tx).loaders(createTransactionLoaders).transactionProof.load(tx.hash),
      }),
    }),
  });
}

function addProof(builder: Builder): void {
  builder.objectType(TxProofRef, {
    description: "Merkle proof of a transaction against the block's dataHash.",
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
