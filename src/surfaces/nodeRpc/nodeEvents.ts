import { createHash } from 'node:crypto';
import { type Caller, charge, rateLimited } from '../../answers/caller.ts';
import { maskedMessage } from '../../answers/errors.ts';
import { isChainError } from '../../chain/base/errors.ts';
import { createTimeSlicer } from '../../chain/base/time.ts';
import {
  type CommittedBlock,
  type CommittedTx,
  encodeBlock,
  encodeBlockId,
  encodeEvents,
  encodeExec,
  encodeExecSparsely,
  encodeHeader,
  encodeParamUpdates,
  encodeValidatorUpdate,
} from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import {
  type EventCondition,
  type EventMap,
  flattenKind,
  flattenTx,
  formatEventQuery,
  matches,
} from '../../chain/events/eventQuery.ts';
import { type LiveEvent, type LiveKind, liveKinds } from '../../chain/events/liveEvents.ts';
import type { ValidatorUpdate } from '../../chain/wire/block.ts';
import { stringify } from '../../chain/wire/goText.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';

/** An event that a node sends to its subscribers. */
export interface NodeEvent {
  readonly kind: string;
  readonly events: EventMap;
  /** Returns its members `data` and `events` as JSON without braces. Encoded once, on first use, and shared by all subscribers. */
  json(): Buffer;
}

/** Creates an event. `type` is the type of its data without the prefix `tendermint/event/`. */
function createNodeEvent(kind: string, type: string, events: EventMap, value: () => JsonValue): NodeEvent {
  let encoded: Buffer | undefined;
  return {
    kind,
    events,
    json() {
      encoded ??= Buffer.from(
        `"data":{"type":"tendermint/event/${type}","value":${stringify(value())}},"events":${stringify(Object.fromEntries([...events].map(([tag, values]) => [tag, [...values]])))}`,
      );
      return encoded;
    },
  };
}

/**
 * Returns the value of a NewBlock event (docs/chain.md, "Event data"). `validator_updates` without updates is an empty list; in
 * `block_results` it is null.
 */
function newBlock(block: CommittedBlock): JsonObject {
  const { blockId, events, transactions, validatorUpdates, consensusParamUpdates, appHash } = block;
  return {
    block: encodeBlock(block),
    block_id: encodeBlockId(blockId),
    result_finalize_block: {
      ...(events.length > 0 && { events: encodeEvents(events) }),
      ...(transactions.length > 0 && { tx_results: transactions.map(({ result }) => encodeExec(result)) }),
      validator_updates: validatorUpdates.map(encodeValidatorUpdate),
      ...(consensusParamUpdates !== null && { consensus_param_updates: encodeParamUpdates(consensusParamUpdates) }),
      ...(appHash !== '' && { app_hash: Buffer.from(appHash, 'hex').toString('base64') }),
    },
  };
}

function txResult({ header }: CommittedBlock, { index, tx, result }: CommittedTx): JsonObject {
  const height = header.height.toString();
  return { TxResult: { height, ...(index > 0 && { index }), tx, result: encodeExecSparsely(result) } };
}

/** Derives the address of a validator from its key: the first 20 bytes of SHA-256 for ed25519, RIPEMD-160 of SHA-256 for secp256k1. */
function addressOf({ type, value }: ValidatorUpdate['publicKey']): string {
  const digest = createHash('sha256').update(value, 'base64').digest();
  const address = type === 'tendermint/PubKeySecp256k1' ? createHash('ripemd160').update(digest).digest() : digest;
  return address.subarray(0, 20).toString('hex').toUpperCase();
}

function validatorSetUpdate({ publicKey, power }: ValidatorUpdate): JsonObject {
  return {
    address: addressOf(publicKey),
    pub_key: { type: publicKey.type, value: publicKey.value },
    voting_power: power.toString(),
    proposer_priority: '0',
  };
}

/**
 * Returns the events that a node sends for one block, in the node's order. The position and format of NewEvidence is a guess
 * from the node's source, because no recorded block contains evidence.
 */
export function eventsOfBlock(block: CommittedBlock): readonly NodeEvent[] {
  const { header, events, evidence, transactions, validatorUpdates } = block;
  const height = header.height.toString();
  const plain = (kind: string, value: () => JsonValue): NodeEvent => createNodeEvent(kind, kind, flattenKind(kind), value);
  return [
    createNodeEvent('NewBlock', 'NewBlock', flattenKind('NewBlock', events), () => newBlock(block)),
    plain('NewBlockHeader', () => ({ header: encodeHeader(header) })),
    createNodeEvent('NewBlockEvents', 'NewBlockEvents', flattenKind('NewBlockEvents', events), () => ({
      height,
      events: events.length === 0 ? null : encodeEvents(events),
      num_txs: transactions.length.toString(),
    })),
    ...evidence.map(({ type, value }) => plain('NewEvidence', () => ({ height, evidence: { type, value } }))),
    ...transactions.map((tx) => createNodeEvent('Tx', 'Tx', flattenTx(block, tx), () => txResult(block, tx))),
    ...(validatorUpdates.length === 0
      ? []
      : [plain('ValidatorSetUpdates', () => ({ validator_updates: validatorUpdates.map(validatorSetUpdate) }))]),
  ];
}

interface EventListener {
  /** Pays for the evaluation of the query: one point for each block, shared evenly by all listeners of the query. */
  readonly caller: Caller;
  event(event: NodeEvent): void;
  /** Called once, as the last call, if the events cannot continue without a gap. `reason` is a message for the client. */
  cancel(reason: string): void;
}

/** The events of a chain, in a node's format: those of each block in order, without gaps or repetitions. */
export type NodeEvents = ReturnType<typeof createNodeEvents>;

interface Topic {
  readonly conditions: readonly EventCondition[];
  /** The value of `tm.event` that the query requires. undefined if it requires none. */
  readonly kind: string | undefined;
  readonly subscribers: Set<Subscriber>;
  readonly stopLive: readonly (() => void)[];
}

interface Subscriber {
  readonly caller: Caller;
  readonly listener: EventListener;
  /** The head when the subscription began. Only later blocks are sent. */
  readonly after: bigint;
}

/** How long one attempt waits for the first block, in ms. */
const firstBlockWait = 60_000;

/** Returns the value of `tm.event` that a query requires. undefined if it requires none. */
function kindOf(conditions: readonly EventCondition[]): string | undefined {
  const condition = conditions.find(
    ({ tag, operator, argument }) => tag === 'tm.event' && operator === '=' && argument?.type === 'string',
  );
  return condition?.argument?.text;
}

/** Creates the events of a chain. Reads the block log while there is a listener. `report` receives unexpected errors. */
export function createNodeEvents(
  { head, blocks, live }: Pick<Client, 'head' | 'blocks' | 'live'>,
  report: (error: unknown) => void,
) {
  const topics = new Map<string, Topic>();
  const kinds = new Map<string | undefined, Set<Topic>>();
  const turns = createTimeSlicer();
  let reading: AbortController | undefined;
  let evaluations = 0;
  let tooSlow = 0;

  /**
   * Returns the topics that each event of a block matches. Charges for each query before it is evaluated, and yields to the
   * event loop between queries.
   */
  async function pick(block: CommittedBlock, events: readonly NodeEvent[]): Promise<ReadonlyMap<NodeEvent, readonly Topic[]>> {
    const { height } = block.header;
    const picked = new Map<NodeEvent, Topic[]>(events.map((event) => [event, []]));
    const candidates = [undefined, ...new Set(events.map(({ kind }) => kind))].flatMap((kind) => [...(kinds.get(kind) ?? [])]);
    for (const topic of candidates) {
      const { conditions, kind, subscribers } = topic;
      await turns.next();
      const listeners = [...subscribers].filter(({ after }) => height > after);
      charge(listeners, 1, ({ listener }, refusal) =>
        listener.cancel(`${rateLimited(refusal).message} All events up to height ${height - 1n} were delivered.`),
      );
      if (subscribers.size === 0 || listeners.length === 0) continue;
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
    for (const [event, matchingTopics] of picked) {
      for (const { subscribers } of matchingTopics)
        for (const { listener, after } of [...subscribers]) if (height > after) listener.event(event);
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
      await publish(block, signal);
    }
  }

  function begin(): void {
    if (reading !== undefined) return;
    const controller = new AbortController();
    reading = controller;
    read(controller.signal).catch((error: unknown) => {
      if (controller.signal.aborted) return;
      reading = undefined;
      if (!isChainError(error)) report(error);
      cancelAll(isChainError(error) ? error.message : maskedMessage);
    });
  }

  /** Cancels all subscriptions. Clients can subscribe again from the head on. */
  function cancelAll(reason: string): void {
    const endedTopics = [...topics.values()];
    topics.clear();
    kinds.clear();
    for (const { stopLive, subscribers } of endedTopics) {
      for (const stop of stopLive) stop();
      for (const { listener } of [...subscribers]) listener.cancel(reason);
    }
  }

  function addTopic(key: string, conditions: readonly EventCondition[]): Topic {
    const subscribers = new Set<Subscriber>();
    const wantedKinds = liveKinds.filter((kind) => matches(conditions, flattenKind(kind)));
    const stopLive = wantedKinds.map((kind) =>
      live.listen(kind, (event) => {
        for (const { listener } of [...subscribers]) listener.event(shared(event));
      }),
    );
    const topic = { conditions, kind: kindOf(conditions), subscribers, stopLive };
    topics.set(key, topic);
    const sameKind = kinds.get(topic.kind) ?? new Set();
    kinds.set(topic.kind, sameKind.add(topic));
    return topic;
  }

  /** The last event of each kind. All topics share it, so that it is encoded once. */
  const newest = new Map<LiveKind, { readonly event: LiveEvent; readonly encoded: NodeEvent }>();

  function shared(event: LiveEvent): NodeEvent {
    const last = newest.get(event.kind);
    if (last?.event === event) return last.encoded;
    const type = event.type.replace('tendermint/event/', '');
    const encoded = createNodeEvent(event.kind, type, flattenKind(event.kind), () => event.value);
    newest.set(event.kind, { event, encoded });
    return encoded;
  }

  return {
    /**
     * Sends `listener` each event that matches a query: events of blocks above the current head, and consensus events from now on. Call the returned
     * function to unsubscribe. A query is evaluated once for each block, regardless of the number of its listeners.
     */
    subscribe(conditions: readonly EventCondition[], listener: EventListener): () => void {
      const key = formatEventQuery(conditions);
      const topic = topics.get(key) ?? addTopic(key, conditions);
      const subscriber = { listener, caller: listener.caller, after: head.current()?.height ?? -1n };
      topic.subscribers.add(subscriber);
      begin();
      return () => {
        if (!topic.subscribers.delete(subscriber) || topic.subscribers.size > 0 || topics.get(key) !== topic) return;
        topics.delete(key);
        const sameKind = kinds.get(topic.kind);
        sameKind?.delete(topic);
        if (sameKind?.size === 0) kinds.delete(topic.kind);
        for (const stop of topic.stopLive) stop();
        if (topics.size > 0) return;
        reading?.abort();
        reading = undefined;
      };
    },
    /**
     * Statistics: the subscribers, and the queries that differ in the node's normal form. Since the start: how often a query was evaluated on a block
     * that has events of its kind, and how many subscribers were ended because they read too slowly.
     */
    stats(): Readonly<Record<'subscribers' | 'queries' | 'evaluations' | 'tooSlow', number>> {
      const subscribers = [...topics.values()].reduce((sum, topic) => sum + topic.subscribers.size, 0);
      return { subscribers, queries: topics.size, evaluations, tooSlow };
    },
    /** Counts a subscriber that was ended because it read too slowly. */
    noteSlow(): void {
      tooSlow += 1;
    },
    /** Ends all subscriptions without notifying the listeners. */
    close(): void {
      reading?.abort();
      for (const { stopLive } of topics.values()) for (const stop of stopLive) stop();
      topics.clear();
      kinds.clear();
    },
  };
}
