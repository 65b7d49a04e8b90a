import type { GraphQLError } from 'graphql';
import { type BacklogPlace, charge, type Full, type Listening, type Refused } from '../../answers/caller.ts';
import type { Head } from '../../chain/blocks/head.ts';
import type { BoundedCache } from '../../chain/memory/memoryBudget.ts';
import type { StateRoots } from '../../chain/roots/stateRoots.ts';
import type { Carried } from '../../chain/state/state.ts';
import type { Sink } from '../subscriptions/subscriber.ts';
import type { Executed, ExecuteLive, LiveResult } from './liveResult.ts';

/** The newest result of a live query. */
interface LiveUpdate {
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
  /** Whether the topic has given it a result. */
  hasResult(): boolean;
  /** The height up to which it has all results; undefined before the first one. */
  covered(): bigint | undefined;
  /** Ends the stream with an error. */
  cut(error: GraphQLError): void;
  /** Ends the stream with an error, and its connection. */
  interrupt(error: GraphQLError): void;
  /** The client has left. */
  leave(): void;
}

export interface LiveListenerOptions extends Pick<LiveListener, 'caller' | 'from'> {
  readonly sink: Sink;
  /** Whether changes are sent as JSON Patch where that is smaller. */
  readonly wantsPatch: boolean;
  /** The result that a history has sent before, up to the height `from`. */
  readonly sent?: LiveResult | undefined;
  /** The time of a block, if results are sent with it. */
  readonly timeAt?: ((height: bigint) => string | undefined) | undefined;
  /** The height up to which the topic has looked at blocks. */
  readonly covered: () => bigint | undefined;
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
  readonly #covered: LiveListenerOptions['covered'];
  readonly #onGone: LiveListenerOptions['onGone'];
  readonly #timeAt: LiveListenerOptions['timeAt'];
  /** The digest of the last result that was sent. */
  #sent: string | undefined;
  #hasResult = false;
  #waiting: Waiting | undefined;
  #isGone = false;

  constructor({ caller, from, sink, wantsPatch, sent, timeAt, catchUp, covered, onGone }: LiveListenerOptions) {
    this.caller = caller;
    this.from = from;
    this.#sink = sink;
    this.#wantsPatch = wantsPatch;
    this.#sent = sent?.digest;
    this.#timeAt = timeAt;
    this.#catchUp = catchUp;
    this.#covered = covered;
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
    this.#hasResult = true;
  }

  hasResult(): boolean {
    return this.#hasResult;
  }

  covered(): bigint | undefined {
    return this.#hasResult ? this.#covered() : undefined;
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
    const heldResult = this.#held();
    heldResult.place ??= this.caller.backlog.open({ shed: () => this.#dropBase(), destroy: () => this.#sink.destroy() });
    return heldResult.place;
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
    const heldResult = this.#held();
    heldResult.stop ??= this.#sink.onceDrained(() => {
      heldResult.stop = undefined;
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
    const time = this.#timeAt?.(height);
    const payload =
      this.#wantsPatch && changed !== undefined ? result.changeOf(changed, height, time) : result.at(height, time);
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

/** All listeners of equal live queries. */
export interface LiveTopic {
  /** Adds a listener. It gets the current result, then each one that differs. */
  join(listener: LiveListener): void;
  /** Offers a listener the newest result, because its socket has room again. */
  catchUp(listener: LiveListener): void;
  /** Removes a listener. The topic ends with the last one. */
  remove(listener: LiveListener): void;
  /** Executes the query again at the newest block, because the blocks before it were withdrawn. */
  restart(): void;
  listeners(): ReadonlySet<LiveListener>;
  /** The points of the last execution. undefined before the first one. */
  points(): number | undefined;
  /** The last block that was executed or found unchanged; undefined before the first one, and while the newest block is withdrawn. */
  covered(): bigint | undefined;
}

/** Counters of all topics since the start. */
export interface LiveCounts {
  /** Executions that have ended. */
  executions: number;
  /** Blocks at which a query was not executed, because nothing that its result was read from had changed. */
  unchanged: number;
}

export interface LiveTopicOptions {
  readonly key: string;
  readonly head: Pick<Head, 'current' | 'onBlock'>;
  readonly roots: Pick<StateRoots, 'keyAt' | 'areSame' | 'timeAt' | 'settled'>;
  readonly execute: ExecuteLive;
  /** The chain and the generation of the archive, as keys of answers name them. */
  readonly chain: () => string;
  /** Results by the keys of their topics. If a result was evicted and a listener needs it, it is executed again. */
  readonly results: BoundedCache<LiveResult>;
  /** Ends a listener whose caller has too few points, or whose queries have too many. */
  readonly refuse: (listener: LiveListener, refusal: Refused | Full) => void;
  /** Converts an unexpected fault to an error for the callers. */
  readonly mask: (error: unknown) => GraphQLError;
  readonly counts: LiveCounts;
  /** The reason that aborts reads whose result is not needed. */
  readonly left: Error;
  /** Called when the last listener is gone. */
  readonly onEmpty: () => void;
}

/**
 * The most blocks that a query may be behind the newest one. It looks at every block in order, so that no result between two
 * blocks is missed. If that is slower than the chain, it continues at the newest block.
 */
const maxBehind = 16n;

/** The last result. Its bytes are in the cache of results. */
interface Latest {
  readonly digest: string;
  /** The newest height at which it is known to hold; undefined if its block was withdrawn. */
  height: bigint | undefined;
  /** Whether the nodes could not be read, or its block was withdrawn: any other result replaces it. */
  isFailed: boolean;
  /** What it depends on, and the state that it was computed from; undefined if it is not known to be valid at other heights. */
  carried: (Carried & { readonly roots: string; readonly chain: string }) | undefined;
}

/** Creates a topic. It looks at each block of the head until its last listener is gone. */
export function createLiveTopic(options: LiveTopicOptions): LiveTopic {
  const { key, head, roots, execute, results, chain, refuse, mask, counts, left, onEmpty } = options;
  const listeners = new Set<LiveListener>();
  /** Listeners that need a result although it is no change: new ones, and slow ones whose result was evicted. */
  const waiting = new Set<LiveListener>();
  let latest: Latest | undefined;
  /** The last block that was executed or found unchanged. */
  let position: bigint | undefined;
  /** Whether a listener waits for a result of a block that was done before. */
  let isNeeded = false;
  let isRunning = false;
  let isOver = false;
  /** The points of the last execution. Each one is charged what the last one cost, because its own cost is known only at its end. */
  let points: number | undefined;
  /** Aborted when the topic ends or the head is rewound. */
  let attempt = new AbortController();
  const stopBlocks = head.onBlock(() => void run());

  /** The next height to look at; undefined until the next block. */
  function nextHeight(): bigint | undefined {
    const newest = head.current()?.height;
    if (isOver || newest === undefined) return undefined;
    if (position === undefined || newest - position > maxBehind) return newest;
    if (position < newest) return position + 1n;
    return isNeeded && waiting.size > 0 ? newest : undefined;
  }

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let height = nextHeight(); height !== undefined; height = nextHeight()) await look(height, attempt.signal);
    isRunning = false;
  }

  function isUnchanged(height: bigint): boolean {
    const carried = latest?.carried;
    const from = latest?.height;
    if (carried === undefined || from === undefined || carried.chain !== chain()) return false;
    if (roots.keyAt(height, carried.stores) !== carried.roots && !roots.areSame(carried.named, from, height)) return false;
    if (carried.validUntil === null) return true;
    const time = roots.timeAt(height);
    return time !== undefined && time < carried.validUntil;
  }

  /** Brings the result to a height. Never rejects. */
  async function look(height: bigint, signal: AbortSignal): Promise<void> {
    isNeeded = false;
    if (latest?.carried !== undefined) await roots.settled(height);
    if (signal.aborted) return;
    const knownResult = waiting.size === 0 ? undefined : results.get(key);
    if (latest !== undefined && isUnchanged(height) && (waiting.size === 0 || knownResult !== undefined)) {
      if (height !== position) counts.unchanged += 1;
      latest.height = height;
      position = height;
      if (knownResult !== undefined) offer(waiting, { result: knownResult, height, previous: undefined });
      return;
    }
    // The request of a listener has paid for its first result.
    const payers = [...(height === position ? waiting : listeners)].filter((listener) => listener.hasResult());
    if (points !== undefined) charge(payers, points, refuse);
    const [first] = listeners;
    if (signal.aborted || first === undefined) return;
    // The archive may fill in older blocks during the execution.
    const chainAtStart = chain();
    try {
      const executed = await execute(height, signal, first.caller).finally(() => {
        counts.executions += 1;
      });
      if (signal.aborted) return;
      position = height;
      points = executed.points;
      // A query that is too heavy is refused at its first result. One that grows goes on, and pays for it.
      for (const listener of [...listeners]) {
        const full = listener.caller.weigh(key, executed.points);
        if (full !== undefined && !listener.hasResult()) refuse(listener, full);
      }
      publish(executed, height);
      await carry(executed, chainAtStart, height, signal);
    } catch (error) {
      if (signal.aborted) return;
      const masked = mask(error);
      for (const listener of listeners) listener.cut(masked);
    }
  }

  function publish({ result, isFailed }: Executed, height: bigint): void {
    const previous = results.get(key);
    if (isFailed && latest?.isFailed === false) {
      // The last good result stays. The next block tries again.
      latest.carried = undefined;
      offer(waiting, { result: previous ?? result, height: latest.height ?? height, previous: undefined });
      return;
    }
    const isSame = latest?.digest === result.digest;
    latest = { digest: result.digest, height, isFailed, carried: undefined };
    // The bytes of an equal result stay, with those of its changes.
    const keptResult = isSame ? (previous ?? result) : result;
    results.set(key, keptResult);
    offer(isSame ? waiting : listeners, { result: keptResult, height, previous: isSame ? undefined : previous });
  }

  /** Notes what the newest result depends on, so that blocks that do not change it need no execution. */
  async function carry(
    { result, carried }: Executed,
    chainAtStart: string,
    height: bigint,
    signal: AbortSignal,
  ): Promise<void> {
    if (carried === undefined || latest?.digest !== result.digest) return;
    await roots.settled(height);
    const state = signal.aborted ? undefined : roots.keyAt(height, carried.stores);
    if (state !== undefined) latest.carried = { ...carried, roots: state, chain: chainAtStart };
  }

  function offer(to: ReadonlySet<LiveListener>, update: LiveUpdate): void {
    for (const listener of [...to]) {
      if (!listener.hasResult() && update.height < listener.from && position !== head.current()?.height) continue;
      waiting.delete(listener);
      listener.offer(update);
    }
  }

  /** Offers a listener the newest result, from memory if it is there. */
  function serve(listener: LiveListener): void {
    const height = latest?.isFailed === false && !waiting.has(listener) ? latest.height : undefined;
    const result = height === undefined || height < listener.from ? undefined : results.get(key);
    if (height !== undefined && result !== undefined) {
      listener.offer({ result, height, previous: undefined });
      return;
    }
    waiting.add(listener);
    isNeeded = true;
    void run();
  }

  return {
    join(listener) {
      listeners.add(listener);
      serve(listener);
    },
    catchUp: serve,
    remove(listener) {
      waiting.delete(listener);
      if (!listeners.delete(listener) || listeners.size > 0) return;
      isOver = true;
      stopBlocks();
      attempt.abort(left);
      results.delete(key);
      onEmpty();
    },
    restart() {
      attempt.abort(left);
      attempt = new AbortController();
      position = undefined;
      if (latest !== undefined) Object.assign(latest, { height: undefined, isFailed: true, carried: undefined });
    },
    listeners: () => listeners,
    points: () => points,
    covered: () => position,
  };
}
