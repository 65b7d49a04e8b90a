import { randomUUID } from 'node:crypto';
import type { ExecutionArgs, GraphQLError } from 'graphql';
import type { Caller } from '../../answers/caller.ts';
import type { Report } from '../../answers/errors.ts';
import type { TimeSlicer } from '../../chain/base/waiting.ts';
import type { Client } from '../../chain/client.ts';
import { type Carried, createDependencies } from '../../chain/state/dependencies.ts';
import { type Rounds, setScope } from '../../chain/tracing/tracer.ts';
import type { Bounds } from '../../config/bounds.ts';
import { createPin, heightPlace, pinned } from '../../reads/pin.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import type { Execute } from '../execution/execute.ts';
import { resultJson } from '../execution/result.ts';
import { countPoints } from '../limits/cost.ts';
import { createCountTally } from '../limits/countTally.ts';
import { toGraphQLErrors } from '../request/errors.ts';
import { createLiveResult, type LiveResult } from './liveResult.ts';

/** A live query at one height. */
export interface Executed {
  readonly result: LiveResult;
  /** What it was computed from, if it is valid at other heights, too. */
  readonly carried: Carried | undefined;
  /** Whether a field failed because of the nodes. Another attempt may succeed. */
  readonly isFailed: boolean;
  /** What the execution costs: a point for each object of the result, and those of the lists that it counted. */
  readonly points: number;
}

/** The number of objects in JSON. */
function objectsIn(json: string): number {
  return json.match(/"(?:[^"\\]|\\.)*"|\{/g)?.reduce((sum, text) => sum + (text === '{' ? 1 : 0), 0) ?? 0;
}

/**
 * Executes a live query at a height. Rejects if the signal is aborted. `caller` is one of its listeners: it gives its turn if the
 * query counts lists (`rate.counts`).
 */
export type ExecuteLive = (height: bigint, signal: AbortSignal, caller: Caller) => Promise<Executed>;

/** Records each execution in a trace of its own. */
export function inRounds(execute: ExecuteLive, rounds: Rounds): ExecuteLive {
  return async (height, signal, caller) => {
    rounds.begin();
    setScope(signal, rounds);
    try {
      return await execute(height, signal, caller);
    } finally {
      rounds.end({ 'stele.height': Number(height) });
    }
  };
}

/** Codes of errors that say nothing about the state at the height: the nodes could not be read. */
const failures: readonly unknown[] = [
  'NODE_UNREACHABLE',
  'NODE_TIMEOUT',
  'NODE_INVALID_RESPONSE',
  'NODE_INCONSISTENT',
  'HEIGHT_NOT_YET_AVAILABLE',
];

/** Options of {@link createLiveExecution}. */
export interface LiveExecutionOptions {
  readonly execute: Execute;
  readonly client: Client;
  readonly bounds: Bounds;
  readonly operation: Omit<ExecutionArgs, 'rootValue' | 'contextValue'> & { readonly contextValue: GraphQLContext };
  /** Whether it counts lists. */
  readonly countsLists: boolean;
  /** Spreads the executions over turns of the event loop. */
  readonly turns: TimeSlicer;
  readonly report: Report;
}

/**
 * Creates the function that executes a live query. Its errors have one request id for the whole stream, so that equal failures
 * have equal bytes. They have no locations, because queries in other white space share the execution.
 */
export function createLiveExecution(options: LiveExecutionOptions): ExecuteLive {
  const { execute, client, bounds, operation, countsLists, turns, report } = options;
  const id = randomUUID();
  const { limits } = operation.contextValue;

  async function executeAt(height: bigint, signal: AbortSignal): Promise<Executed> {
    await turns.next();
    signal.throwIfAborted();
    const dependencies = createDependencies();
    let countedLists = 0;
    const counted = createCountTally(limits, () => {
      countedLists += 1;
    });
    counted.begin({ points: 0, countsPaid: 0 });
    const pin = createPin(client, height, { signal, bounds: { ...bounds, onCount: counted.onCount }, dependencies });
    const rootValue = pinned(pin, {});
    const outcome = { immutable: true };
    const contextValue: GraphQLContext = { ...operation.contextValue, outcome };
    const { data, errors: causes } = await execute({ ...operation, rootValue, contextValue });
    signal.throwIfAborted();
    const errors: readonly GraphQLError[] | undefined = causes && toGraphQLErrors(causes, id, report);
    if (errors !== undefined || !outcome.immutable) dependencies.dependsOnHeight();
    const text = resultJson({
      ...(errors && { errors }),
      ...(data !== undefined && { data }),
      extensions: { height: heightPlace.toString(), chain: client.head.fingerprint() },
    });
    return {
      result: createLiveResult(text),
      carried: dependencies.carried(),
      isFailed: errors?.some(({ extensions: { code } }) => failures.includes(code)) === true,
      // The root object is not one of the chain.
      points: Math.max(1, objectsIn(data ?? '') - 1) + countPoints * countedLists,
    };
  }

  return async (height, signal, caller) => {
    if (!countsLists) return executeAt(height, signal);
    const end = await caller.counting(signal);
    try {
      return await executeAt(height, signal);
    } finally {
      end();
    }
  };
}
