import type { Event } from '../../chain/base/execution.ts';
import type { CommittedBlock, CommittedTx } from '../../chain/blocks/blockLog.ts';
import type { Client } from '../../chain/client.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { RequestError } from '../../reads/errors.ts';
import { startAfter } from '../../reads/height.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type BlockStream, blockStream } from '../../reads/stream.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { blockAt } from '../blocks/blockSchema.ts';
import { BlockRef } from '../blocks/refs.ts';
import { eventConditions } from '../events/eventConditions.ts';
import { EventConditionInput, EventRef } from '../events/refs.ts';
import { TransactionRef } from './refs.ts';
import { committed, type Transaction } from './transactions.ts';

/** A transaction that matches, or the block itself if `transaction` is null. */
interface EventMatch {
  readonly block: CommittedBlock;
  readonly transaction: CommittedTx | null;
  readonly events: readonly Event[];
}

const EventMatchRef = createRef<Pinned<EventMatch>>('EventMatch');

/** The events that a condition names, by `type.key` or by type alone. */
function eventsNamed(events: readonly Event[], conditions: readonly EventCondition[]): readonly Event[] {
  const tags = new Set(conditions.map(({ tag }) => tag));
  return events.filter(({ type, attributes }) => tags.has(type) || attributes.some(({ key }) => tags.has(`${type}.${key}`)));
}

/** The matches in a block, its own events first. Without conditions every transaction matches. */
function matchesIn(client: Client, block: CommittedBlock, conditions: readonly EventCondition[]): readonly EventMatch[] {
  const found =
    conditions.length === 0 ? { block: false, transactions: block.transactions } : client.events.match(conditions, block);
  const own: EventMatch = { block, transaction: null, events: eventsNamed(block.events, conditions) };
  const transactions = found.transactions.map((transaction) => ({
    block,
    transaction,
    events: eventsNamed(transaction.result.events, conditions),
  }));
  return found.block ? [own, ...transactions] : transactions;
}

/** The greatest height that the conditions on `tx.height` and `block.height` allow; undefined if they set none. */
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

/** The results of `pick` for the matches after height `after`, in block order, each under the pin of its block. */
function eventMatches<T>(
  root: Pinned<object>,
  after: bigint,
  conditions: readonly EventCondition[],
  pick: (match: Pinned<EventMatch>) => T | null,
): BlockStream<T> {
  const pin = pinOf(root);
  const { client, signal } = pin;
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
      const pinAt = pin.at(height);
      return { events: matches.map((match) => pick(pinned(pinAt, match))).filter((event) => event !== null), last };
    },
  });
}

function transactionOf(match: Pinned<EventMatch>): Pinned<Transaction> | null {
  const { block, transaction } = match;
  return transaction && pinned(pinOf(match), committed(block.header.height, transaction));
}

/** Adds `Subscription.transactions` and `Subscription.events`. */
export function addEventSubscriptions(builder: Builder): void {
  builder.objectType(EventMatchRef, {
    description: 'A transaction or a block whose events matched.',
    fields: (t) => ({
      height: t.field({ type: 'Int64', nullable: false, resolve: ({ block }) => block.header.height }),
      time: t.field({ type: 'DateTime', nullable: false, resolve: ({ block }) => block.header.time }),
      block: t.field({ type: BlockRef, nullable: false, resolve: (match) => blockAt(match, match.block.header.height) }),
      transaction: t.field({
        type: TransactionRef,
        description: 'null if events of the block itself matched.',
        resolve: transactionOf,
      }),
      events: t.field({
        type: [EventRef],
        nullable: false,
        description: 'The events that the conditions name.',
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
      type: TransactionRef,
      nullable: false,
      description: 'Committed transactions whose events match, in block order. Without `query` and `where`, all transactions.',
      args,
      subscribe: (root, { query, where, after }) =>
        eventMatches(root, startAfter(root, after), eventConditions(query, where), transactionOf),
      resolve: (transaction) => transaction,
    }),
    events: t.field({
      type: EventMatchRef,
      nullable: false,
      description:
        'Transactions and blocks whose events match, in block order; a block comes before its transactions. Pass `query`, `where` or both.',
      args,
      subscribe: (root, { query, where, after }) => {
        const conditions = eventConditions(query, where);
        if (conditions.length > 0) return eventMatches(root, startAfter(root, after), conditions, (match) => match);
        const facts = { argument: 'query', bound: 'present, unless `where` is' };
        throw new RequestError('BAD_USER_INPUT', 'Pass `query`, `where` or both.', facts);
      },
      resolve: (match) => match,
    }),
  }));
}
