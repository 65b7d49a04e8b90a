import { timeoutOf } from '../../chain/transactions/tx.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, readableWithBroadcast } from '../../schema/builder.ts';
import { type Account, AccountRef, accountOf } from '../account/schema.ts';
import { typesOf } from '../any/codec.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { CoinRef, coinOf } from '../bank/refs.ts';
import { SignedTransactionRef } from './refs.ts';
import { type Fee, feeOf, signersOf } from './signers.ts';
import { messagesOf, txJson } from './txBytes.ts';

const FeeRef = createRef<Pinned<Fee>>('TransactionFee');

/** Adds `SignedTransaction` and `TransactionFee`. */
export function addSignedTransaction(builder: Builder): void {
  addFee(builder);
  builder.interfaceType(SignedTransactionRef, {
    description: 'A signed transaction, committed or not. Decoded fields are null if the bytes are not a Cosmos transaction.',
    fields: (t) => ({
      hash: t.expose('hash', {
        extensions: readableWithBroadcast,
        type: 'Hex',
        nullable: false,
        description: 'SHA-256 of the bytes.',
      }),
      tx: t.expose('tx', {
        extensions: readableWithBroadcast,
        type: 'Base64',
        nullable: false,
        description: 'The signed bytes.',
      }),
      messages: t.field({
        extensions: readableWithBroadcast,
        type: [AnyMessageRef],
        resolve: (tx) => {
          const decoded = tx.decoded();
          return decoded && messagesOf(decoded).map((message) => anyOf(tx, message));
        },
      }),
      signers: t.field({
        type: [AccountRef],
        resolve: (tx): Awaitable<Pinned<Account>[] | null> =>
          andThen(signersOf(tx), (signers) => signers?.map((address) => accountOf(tx, address)) ?? null),
      }),
      memo: t.string({ extensions: readableWithBroadcast, resolve: (tx) => tx.decoded()?.body.memo ?? null }),
      fee: t.field({
        extensions: readableWithBroadcast,
        type: FeeRef,
        resolve: (tx) => andThen(feeOf(tx), (fee) => fee && pinned(pinOf(tx), fee)),
      }),
      timeoutHeight: t.field({
        extensions: readableWithBroadcast,
        type: 'UInt64',
        description: 'The last height at which a block may include the transaction; null if there is no limit.',
        resolve: (tx) => tx.decoded()?.body.timeoutHeight || null,
      }),
      timeoutTimestamp: t.field({
        extensions: readableWithBroadcast,
        type: 'DateTime',
        description: 'No block with a later time executes the transaction; null if there is no limit.',
        resolve: (tx) => {
          const decoded = tx.decoded();
          return (decoded && timeoutOf(decoded.body)) || null;
        },
      }),
      unordered: t.boolean({
        extensions: readableWithBroadcast,
        description: 'Whether the transaction uses no sequence. Each signer can use its `timeoutTimestamp` once.',
        resolve: (tx) => tx.decoded()?.body.unordered ?? null,
      }),
      json: t.field({
        extensions: readableWithBroadcast,
        type: 'JSON',
        description: 'The decoded transaction: body, auth info and signatures.',
        resolve: (tx) =>
          tx.decoded() === null ? null : andThen(typesOf(pinOf(tx)), (types) => txJson(types, Buffer.from(tx.tx, 'base64'))),
      }),
    }),
  });
}

function addFee(builder: Builder): void {
  builder.objectType(FeeRef, {
    description: 'The fee that a transaction offers, and the account that pays it.',
    fields: (t) => ({
      amount: t.field({
        extensions: readableWithBroadcast,
        type: [CoinRef],
        nullable: false,
        resolve: (fee) => fee.amount.map((coin) => coinOf(fee, coin)),
      }),
      gasLimit: t.expose('gasLimit', { extensions: readableWithBroadcast, type: 'UInt64', nullable: false }),
      payer: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The first signer, unless the transaction names another account.',
        resolve: (fee) => accountOf(fee, fee.payer),
      }),
      granter: t.field({
        type: AccountRef,
        description: 'The account whose fee grant pays the fee; null if there is none.',
        resolve: (fee) => (fee.granter === null ? null : accountOf(fee, fee.granter)),
      }),
    }),
  });
}
