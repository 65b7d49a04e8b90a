import type { GraphQLResolveInfo } from 'graphql';
import { encodeCursor } from '../../reads/page.ts';
import { type Pin, type Pinned, pinned } from '../../reads/pin.ts';
import type { Builder, Ref } from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, pageRequest } from '../../schema/connection.ts';
import { createTransactionLoaders } from '../transactions/query.ts';
import type { NamedHistory } from './matches.ts';
import { readHistory } from './page.ts';
import { positionKey, positionOfKey } from './position.ts';

/** A page of a history as GraphQL serves it. It has no total. */
export interface HistoryConnection<T> extends Connection<T> {
  readonly completeFrom: () => Promise<bigint>;
}

/** Adds the connection and edge types of a history. */
export function addHistoryConnection<T>(
  builder: Builder,
  NodeRef: Ref<T>,
  ConnectionRef: Ref<HistoryConnection<T>>,
  plural: string,
): void {
  addConnection(builder, NodeRef, ConnectionRef, plural);
  builder.objectField(ConnectionRef, 'completeFrom', (t) =>
    t.field({
      type: 'Int64',
      nullable: false,
      description:
        'The list is complete from this height on. Earlier events are not visible, because nodes have no index or have pruned it.',
      resolve: (page) => page.completeFrom(),
    }),
  );
}

/**
 * A page of a history, newest first. A page that reaches its read limit can have fewer items than requested, or none. It still
 * has an end cursor, and the next page continues there. Transactions with a match are cached, so that they are not read again.
 */
export async function historyConnection<T extends object>(
  pin: Pin,
  { name, query }: NamedHistory<T>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<HistoryConnection<Pinned<T>>> {
  const { first, after } = pageRequest(pin, name, args, info, ['completeFrom']);
  const cursor = (key: Uint8Array): string => encodeCursor(name, { key, place: undefined });
  const page = await readHistory(pin, query, { first, after: after && positionOfKey(after.key) });
  const transactions = page.found.flatMap(({ transaction }) => transaction ?? []);
  pin.loaders(createTransactionLoaders).transaction.prime(transactions, ({ hash }) => hash);
  return {
    nodes: page.found.map(({ item }) => pinned(pin, item)),
    cursorAt: (index) => {
      const found = page.found[index];
      if (found === undefined) throw new RangeError(`no item ${index} on this page`);
      return cursor(positionKey(found.position));
    },
    endCursor: page.end === undefined ? null : cursor(positionKey(page.end)),
    hasNextPage: page.more,
    hasPreviousPage: after !== undefined,
    totalCount: null,
    completeFrom: page.completeFrom,
  };
}
