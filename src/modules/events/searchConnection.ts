import type { GraphQLResolveInfo } from 'graphql';
import { RequestError } from '../../reads/errors.ts';
import type { Awaitable } from '../../reads/loader.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs } from '../../schema/builder.ts';
import { type Connection, type ConnectionArgs, chainConnection, direction } from '../../schema/connection.ts';
import { type ConditionInput, eventConditions } from './eventConditions.ts';
import { EventConditionInput } from './refs.ts';
import { type SearchKind, searchList, searchName } from './search.ts';

interface SearchArgs extends ConnectionArgs {
  readonly query?: string | null | undefined;
  readonly where?: readonly ConditionInput[] | null | undefined;
}

/** A page of the results of a search. Fails with BAD_USER_INPUT if neither `query` nor `where` is given. */
export function searchConnection<T extends object>(
  root: Pinned<object>,
  kind: SearchKind<T>,
  newestFirst: boolean,
  { query, where, ...rest }: SearchArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<T>>> {
  const pin = pinOf(root);
  const conditions = eventConditions(query, where);
  if (conditions.length === 0) {
    const facts = { argument: 'query', bound: 'present, unless `where` is' };
    throw new RequestError('BAD_USER_INPUT', 'Pass `query`, `where` or both.', facts);
  }
  const { name, reversed, args } = direction(searchName(kind.method, conditions), rest);
  return chainConnection(
    pin,
    name,
    searchList(pin.client, kind, conditions, pin.height, newestFirst !== reversed, pin.signal),
    args,
    info,
  );
}

/** The arguments of a search. */
export function searchArgs(builder: Builder) {
  return builder.args((t) => ({
    query: t.string(),
    where: t.field({ type: [EventConditionInput] }),
    ...connectionArgs(builder),
  }));
}
