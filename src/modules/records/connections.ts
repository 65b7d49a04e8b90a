import type { GraphQLResolveInfo } from 'graphql';
import type { AccountRole } from '../../archive/full/search.ts';
import {
  electorKey,
  type ProposalRecord,
  type ProposalRecordFilter,
  recordKey,
  transactionKey,
  type VoteRecord,
  voteKey,
} from '../../archive/records.ts';
import type { RecordPageRequest } from '../../archive/store/reader.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import type { Page } from '../../reads/page.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { type Connection, type ConnectionArgs, connectionOf, pageRequest } from '../../schema/connection.ts';
import { decodeTransaction, type Transaction } from '../transactions/query.ts';
import { accountVoteListName, proposalListName, voteListName } from './filter.ts';
import { type RecordLoaders, recordStores, recordsAt, shown } from './loaders.ts';
import type { ElectorOf } from './refs.ts';

/** Reads a page of a list of records under the pin of `parent`; null if the server has no archive, or the list is not known. */
function page<T extends object>(
  parent: Pinned<object>,
  context: GraphQLContext,
  name: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  keyOf: (item: T) => Uint8Array,
  read: (loaders: RecordLoaders, request: RecordPageRequest) => Promise<Page<T> | null>,
): Awaitable<Connection<Pinned<T>> | null> {
  const pin = pinOf(parent);
  const request = pageRequest(pin, name, args, info);
  return andThen(recordsAt(parent, context), (loaders) => {
    if (loaders === null) return null;
    return read(loaders, request).then((found) => found && connectionOf(pin, name, found, keyOf));
  });
}

/** Pages of proposals that satisfy a filter, newest first. */
export function proposalRecords(
  parent: Pinned<object>,
  filter: ProposalRecordFilter,
  args: ConnectionArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<ProposalRecord>> | null> {
  return page(parent, context, proposalListName(filter), args, info, recordKey, ({ reader }, request) =>
    shown(reader.recordPage(filter, request, pinOf(parent).heightOf(recordStores))),
  );
}

/** Pages of the votes that an account has cast, newest first. */
export function votesByAccount(
  parent: Pinned<object>,
  address: string,
  args: ConnectionArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<VoteRecord>> | null> {
  return page(parent, context, accountVoteListName(address), args, info, voteKey, ({ reader }, request) =>
    shown(reader.votesByAccount(address, request, pinOf(parent).heightOf(recordStores))),
  );
}

/** Pages of the transactions that an account signed or took part in, newest first; null without an archive of mode FULL. */
export function transactionsByAccount(
  parent: Pinned<object>,
  address: string,
  { role, ...args }: ConnectionArgs & { readonly role?: AccountRole | null | undefined },
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Transaction>> | null> {
  const account = { address, role: role ?? 'ANY' };
  return page<Transaction>(
    parent,
    context,
    `accountTransactions/${account.role}/${address}`,
    args,
    info,
    transactionKey,
    async ({ reader }, request) => {
      const found = await shown(reader.accountTransactions(account, request, pinOf(parent).height));
      return found && { ...found, items: found.items.map(decodeTransaction) };
    },
  );
}

/** Pages of the votes of a record, oldest first. */
export function votesOf(
  record: Pinned<ProposalRecord>,
  args: ConnectionArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<VoteRecord>> | null> {
  return page(record, context, voteListName(record.id), args, info, voteKey, (loaders, request) =>
    loaders.votes(request).load(record),
  );
}

/** Pages of the electorate of a record, by address. */
export function electorateOf(
  record: Pinned<ProposalRecord>,
  { voted, ...args }: ConnectionArgs & { readonly voted?: boolean | null | undefined },
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<ElectorOf>> | null> {
  const which = voted ?? undefined;
  return page<ElectorOf>(
    record,
    context,
    `electorate/${record.id}/${which}`,
    args,
    info,
    electorKey,
    async (loaders, request) => {
      const found = await loaders.electorate(request, which).load(record);
      const { totalWeight, groupId } = record;
      return found && { ...found, items: found.items.map((elector) => ({ ...elector, totalWeight, groupId })) };
    },
  );
}
