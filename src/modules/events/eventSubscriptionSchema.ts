import type { Event } from '../../chain/base/execution.ts';
import type { CommittedBlock, CommittedTx } from '../../chain/blocks/blockLog.ts';
import type { Client } from '../../chain/client.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { RequestError } from '../../reads/errors.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type BlockStream, blockStream } from '../../reads/stream.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { blockAt } from '../blocks/blockSchema.ts';
import * as refs from '../blocks/refs.ts';
import { committed, startAfter } from '../blocks/subscriptionSchema.ts';
import type { Conditions } from '../transactions/searchSchema.ts';
import type { Transaction } from '../transactions/transactions.ts';
import { eventConditions } from './eventConditions.ts';

/** What of a block matched: a transaction, or null when the block's own events did. */
interface EventMatch {
  readonly block: CommittedBlock;
  readonly transaction: CommittedTx | null;
  readonly events: readonly Event[];
}

const EventMatchRef = createRef<Pinned<EventMatch>>('EventMatch');

/** Those events that a condition names, by `type.key` or by their type alone. */
function named(events: readonly Event[], conditions: readonly EventCondition[]): readonly Event[] {
  const tags = new Set(conditions.map(({ tag }) => tag));
  return events.filter(({ type, attributes }) => tags.has(type) || attributes.some(({ key }) => tags.has(`${type}.${key}`)));
}

/** What of a block matches, its own events first. Without conditions every transaction does. */
function matchesIn(client: Client, block: CommittedBlock, conditions: readonly EventCondition[]): readonly EventMatch[] {
  const found =
    conditions.length === 0 ? { block: false, transactions: block.transactions } : client.events.match(conditions, block);
  const own: EventMatch = { block, transaction: null, events: named(block.events, conditions) };
  const transactions = found.transactions.map((transaction) => ({
    block,
    transaction,
    events: named(transaction.result.events, conditions),
  }));
  return found.block ? [own, ...transactions] : transactions;
}

/** The greatest height that conditions on `tx.height` and `block.height` allow; undefined without such a bound. */
function lastAllowed(conditions: readonly EventCondition[]): bigint | undefined {
  let last: bigint | undefined;
  for (const { tag, operator, argument } of conditions) {
    const isBound = (tag === 'tx.height' || tag === 'block.height') && ['=', '<', '<='].includes(operator);
    if (!isBound || argument === undefined || !/^\d{1,19}$/.test(argument.text)) continue;
    const height = BigInt(argument.text) - (operator === '<' ? 1n : 0n);
    if (last === undefined || height < last) last = height;
  }
  return last;
}

/** What `pick` takes of every match above `after`, in block order, each under the pin of its block. */
function eventMatches<T>(
  root: Pinned<object>,
  after: bigint,
  conditions: readonly EventCondition[],
  pick: (match: Pinned<EventMatch>) => T | null,
): BlockStream<T> {
  const { client, at, signal } = pinOf(root);
  const end = lastAllowed(conditions);
  return blockStream<T>({
    blocks: client.blocks.from(after, { signal }),
    async first() {
      if (end === undefined || end > after) return undefined;
      return { height: after, events: [], last: true, isPresent: true };
    },
    step(block) {
      const { height } = block.header;
      const last = end !== undefined && height >= end;
      const matches = matchesIn(client, block, conditions);
      if (matches.length === 0) return { events: [], last };
      const pin = at(height);
      return { events: matches.map((match) => pick(pinned(pin, match))).filter((event) => event !== null), last };
    },
  });
}

function transactionOf(match: Pinned<EventMatch>): Pinned<Transaction> | null {
  const { block, transaction } = match;
  return transaction && pinned(pinOf(match), committed(block.header.height, transaction));
}

/** Adds the subscriptions that pick by events. */
export function addEventSubscriptions(builder: Builder, { EventConditionInput }: Conditions): void {
  builder.objectType(EventMatchRef, {
    description: 'A transaction or a block whose events matched.',
    fields: (t) => ({
      height: t.field({ type: 'Int64', nullable: false, resolve: ({ block }) => block.header.height }),
      time: t.field({ type: 'DateTime', nullable: false, resolve: ({ block }) => block.header.time }),
      block: t.field({ type: refs.BlockRef, nullable: false, resolve: (match) => blockAt(match, match.block.header.height) }),
      transaction: t.field({
        type: refs.TransactionRef,
        description: "null when the block's own events matched.",
        resolve: transactionOf,
      }),
      events: t.field({
        type: [refs.EventRef],
        nullable: false,
        description: 'Those of its events that the query names.',
        resolve: ({ events }) => events,
      }),
    }),
  });
  const args = builder.args((t) => ({
    query: t.string(),
    where: t.field({ type: [EventConditionInput] }),
    after: t.field({ type: 'Int64' }),
  }));
  builder.subscriptionFields((t) => ({
    transactions: t.field({
      type: refs.TransactionRef,
      nullable: false,
      description: 'Committed transactions whose events match, in block order. Without `query` and `where`, all.',
      args,
      subscribe: (root, { query, where, after }) =>
        eventMatches(root, startAfter(root, after), eventConditions(query, where), transactionOf),
      resolve: (transaction) => transaction,
    }),
    events: t.field({
      type: EventMatchRef,
      nullable: false,
      description:
        "Transactions and blocks whose events match, in block order, a block's own match first. Give `query`, `where` or both.",
      args,
      subscribe: (root, { query, where, after }) => {
        const conditions = eventConditions(query, where);
        if (conditions.length > 0) return eventMatches(root, startAfter(root, after), conditions, (match) => match);
        const facts = { argument: 'query', bound: 'given, or `where`, or both' };
        throw new RequestError('BAD_USER_INPUT', 'Give `query`, `where` or both.', facts);
      },
      resolve: (match) => match,
    }),
  }));
}
