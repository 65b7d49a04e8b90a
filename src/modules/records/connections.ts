import type { GraphQLResolveInfo } from 'graphql';
import type { AccountRole } from '../../archive/full/search.ts';
import { electorKey, type ProposalRecord, recordKey, transactionKey, type VoteRecord, voteKey } from '../../archive/records.ts';
import type { RecordPageRequest } from '../../archive/store/reader.ts';
import type { Page } from '../../reads/page.ts';
import { type Awaitable, andThen, type Pinned, pinOf } from '../../reads/pin.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { type Connection, type ConnectionArgs, connectionOf, pageRequest } from '../../schema/connection.ts';
import { decodeTransaction, type Transaction } from '../transactions/query.ts';
import { accountVoteListName, checkedFilter, type FilterInput, proposalListName, voteListName } from './filter.ts';
import { type RecordLoaders, readForRequest, recordStores, recordsAt } from './loaders.ts';
import type { ElectorOf } from './refs.ts';

/** Reads a page of a list of records under the pin of `parent`; null if the server has no archive, or the list is not known. */
function page<T extends object>(
  parent: Pinned<object>,
  name: string,
  args: ConnectionArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  keyOf: (item: T) => Uint8Array,
  read: (loaders: RecordLoaders, request: RecordPageRequest) => Promise<Page<T> | null>,
): Awaitable<Connection<Pinned<T>> | null> {
  const pin = pinOf(parent);
  const request = pageRequest(pin, name, args, info);
  return andThen(recordsAt(parent, context), (loaders) => {
    if (loaders === null) return null;
    return read(loaders, request).then((items) => items && connectionOf(pin, name, items, keyOf));
  });
}

/** Pages of proposals that satisfy a filter, newest first. */
export function proposalRecords(
  parent: Pinned<object>,
  input: FilterInput | null | undefined,
  args: ConnectionArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<ProposalRecord>> | null> {
  return andThen(checkedFilter(pinOf(parent), input), (filter) =>
    page(parent, proposalListName(filter), args, context, info, recordKey, ({ reader }, request) =>
      readForRequest(reader.recordPage(filter, request, pinOf(parent).heightOf(recordStores))),
    ),
  );
}

type Account = Pinned<{ readonly address: string }>;

/** Resolves to a page of the votes that an account has cast, newest first. */
export const votesByAccount = (
  account: Account,
  args: ConnectionArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<VoteRecord>> | null> =>
  page(account, accountVoteListName(account.address), args, context, info, voteKey, ({ reader }, request) =>
    readForRequest(reader.votesByAccount(account.address, request, pinOf(account).heightOf(recordStores))),
  );

/** Resolves to a page of the transactions that an account signed or took part in, newest first; null without an archive of mode FULL. */
export const transactionsByAccount = (
  account: Account,
  { role: part, ...args }: ConnectionArgs & { readonly role?: AccountRole | null | undefined },
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Transaction>> | null> => {
  const { address } = account;
  const role = part ?? 'ANY';
  const name = `accountTransactions/${role}/${address}`;
  return page<Transaction>(account, name, args, context, info, transactionKey, async ({ reader }, request) => {
    const results = await readForRequest(reader.accountTransactions({ address, role }, request, pinOf(account).height));
    return results && { ...results, items: results.items.map(decodeTransaction) };
  });
};

/** Resolves to a page of the votes of a record, oldest first. */
export const votesOf = (
  record: Pinned<ProposalRecord>,
  args: ConnectionArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<VoteRecord>> | null> =>
  page(record, voteListName(record.id), args, context, info, voteKey, (loaders, request) =>
    loaders.votes(request).load(record),
  );

/** Resolves to a page of the electorate of a record, by address. */
export const electorateOf = (
  record: Pinned<ProposalRecord>,
  { voted: choice, ...args }: ConnectionArgs & { readonly voted?: boolean | null | undefined },
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<ElectorOf>> | null> => {
  const voted = choice ?? undefined;
  const name = `electorate/${record.id}/${voted}`;
  return page<ElectorOf>(record, name, args, context, info, electorKey, async (loaders, request) => {
    const electors = await loaders.electorate(request, voted).load(record);
    const { totalWeight, groupId } = record;
    return electors && { ...electors, items: electors.items.map((elector) => ({ ...elector, totalWeight, groupId })) };
  });
};
