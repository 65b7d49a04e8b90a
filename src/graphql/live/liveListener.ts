import type { GraphQLError } from 'graphql';
import type { BacklogPlace, Listening } from '../../answers/caller.ts';
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

/** What a listener holds while its socket is full. Created on first use, because few streams ever wait. */
interface Waiting {
  /** With patches, the last result that was sent. */
  base: LiveResult | undefined;
  /** Cancels the wait for the socket. */
  stop: (() => void) | undefined;
  /** The place in the backlog of the caller. */
  place: BacklogPlace | undefined;
}

/** It is a class because every live query has one: a function for each method would take a kilobyte of each listener. */
class SinkListener implements LiveListener {
  readonly caller: LiveListener['caller'];
  readonly from: bigint;
  readonly #sink: Sink;
  readonly #wantsPatch: boolean;
  readonly #catchUp: LiveListenerOptions['catchUp'];
  readonly #onGone: LiveListenerOptions['onGone'];
  /** The digest of the last result that was sent. */
  #sent: string | undefined;
  #waiting: Waiting | undefined;
  #isGone = false;

  constructor({ caller, from, sink, wantsPatch, catchUp, onGone }: LiveListenerOptions) {
    this.caller = caller;
    this.from = from;
    this.#sink = sink;
    this.#wantsPatch = wantsPatch;
    this.#catchUp = catchUp;
    this.#onGone = onGone;
  }

  offer(update: LiveUpdate): void {
    if (this.#isGone) return;
    const { result, previous } = update;
    const base = this.#waiting?.base;
    const last = base ?? (previous?.digest === this.#sent ? previous : undefined);
    if (this.#sink.isFull()) {
      if (this.#wantsPatch && base === undefined && last !== undefined) this.#keepBase(last);
      this.#wait();
      return;
    }
    this.#dropBase();
    if (result.digest !== this.#sent) this.#send(update, last, base !== undefined);
  }

  hasResult(): boolean {
    return this.#sent !== undefined;
  }

  cut(error: GraphQLError): void {
    if (this.#isGone) return;
    this.#go();
    this.#sink.end([error]);
  }

  interrupt(error: GraphQLError): void {
    if (this.#isGone) return;
    this.#go();
    this.#sink.interrupt(error);
  }

  leave(): void {
    if (!this.#isGone) this.#go();
  }

  #held(): Waiting {
    this.#waiting ??= { base: undefined, stop: undefined, place: undefined };
    return this.#waiting;
  }

  #place(): BacklogPlace {
    const held = this.#held();
    held.place ??= this.caller.backlog.open({ shed: () => this.#dropBase(), destroy: () => this.#sink.destroy() });
    return held.place;
  }

  #keepBase(last: LiveResult): void {
    this.#held().base = last;
    this.#place().queue(last, last.bytes);
  }

  #dropBase(): void {
    const base = this.#waiting?.base;
    if (this.#waiting === undefined || base === undefined) return;
    this.#place().unqueue(base, base.bytes);
    this.#waiting.base = undefined;
  }

  #wait(): void {
    const held = this.#held();
    held.stop ??= this.#sink.onceDrained(() => {
      held.stop = undefined;
      this.#catchUp(this);
    });
  }

  #go(): void {
    this.#isGone = true;
    this.#waiting?.stop?.();
    this.#dropBase();
    this.#onGone(this);
  }

  #send({ result, height }: LiveUpdate, changed: LiveResult | undefined, isOwn: boolean): void {
    const sink = this.#sink;
    const began = isOwn ? performance.now() : 0;
    const payload = this.#wantsPatch && changed !== undefined ? result.changeOf(changed, height) : result.at(height);
    // Few clients share the change from an older result, so each pays for the time to compute it.
    if (isOwn) this.caller.spend(performance.now() - began);
    this.#sent = result.digest;
    sink.send(payload);
    if (!sink.isFull() || sink.unsent() === 0) return;
    const item = sink.copies(payload) ? {} : payload;
    sink.onceSent(this.#place().send(item, payload.json.length));
  }
}

/**
 * Creates a listener. A listener whose socket is full holds no result. With patches, it holds the last result that was sent, to
 * compare the next one with. That counts as a backlog of its caller, and is given up first: the next result is then sent whole.
 */
export function createLiveListener(options: LiveListenerOptions): LiveListener {
  return new SinkListener(options);
}
