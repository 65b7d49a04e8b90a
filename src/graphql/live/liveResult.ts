import { createHash, randomUUID } from 'node:crypto';
import type { ExecutionArgs, GraphQLError } from 'graphql';
import { fillBody, graphqlTexts, splitBody } from '../../answers/answer.ts';
import type { Caller } from '../../answers/caller.ts';
import type { Report } from '../../answers/errors.ts';
import type { TimeSlicer } from '../../chain/base/time.ts';
import type { Client } from '../../chain/client.ts';
import { bufferBytes, compact, objectBytes } from '../../chain/memory/memoryBudget.ts';
import { type Carried, Dependencies } from '../../chain/state/state.ts';
import { type Rounds, setScope } from '../../chain/tracing/tracer.ts';
import { asObject, type JsonObject } from '../../chain/wire/json.ts';
import { type Bounds, countPoints } from '../../config/bounds.ts';
import { createPin, heightPlace, pinned } from '../../reads/pin.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { toGraphQLErrors } from '../documents/errors.ts';
import { CountTally } from '../documents/operationChecks.ts';
import type { Execute } from '../execution/execute.ts';
import { resultJson } from '../execution/execution.ts';
import { createPayload, type Payload } from '../subscriptions/payload.ts';
import { createPatch, type PatchOperation, pointersTo } from './jsonPatch.ts';

/** A result of a live query. All of its listeners share it. */
export interface LiveResult {
  /** Equal for results that differ at most in their height. */
  readonly digest: string;
  /** The length of its JSON. */
  readonly bytes: number;
  /** The result with this height in its places, and with the time of the block in its extensions if one is given. The bytes of the last height are kept. */
  at(height: bigint, time?: string): Payload;
  /**
   * The result with this height as a change of `base`: a JSON Patch and the extensions of this result. The whole result if that is
   * not larger. The bytes are kept as long as `base` is.
   */
  changeOf(base: LiveResult, height: bigint, time?: string): Payload;
  /** The operations of that JSON Patch. */
  patchOf(base: LiveResult, height: bigint): PatchOperation[];
  /** The JSON with this text as the height. Parsed on each call. */
  parsed(height: string): JsonObject;
  /** The JSON Pointers of the heights in it, without the one in its extensions. */
  heights(): readonly string[];
}

/** Memory of a result, in bytes: with its places, filled in, and as a server-sent event. */
export function sizeOfResult({ bytes }: LiveResult): number {
  return 4 * objectBytes + 3 * (bufferBytes + bytes);
}

interface Filled {
  readonly height: bigint;
  readonly time: string | undefined;
  readonly payload: Payload;
}

/** Creates a result. `text` is its JSON with places for the height. */
export function createLiveResult(text: string): LiveResult {
  const bytes = compact(Buffer.from(text));
  const body = splitBody(bytes);
  const fill = (height: string): Buffer =>
    Buffer.concat(
      fillBody(
        body,
        graphqlTexts(
          height,
          () => '',
          () => '',
        ),
      ),
    );
  const changes = new WeakMap<LiveResult, Filled>();
  let filled: Filled | undefined;

  const result: LiveResult = {
    digest: createHash('sha256').update(bytes).digest('base64'),
    bytes: bytes.length,
    at(height, time) {
      if (filled?.height !== height || filled.time !== time)
        filled = { height, time, payload: createPayload(withTime(fill(height.toString()), time)) };
      return filled.payload;
    },
    changeOf(base, height, time) {
      let knownChange = changes.get(base);
      if (knownChange?.height !== height || knownChange.time !== time) {
        knownChange = { height, time, payload: change(base, result, height, time) };
        changes.set(base, knownChange);
      }
      return knownChange.payload;
    },
    patchOf: (base, height) => patchBetween(base, result, height.toString()),
    parsed: (height) => asObject(JSON.parse(fill(height).toString()), 'result'),
    heights() {
      if (body.places.length === 1) return [];
      const { extensions: _, ...places } = result.parsed(heightPlace.toString());
      return pointersTo(heightPlace.toString(), places);
    },
  };
  return result;
}

/** The JSON of a result with the time of its block in its extensions, which are its last member. */
function withTime(json: Buffer, time: string | undefined): Buffer {
  if (time === undefined) return json;
  return Buffer.concat([json.subarray(0, -2), Buffer.from(`,"time":${JSON.stringify(time)}}}`)]);
}

function patchBetween(base: LiveResult, result: LiveResult, height: string): PatchOperation[] {
  // With the same height in both, so that equal items of a list are found.
  const { extensions: _base, ...old } = base.parsed(height);
  const { extensions: _result, ...next } = result.parsed(height);
  const patch = createPatch(old, next);
  const changed = new Set(patch.map(({ path }) => path));
  for (const path of result.heights()) if (!isWithin(changed, path)) patch.push({ op: 'replace', path, value: height });
  return patch;
}

function change(base: LiveResult, result: LiveResult, height: bigint, time: string | undefined): Payload {
  const whole = result.at(height, time);
  const text = height.toString();
  const patch = patchBetween(base, result, text);
  const { extensions } = result.parsed(text);
  const json = withTime(Buffer.from(JSON.stringify({ patch, extensions })), time);
  return json.length < whole.json.length ? createPayload(json) : whole;
}

/** Whether a pointer is one of `changed`, or below one. */
function isWithin(changed: ReadonlySet<string>, pointer: string): boolean {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
    if (changed.has(pointer.slice(0, end))) return true;
  }
  return false;
}

/** A live query at one height. */
export interface Executed {
  readonly result: LiveResult;
  /** What it was computed from, if it is valid at other heights, too. */
  readonly carried: Carried | undefined;
  /** Whether a field failed because of the nodes. Another attempt may succeed. */
  readonly isFailed: boolean;
  /** What the execution costs: a point for each object of the result, and those of the lists that it counted. */
  readonly points: number;
  /** The stores whose roots would tell whether it is valid at other heights. Empty unless it was executed for a history. */
  readonly lacking: readonly string[];
  /** The error that says that the state could not be read, as a caller sees it. */
  readonly failure: GraphQLError | undefined;
}

/** The number of objects in JSON. */
function objectsIn(json: string): number {
  return json.match(/"(?:[^"\\]|\\.)*"|\{/g)?.reduce((sum, text) => sum + (text === '{' ? 1 : 0), 0) ?? 0;
}

/**
 * Executes a live query at a height. Rejects if the signal is aborted. `caller` is one of its listeners: it gives its turn if the
 * query counts lists (`rate.counts`). For a history, what tells whether the result is valid at other heights is read, too, and errors of fields that
 * were read well are part of the result.
 */
export type ExecuteLive = (height: bigint, signal: AbortSignal, caller: Caller, isHistory?: boolean) => Promise<Executed>;

/** Records each execution in a trace of its own. */
export function inRounds(execute: ExecuteLive, rounds: Rounds): ExecuteLive {
  return async (height, signal, caller, isHistory) => {
    rounds.begin();
    setScope(signal, rounds);
    try {
      return await execute(height, signal, caller, isHistory);
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

/** Codes of errors that end a history. */
const ends: readonly unknown[] = [...failures, 'HEIGHT_PRUNED'];

/** What a live query or a history executes. */
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

  async function executeAt(height: bigint, signal: AbortSignal, isHistory: boolean): Promise<Executed> {
    await turns.next();
    signal.throwIfAborted();
    const dependencies = new Dependencies({ isThorough: isHistory });
    let countedLists = 0;
    const countTally = new CountTally(limits, () => {
      countedLists += 1;
    });
    countTally.begin({ points: 0, countsPaid: 0 });
    const pin = createPin(client, height, { signal, bounds: { ...bounds, onCount: () => countTally.onCount() }, dependencies });
    const rootValue = pinned(pin, {});
    const outcome = { immutable: true };
    const contextValue: GraphQLContext = { ...operation.contextValue, outcome };
    const { data, errors: causes } = await execute({ ...operation, rootValue, contextValue });
    signal.throwIfAborted();
    const errors: readonly GraphQLError[] | undefined = causes && toGraphQLErrors(causes, id, report);
    const failure = errors?.find(({ extensions: { code } }) => (isHistory ? ends : failures).includes(code));
    const isOfHeight = isHistory ? failure !== undefined : errors !== undefined;
    if (isOfHeight || !outcome.immutable) dependencies.dependsOnHeight();
    const text = resultJson({
      ...(errors && { errors }),
      ...(data !== undefined && { data }),
      extensions: { height: heightPlace.toString(), chain: client.head.fingerprint() },
    });
    return {
      result: createLiveResult(text),
      carried: dependencies.carried(),
      isFailed: failure !== undefined,
      failure,
      lacking: dependencies.lacking(),
      // The root object is not one of the chain.
      points: Math.max(1, objectsIn(data ?? '') - 1) + countPoints * countedLists,
    };
  }

  return async (height, signal, caller, isHistory = false) => {
    if (!countsLists) return executeAt(height, signal, isHistory);
    const end = await caller.counting(signal);
    try {
      return await executeAt(height, signal, isHistory);
    } finally {
      end();
    }
  };
}
