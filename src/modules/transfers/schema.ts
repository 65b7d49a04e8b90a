import type { GraphQLResolveInfo } from 'graphql';
import { pageDefault } from '../../config/bounds.ts';
import { denomInput } from '../../reads/input.ts';
import { andThen, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, liveField, usesContext } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { AccountRef, accountField, accountOrNull } from '../account/schema.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { coinsField } from '../bank/schema.ts';
import { createBlockLoaders } from '../blocks/query.ts';
import { BlockRef, blockAt } from '../blocks/schema.ts';
import { addHistoryConnection, type HistoryConnection, historyConnection } from '../history/connection.ts';
import { matchesInTransaction } from '../history/matches.ts';
import { MarkerRef } from '../marker/schema.ts';
import { TransactionRef } from '../transactions/schema.ts';
import {
  checkFilter,
  type Transfer,
  type TransferDirection,
  type TransferKind,
  transferEvent,
  transferHistory,
  transferOf,
} from './query.ts';

/** References of the module's types, for its own files and for modules that extend the types. */
const TransferRef = createRef<Pinned<Transfer>>('Transfer');
const TransferConnectionRef = createRef<HistoryConnection<Pinned<Transfer>>>('TransferConnection');

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

/**
 * Adds transfers, and the transfer fields of `Query`, `Account`, `Marker` and `Transaction`. Histories are live: a node indexes
 * events after the block.
 */
export function addTransfers(builder: Builder): void {
  const TransferKindEnum = builder.enumType('TransferKind', {
    description: 'Kind of a transfer, determined by the message that caused it.',
    values: {
      SEND: { description: 'Caused by cosmos.bank.v1beta1.MsgSend.' },
      MULTI_SEND: { description: 'Caused by cosmos.bank.v1beta1.MsgMultiSend.' },
      MARKER_TRANSFER: {
        description:
          'Caused by provenance.marker.v1.MsgTransferRequest: a transfer of a restricted marker by an account with transfer access.',
      },
      FEE: { description: 'Fee of a transaction, paid to the fee collector.' },
      OTHER: {
        description:
          'Any other transfer, such as a withdrawal or mint of a marker, an executed proposal, a scope, a reward, or a transfer by the block itself.',
      },
    },
  });
  const TransferDirectionEnum = builder.enumType('TransferDirection', {
    description: 'Side of the account in a transfer.',
    values: {
      IN: { description: 'The account is the recipient.' },
      OUT: { description: 'The account is the sender.' },
    },
  });
  addTransferType(builder, TransferKindEnum);
  addHistoryConnection(builder, TransferRef, TransferConnectionRef, 'transfers');
  const pageArgs = () => builder.args((t) => ({ first: t.int({ defaultValue: pageDefault }), after: t.string() }));
  const kindArgs = () => builder.args((t) => ({ kinds: t.field({ type: [TransferKindEnum] }) }));
  const sideArgs = () => builder.args((t) => ({ denom: t.string(), direction: t.field({ type: TransferDirectionEnum }) }));

  addHeightFields(builder, (t) => ({
    transfers: t.field({
      type: TransferConnectionRef,
      description:
        'derived: transfers of an account, of a denom, or of both, newest first. `account` or `denom` is required; `direction` requires\n`account`. Needs no node where an archive of mode FULL holds every height of the search.',
      extensions: liveField,
      args: { account: t.arg.string(), ...sideArgs(), ...kindArgs(), ...pageArgs() },
      resolve: usesContext((root, { account, ...args }, _context, info) => {
        checkFilter({ ...args, account }, 'account');
        const checked = account == null ? null : accountInput(pinOf(root), 'account', account);
        return andThen(checked, (of) => transfers(root, { ...args, account: of }, info));
      }),
    }),
  }));
  builder.objectField(AccountRef, 'transfers', (t) =>
    t.field({
      type: TransferConnectionRef,
      description: 'derived: transfers from and to the account, newest first.',
      extensions: liveField,
      args: { ...sideArgs(), ...kindArgs(), ...pageArgs() },
      resolve: usesContext((account, args, _context, info) => transfers(account, { ...args, account: account.address }, info)),
    }),
  );
  builder.objectField(MarkerRef, 'transfers', (t) =>
    t.field({
      type: TransferConnectionRef,
      description: 'derived: transfers of this denom, newest first.',
      extensions: liveField,
      args: { ...kindArgs(), ...pageArgs() },
      resolve: usesContext((marker, args, _context, info) => transfers(marker, { ...args, denom: marker.denom }, info)),
    }),
  );
  builder.objectField(TransactionRef, 'transfers', (t) =>
    t.field({
      type: [TransferRef],
      description: 'derived: the transfers of the transaction, including fees, in the order of its events.',
      resolve: (transaction) => {
        const query = { eventType: transferEvent, searches: [], exact: true, includesBlockEvents: false, read: transferOf };
        return matchesInTransaction(query, transaction).map(({ item }) => pinned(pinOf(transaction), item));
      },
    }),
  );
}

function addTransferType(builder: Builder, KindEnum: PothosSchemaTypes.EnumRef<never, TransferKind>): void {
  builder.objectType(TransferRef, {
    description: 'derived: a transfer of coins, read from a `transfer` event.',
    fields: (t) => ({
      kind: t.expose('kind', { type: KindEnum, nullable: false, description: 'Kind of the transfer.' }),
      sender: accountOrNull(t, 'The account that sent the coins; null if the event names none.', (transfer) => transfer.sender),
      recipient: accountField(t, 'The account that received the coins.', (transfer) => transfer.recipient),
      amount: coinsField(t, 'The coins.', (transfer) => transfer.amount),
      administrator: accountOrNull(
        t,
        'The account that signed a MARKER_TRANSFER. Differs from the sender if the transfer was forced or authorized. null for other kinds.',
        (transfer) => transfer.administrator,
      ),
      height: t.expose('height', { type: 'Int64', nullable: false, description: 'Height of the block.' }),
      time: t.field({
        type: 'DateTime',
        description: 'Block time.',
        resolve: (transfer) =>
          andThen(pinOf(transfer).loaders(createBlockLoaders).block.load(transfer.height), ({ header }) => header.time),
      }),
      block: t.field({
        type: BlockRef,
        description: 'The block of the transfer.',
        resolve: (transfer) => blockAt(transfer, transfer.height),
      }),
      transaction: t.field({
        type: TransactionRef,
        description: 'The transaction of the transfer; null if the block itself transferred the coins.',
        resolve: (transfer) => transfer.transaction && pinned(pinOf(transfer), transfer.transaction),
      }),
      message: t.field({
        type: AnyMessageRef,
        description: 'The message that caused the transfer; null for fees and for transfers by the block itself.',
        resolve: (transfer) => transfer.message && anyOf(transfer, transfer.message),
      }),
    }),
  });
}
