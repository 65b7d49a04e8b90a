import type { GraphQLResolveInfo } from 'graphql';
import { RequestError } from '../../reads/errors.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { type Connection, type ConnectionArgs, chainConnection } from '../../schema/connection.ts';
import { liveField } from '../../schema/live.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { direction } from '../blocks/blockConnections.ts';
import * as refs from '../blocks/refs.ts';
import { type ConditionInput, eventConditions } from '../events/eventConditions.ts';
import { type SearchKind, searchList, searchName } from './search.ts';
import { blockSearch, transactionSearch } from './searchKinds.ts';

interface SearchArgs extends ConnectionArgs {
  readonly query?: string | null | undefined;
  readonly where?: readonly ConditionInput[] | null | undefined;
}

function search<T extends object>(
  root: Pinned<object>,
  kind: SearchKind<T>,
  newestFirst: boolean,
  { query, where, ...rest }: SearchArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<T>>> {
  const pin = pinOf(root);
  const conditions = eventConditions(query, where);
  if (conditions.length === 0) {
    const facts = { argument: 'query', bound: 'given, or `where`, or both' };
    throw new RequestError('BAD_USER_INPUT', 'Give `query`, `where` or both.', facts);
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

/** Adds `Query.transactions` and `Query.blockSearch`. */
export function addSearch(builder: Builder, { EventConditionInput }: Conditions): void {
  addHeightFields(builder, (t) => ({
    transactions: t.field({
      type: refs.TransactionConnectionRef,
      description:
        'Committed transactions whose events match, oldest first. Give `query`, `where` or both. Needs a node with an index.',
      // The index is written behind the block.
      extensions: liveField,
      args: { query: t.arg.string(), where: t.arg({ type: [EventConditionInput] }), ...connectionArgs(builder) },
      resolve: (root, args, _context, info) => search(root, transactionSearch, false, args, info),
    }),
    blockSearch: t.field({
      type: refs.BlockConnectionRef,
      description:
        'Blocks whose own (begin and end block) events match, newest first. Give `query`, `where` or both. Needs a node with an index.',
      extensions: liveField,
      args: { query: t.arg.string(), where: t.arg({ type: [EventConditionInput] }), ...connectionArgs(builder) },
      resolve: (root, args, _context, info) => search(root, blockSearch, true, args, info),
    }),
  }));
}

/** The input types of conditions, once added. */
export type Conditions = ReturnType<typeof addConditions>;

/** Adds `EventCondition` and its operators. */
export function addConditions(builder: Builder) {
  const EventOperatorEnum = builder.enumType('EventOperator', {
    description: "Comparisons of the chain's event query language.",
    values: ['EQUAL', 'LESS', 'LESS_OR_EQUAL', 'GREATER', 'GREATER_OR_EQUAL', 'CONTAINS', 'EXISTS'] as const,
  });
  const EventConditionInput = builder.inputType('EventCondition', {
    description: "One condition on the events of a transaction or block; all must hold (the chain's query language has no OR).",
    fields: (t) => ({
      key: t.string({
        required: true,
        description: 'Event type and attribute, `transfer.recipient`, or `tx.height`, `tx.hash`, `block.height`.',
      }),
      op: t.field({ type: EventOperatorEnum, required: true, defaultValue: 'EQUAL' }),
      value: t.string({
        description:
          'Plain text, quoted for the chain by the server, the JSON quotes of typed events included. For the orderings, a number, date or time. Not for EXISTS.',
      }),
    }),
  });
  return { EventConditionInput };
}
