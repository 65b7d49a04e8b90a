import { randomUUID } from 'node:crypto';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import { charge, limitFull, type Refused } from '../../answers/caller.ts';
import { leftError, type Report } from '../../answers/errors.ts';
import { chainConflict, chainReset, isChainError } from '../../chain/base/errors.ts';
import type { Fingerprint, Head, Rewind } from '../../chain/blocks/head.ts';
import type { MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { scopeOf, setScope, spanOf, type Tracer } from '../../chain/tracing/tracer.ts';
import { chainAccessOf, createPin, heightOf, type Pin, pinned, pinOf } from '../../reads/pin.ts';
import type { BlockStream } from '../../reads/stream.ts';
import { refusal, toGraphQLError, toGraphQLErrors } from '../documents/errors.ts';
import { createNeedsOf, differencesFor } from '../documents/operationChecks.ts';
import type { Execute } from '../execution/execute.ts';
import { createRenderer, createReplayCache, type EventOperation } from './payload.ts';
import {
  createEndings,
  createSubscriber,
  eventOperationOf,
  type Leavable,
  type OpenSubscription,
  type QueueLimits,
  type Sink,
  type Slot,
  type Subscriber,
  type SubscriptionOperation,
} from './subscriber.ts';
import { createTopic, createTopicKeys, type OpenSource, type Topic, type TopicKey, traced } from './topic.ts';

const nameOf = ({ document, operationName }: EventOperation): string | undefined =>
  getOperationAST(document, operationName)?.name?.value.slice(0, 128);

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

/** All subscriptions of a server. */
export type Subscriptions = ReturnType<typeof createSubscriptions>;

interface SubscriptionsOptions {
  /** The memory of the replay cache. */
  readonly memory: MemoryBudget;
  /** The schema to begin with. */
  readonly schema: GraphQLSchema;
  /** Executes events, with the schema of its time. */
  readonly execute: Execute;
  /** Logs unexpected failures: one line for each event. */
  readonly report: Report;
  /** The bounds of each subscriber's queue. */
  readonly queue: QueueLimits;
  /** How long a subscription waits for the block that `after` names, in ms (`request.freshness`). */
  readonly freshness: number;
  /** Identifies the chain in events; undefined while it is not known. */
  readonly chain: () => Fingerprint | undefined;
  readonly tracer: Tracer;
}

/** A pin that lives as long as the subscription. */
function ownPin({ client, bounds }: Pin, height: bigint, signal: AbortSignal): Pin {
  return createPin(client, height, { signal, bounds });
}

/** A subscription that was over before it began. */
const nothingToLeave: Leavable = { leave: () => undefined, covered: () => undefined };

function isBlockStream(stream: AsyncIterable<unknown>): stream is BlockStream<unknown> {
  return 'nextBlock' in stream && 'present' in stream;
}

/** How a subscriber joins: its sink, the height after which it begins, what it belongs to, and its place among the topics of its caller. */
interface Joining {
  readonly sink: Sink;
  readonly after: bigint;
  readonly group: Pick<Topic, 'remove'>;
  readonly place: Slot | undefined;
}

/**
 * Creates the subscriptions of a server. Those whose events depend on the block log alone share a topic if they are equal: each event is executed and
 * encoded once, however many subscribers they have.
 */
export function createSubscriptions(options: SubscriptionsOptions) {
  const { schema, execute, report, memory, queue: limits, freshness, chain, tracer } = options;
  const mask = (error: unknown): GraphQLError => toGraphQLError(error, randomUUID(), report);
  const renderer = createRenderer(execute, (errors) => toGraphQLErrors(errors, randomUUID(), report), chain);
  const replayCache = createReplayCache(memory);
  const topicKeyOf = createTopicKeys(schema);
  let needsOf = createNeedsOf(schema);
  const endings = createEndings(mask, chain);
  const topics = new Map<string, Topic>();
  /** The subscribers of other streams, which are read for one subscriber each, with their documents. */
  const alone = new Map<Subscriber, DocumentNode>();
  /** The reason that ends sources without subscribers: one error for all, because many end at once. */
  const left = leftError();
  let closed = false;
  let slow = 0;
  const rules = {
    limits,
    tooSlow: (lastHeight: bigint | undefined): GraphQLError => {
      slow += 1;
      return endings.tooSlow(lastHeight);
    },
  };

  /** Ends a subscriber whose caller has too few points. */
  const refuse = (subscriber: Subscriber, cause: Refused): void => subscriber.cut(endings.unpaid(cause));

  const keyOf = (operation: SubscriptionOperation): TopicKey =>
    topicKeyOf(operation, operation.session.viewer.scopes.join(' '));

  /**
   * Creates a subscriber that ends with its session. When it is gone, its slots are ended, and it is removed from `group`. What its functions use
   * stays in memory as long as the subscriber, so they use nothing of the request.
   */
  function createMember({ session, caller, slot }: SubscriptionOperation, { sink, after, group, place }: Joining): Subscriber {
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

  /** An opened subscription. One that is begun after {@link Subscriptions.close} is ended. */
  function openOf(drop: () => void, begin: (sink: Sink) => Subscriber): OpenSubscription {
    return {
      begin(sink) {
        if (!closed) return begin(sink);
        drop();
        sink.interrupt(endings.stopped());
        return nothingToLeave;
      },
      drop,
    };
  }

  /** The source of a stream. It lives as long as the topic, so it keeps nothing of the request that opened it. */
  function openSource(
    key: string,
    operation: EventOperation,
    { stream, stop, head }: { stream: BlockStream<unknown>; stop: () => void; head: Pick<Head, 'current'> },
  ): OpenSource {
    const { points } = operation;
    const chosen = getOperationAST(operation.document, operation.operationName);
    const isReplayed = !chosen || !needsOf(operation.document, chosen).isLive;
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

  /** Waits until the chain has reached the height that `after` names. Rejects with HEIGHT_NOT_YET_AVAILABLE if it does not in time. */
  async function reached(operation: SubscriptionOperation): Promise<void> {
    const { client, signal } = pinOf(operation.root);
    const { after } = keyOf(operation);
    if (after === undefined || after <= (client.head.current()?.height ?? 0n)) return;
    await client.head.waitFor(after, { milliseconds: freshness, ...(signal && { signal }) });
  }

  /** Opens a subscription to a stream that equal subscriptions share. Its reads have the signal, and `stop` ends them. */
  function sharedStream(
    operation: SubscriptionOperation,
    stream: BlockStream<unknown>,
    { signal, stop }: { readonly signal: AbortSignal; readonly stop: () => void },
  ): OpenSubscription {
    const { topic: hash, after = operation.height ?? 0n } = keyOf(operation);
    const { points, caller, slot } = operation;
    // Equal strings are one in memory.
    const key = topics.get(hash)?.key ?? hash;
    const place = caller.listen(key, points);
    if (!('end' in place)) {
      stop();
      throw refusal(limitFull(place), { status: 429 });
    }
    const pin = pinOf(operation.root);
    const { head } = pin.client;
    const untraced = openSource(key, eventOperationOf(operation), { stream, stop, head });
    const source = traced(untraced, { name: nameOf(operation), signal, opener: spanOf(pin.signal), tracer });
    const drop = (): void => {
      slot.end();
      place.end();
      stop();
    };
    return openOf(drop, (sink) => {
      const topic = topics.get(key) ?? createTopic(key, operation.document, () => topics.delete(key));
      topics.set(key, topic);
      const subscriber = createMember(operation, { sink, after, group: topic, place });
      void topic.join(subscriber, source);
      return subscriber;
    });
  }

  /** Any other stream, read for this subscriber only. */
  function ownStream(operation: SubscriptionOperation, stream: AsyncIterable<unknown>, stop: () => void): OpenSubscription {
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
    return openOf(drop, (sink) => {
      const subscriber = createMember(operation, { sink, after: 0n, group, place: undefined });
      alone.set(subscriber, operation.document);
      void run(subscriber);
      return subscriber;
    });
  }

  function allSubscribers(): readonly Subscriber[] {
    return [...alone.keys(), ...[...topics.values()].flatMap((topic) => [...topic.subscribers()])];
  }

  return {
    /**
     * Opens the source of a subscription. A failure (a bad argument, no node) is returned as a result with unmasked errors. Rejects with RATE_LIMITED if
     * the caller has too many distinct subscriptions.
     */
    async open(operation: SubscriptionOperation): Promise<OpenSubscription | ExecutionResult> {
      if (closed) return { errors: [endings.stopped()] };
      const { root, height } = operation;
      const end = new AbortController();
      setScope(end.signal, scopeOf(chainAccessOf(root).signal));
      const rootValue = height === undefined ? root : pinned(ownPin(pinOf(root), height, end.signal), {});
      const stream = await createSourceEventStream({ ...eventOperationOf(operation), rootValue });
      if (!(Symbol.asyncIterator in stream)) return stream;
      const iterator = stream[Symbol.asyncIterator]();
      const stop = (): void => {
        end.abort(left);
        iterator.return?.().catch(() => undefined);
      };
      if (!isBlockStream(stream)) return ownStream(operation, stream, stop);
      try {
        await reached(operation);
      } catch (error) {
        stop();
        const cause = error instanceof Error ? error : new Error(String(error));
        return { errors: [new GraphQLError(cause.message, { originalError: cause })] };
      }
      return sharedStream(operation, stream, { signal: end.signal, stop });
    },
    stats(): SubscriptionStats {
      const subscribers = allSubscribers();
      const queued = { events: 0, bytes: 0, most: 0 };
      for (const subscriber of subscribers) {
        const { events, bytes } = subscriber.queued();
        queued.events += events;
        queued.bytes += bytes;
        queued.most = Math.max(queued.most, events);
      }
      return {
        topics: topics.size,
        subscribers: subscribers.length,
        sources: [...topics.values()].reduce((sum, topic) => sum + topic.sources(), alone.size),
        cachedHeights: replayCache.size(),
        executions: renderer.executions(),
        queued,
        tooSlow: slow,
      };
    },
    /** Clears the replay cache after the head was rewound. After a reset of the chain, ends every subscription with CHAIN_RESET. */
    rewind({ kind, newest }: Rewind): void {
      replayCache.clear();
      if (kind !== 'RESET') return;
      for (const subscriber of allSubscribers()) subscriber.cut(() => mask(chainReset(newest.height)));
    },
    /** Ends every subscription with CHAIN_CONFLICT. */
    conflict(height: bigint): void {
      for (const subscriber of allSubscribers()) subscriber.cut(() => mask(chainConflict(height)));
    },
    /** Continues with another schema. Ends the subscriptions whose documents are not valid for it, with SCHEMA_CHANGED. */
    replaceSchema(schema: GraphQLSchema): void {
      needsOf = createNeedsOf(schema);
      replayCache.clear();
      const groups = [...topics.values()].map((topic) => ({ document: topic.document, subscribers: [...topic.subscribers()] }));
      for (const [subscriber, document] of alone) groups.push({ document, subscribers: [subscriber] });
      for (const { document, subscribers } of groups) {
        const differences = differencesFor(schema, document);
        if (differences.length === 0) continue;
        for (const subscriber of subscribers) subscriber.cut(endings.changed(differences));
      }
    },
    /** Ends every subscription, also later ones, with SERVER_SHUTDOWN and the height to resume from. */
    close(): void {
      closed = true;
      for (const subscriber of allSubscribers()) subscriber.interrupt(endings.stopped);
    },
  };
}
