import type { HeightInput } from './documents.ts';
import { SteleError } from './errors.ts';
import { createPlace, type Place } from './place.ts';
import { type RawResult, type Result, resultOf } from './result.ts';
import { withRetries } from './retry.ts';
import { type Operation, type Socket, textIn } from './socket.ts';
import { createStream } from './stream.ts';

/** An event of a subscription. */
export interface SteleEvent<Data> extends Result<Data | null> {
  /** The index of the event among the events of its block for this subscription; undefined if it belongs to no block. */
  readonly index: number | undefined;
  /** The number of these events. */
  readonly count: number | undefined;
}

/** Options of a subscription. */
export interface SubscribeOptions {
  /** Begins after the block with this height. The document must declare the variable `$after: Int64`. Default: the newest block. */
  readonly after?: HeightInput | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** What the streams of a client share. */
export interface StreamContext {
  readonly socket: Socket;
  /** Aborted when the client is closed. */
  readonly closed: AbortSignal;
  readonly onRetry: (error: SteleError) => void;
  /** Called when a live query goes on with another chain of the same id. */
  readonly onReset: (error: SteleError) => void;
}

/** If more events wait for their reader, the subscription is ended after their block, and resumed when all were read. */
const mostWaiting = 256;

function eventOf<Data>(raw: RawResult): SteleEvent<Data> {
  const { index, count } = raw.extensions ?? {};
  return {
    ...resultOf<Data>(raw),
    index: typeof index === 'number' ? index : undefined,
    count: typeof count === 'number' ? count : undefined,
  };
}

function heightOf(value: unknown): bigint | undefined {
  const isHeight = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  return isHeight ? BigInt(value) : undefined;
}

/** The newest height of the server. */
async function newestHeight(socket: Socket, signal: AbortSignal): Promise<string | undefined> {
  let height: string | undefined;
  const next = (result: RawResult): boolean => {
    ({ height } = resultOf(result));
    return true;
  };
  await socket.run({ query: '{ __typename }' }, { next }, signal);
  return height;
}

/** Whether an error withdraws a block whose events have arrived: they cannot be taken back. */
function withdraws({ code, facts: { after, height } }: SteleError, place: Place): boolean {
  if (code !== 'NODE_INCONSISTENT') return false;
  return place.isAbove(heightOf(after) ?? (heightOf(height) ?? 0n) - 1n);
}

/**
 * The operation that begins or resumes a subscription at its place. `chain` identifies the chain that the place is on; undefined if it is not known. A
 * server of another chain refuses the operation.
 */
function operationAt(
  query: string,
  allVariables: Readonly<Record<string, unknown>>,
  { place, start, chain }: { readonly place: Place; readonly start: string | undefined; readonly chain: string | undefined },
): Operation {
  const after = place.after();
  if (after === undefined) {
    // The state that some subscriptions begin with is sent only without `after`.
    return { query, variables: allVariables, extensions: { height: start, minHeight: start, chain } };
  }
  if (/\$after\b/.test(query)) return { query, variables: { ...allVariables, after: String(after) }, extensions: { chain } };
  // The state at this height may be sent again. It is not new.
  return { query, variables: allVariables, extensions: { height: String(after), minHeight: String(after), chain } };
}

/**
 * The events of a subscription, each once and in order. If the connection or the server fails, it resumes behind the last event that has arrived. It
 * fails only with an error that a retry cannot heal.
 */
export function subscribeTo<Data>(
  query: string,
  variables: Readonly<Record<string, unknown>>,
  options: SubscribeOptions,
  { socket, closed, onRetry }: StreamContext,
): AsyncIterableIterator<SteleEvent<Data>> {
  const { after: ownAfter, ...others } = variables;
  const first = heightOf(options.after ?? ownAfter);
  if (first !== undefined && !/\$after\b/.test(query))
    throw new SteleError('BAD_USER_INPUT', 'The document does not declare the variable `$after: Int64`.', {
      facts: { argument: 'after' },
    });
  const place = createPlace(first);

  return createStream<SteleEvent<Data>>(
    async (sink, signal) => {
      let start: string | undefined;
      let chain: string | undefined;
      const attempt = async (progress: () => void): Promise<void> => {
        for (let isFull = true; isFull; ) {
          isFull = false;
          if (place.after() === undefined && start === undefined) {
            start = await newestHeight(socket, signal);
            chain = socket.chain();
          }
          const next = (result: RawResult): boolean => {
            progress();
            chain = textIn(result.extensions?.chain) ?? chain;
            if (place.accept(result.extensions)) sink.push(eventOf(result));
            isFull = sink.waiting() >= mostWaiting && place.isWhole();
            return !isFull;
          };
          const operation = operationAt(query, others, { place, start, chain });
          try {
            await socket.run(operation, { next, position: place.reached }, signal);
          } finally {
            // Of a subscription without an event, the connection names the chain.
            chain ??= socket.chain();
          }
          if (isFull) await sink.drained();
          signal.throwIfAborted();
        }
      };
      await withRetries(attempt, { signal, onRetry, isFinal: (error) => withdraws(error, place) });
    },
    [closed, options.signal],
  );
}
