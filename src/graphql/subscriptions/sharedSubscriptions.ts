import { type GraphQLError, type GraphQLSchema, getOperationAST } from 'graphql';
import { limitFull, type Refused } from '../../answers/caller.ts';
import { isChainError } from '../../chain/base/errors.ts';
import type { Head } from '../../chain/blocks/head.ts';
import type { MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { spanOf, type Tracer } from '../../chain/tracing/tracer.ts';
import { pinOf } from '../../reads/pin.ts';
import type { BlockStream } from '../../reads/stream.ts';
import { createLiveCheck } from '../documents/fieldChecks.ts';
import { refusal } from '../limits/limitError.ts';
import { eventOperationOf, type Leavable, type OpenSubscription, type Slot, type SubscriptionOperation } from './operation.ts';
import type { EventOperation, Renderer } from './payload.ts';
import { createReplayCache } from './replayCache.ts';
import type { OpenSource } from './source.ts';
import type { Sink, Subscriber } from './subscriber.ts';
import { createTopic, type Topic } from './topic.ts';
import { createTopicKeys, type TopicKey } from './topicKey.ts';
import { traced } from './tracedSource.ts';

/** The subscriptions whose events depend on the block log alone. Equal ones share a topic, which executes each event once. */
export interface SharedSubscriptions {
  /** Waits until the chain has reached the height that `after` names. Rejects with HEIGHT_NOT_YET_AVAILABLE if it does not in time. */
  reached(operation: SubscriptionOperation): Promise<void>;
  /**
   * Opens a subscription to the stream, whose reads have the signal. `stop` closes the stream. Throws RATE_LIMITED if the caller has too many
   * distinct subscriptions.
   */
  open(operation: SubscriptionOperation, stream: BlockStream<unknown>, reads: StreamReads): OpenSubscription;
  subscribers(): readonly Subscriber[];
  /** Distinct subscriptions, open sources, and event batches in the replay cache. */
  counts(): { readonly topics: number; readonly sources: number; readonly cachedHeights: number };
  /** Clears the replay cache. */
  forgetEvents(): void;
}

/** The reads of a stream. */
export interface StreamReads {
  readonly signal: AbortSignal;
  /** Ends them. */
  readonly stop: () => void;
}

/** How a subscriber joins: its sink, the height after which it begins, what it belongs to, and its place among the topics of its caller. */
export interface Joining {
  readonly sink: Sink;
  readonly after: bigint;
  readonly group: Pick<Topic, 'remove'>;
  readonly place: Slot | undefined;
}

/** Options of {@link createSharedSubscriptions}. */
export interface SharedSubscriptionsOptions {
  readonly schema: GraphQLSchema;
  /** The memory of the replay cache. */
  readonly memory: MemoryBudget;
  readonly renderer: Renderer;
  /** How long a subscription waits for the block that `after` names, in ms. */
  readonly freshness: number;
  readonly tracer: Tracer;
  /** Begins a subscription, or calls `drop` and ends the sink if the server is closed. */
  readonly beginOpen: (sink: Sink, drop: () => void, begin: () => Leavable) => Leavable;
  /** Creates a subscriber that ends with its session. */
  readonly createMember: (operation: SubscriptionOperation, joining: Joining) => Subscriber;
  /** Ends a subscriber whose caller has too few points. */
  readonly refuse: (subscriber: Subscriber, refused: Refused) => void;
  /** Converts a failure of a stream to an error for the callers. */
  readonly mask: (error: unknown) => GraphQLError;
}

const nameOf = ({ document, operationName }: EventOperation): string | undefined =>
  getOperationAST(document, operationName)?.name?.value.slice(0, 128);

/** Creates the shared subscriptions, without any. */
export function createSharedSubscriptions(options: SharedSubscriptionsOptions): SharedSubscriptions {
  const { schema, memory, renderer, freshness, tracer, beginOpen, createMember, refuse, mask } = options;
  const replayCache = createReplayCache(memory);
  const topicKeyOf = createTopicKeys(schema);
  const isLive = createLiveCheck(schema);
  const topics = new Map<string, Topic>();

  const keyOf = (operation: SubscriptionOperation): TopicKey =>
    topicKeyOf(operation, operation.session.viewer.scopes.join(' '));

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

  return {
    async reached(operation) {
      const { client, signal } = pinOf(operation.root);
      const { after } = keyOf(operation);
      if (after === undefined || after <= (client.head.current()?.height ?? 0n)) return;
      await client.head.waitFor(after, { milliseconds: freshness, ...(signal && { signal }) });
    },
    open(operation, stream, { signal, stop }) {
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
      return {
        begin(sink) {
          return beginOpen(sink, drop, () => {
            const topic = topicOf(key);
            const subscriber = createMember(operation, { sink, after, group: topic, place });
            void topic.join(subscriber, source);
            return subscriber;
          });
        },
        drop,
      };
    },
    subscribers: () => [...topics.values()].flatMap((topic) => [...topic.subscribers()]),
    counts: () => ({
      topics: topics.size,
      sources: [...topics.values()].reduce((sum, topic) => sum + topic.sources(), 0),
      cachedHeights: replayCache.size(),
    }),
    forgetEvents: replayCache.clear,
  };
}
