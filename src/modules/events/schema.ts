import type { GraphQLResolveInfo } from 'graphql';
import type { Event } from '../../chain/base/execution.ts';
import { RequestError } from '../../reads/errors.ts';
import { type Awaitable, type Pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, createInputRef, createRef, readableWithBroadcast } from '../../schema/builder.ts';
import { type Connection, type ConnectionArgs, chainConnection, direction } from '../../schema/connection.ts';
import { type ConditionInput, eventConditions, eventFields, msgIndex } from './events.ts';
import { type SearchKind, searchList, searchName } from './search.ts';

/** An event of a transaction or block. */
export const EventRef = createRef<Event>('Event');
/** A condition on events. */
export const EventConditionInput = createInputRef<ConditionInput>('EventCondition');

/** A key and value of an event. */
export const EventAttributeRef = createRef<Event['attributes'][number]>('EventAttribute');

/** Adds events and the conditions on them. */
export function addEvents(builder: Builder): void {
  addEvent(builder);
  addConditions(builder);
}

function addEvent(builder: Builder): void {
  builder.objectType(EventRef, {
    extensions: readableWithBroadcast,
    description: 'An event of a transaction or block.',
    fields: (t) => ({
      type: t.exposeString('type', {
        nullable: false,
        description: 'A protobuf name for typed events (`cosmos.group.v1.EventVote`), a plain name for others (`transfer`).',
      }),
      attributes: t.expose('attributes', { type: [EventAttributeRef], nullable: false }),
      msgIndex: t.int({
        description: 'derived: index of the message that emitted the event; null for events of fees and blocks.',
        resolve: msgIndex,
      }),
      json: t.field({
        type: 'JSON',
        description: 'derived: the decoded fields of a typed event; null for plain events.',
        resolve: eventFields,
      }),
    }),
  });
  builder.objectType(EventAttributeRef, {
    extensions: readableWithBroadcast,
    description: 'A key and value of an event.',
    fields: (t) => ({
      key: t.exposeString('key', { nullable: false }),
      value: t.exposeString('value', {
        nullable: false,
        description: 'The text on the wire. In typed events it is JSON, including quotes.',
      }),
      index: t.exposeBoolean('index', { nullable: false, description: 'Whether nodes index the attribute.' }),
    }),
  });
}

function addConditions(builder: Builder): void {
  const EventOperatorEnum = builder.enumType('EventOperator', {
    description: 'Comparisons of the event query language of the chain.',
    values: ['EQUAL', 'LESS', 'LESS_OR_EQUAL', 'GREATER', 'GREATER_OR_EQUAL', 'CONTAINS', 'EXISTS'] as const,
  });
  builder.inputType(EventConditionInput, {
    description:
      'A condition on the events of a transaction or block. All conditions must hold; the query language of the chain has no OR.',
    fields: (t) => ({
      key: t.string({
        required: true,
        description: 'Event type and attribute, such as `transfer.recipient`, or `tx.height`, `tx.hash`, `block.height`.',
      }),
      op: t.field({ type: EventOperatorEnum, required: true, defaultValue: 'EQUAL' }),
      value: t.string({
        description:
          'Plain text without quotes; the server adds the quotes that the chain needs, also those of JSON in typed events. A number, date or time for comparisons by order. Absent for EXISTS.',
      }),
    }),
  });
}

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
  const list = searchList(pin.client, kind, conditions, pin.height, newestFirst !== reversed, pin.signal);
  return chainConnection(pin, { name, ...list }, args, info);
}

/** The arguments of a search. */
export function searchArgs(builder: Builder) {
  return builder.args((t) => ({
    query: t.string(),
    where: t.field({ type: [EventConditionInput] }),
    ...connectionArgs(builder),
  }));
}
