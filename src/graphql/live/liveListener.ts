import type { GraphQLError } from 'graphql';
import type { BacklogPlace } from '../request/caller.ts';
import type { Listening } from '../subscriptions/charge.ts';
import type { Sink } from '../subscriptions/subscriber.ts';
import type { LiveResult } from './liveResult.ts';

/** The newest result of a live query. */
export interface LiveUpdate {
  readonly result: LiveResult;
  /** The newest height at which the result is known to hold. */
  readonly height: bigint;
  /** The result before it, if there is one in memory. */
  readonly previous: LiveResult | undefined;
}

/** A client of a live query. */
export interface LiveListener extends Listening {
  /** The least height of its first result. */
  readonly from: bigint;
  /**
   * Sends a result, unless it is equal to the last one that was sent. If the socket is full, nothing is queued: once the socket has
   * sent its bytes, `catchUp` is called.
   */
  offer(update: LiveUpdate): void;
  /** Whether a result was sent. */
  hasResult(): boolean;
  /** Ends the stream with an error. */
  cut(error: GraphQLError): void;
  /** Ends the stream with an error, and its connection. */
  interrupt(error: GraphQLError): void;
  /** The client has left. */
  leave(): void;
}

/** Options of {@link createLiveListener}. */
export interface LiveListenerOptions extends Pick<LiveListener, 'caller' | 'from'> {
  readonly sink: Sink;
  /** Whether changes are sent as JSON Patch where that is smaller. */
  readonly wantsPatch: boolean;
  /** Called when the socket has room again after it was full. Must offer the newest result. */
  readonly catchUp: (listener: LiveListener) => void;
  /** Called once when the listener is gone, for any reason. */
  readonly onGone: (listener: LiveListener) => void;
}

/**
 * Creates a listener. A listener whose socket is full holds no result. With patches, it holds the last result that was sent, to
 * compare the next one with. That counts as a backlog of its caller, and is given up first: the next result is then sent whole.
 */
export function createLiveListener({ caller, from, sink, wantsPatch, catchUp, onGone }: LiveListenerOptions): LiveListener {
  let isGone = false;
  /** The digest of the last result that was sent. */
  let sent: string | undefined;
  /** The last result that was sent, while the socket is full. */
  let base: LiveResult | undefined;
  let stopWaiting: (() => void) | undefined;
  let place: BacklogPlace | undefined;

  /** Opened on first use, because few streams ever wait. */
  function placed(): BacklogPlace {
    place ??= caller.backlog.open({ shed: dropBase, destroy: () => sink.destroy() });
    return place;
  }

  function dropBase(): void {
    if (base !== undefined) placed().unqueue(base, base.bytes);
    base = undefined;
  }

  function go(): void {
    isGone = true;
    stopWaiting?.();
    dropBase();
    onGone(listener);
  }

  function send({ result, height }: LiveUpdate, changed: LiveResult | undefined, isOwn: boolean): void {
    const began = performance.now();
    const payload = wantsPatch && changed !== undefined ? result.changeOf(changed, height) : result.at(height);
    // Few clients share the change from an older result, so each pays for the time to compute it.
    if (isOwn) caller.spend(performance.now() - began);
    sent = result.digest;
    sink.send(payload);
    if (!sink.isFull() || sink.unsent() === 0) return;
    const item = sink.copies(payload) ? {} : payload;
    sink.onceSent(placed().send(item, payload.json.length));
  }

  const listener: LiveListener = {
    caller,
    from,
    offer(update) {
      const { result, previous } = update;
      if (isGone) return;
      const last = base ?? (previous?.digest === sent ? previous : undefined);
      if (sink.isFull()) {
        if (wantsPatch && base === undefined && last !== undefined) {
          base = last;
          placed().queue(last, last.bytes);
        }
        stopWaiting ??= sink.onceDrained(() => {
          stopWaiting = undefined;
          catchUp(listener);
        });
        return;
      }
      const isOwn = base !== undefined;
      dropBase();
      if (result.digest !== sent) send(update, last, isOwn);
    },
    hasResult: () => sent !== undefined,
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
  return listener;
}
