import { randomUUID } from 'node:crypto';
import { createSourceEventStream, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { chainReset, isChainError } from '../../chain/base/errors.ts';
import type { Head, Rewind } from '../../chain/blocks/head.ts';
import type { MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { createPin, heightOf, type Pin, pinned, pinOf } from '../../reads/pin.ts';
import type { BlockStream } from '../../reads/stream.ts';
import { createLiveCheck } from '../documents/fieldChecks.ts';
import type { Execute } from '../execution/execute.ts';
import { refusal } from '../limits/limitError.ts';
import { limitFull, type Refused } from '../request/caller.ts';
import { type Report, toGraphQLError, toGraphQLErrors } from '../request/errors.ts';
import { leftError } from '../request/leftError.ts';
import { charge } from './charge.ts';
import { createEndings } from './endings.ts';
import type { Leavable, OpenSubscription, Slot, SubscriptionOperation } from './operation.ts';
import { createRenderer, type EventOperation } from './payload.ts';
import { createReplayCache } from './replayCache.ts';
import type { OpenSource } from './source.ts';
import { createSubscriber, type QueueLimits, type Sink, type Subscriber } from './subscriber.ts';
import { createTopic, type Topic } from './topic.ts';
import { createTopicKeys, type TopicKey } from './topicKey.ts';

/** Counts of current subscriptions. */
export interface SubscriptionStats {
  /** Distinct subscriptions. */
  readonly topics: number;
  readonly subscribers: number;
  /** Open sources. */
  readonly sources: number;
  /** Event batches in the replay cache. */
  readonly cachedHeights: number;
  /** Events executed since the start. */
  readonly executions: number;
  /** Events in queues of subscribers, their bytes, and the most events in one queue. */
  readonly queued: { readonly events: number; readonly bytes: number; readonly most: number };
  /** Subscribers ended as too slow since the start. */
  readonly tooSlow: number;
}

/** All subscriptions of a server. Each event of equal subscriptions is executed and encoded once, however many subscribers they have. */
export interface Subscriptions {
  /**
   * Opens the source of a subscription. A failure (a bad argument, no node) is returned as a result with unmasked errors. Rejects with RATE_LIMITED if
   * the caller has too many distinct subscriptions.
   */
  open(operation: SubscriptionOperation): Promise<OpenSubscription | ExecutionResult>;
  stats(): SubscriptionStats;
  /** Clears the replay cache after the head was rewound. After a reset of the chain, ends every subscription with CHAIN_RESET. */
  rewind(rewind: Rewind): void;
  /** Ends every subscription, also later ones, with SERVER_SHUTDOWN and the height to resume from. */
  close(): void;
}

/** Options of {@link createSubscriptions}. */
export interface SubscriptionsOptions {
  /** The memory of the replay cache. */
  readonly memory: MemoryBudget;
  readonly schema: GraphQLSchema;
  /** Executes events. */
  readonly execute: Execute;
  /** Logs unexpected failures: one line for each event. */
  readonly report: Report;
  /** The bounds of each subscriber's queue. */
  readonly queue: QueueLimits;
  /** How long a subscription waits for the block that `after` names, in ms (`request.freshness`). */
  readonly freshness: number;
}

/** What a stream needs of an operation to render its events. */
function eventOperationOf(operation: SubscriptionOperation): EventOperation {
  const { schema, document, operationName, variableValues, contextValue, points } = operation;
  return { schema, document, operationName, variableValues, contextValue, points };
}

/** A pin that lives as long as the subscription. */
function ownPin({ client, bounds }: Pin, height: bigint, signal: AbortSignal): Pin {
  return createPin(client, height, { signal, bounds });
}

/** A subscription that was over before it began. */
const nothingToLeave: Leavable = { leave: () => undefined };

function isBlockStream(stream: AsyncIterable<unknown>): stream is BlockStream<unknown> {
  return 'nextBlock' in stream && 'present' in stream;
}

/** Creates the subscriptions of a server. */
export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { schema, execute, report, memory, queue: limits, freshness } = options;
  const mask = (error: unknown): GraphQLError => toGraphQLError(error, randomUUID(), report);
  const renderer = createRenderer(execute, (errors) => toGraphQLErrors(errors, randomUUID(), report));
  const replayCache = createReplayCache(memory);
  const topicKeyOf = createTopicKeys(schema);
  const isLive = createLiveCheck(schema);
  const endings = createEndings(mask);
  const topics = new Map<string, Topic>();
  const alone = new Set<Subscriber>();
  /** The reason that ends sources without subscribers: one error for all, because many end at once. */
  const left = leftError();
  let closed = false;

  let slow = 0;
  const tooSlow = (lastHeight: bigint | undefined): GraphQLError => {
    slow += 1;
    return endings.tooSlow(lastHeight);
  };
  const rules = { limits, tooSlow };

  const refuse = (subscriber: Subscriber, refused: Refused): void => subscriber.cut(endings.unpaid(refused));

  /**
   * Creates a subscriber that ends with its session. When it is gone, its slots are ended, and it is removed from `group`. What its functions use
   * stays in memory as long as the subscriber, so they use nothing of the request.
   */
  function createMember(
    { session, caller, slot }: SubscriptionOperation,
    { sink, after, group, place }: { sink: Sink; after: bigint; group: Pick<Topic, 'remove'>; place: Slot | undefined },
  ): Subscriber {
    const onGone = (gone: Subscriber): void => {
      stopWaiting();
      slot.end();
      place?.end();
      group.remove(gone);
    };
    const subscriber = createSubscriber({ caller, sink, rules, after, onGone });
    const stopWaiting = session.onEnd(() => subscriber.interrupt(endings.expired));
    return subscriber;
  }

  /** Ends a subscription that was opened before {@link Subscriptions.close} and is begun after it. */
  function refuseLate(sink: Sink, drop: () => void): Leavable {
    drop();
    sink.interrupt(endings.stopped());
    return nothingToLeave;
  }

  const keyOf = (operation: SubscriptionOperation): TopicKey =>
    topicKeyOf(operation, operation.session.viewer.scopes.join(' '));

  /** Waits until the chain has reached the height that `after` names. Rejects with HEIGHT_NOT_YET_AVAILABLE if it does not in time. */
  async function reached(operation: SubscriptionOperation): Promise<void> {
    const { client, signal } = pinOf(operation.root);
    const { after } = keyOf(operation);
    if (after === undefined || after <= (client.head.current()?.height ?? 0n)) return;
    await client.head.waitFor(after, { milliseconds: freshness, ...(signal && { signal }) });
  }

  function topicOf(key: string): Topic {
    const known = topics.get(key);
    if (known !== undefined) return known;
    const topic = createTopic(key, () => topics.delete(key));
    topics.set(key, topic);
    return topic;
  }

  /** The source of a stream. It lives as long as the topic, so it keeps nothing of the request that opened it. */
  function openSource(
    key: string,
    operation: EventOperation,
    { stream, stop, head }: { stream: BlockStream<unknown>; stop: () => void; head: Pick<Head, 'current'> },
  ): OpenSource {
    const { points } = operation;
    const isReplayed = !isLive(operation.document);
    return {
      stream,
      close: stop,
      head: () => head.current()?.height,
      render(block) {
        const make = () => renderer.render(operation, block);
        return isReplayed && block.events.length > 0 ? replayCache.get(key, block.height, make) : make();
      },
      points,
      price({ height, events }) {
        if (events.length === 0) return 1;
        return events.length * (isReplayed && replayCache.has(key, height) ? 1 : points);
      },
      refuse,
      renderPresent: (present) => renderer.render(operation, present),
      mask(error) {
        // It is unknown which node is wrong and which batches came from it.
        if (isChainError(error, 'NODE_INCONSISTENT')) replayCache.clear();
        return mask(error);
      },
    };
  }

  /** A stream that is a function of the block log, shared by all subscribers of equal subscriptions. */
  function shared(operation: SubscriptionOperation, stream: BlockStream<unknown>, stop: () => void): OpenSubscription {
    const { topic: hash, after = operation.height ?? 0n } = keyOf(operation);
    const { points, caller, slot } = operation;
    // Equal strings are one in memory.
    const key = topics.get(hash)?.key ?? hash;
    const place = caller.listen(key, points);
    if (!('end' in place)) {
      stop();
      throw refusal(limitFull(place), { status: 429 });
    }
    const source = openSource(key, eventOperationOf(operation), { stream, stop, head: pinOf(operation.root).client.head });
    const drop = (): void => {
      slot.end();
      place.end();
      stop();
    };
    return {
      begin(sink) {
        if (closed) return refuseLate(sink, drop);
        const topic = topicOf(key);
        const subscriber = createMember(operation, { sink, after, group: topic, place });
        void topic.join(subscriber, source);
        return subscriber;
      },
      drop,
    };
  }

  /** Any other stream, read for this subscriber only. */
  function own(operation: SubscriptionOperation, stream: AsyncIterable<unknown>, stop: () => void): OpenSubscription {
    async function run(subscriber: Subscriber): Promise<void> {
      try {
        for await (const event of stream) {
          charge([subscriber], operation.points, refuse);
          if (subscriber.isGone()) return;
          subscriber.offer(await renderer.renderAlone(operation, event, heightOf(event)));
        }
        subscriber.end();
      } catch (error) {
        if (!subscriber.isGone()) subscriber.end([mask(error)]);
      }
    }
    const drop = (): void => {
      operation.slot.end();
      stop();
    };
    const group = {
      remove(gone: Subscriber): void {
        alone.delete(gone);
        stop();
      },
    };
    return {
      begin(sink) {
        if (closed) return refuseLate(sink, drop);
        const subscriber = createMember(operation, { sink, after: 0n, group, place: undefined });
        alone.add(subscriber);
        void run(subscriber);
        return subscriber;
      },
      drop,
    };
  }

  function allSubscribers(): readonly Subscriber[] {
    return [...alone, ...[...topics.values()].flatMap((topic) => [...topic.subscribers()])];
  }

  function queued(): SubscriptionStats['queued'] {
    const sum = { events: 0, bytes: 0, most: 0 };
    for (const subscriber of allSubscribers()) {
      const { events, bytes } = subscriber.queued();
      sum.events += events;
      sum.bytes += bytes;
      sum.most = Math.max(sum.most, events);
    }
    return sum;
  }

  return {
    async open(operation) {
      if (closed) return { errors: [endings.stopped()] };
      const { root, height } = operation;
      const end = new AbortController();
      const rootValue = height === undefined ? root : pinned(ownPin(pinOf(root), height, end.signal), {});
      const stream = await createSourceEventStream({ ...eventOperationOf(operation), rootValue });
      if (!(Symbol.asyncIterator in stream)) return stream;
      const iterator = stream[Symbol.asyncIterator]();
      const stop = (): void => {
        end.abort(left);
        iterator.return?.().catch(() => undefined);
      };
      if (!isBlockStream(stream)) return own(operation, stream, stop);
      try {
        await reached(operation);
      } catch (error) {
        stop();
        const cause = error instanceof Error ? error : new Error(String(error));
        return { errors: [new GraphQLError(cause.message, { originalError: cause })] };
      }
      return shared(operation, stream, stop);
    },
    stats: () => ({
      topics: topics.size,
      subscribers: [...topics.values()].reduce((sum, topic) => sum + topic.subscribers().size, alone.size),
      sources: [...topics.values()].reduce((sum, topic) => sum + topic.sources(), alone.size),
      cachedHeights: replayCache.size(),
      executions: renderer.executions(),
      queued: queued(),
      tooSlow: slow,
    }),
    rewind({ kind, newest }) {
      replayCache.clear();
      if (kind !== 'RESET') return;
      for (const subscriber of allSubscribers()) subscriber.cut(() => mask(chainReset(newest.height)));
    },
    close() {
      closed = true;
      for (const subscriber of allSubscribers()) subscriber.interrupt(endings.stopped);
    },
  };
}
