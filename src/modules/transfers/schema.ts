import type { GraphQLResolveInfo } from 'graphql';
import { pageDefault } from '../../config/bounds.ts';
import { addressInput, denomInput } from '../../reads/input.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { liveField } from '../../schema/fieldMarks.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { CoinRef, coinOf } from '../bank/refs.ts';
import { blockAt } from '../blocks/blockSchema.ts';
import { createBlockLoaders } from '../blocks/loaders.ts';
import { BlockRef } from '../blocks/refs.ts';
import { addHistoryConnection, type HistoryConnection, historyConnection } from '../history/connection.ts';
import { matchesInTransaction } from '../history/matches.ts';
import { MarkerRef } from '../marker/refs.ts';
import { TransactionRef } from '../transactions/refs.ts';
import { type Transfer, type TransferKind, transferEvent, transferOf } from './model.ts';
import { checkFilter, type TransferDirection, transferHistory } from './query.ts';
import { TransferConnectionRef, TransferRef } from './refs.ts';

interface TransferArgs {
  readonly account?: string | null | undefined;
  readonly denom?: string | null | undefined;
  readonly direction?: TransferDirection | null | undefined;
  readonly kinds?: readonly TransferKind[] | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

function transfers(
  parent: Pinned<object>,
  { account, denom, direction, kinds, ...page }: TransferArgs,
  info: GraphQLResolveInfo,
): Promise<HistoryConnection<Pinned<Transfer>>> {
  const filter = {
    account: account ?? undefined,
    denom: denom == null ? undefined : denomInput('denom', denom),
    direction: direction ?? undefined,
    kinds: kinds ?? undefined,
  };
  return historyConnection(pinOf(parent), transferHistory(filter), page, info);
}

/** Adds transfers: of accounts, denoms and transactions. */
export function addTransfers(builder: Builder): void {
  const TransferKindEnum = builder.enumType('TransferKind', {
    description: 'What a transfer was for, told by the message that made it.',
    values: {
      SEND: { description: 'cosmos.bank.v1beta1.MsgSend' },
      MULTI_SEND: { description: 'cosmos.bank.v1beta1.MsgMultiSend' },
      MARKER_TRANSFER: {
        description: "provenance.marker.v1.MsgTransferRequest: a restricted marker's, by its administrator.",
      },
      FEE: { description: 'Paid to the fee collector for a transaction.' },
      OTHER: {
        description: "Anything else: marker withdrawals and mints, proposals run, scopes, rewards, blocks' own.",
      },
    },
  });
  const TransferDirectionEnum = builder.enumType('TransferDirection', {
    description: 'Which side of a transfer the account is on.',
    values: ['IN', 'OUT'] as const,
  });
  addTransferType(builder, TransferKindEnum);
  addHistoryConnection(builder, TransferRef, TransferConnectionRef, 'transfers');
  const pageArgs = () => builder.args((t) => ({ first: t.int({ defaultValue: pageDefault }), after: t.string() }));
  const kindArgs = () => builder.args((t) => ({ kinds: t.field({ type: [TransferKindEnum] }) }));
  const sideArgs = () => builder.args((t) => ({ denom: t.string(), direction: t.field({ type: TransferDirectionEnum }) }));

  addHeightFields(builder, (t) => ({
    transfers: t.field({
      type: TransferConnectionRef,
      description: 'derived: coin movements of an account, a denom or both, newest first. At least one of the two is needed.',
      // The index is written behind the block.
      extensions: liveField,
      args: { account: t.arg.string(), ...sideArgs(), ...kindArgs(), ...pageArgs() },
      resolve: (root, { account, ...args }, _context, info) => {
        checkFilter({ ...args, account }, 'account');
        return transfers(root, { ...args, account: account == null ? null : addressInput('account', account) }, info);
      },
    }),
  }));
  builder.objectField(AccountRef, 'transfers', (t) =>
    t.field({
      type: TransferConnectionRef,
      description: 'derived: coin movements from and to it, newest first.',
      extensions: liveField,
      args: { ...sideArgs(), ...kindArgs(), ...pageArgs() },
      resolve: (account, args, _context, info) => transfers(account, { ...args, account: account.address }, info),
    }),
  );
  builder.objectField(MarkerRef, 'transfers', (t) =>
    t.field({
      type: TransferConnectionRef,
      description: 'derived: movements of this denom, newest first.',
      extensions: liveField,
      args: { ...kindArgs(), ...pageArgs() },
      resolve: (marker, args, _context, info) => transfers(marker, { ...args, denom: marker.denom }, info),
    }),
  );
  builder.objectField(TransactionRef, 'transfers', (t) =>
    t.field({
      type: [TransferRef],
      description: 'derived: the coins it moved, fees included, in event order.',
      resolve: (transaction) => {
        const query = { eventType: transferEvent, searches: [], exact: true, includesBlockEvents: false, read: transferOf };
        return matchesInTransaction(query, transaction).map(({ item }) => pinned(pinOf(transaction), item));
      },
    }),
  );
}

function addTransferType(builder: Builder, KindEnum: PothosSchemaTypes.EnumRef<never, TransferKind>): void {
  builder.objectType(TransferRef, {
    description: 'derived: one movement of coins, read from a `transfer` event.',
    fields: (t) => ({
      kind: t.expose('kind', { type: KindEnum, nullable: false }),
      sender: t.field({
        type: AccountRef,
        description: 'null where the event names none.',
        resolve: (transfer) => (transfer.sender === null ? null : accountOf(transfer, transfer.sender)),
      }),
      recipient: t.field({
        type: AccountRef,
        nullable: false,
        resolve: (transfer) => accountOf(transfer, transfer.recipient),
      }),
      amount: t.field({
        type: [CoinRef],
        nullable: false,
        resolve: (transfer) => transfer.amount.map((coin) => coinOf(transfer, coin)),
      }),
      administrator: t.field({
        type: AccountRef,
        description: 'Who ordered a MARKER_TRANSFER; not the sender when it was forced or authorised. null for other kinds.',
        resolve: (transfer) => (transfer.administrator === null ? null : accountOf(transfer, transfer.administrator)),
      }),
      height: t.expose('height', { type: 'Int64', nullable: false }),
      time: t.field({
        type: 'DateTime',
        description: 'Time of the block.',
        resolve: async (transfer) =>
          (await pinOf(transfer).loaders(createBlockLoaders).block.load(transfer.height)).header.time,
      }),
      block: t.field({ type: BlockRef, resolve: (transfer) => blockAt(transfer, transfer.height) }),
      transaction: t.field({
        type: TransactionRef,
        description: 'null when a block itself moved the coins.',
        resolve: (transfer) => transfer.transaction && pinned(pinOf(transfer), transfer.transaction),
      }),
      message: t.field({
        type: AnyMessageRef,
        description: 'The message that moved them, within its transaction; null for fees and blocks.',
        resolve: (transfer) => transfer.message && anyOf(transfer, transfer.message),
      }),
    }),
  });
}
