import { isChainError } from '../../chain/base/errors.ts';
import { createTimeSlicer } from '../../chain/base/timeSlicer.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import { flattenKind } from '../../chain/events/eventMaps.ts';
import { type EventCondition, formatEventQuery, matches } from '../../chain/events/eventQuery.ts';
import { type LiveEvent, type LiveKind, liveKinds } from '../../chain/events/liveEvents.ts';
import { type Caller, type Refused, rateLimited } from '../../graphql/request/caller.ts';
import { maskedMessage } from '../../graphql/request/errors.ts';
import { charge } from '../../graphql/subscriptions/charge.ts';
import type { NodeEventStats } from '../observability/stats.ts';
import { createNodeEvent, eventsOfBlock, type NodeEvent } from './eventJson.ts';

/** Who is told of events. Neither function throws. */
export interface EventListener {
  /** Who is charged for the evaluation of its query: a point for each block, shared evenly by all who listen to the query. */
  readonly caller: Caller;
  event(event: NodeEvent): void;
  /** Told once, last, when the events cannot go on without a gap: why, in plain words. */
  cancel(reason: string): void;
}

/** The events of a chain, as a node tells them to its subscribers: those of each block in order, none missed and none repeated. */
export interface NodeEvents {
  /**
   * Tells `listener` of each event that satisfies a query, of the blocks above the head of now and of consensus from now on,
   * until the function that it returns is called. However many listen, a query is evaluated once a block.
   */
  subscribe(conditions: readonly EventCondition[], listener: EventListener): () => void;
  /** Counts a subscriber that was ended because it read too slowly. */
  noteSlow(): void;
  stats(): NodeEventStats;
  /** Ends what runs. Nobody is told. */
  close(): void;
}

/** Those who asked the same. */
interface Topic {
  readonly conditions: readonly EventCondition[];
  /** The kind that all its events are of, where the query says so. */
  readonly kind: string | undefined;
  readonly subscribers: Set<Subscriber>;
  readonly stopLive: readonly (() => void)[];
}

interface Subscriber extends Pick<EventListener, 'caller'> {
  readonly listener: EventListener;
  /** Blocks up to this height were there already. */
  readonly after: bigint;
}

/** How long the first block is waited for at a time, ms. */
const firstBlockWait = 60_000;

/** The kind that a query names, if it names one. */
function kindOf(conditions: readonly EventCondition[]): string | undefined {
  const named = conditions.find(
    ({ tag, operator, argument }) => tag === 'tm.event' && operator === '=' && argument?.type === 'string',
  );
  return named?.argument?.text;
}

/** Makes it. It reads the block log as long as anybody listens; `report` is told of what nobody has foreseen. */
export function createNodeEvents(
  client: Pick<Client, 'head' | 'blocks' | 'live'>,
  report: (error: unknown) => void,
): NodeEvents {
  const { head, blocks, live } = client;
  const topics = new Map<string, Topic>();
  /** The same, by the kind that all their events are of. */
  const kinds = new Map<string | undefined, Set<Topic>>();
  const turns = createTimeSlicer();
  let reading: AbortController | undefined;
  let evaluations = 0;
  let tooSlow = 0;

  /** Ends a subscriber whose caller has too few points left for `height`. */
  function refuse({ listener }: Subscriber, refused: Refused, height: bigint): void {
    listener.cancel(`${rateLimited(refused).message} All events up to height ${height - 1n} were delivered.`);
  }

  /** Which topics each event of a block goes to. The queries are evaluated in turns, and paid for before. */
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

  async function tell(block: CommittedBlock, signal: AbortSignal): Promise<void> {
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
      await tell(block, signal);
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

  /** They may subscribe again: from the head on. */
  function cancelAll(reason: string): void {
    const told = [...topics.values()];
    topics.clear();
    kinds.clear();
    for (const { stopLive, subscribers } of told) {
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

  /** The last event of each kind: every topic is handed the same one, whose bytes are then made once. */
  const newest = new Map<LiveKind, { readonly event: LiveEvent; readonly told: NodeEvent }>();

  function shared(event: LiveEvent): NodeEvent {
    const known = newest.get(event.kind);
    if (known?.event === event) return known.told;
    const type = event.type.replace('tendermint/event/', '');
    const told = createNodeEvent(event.kind, type, flattenKind(event.kind), () => event.value);
    newest.set(event.kind, { event, told });
    return told;
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
