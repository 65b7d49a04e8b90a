import type { Client } from '../../chain/client.ts';
import type { CommittedBlock } from '../../chain/committedBlock.ts';
import { isChainError } from '../../chain/errors.ts';
import { flattenKind } from '../../chain/eventMaps.ts';
import { type EventCondition, formatEventQuery, matches } from '../../chain/eventQuery.ts';
import { type LiveEvent, type LiveKind, liveKinds } from '../../chain/liveKinds.ts';
import { maskedMessage } from '../../graphql/errors.ts';
import { createNodeEvent, eventsOfBlock, type NodeEvent } from './eventJson.ts';

/** Who is told of events. Neither function throws. */
export interface EventListener {
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

/** What an operator sees of it. */
export interface NodeEventStats {
  readonly subscribers: number;
  /** Queries that are not the same in the node's normal form. */
  readonly queries: number;
  /** Queries evaluated on a block since the start, each query and block once. */
  readonly evaluations: number;
  /** Subscribers ended since the start because they read too slowly. */
  readonly tooSlow: number;
}

/** Those who asked the same. */
interface Topic {
  readonly conditions: readonly EventCondition[];
  /** The kind that all its events are of, where the query says so. */
  readonly kind: string | undefined;
  readonly subscribers: Set<Subscriber>;
  readonly stopLive: readonly (() => void)[];
}

interface Subscriber {
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
  let reading: AbortController | undefined;
  let evaluations = 0;
  let tooSlow = 0;

  function tell(block: CommittedBlock): void {
    const { height } = block.header;
    const events = eventsOfBlock(block);
    const picked = [...topics.values()].map((topic) => {
      const { conditions, kind } = topic;
      evaluations += 1;
      const wanted = events.filter((event) => (kind ?? event.kind) === event.kind && matches(conditions, event.events));
      return { topic, wanted: new Set(wanted) };
    });
    for (const event of events) {
      for (const { topic, wanted } of picked) {
        if (!wanted.has(event)) continue;
        for (const { listener, after } of [...topic.subscribers]) if (height > after) listener.event(event);
      }
    }
  }

  async function read(signal: AbortSignal): Promise<void> {
    let first = head.current();
    while (first === undefined) {
      first = await head.ready({ milliseconds: firstBlockWait, signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
    for await (const block of blocks.from(first.height, { signal })) {
      signal.throwIfAborted();
      tell(block);
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
    const kinds = liveKinds.filter((kind) => matches(conditions, flattenKind(kind)));
    const stopLive = kinds.map((kind) => live.listen(kind, (event) => pass(shared(event))));
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
        topics.set(key, topic);
      }
      const mine = topic;
      const subscriber = { listener, after: head.current()?.height ?? -1n };
      mine.subscribers.add(subscriber);
      begin();
      return () => {
        if (!mine.subscribers.delete(subscriber) || mine.subscribers.size > 0 || topics.get(key) !== mine) return;
        topics.delete(key);
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
    },
  };
}
