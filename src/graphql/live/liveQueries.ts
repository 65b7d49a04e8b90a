import { randomUUID } from 'node:crypto';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
} from 'graphql';
import { limitFull } from '../../answers/caller.ts';
import { leftError, type Report } from '../../answers/errors.ts';
import { answerChain } from '../../answers/pickHeight.ts';
import { chainConflict, chainReset, withdrawn } from '../../chain/base/errors.ts';
import { createTimeSlicer, headerTimeText } from '../../chain/base/time.ts';
import type { Fingerprint, Rewind } from '../../chain/blocks/head.ts';
import type { Client } from '../../chain/client.ts';
import type { MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { spanOf, type Tracer } from '../../chain/tracing/tracer.ts';
import { pinOf } from '../../reads/pin.ts';
import type { Session } from '../../reads/viewer.ts';
import { refusal, toGraphQLError } from '../documents/errors.ts';
import { createLiveFieldCheck, differencesFor } from '../documents/operationChecks.ts';
import type { Execute } from '../execution/execute.ts';
import {
  createEndings,
  type Endings,
  type Leavable,
  type OpenSubscription,
  type Sink,
  type Slot,
  type SubscriptionOperation,
} from '../subscriptions/subscriber.ts';
import type { SubscriptionStats } from '../subscriptions/subscriptions.ts';
import { createTopicKeys } from '../subscriptions/topic.ts';
import { liveRange, type RangeInput, withoutRange } from './historyRange.ts';
import { type HistoryStream, startHistory } from './historyStream.ts';
import { createLiveExecution, inRounds, sizeOfResult } from './liveResult.ts';
import {
  createLiveListener,
  createLiveTopic,
  type LiveCounts,
  type LiveListener,
  type LiveListenerOptions,
  type LiveTopic,
  type LiveTopicOptions,
} from './liveTopic.ts';
import { openWalk } from './openWalk.ts';

/** Counts of live queries. */
export interface LiveStats extends Readonly<LiveCounts> {
  /** Distinct live queries now. */
  readonly topics: number;
  readonly listeners: number;
}

/** Counts of subscriptions and of live queries. */
export interface StreamStats extends SubscriptionStats {
  readonly live: LiveStats;
}

/** All live queries of a server. Equal queries are executed once, however many clients listen. */
export interface LiveQueries {
  /**
   * Opens a live query. A bad variable, a field that is not read at a height, and a chain without a known block are returned as a
   * result with unmasked errors. Rejects with RATE_LIMITED if the caller has too many distinct subscriptions.
   */
  open(operation: SubscriptionOperation): Promise<OpenSubscription | ExecutionResult>;
  stats(): LiveStats;
  /** Executes every query again, because the newest block was replaced. */
  rewind(rewind: Rewind): void;
  /** Ends every live query with CHAIN_CONFLICT, because the validators signed two blocks at this height. */
  conflict(height: bigint): void;
  /** Continues with another schema. Executes every query again, and ends those that are not valid for it with SCHEMA_CHANGED. */
  replaceSchema(schema: GraphQLSchema): void;
  /** Ends every live query, also later ones, with SERVER_SHUTDOWN. */
  close(): void;
}

interface LiveQueriesOptions {
  /** The schema to begin with. */
  readonly schema: GraphQLSchema;
  /** Executes the queries, with the schema of its time. */
  readonly execute: Execute;
  /** The memory of the results. */
  readonly memory: MemoryBudget;
  readonly report: Report;
  /** Identifies the chain in results; undefined while it is not known. */
  readonly chain: () => Fingerprint | undefined;
  readonly tracer: Tracer;
}

export function createLiveQueries({ schema, execute, memory, report, chain, tracer }: LiveQueriesOptions): LiveQueries {
  const topics = new Map<string, { readonly topic: LiveTopic; readonly document: DocumentNode }>();
  /** The clients that receive the past of a live query, and its document. */
  const histories = new Map<HistoryStream, DocumentNode>();
  const results = memory.cache('answers', 'live', sizeOfResult);
  const topicKeyOf = createTopicKeys(schema);
  let checkFields = createLiveFieldCheck(schema);
  const turns = createTimeSlicer();
  const counts: LiveCounts = { executions: 0, unchanged: 0 };
  const mask = (error: unknown): GraphQLError => toGraphQLError(error, randomUUID(), report);
  const endings = createEndings(mask, chain);
  /** One error for all, because many queries end at once. */
  const left = leftError();
  let isClosed = false;

  const common: Pick<LiveTopicOptions, 'results' | 'refuse' | 'mask' | 'counts' | 'left'> = {
    results,
    counts,
    left,
    mask,
    refuse: (listener, cause) => listener.cut('retryAfter' in cause ? endings.unpaid(cause)() : mask(limitFull(cause))),
  };

  function topicOf(key: string, { root, countsLists, ...rest }: SubscriptionOperation): LiveTopic {
    const knownTopic = topics.get(key)?.topic;
    if (knownTopic !== undefined) return knownTopic;
    const { schema, document, operationName, variableValues, contextValue } = rest;
    const operation = { schema, document, operationName, variableValues, contextValue };
    const { client, bounds, signal } = pinOf(root);
    const executeLive = createLiveExecution({ execute, client, bounds, operation, countsLists, turns, report });
    const { head, roots } = client;
    const name = getOperationAST(document, operationName)?.name?.value.slice(0, 128);
    const rounds = tracer.rounds(`live ${name ?? 'query'}`, spanOf(signal), { 'graphql.operation.type': 'query' });
    const onEmpty = (): void => {
      topics.delete(key);
      rounds?.close();
    };
    const execution = rounds === undefined ? executeLive : inRounds(executeLive, rounds);
    const topic = createLiveTopic({
      ...common,
      key,
      head,
      roots,
      chain: () => answerChain(client),
      execute: execution,
      onEmpty,
    });
    topics.set(key, { topic, document });
    return topic;
  }

  /** The errors of a query that cannot be live; undefined if it can. */
  function refusalOf({ root, document, operationName, variableValues }: SubscriptionOperation): ExecutionResult | undefined {
    const fields = checkFields(document, operationName);
    if (fields !== undefined) return { errors: [new GraphQLError(fields.message, { originalError: fields })] };
    const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
    const { errors } = getVariableValues(schema, definitions, variableValues ?? {}, { maxErrors: 50 });
    if (errors !== undefined) return { errors };
    try {
      pinOf(root);
      return undefined;
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      return { errors: [new GraphQLError(cause.message, { originalError: cause })] };
    }
  }

  /** Sends the past of a live query, and then makes it one. */
  function beginHistory(
    operation: SubscriptionOperation,
    range: RangeInput,
    sink: Sink,
    groupOf: () => Parameters<typeof listen>[1],
    end: () => void,
  ): Leavable {
    const { caller, session, wantsPatch, root, contextValue } = operation;
    const { client } = pinOf(root);
    const leaving = new AbortController();
    let liveListener: Leavable | undefined;
    const opening = openWalk({ ...operation, execute, turns, report, signal: leaving.signal }, range);
    const stream = startHistory({
      walk: opening.then(({ walk }) => walk),
      to: opening.then(({ to }) => to),
      ...{ head: client.head, sink, caller, wantsPatch, mask },
      maxWait: contextValue.limits['subscription.wait'],
      tooSlow: endings.tooSlow,
      join:
        range.every === undefined
          ? (from, lastResult) => {
              liveListener = listen({ caller, from, sink, wantsPatch, sent: lastResult, timeAt: timesOf(client) }, groupOf());
            }
          : undefined,
      onGone(gone, isJoined) {
        histories.delete(gone);
        leaving.abort(left);
        stopWaiting();
        if (!isJoined) end();
      },
    });
    histories.set(stream, operation.document);
    const stopWaiting = session.onEnd(() => stream.interrupt(endings.expired()));
    return {
      leave: () => (liveListener ?? stream).leave(),
      covered: () => liveListener?.covered() ?? stream.covered(),
    };
  }

  return {
    async open(operation) {
      if (isClosed) return { errors: [endings.stopped()] };
      const errors = refusalOf(operation);
      if (errors !== undefined) return errors;
      const { session, caller, slot, height = 0n, wantsPatch } = operation;
      const range = liveRange(operation);
      const live = range === undefined ? operation : { ...operation, document: withoutRange(operation.document) };
      const { topic: key } = topicKeyOf(live, session.viewer.scopes.join(' '));
      // What it costs is known when it has been executed.
      const place = caller.listen(key, topics.get(key)?.topic.points() ?? 1);
      if (!('end' in place)) throw refusal(limitFull(place), { status: 429 });
      return {
        begin(sink) {
          if (isClosed) {
            release(slot, place);
            sink.interrupt(endings.stopped());
            return nothingToLeave;
          }
          const groupOf = () => ({ topic: topicOf(key, live), session, endings, slot, place });
          if (range === undefined) return listen({ caller, from: height, sink, wantsPatch }, groupOf());
          return beginHistory(live, range, sink, groupOf, () => release(slot, place));
        },
        drop: () => release(slot, place),
      };
    },
    stats: () => ({
      ...counts,
      topics: topics.size,
      listeners: [...topics.values()].reduce((sum, { topic }) => sum + topic.listeners().size, histories.size),
    }),
    rewind({ kind, newest, kept }) {
      for (const { topic } of topics.values()) topic.restart();
      for (const history of [...histories.keys()]) {
        if (kind === 'RESET') history.cut(mask(chainReset(newest.height)));
        else if (history.covered() > kept) history.cut(mask(withdrawn(kept + 1n)));
      }
    },
    conflict(height) {
      for (const { topic } of [...topics.values()])
        for (const listener of [...topic.listeners()]) listener.cut(mask(chainConflict(height)));
      for (const history of [...histories.keys()]) history.cut(mask(chainConflict(height)));
    },
    replaceSchema(schema) {
      checkFields = createLiveFieldCheck(schema);
      for (const { topic, document } of [...topics.values()]) {
        const differences = differencesFor(schema, document);
        if (differences.length === 0) topic.restart();
        else for (const listener of [...topic.listeners()]) listener.cut(endings.changed(differences)());
      }
      for (const [history, document] of [...histories]) {
        const differences = differencesFor(schema, document);
        if (differences.length > 0) history.cut(endings.changed(differences)());
      }
    },
    close() {
      isClosed = true;
      for (const { topic } of [...topics.values()])
        for (const listener of [...topic.listeners()]) listener.interrupt(endings.stopped());
      for (const history of [...histories.keys()]) history.interrupt(endings.stopped());
    },
  };
}

/** The times of new blocks. A block that was read from a status had no event. */
function timesOf({ head, roots }: Pick<Client, 'head' | 'roots'>): (height: bigint) => string | undefined {
  return (height) => {
    const current = head.current();
    const time = current?.height === height ? current.time : head.timeAt(height);
    const learntTime = time === undefined ? roots.timeAt(height) : undefined;
    return learntTime === undefined ? time : headerTimeText(learntTime);
  };
}

/** A live query that was over before it began. */
const nothingToLeave: Leavable = { leave: () => undefined, covered: () => undefined };

function release(...slots: readonly Slot[]): void {
  for (const slot of slots) slot.end();
}

/**
 * Adds a listener to a topic, until it is left or its stream ends. A separate function, so that the listener
 * keeps nothing of the request in memory.
 */
function listen(
  of: Pick<LiveListenerOptions, 'caller' | 'from' | 'sink' | 'wantsPatch' | 'sent' | 'timeAt'>,
  group: { topic: LiveTopic; session: Session; endings: Endings; slot: Slot; place: Slot },
): Leavable {
  const { topic, session, endings, slot, place } = group;
  const onGone = (gone: LiveListener): void => {
    stopWaiting();
    release(slot, place);
    topic.remove(gone);
  };
  const listener = createLiveListener({ ...of, catchUp: topic.catchUp, covered: topic.covered, onGone });
  const stopWaiting = session.onEnd(() => listener.interrupt(endings.expired()));
  topic.join(listener);
  return listener;
}
