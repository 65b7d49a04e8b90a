import type { GraphQLError } from 'graphql';
import type { BacklogPlace, Caller } from '../../answers/caller.ts';
import type { Head } from '../../chain/blocks/head.ts';
import type { Sink } from '../subscriptions/subscriber.ts';
import { HistoryFailure, type HistoryResult, type Walk } from './historyWalk.ts';
import type { LiveResult } from './liveResult.ts';

/** A client that receives a history. */
export interface HistoryStream {
  readonly caller: Caller;
  /** The height up to which its results were sent. */
  covered(): bigint;
  /** Ends the stream with an error. */
  cut(error: GraphQLError): void;
  /** Ends the stream with an error, and its connection. */
  interrupt(error: GraphQLError): void;
  /** The client has left. */
  leave(): void;
}

export interface HistoryStreamOptions {
  readonly walk: Promise<Walk>;
  /** The height at which the stream completes. Undefined: it goes on with new blocks. */
  readonly to: Promise<bigint | undefined>;
  readonly head: Pick<Head, 'current' | 'onBlock'>;
  readonly sink: Sink;
  readonly caller: Caller;
  readonly wantsPatch: boolean;
  /** How long the client may keep the history waiting, in ms. */
  readonly maxWait: number;
  readonly tooSlow: () => GraphQLError;
  readonly mask: (error: unknown) => GraphQLError;
  /**
   * Called when everything up to the newest block was sent, in the same turn, with the last result. Undefined if the history looks at new blocks by
   * itself.
   */
  readonly join: ((height: bigint, last: LiveResult) => void) | undefined;
  /** Called once when the history is over, but not before `join`. `isJoined`: `join` was called. */
  readonly onGone: (stream: HistoryStream, isJoined: boolean) => void;
}

/** Sends a history to a client, one result after another: the next one is read when the socket has room. */
export function startHistory(options: HistoryStreamOptions): HistoryStream {
  const { head, sink, caller, wantsPatch, maxWait, tooSlow, mask, join, onGone } = options;
  let isGone = false;
  let walk: Walk | undefined;
  let place: BacklogPlace | undefined;
  let wake: (() => void) | undefined;

  function go(isJoined = false): void {
    isGone = true;
    wake?.();
    onGone(stream, isJoined);
  }

  const stream: HistoryStream = {
    caller,
    covered: () => walk?.covered() ?? 0n,
    cut(error) {
      if (isGone) return;
      go();
      sink.end([error]);
    },
    interrupt(error) {
      if (isGone) return;
      go();
      sink.interrupt(error);
    },
    leave() {
      if (!isGone) go();
    },
  };

  /** Resolves when `start` calls back, or the client is gone. */
  async function until(start: (done: () => void) => () => void): Promise<void> {
    let stop: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
      stop = start(resolve);
    });
    wake = undefined;
    stop();
  }

  /** Resolves when the socket has room. Ends a stream that keeps it full. */
  async function ready(): Promise<void> {
    if (!sink.isFull()) return;
    const timer = setTimeout(() => stream.cut(tooSlow()), maxWait);
    await until((done) => sink.onceDrained(done));
    clearTimeout(timer);
  }

  function send({ height, time, result, previous }: HistoryResult): void {
    const payload = wantsPatch && previous !== undefined ? result.changeOf(previous, height, time) : result.at(height, time);
    sink.send(payload);
    if (!sink.isFull() || sink.unsent() === 0) return;
    place ??= caller.backlog.open({ shed: () => undefined, destroy: () => sink.destroy() });
    sink.onceSent(place.send(sink.copies(payload) ? {} : payload, payload.json.length));
  }

  async function run(): Promise<void> {
    try {
      const [opened, to] = await Promise.all([options.walk, options.to]);
      walk = opened;
      for (let last: LiveResult | undefined; !isGone; ) {
        const newest = head.current()?.height ?? 0n;
        const step = await opened.next(to ?? newest);
        if (isGone) return;
        if (step !== undefined) {
          await ready();
          if (isGone) return;
          send(step);
          last = step.result;
        } else if (to !== undefined) {
          go();
          sink.end(undefined);
        } else if (head.current()?.height === opened.covered()) {
          if (join !== undefined && last !== undefined) {
            go(true);
            join(opened.covered(), last);
          } else await until((done) => head.onBlock(() => done()));
        }
      }
    } catch (error) {
      stream.cut(error instanceof HistoryFailure ? error.error : mask(error));
    }
  }

  void run();
  return stream;
}
