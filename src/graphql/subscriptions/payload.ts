import { type ExecutionArgs, type ExecutionResult, execute, type GraphQLError } from 'graphql';
import { createTurns } from '../../chain/descriptors/yielding.ts';
import type { BlockEvents } from '../../reads/stream.ts';

/** What one event says, as bytes: made once, and sent as they are to everybody who hears it. */
export interface Payload {
  /** The GraphQL answer in JSON. */
  readonly json: Buffer;
  /** The same as one server-sent event; made when it is first asked for. */
  readonly sse: Buffer;
}

/** All that a subscription tells at once: the events of one height, most often none or one. */
export interface Told {
  /** The height behind which nothing of this is told again; undefined where no stream could be resumed behind it. */
  readonly height: bigint | undefined;
  readonly payloads: readonly Payload[];
  /** Length of the JSON of all payloads. */
  readonly bytes: number;
  /** Whether nothing comes behind it. */
  readonly last: boolean;
  /** Whether a payload holds an error: whoever asks again may be told better. */
  readonly failed: boolean;
}

/** The operation that makes payloads of events: all but its root value, which is the event. */
export interface EventOperation extends Omit<ExecutionArgs, 'rootValue'> {
  /** What it costs to execute one event. */
  readonly points: number;
}

/** Points that are executed in one turn; a single event is never split. 100 points take about a millisecond. */
const pointsPerTurn = 100;

/** What stands before and behind the JSON of an event of a stream of server-sent events. */
export const eventFrame = ['event: next\ndata: ', '\n\n'] as const;

/** The event of a stream of server-sent events that carries this JSON (graphql-sse, distinct connections mode). */
export function nextEvent(json: Buffer | string): Buffer {
  const [head, end] = eventFrame;
  return typeof json === 'string'
    ? Buffer.from(head + json + end)
    : Buffer.concat([Buffer.from(head), json, Buffer.from(end)], head.length + json.length + end.length);
}

function createPayload(result: ExecutionResult): Payload {
  const json = Buffer.from(JSON.stringify(result));
  let sse: Buffer | undefined;
  return {
    json,
    get sse() {
      sse ??= nextEvent(json);
      return sse;
    },
  };
}

/** Executes events. */
export interface Renderer {
  /** What the events of a height tell, in their order. Fields that fail are errors within their own payload. */
  render(operation: EventOperation, events: BlockEvents<unknown>): Promise<Told>;
  /** What an event tells that is of no block; `height` is its own, if it has one. */
  renderAlone(operation: EventOperation, event: unknown, height: bigint | undefined): Promise<Told>;
  /** Events executed so far. */
  executions(): number;
}

/** Makes a renderer. `mask` turns the failures of an event into what the caller may see of them. */
export function createRenderer(mask: (errors: readonly unknown[]) => readonly GraphQLError[]): Renderer {
  const turns = createTurns();
  let executions = 0;

  async function execution(
    { points: _, ...operation }: EventOperation,
    event: unknown,
    height: bigint | undefined,
  ): Promise<ExecutionResult> {
    executions += 1;
    const { data, errors } = await execute({ ...operation, rootValue: event });
    return {
      ...(data !== undefined && { data }),
      ...(errors && { errors: mask(errors) }),
      ...(height !== undefined && { extensions: { height: height.toString() } }),
    };
  }

  const told = (results: readonly ExecutionResult[], height: bigint | undefined, last: boolean): Told => {
    const payloads = results.map(createPayload);
    const bytes = payloads.reduce((sum, { json }) => sum + json.length, 0);
    return { height, payloads, bytes, last, failed: results.some(({ errors }) => errors !== undefined) };
  };

  return {
    async render(operation, { height, events, last = false, isPresent = false }) {
      // Events of one turn are read together, in the same batches.
      const together = Math.max(1, Math.floor(pointsPerTurn / operation.points));
      const begun: Promise<ExecutionResult>[] = [];
      for (const [index, event] of events.entries()) {
        if (index % together === 0) await turns.next();
        begun.push(execution(operation, event, height));
      }
      const results = await Promise.all(begun);
      return told(results, isPresent ? undefined : height, last);
    },
    async renderAlone(operation, event, height) {
      await turns.next();
      return told([await execution(operation, event, height)], undefined, false);
    },
    executions: () => executions,
  };
}
