import { type Caller, charge, type Refused, rateLimited } from '../../answers/caller.ts';
import { maskedMessage } from '../../answers/errors.ts';
import { isChainError } from '../../chain/base/errors.ts';
import { createTimeSlicer } from '../../chain/base/waiting.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import { type EventCondition, flattenKind, formatEventQuery, matches } from '../../chain/events/eventQuery.ts';
import { type LiveEvent, type LiveKind, liveKinds } from '../../chain/events/liveEvents.ts';
import type { NodeEventStats } from '../../server/observability/stats.ts';
import { createNodeEvent, eventsOfBlock, type NodeEvent } from './eventJson.ts';

/** Receives events. Its functions do not throw. */
export interface EventListener {
  /** Pays for the evaluation of the query: one point for each block, shared evenly by all listeners of the query. */
  readonly caller: Caller;
  event(event: NodeEvent): void;
  /** Called once, as the last call, if the events cannot continue without a gap. `reason` is a message for the client. */
  cancel(reason: string): void;
}

/** The events of a chain, in a node's format: those of each block in order, without gaps or repetitions. */
export interface NodeEvents {
  /**
   * Sends `listener` each event that matches a query: events of blocks above the current head, and consensus events from now
   * on. Call the returned function to unsubscribe. A query is evaluated once for each block, regardless of the number of its
   * listeners.
   */
  subscribe(conditions: readonly EventCondition[], listener: EventListener): () => void;
  /** Counts a subscriber that was ended because it read too slowly. */
  noteSlow(): void;
  stats(): NodeEventStats;
  /** Ends all subscriptions without notifying the listeners. */
  close(): void;
}

/** The subscribers of one query. */
interface Topic {
  readonly conditions: readonly EventCondition[];
  /** The value of `tm.event` that the query requires. undefined if it requires none. */
  readonly kind: string | undefined;
  readonly subscribers: Set<Subscriber>;
  readonly stopLive: readonly (() => void)[];
}

interface Subscriber extends Pick<EventListener, 'caller'> {
  readonly listener: EventListener;
  /** The head when the subscription began. Only later blocks are sent. */
  readonly after: bigint;
}

/** How long one attempt waits for the first block, in ms. */
const firstBlockWait = 60_000;

/** Returns the value of `tm.event` that a query requires. undefined if it requires none. */
function kindOf(conditions: readonly EventCondition[]): string | undefined {
  const named = conditions.find(
    ({ tag, operator, argument }) => tag === 'tm.event' && operator === '=' && argument?.type === 'string',
  );
  return named?.argument?.text;
}

/** Creates the events of a chain. Reads the block log while there is a listener. `report` receives unexpected errors. */
export function createNodeEvents(
  client: Pick<Client, 'head' | 'blocks' | 'live'>,
  report: (error: unknown) => void,
): NodeEvents {
  const { head, blocks, live } = client;
  const topics = new Map<string, Topic>();
  /** The topics by their kind. */
  const kinds = new Map<string | undefined, Set<Topic>>();
  const turns = createTimeSlicer();
  let reading: AbortController | undefined;
  let evaluations = 0;
  let tooSlow = 0;

  /** Ends a subscriber whose client has too few points left for `height`. */
  function refuse({ listener }: Subscriber, refused: Refused, height: bigint): void {
    listener.cancel(`${rateLimited(refused).message} All events up to height ${height - 1n} were delivered.`);
  }

  /**
   * Returns the topics that each event of a block matches. Charges for each query before it is evaluated, and yields to the
   * event loop between queries.
   */
  async function pick(block: CommittedBlock, events: readonly NodeEvent[]): Promise<ReadonlyMap<NodeEvent, readonly Topic[]>> {
    const { height } = block.header;
    const picked = new Map<NodeEvent, Topic[]>(events.map((event) => [event, []]));
    const possible = [undefined, ...new Set(events.map(({ kind }) => kind))].flatMap((kind) => [...(kinds.get(kind) ?? [])]);
    for (const topic of possible) {
      const { conditions, kind, subscribers } = topic;
      await turns.next();
      const listening = [...subscribers].filter(({ after }) => height > after);
      charge(listening, 1, (subscriber, refused) => refuse(subscriber, refused, height));
      if (subscribers.size === 0 || listening.length === 0) continue;
      evaluations += 1;
      for (const event of events) {
        if ((kind ?? event.kind) === event.kind && matches(conditions, event.events)) picked.get(event)?.push(topic);
      }
    }
    return picked;
  }

  async function publish(block: CommittedBlock, signal: AbortSignal): Promise<void> {
    const { height } = block.header;
    const picked = await pick(block, eventsOfBlock(block));
    signal.throwIfAborted();
    for (const [event, wanting] of picked) {
      for (const { subscribers } of wanting)
        for (const { listener, after } of [...subscribers]) if (height > after) listener.event(event);
    }
  }

  function add(key: string, topic: Topic): void {
    topics.set(key, topic);
    const same = kinds.get(topic.kind);
    if (same === undefined) kinds.set(topic.kind, new Set([topic]));
    else same.add(topic);
  }

  function remove(key: string, topic: Topic): void {
    topics.delete(key);
    const same = kinds.get(topic.kind);
    same?.delete(topic);
    if (same?.size === 0) kinds.delete(topic.kind);
  }

  async function read(signal: AbortSignal): Promise<void> {
    let first = head.current();
    while (first === undefined) {
      first = await head.ready({ milliseconds: firstBlockWait, signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
    for await (const block of blocks.from(first.height, { signal })) {
      signal.throwIfAborted();
      await publish(block, signal);
    }
  }

  function begin(): void {
    if (reading !== undefined) return;
    const own = new AbortController();
    reading = own;
    read(own.signal).catch((error: unknown) => {
      if (own.signal.aborted) return;
      reading = undefined;
      if (!isChainError(error)) report(error);
      cancelAll(isChainError(error) ? error.message : maskedMessage);
    });
  }

  /** Cancels all subscriptions. Clients can subscribe again from the head on. */
  function cancelAll(reason: string): void {
    const cancelled = [...topics.values()];
    topics.clear();
    kinds.clear();
    for (const { stopLive, subscribers } of cancelled) {
      for (const stop of stopLive) stop();
      for (const { listener } of [...subscribers]) listener.cancel(reason);
    }
  }

  function createTopic(conditions: readonly EventCondition[]): Topic {
    const subscribers = new Set<Subscriber>();
    const pass = (event: NodeEvent): void => {
      for (const { listener } of [...subscribers]) listener.event(event);
    };
    const wanted = liveKinds.filter((kind) => matches(conditions, flattenKind(kind)));
    const stopLive = wanted.map((kind) => live.listen(kind, (event) => pass(shared(event))));
    return { conditions, kind: kindOf(conditions), subscribers, stopLive };
  }

  /** The last event of each kind. All topics share it, so that it is encoded once. */
  const newest = new Map<LiveKind, { readonly event: LiveEvent; readonly encoded: NodeEvent }>();

  function shared(event: LiveEvent): NodeEvent {
    const known = newest.get(event.kind);
    if (known?.event === event) return known.encoded;
    const type = event.type.replace('tendermint/event/', '');
    const encoded = createNodeEvent(event.kind, type, flattenKind(event.kind), () => event.value);
    newest.set(event.kind, { event, encoded });
    return encoded;
  }

  return {
    subscribe(conditions, listener) {
      const key = formatEventQuery(conditions);
      let topic = topics.get(key);
      if (topic === undefined) {
        topic = createTopic(conditions);
        add(key, topic);
      }
      const mine = topic;
      const subscriber = { listener, caller: listener.caller, after: head.current()?.height ?? -1n };
      mine.subscribers.add(subscriber);
      begin();
      return () => {
        if (!mine.subscribers.delete(subscriber) || mine.subscribers.size > 0 || topics.get(key) !== mine) return;
        remove(key, mine);
        for (const stop of mine.stopLive) stop();
        if (topics.size > 0) return;
        reading?.abort();
        reading = undefined;
      };
    },
    stats() {
      const subscribers = [...topics.values()].reduce((sum, topic) => sum + topic.subscribers.size, 0);
      return { subscribers, queries: topics.size, evaluations, tooSlow };
    },
    noteSlow() {
      tooSlow += 1;
    },
    close() {
      reading?.abort();
      for (const { stopLive } of topics.values()) for (const stop of stopLive) stop();
      topics.clear();
      kinds.clear();
    },
  };
}
