import type { ExecutionArgs, GraphQLError } from 'graphql';
import { createTimeSlicer } from '../../chain/base/time.ts';
import type { Fingerprint } from '../../chain/blocks/head.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { bufferBytes, compact, type MemoryBudget, objectBytes } from '../../chain/memory/memoryBudget.ts';
import type { BlockEvents } from '../../reads/stream.ts';
import type { Execute } from '../execution/execute.ts';
import { type JsonResult, resultJson } from '../execution/execution.ts';

/** One event as bytes: encoded once and sent to all subscribers. */
export interface Payload {
  /** The GraphQL result in JSON. */
  readonly json: Buffer;
  /** The same as a server-sent event. Encoded on first use. */
  readonly sse: Buffer;
}

/** The events of one height: usually none or one. */
export interface EventBatch {
  /** The height; undefined if a stream cannot resume after it. */
  readonly height: bigint | undefined;
  readonly payloads: readonly Payload[];
  /** The bytes of the JSON of all payloads. */
  readonly bytes: number;
  /** Whether the stream ends after it. */
  readonly last: boolean;
  /** Whether a payload has an error. Another execution may succeed. */
  readonly failed: boolean;
}

/** The operation that renders events: all but its root value, which is the event. */
export interface EventOperation extends Omit<ExecutionArgs, 'rootValue'> {
  /** The points of executing one event. */
  readonly points: number;
}

/**
 * The `extensions` of an event of a block: the height of the block, the index of the event among the events of the block for this
 * subscription, from 0, and their number. A client that was cut off within a block resumes before the block and skips the events
 * that it has.
 */
interface EventPlace extends Readable {
  readonly index: number;
  readonly count: number;
}

/** The `extensions` of an event that has a height. `chain` identifies the chain; undefined if it is not known yet. */
interface Readable {
  readonly height: string;
  readonly chain: Fingerprint | undefined;
}

/** Points that are executed in one turn of the event loop. A single event is never split. 100 points take about a millisecond. */
const pointsPerTurn = 100;

/** The text before and after the JSON of a server-sent event. */
export const eventFrame = ['event: next\ndata: ', '\n\n'] as const;

/** The server-sent event with this JSON (graphql-sse, distinct connections mode). */
export function nextEvent(json: Buffer | string): Buffer {
  const [head, end] = eventFrame;
  return typeof json === 'string'
    ? Buffer.from(head + json + end)
    : Buffer.concat([Buffer.from(head), json, Buffer.from(end)], head.length + json.length + end.length);
}

/** It is a class because the replay cache holds many: the getter of an object literal takes 300 bytes of each. */
class EncodedPayload implements Payload {
  declare readonly json: Buffer;
  declare private event: Buffer | undefined;

  /** The bytes own their memory, because caches keep them. */
  constructor(json: Buffer) {
    this.json = compact(json);
    this.event = undefined;
  }

  get sse(): Buffer {
    this.event ??= compact(nextEvent(this.json));
    return this.event;
  }
}

/** The payload with this JSON. */
export function createPayload(json: Buffer): Payload {
  return new EncodedPayload(json);
}

/** Creates a renderer. `execute` executes its operations. `mask` converts failures of an event to errors for the caller. `chain` identifies the chain. */
export function createRenderer(
  execute: Execute,
  mask: (errors: readonly unknown[]) => readonly GraphQLError[],
  chain: () => Fingerprint | undefined,
) {
  const turns = createTimeSlicer();
  let executions = 0;

  async function execution(
    { points: _, ...operation }: EventOperation,
    event: unknown,
    extensions: EventPlace | Readable | undefined,
  ): Promise<JsonResult> {
    executions += 1;
    const { data, errors } = await execute({ ...operation, rootValue: event });
    return {
      ...(data !== undefined && { data }),
      ...(errors && { errors: mask(errors) }),
      ...(extensions && { extensions: { ...extensions } }),
    };
  }

  function batchOf(results: readonly JsonResult[], height: bigint | undefined, last: boolean): EventBatch {
    const payloads: Payload[] = [];
    let bytes = 0;
    let failed = false;
    for (const result of results) {
      const payload = new EncodedPayload(Buffer.from(resultJson(result)));
      payloads.push(payload);
      bytes += payload.json.length;
      failed ||= result.errors !== undefined;
    }
    return { height, payloads, bytes, last, failed };
  }

  return {
    /** Renders the events at one height, in order. A failed field is an error in its own payload. */
    async render(
      operation: EventOperation,
      { height, events, last = false, isPresent = false }: BlockEvents<unknown>,
    ): Promise<EventBatch> {
      // Events of one turn are read together, in the same batches.
      const together = Math.max(1, Math.floor(pointsPerTurn / operation.points));
      const runningResults: Promise<JsonResult>[] = [];
      for (const [index, event] of events.entries()) {
        if (index % together === 0) await turns.next();
        runningResults.push(
          execution(operation, event, { height: height.toString(), index, count: events.length, chain: chain() }),
        );
      }
      const results = await Promise.all(runningResults);
      return batchOf(results, isPresent ? undefined : height, last);
    },
    /** Renders an event that belongs to no block. `height` is the height of the event, if it has one. */
    async renderAlone(operation: EventOperation, event: unknown, height: bigint | undefined): Promise<EventBatch> {
      await turns.next();
      const extensions = height === undefined ? undefined : { height: height.toString(), chain: chain() };
      return batchOf([await execution(operation, event, extensions)], undefined, false);
    },
    /** Events executed so far. */
    executions: (): number => executions,
  };
}

/** A format of subscriptions over HTTP. */
export type StreamFormat = 'events' | 'multipart';

/** The boundary between the parts of a multipart response. */
export const boundary = 'graphql';

/** The content type of each format. */
export const streamTypes = {
  events: 'text/event-stream',
  multipart: `multipart/mixed;boundary="${boundary}";subscriptionSpec=1.0`,
} as const satisfies Record<StreamFormat, string>;

/** Whether this part of an `Accept` header names Apollo's multipart protocol for subscriptions. */
function isMultipart(part: string): boolean {
  const [type, ...parameters] = part.toLowerCase().replace(/[\s"]/g, '').split(';');
  return type === 'multipart/mixed' && parameters.includes('subscriptionspec=1.0');
}

/**
 * The format that an `Accept` header requests: server-sent events, otherwise Apollo's multipart protocol. undefined if it
 * accepts no stream.
 */
export function streamFormatOf(accept: string | null | undefined): StreamFormat | undefined {
  if (accept === null || accept === undefined) return undefined;
  if (accept.includes(streamTypes.events)) return 'events';
  return accept.split(',').some(isMultipart) ? 'multipart' : undefined;
}

/** Memory of a batch, in bytes: each payload twice, because it is also encoded as a server-sent event on demand. */
function sizeOf({ payloads, bytes }: EventBatch): number {
  return 2 * objectBytes + 2 * bytes + payloads.length * (2 * bufferBytes + objectBytes);
}

/**
 * Recent event batches by subscription and height, so that subscribers at different heights cost one execution for each height.
 * The batch at a height never changes, except for failures, which are not cached.
 */
export function createReplayCache(memory: MemoryBudget) {
  const keptBatches = memory.cache('answers', 'events', sizeOf);
  const inFlight = createInFlight<EventBatch>();
  /** Part of the keys: an execution in progress reads the chain as it was before. */
  let generation = 0;

  return {
    /**
     * Returns the batch of a subscription at a height: from the cache, from an execution in progress, or from `make`. A failed execution for another
     * subscriber is not shared.
     */
    async get(subscription: string, height: bigint, make: () => Promise<EventBatch>): Promise<EventBatch> {
      const generationAtStart = generation;
      const key = `${generation} ${subscription} ${height}`;
      const keptBatch = keptBatches.get(key);
      if (keptBatch !== undefined) return keptBatch;
      if (inFlight.has(key)) {
        const shared = await inFlight.join(key, undefined, make).catch(() => undefined);
        if (shared?.failed === false) return shared;
      }
      const batch = await (inFlight.has(key) ? make() : inFlight.join(key, undefined, make));
      if (!batch.failed && generationAtStart === generation) keptBatches.set(key, batch);
      return batch;
    },
    /** Whether `get` would not call `make`. */
    has(subscription: string, height: bigint): boolean {
      const key = `${generation} ${subscription} ${height}`;
      return keptBatches.peek(key) !== undefined || inFlight.has(key);
    },
    clear(): void {
      keptBatches.clear();
      generation += 1;
    },
    /** The number of cached batches. */
    size: (): number => keptBatches.counts().entries,
  };
}
