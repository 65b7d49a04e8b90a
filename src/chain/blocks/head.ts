import { ChainError, chainReset, inconsistent, isChainError } from '../base/errors.ts';
import { abortable, backoff } from '../base/time.ts';
import { checkHeader } from '../lightClient/checkHeader.ts';
import { closedError, timeoutError } from '../transports/http.ts';
import type { Subscription, Transport } from '../transports/transport.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, type NodeStatus, newBlockQuery, type Rewind } from '../wire/block.ts';
import { asObject, type JsonValue, objectAt, textAt } from '../wire/json.ts';

interface HeadSubscriptionOptions {
  readonly transport: Transport;
  /** Called with each block that a node reports. Throws if the block contradicts the known ones. */
  readonly onBlock: (block: HeadBlock) => void;
  /** Called with each status of a node whose block was accepted. */
  readonly onStatus: (status: NodeStatus) => void;
  /** The height of the newest block; undefined before the first. */
  readonly height: () => bigint | undefined;
  /** The times of `HeadOptions`. */
  readonly pollInterval: number;
  readonly backoff: number;
  readonly longestBackoff: number;
  readonly silence: number;
}

/**
 * Reports the newest block from one subscription to NewBlock, and from `status` until its first event or the status after it opened. It reopens with backoff when it ends. Each time it has opened, `status` is called once, because a block
 * may have come between the last `status` and the subscription. If it stays silent while `status` reports newer blocks, or while no node
 * responds, it is replaced. If the chain itself has stalled, it stays.
 */
function createHeadSubscription(options: HeadSubscriptionOptions) {
  const { transport, onBlock, onStatus, height, pollInterval, silence } = options;
  const waitAfter = backoff({ first: options.backoff, max: options.longestBackoff, jitter: 0.5 });
  const stopping = new AbortController();
  let lastError: unknown;
  let subscription: Subscription | undefined;
  const state = { subscriptions: 0, isSubscribed: false, isComplete: false };
  let failures = 0;
  let pending: Promise<boolean> | undefined;
  let isPolling = false;
  let nextPoll: NodeJS.Timeout | undefined;
  /** Mean time between blocks in ms; 0 before the second event. */
  let blockTime = 0;
  let lastEvent = 0;
  /** Silence in ms after which the subscription is checked. */
  let silenceLimit = silence;
  let watchdog: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;

  /** Calls `status`, one call at a time. Resolves with whether the call succeeded with a block of this chain. */
  function readStatus(): Promise<boolean> {
    if (pending !== undefined) return pending;
    const open = state.isSubscribed ? subscription : undefined;
    pending = transport
      .call('status', {}, { decode: decodeStatus, signal: stopping.signal })
      .then((status) => {
        onBlock(status.newest);
        onStatus(status);
        if (open !== undefined && open === subscription) complete();
        return true;
      })
      .catch((error: unknown) => {
        lastError = error;
        return false;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  }

  /** Calls `status` after the subscription has opened. A call that was made before may respond without the newest block. */
  async function completeOpen(): Promise<void> {
    const open = subscription;
    await pending;
    if (!state.isComplete && subscription === open && !stopping.signal.aborted) await readStatus();
  }

  function subscribe(): void {
    retry = undefined;
    state.subscriptions += 1;
    let mine = true;
    const inner = transport.subscribe(newBlockQuery, {
      open() {
        if (!mine) return;
        state.isSubscribed = true;
        watch();
        void completeOpen();
      },
      event(result, decodedBlock) {
        if (!mine) return;
        try {
          const block = decodedBlock ?? decodeNewBlock(result);
          if (block === undefined) return;
          onBlock(block);
        } catch (error) {
          replace(error);
          return;
        }
        failures = 0;
        if (!state.isComplete) complete();
        const now = performance.now();
        const elapsed = now - lastEvent;
        if (lastEvent !== 0) blockTime = blockTime === 0 ? elapsed : blockTime * 0.8 + elapsed * 0.2;
        lastEvent = now;
        watch();
      },
      end(error) {
        if (mine) replace(error);
      },
    });
    subscription = {
      close() {
        mine = false;
        inner.close();
      },
    };
  }

  /** Closes the subscription and schedules the next one. There are never two at once. */
  function replace(error: unknown): void {
    lastError = error ?? lastError;
    clearTimeout(watchdog);
    state.isSubscribed = false;
    state.isComplete = false;
    lastEvent = 0;
    const old = subscription;
    subscription = undefined;
    old?.close();
    if (stopping.signal.aborted || retry !== undefined) return;
    failures += 1;
    retry = setTimeout(subscribe, waitAfter(failures));
    poll();
  }

  /** Calls `status` at an interval until the open subscription has missed no block and a block is known. Only one such loop runs. */
  function poll(): void {
    if (isPolling) return;
    isPolling = true;
    void pollOnce();
  }

  async function pollOnce(): Promise<void> {
    nextPoll = undefined;
    await readStatus();
    if (stopping.signal.aborted) return;
    if (state.isComplete && height() !== undefined) isPolling = false;
    else nextPoll = setTimeout(pollOnce, pollInterval);
  }

  /** Records that the open subscription has missed no block, and ends the calls at an interval. */
  function complete(): void {
    state.isComplete = true;
    if (nextPoll === undefined || height() === undefined) return;
    clearTimeout(nextPoll);
    nextPoll = undefined;
    isPolling = false;
  }

  /** Checks the subscription after a silence of three mean block times, and `silence` at least. */
  function watch(): void {
    clearTimeout(watchdog);
    silenceLimit = Math.max(3 * blockTime, silence);
    const watched = subscription;
    watchdog = setTimeout(async () => {
      const heightBefore = height();
      const statusReply = await readStatus();
      if (subscription !== watched || stopping.signal.aborted) return;
      if (statusReply && height() === heightBefore) watch();
      else replace(timeoutError(silence));
    }, silenceLimit);
  }

  const stopNewest = transport.onNewest?.((block) => {
    try {
      onBlock(block);
    } catch (error) {
      replace(error);
    }
  });
  subscribe();
  poll();

  return {
    /** Starts over after the newest block was replaced: resets the backoff, and subscribes now if that is pending. */
    restart(): void {
      failures = 0;
      if (retry === undefined) return;
      clearTimeout(retry);
      subscribe();
    },
    /** The last error of a node; undefined if there was none. */
    lastError: (): unknown => lastError,
    state,
    silenceLimit: (): number => silenceLimit,
    close(reason: Error): void {
      stopping.abort(reason);
      stopNewest?.();
      clearTimeout(watchdog);
      clearTimeout(retry);
      clearTimeout(nextPoll);
      subscription?.close();
      subscription = undefined;
    },
  };
}

/**
 * The text by which clients recognise the chain of what they have read: the height of one of its blocks, a dash, and the first 16 digits of the
 * hash of that block (upper case hex). Chains with the same id that began at different times have different fingerprints. For clients it is opaque.
 */
export type Fingerprint = string;

/** The fingerprint of a chain by one of its blocks. */
function fingerprintOf({ height, hash }: Pick<HeadBlock, 'height' | 'hash'>): Fingerprint {
  return `${height}-${hash.slice(0, 16)}`;
}

/**
 * The fingerprint of the chain of a node: by its first block, which every chain started anew has another one of. If the node has pruned that block, by
 * its newest one, which stays readable for as long as the node keeps blocks. undefined before the first block.
 */
function fingerprintIn({ newest, earliestHeight, earliestHash }: NodeStatus): Fingerprint | undefined {
  if (earliestHeight === 1n && earliestHash !== '') return fingerprintOf({ height: earliestHeight, hash: earliestHash });
  return newest.height === 0n ? undefined : fingerprintOf(newest);
}

/** The parts of a fingerprint; undefined if the text is none. */
export function readFingerprint(text: string): { readonly height: bigint; readonly hash: string } | undefined {
  const [, height, hash] = /^([1-9]\d{0,18})-([0-9A-F]{16})$/.exec(text) ?? [];
  return height === undefined || hash === undefined ? undefined : { height: BigInt(height), hash };
}

/**
 * Checks that the chain has the block of a fingerprint. Waits up to `milliseconds` for its height. Rejects with CHAIN_RESET if the chain has another
 * block at that height. A block that every node has pruned is not compared.
 */
export async function checkFingerprint(
  {
    head,
    block,
  }: {
    readonly head: Pick<Head, 'fingerprint' | 'waitFor'>;
    block(height: bigint, signal: AbortSignal): Promise<{ readonly blockId: { readonly hash: string } }>;
  },
  { height, hash }: { readonly height: bigint; readonly hash: string },
  options: { readonly milliseconds: number; readonly signal: AbortSignal },
): Promise<void> {
  const newest = await head.waitFor(height, options);
  const namedBlock = readFingerprint(head.fingerprint() ?? '');
  if (namedBlock?.height === height && namedBlock.hash.startsWith(hash)) return;
  try {
    if (namedBlock?.height !== height && (await block(height, options.signal)).blockId.hash.startsWith(hash)) return;
  } catch (error) {
    if (isChainError(error, 'HEIGHT_PRUNED')) return;
    throw error;
  }
  throw chainReset(newest.height);
}

export type { HeadBlock, Rewind } from '../wire/block.ts';

/** Times in milliseconds. */
export interface HeadOptions {
  readonly transport: Transport;
  /** The chain id that blocks must have; by default that of the first block. */
  readonly chainId?: string;
  /**
   * A block is the newest only once the next one is verified, whose header proves the state after it. `WAITS`: blocks that arrive wait for it. `FOLLOWS`: blocks come from a process whose head
   * waits, and others are ignored. Default: a block is the newest when it arrives.
   */
  readonly behind?: 'WAITS' | 'FOLLOWS' | undefined;
  /** Interval of `status` calls while no subscription is open: 1,000. */
  readonly pollInterval?: number;
  /**
   * First wait before a new subscription, doubled each time up to `longestBackoff`: 100 and 5,000. Half of each wait is random.
   */
  readonly backoff?: number;
  readonly longestBackoff?: number;
  /** Silence after which a subscription is checked: 15,000, or three mean block times if that is longer. */
  readonly silence?: number;
}

/** The newest block of a chain. */
export type Head = ReturnType<typeof createHead>;

/** The number of blocks whose times are kept. */
const timesKept = 256;

/** Statistics of the head for operators, since the start. */
interface HeadStats {
  /** Subscriptions that were opened. */
  readonly subscriptions: number;
  /** Whether a subscription is open now. */
  readonly isSubscribed: boolean;
  /** Whether it has missed no block: it has had an event, or a `status` that was called while it was open has responded. */
  readonly isComplete: boolean;
  /** Events for blocks that were known already. */
  readonly duplicates: number;
  /** Heights without an event. Readers read their blocks by height. */
  readonly skipped: number;
  /** Replacements of the newest block, by kind. */
  readonly rewinds: Readonly<Record<Rewind['kind'], number>>;
}

/** How long a chain is known for a short time, in ms: clients reconnect within it. */
const youth = 300_000;

/** A height that is fewer blocks away can be one of a node that lags. */
const leastMissing = 3;

/** Adds a listener. Returns a function that removes it. */
function added<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Creates the head. It follows one upstream subscription to NewBlock, which it reopens with backoff when it ends, and calls
 * `status` at the start, while no subscription is open, and once when one has opened, because of a block in between.
 *
 * A subscription that stays silent while `status` reports newer blocks, or while no node responds, is replaced. If the chain
 * itself has stalled, the subscription stays. Blocks of another chain are rejected, and so are blocks that contradict the
 * newest one: another block at its height, or a next block that does not follow it. If the transport verifies blocks, others are ignored. When the transport replaces its newest
 * block (see {@link Rewind}), the head continues from the replacement.
 *
 * A height that does not arrive belongs to a chain that was replaced by another with the same id, if the head has seen its first block at most five
 * minutes ago, blocks arrive, the height is at least three blocks away, and the newest block is too young for a node that lags that far behind: a node
 * that lacks n blocks has a newest block that is about n block times old.
 */
export function createHead(options: HeadOptions) {
  const { transport, pollInterval = 1_000, backoff = 100, longestBackoff = 5_000, silence = 15_000 } = options;
  const { behind } = options;
  const listeners = new Set<(block: HeadBlock) => void>();
  const contentListeners = new Set<(block: HeadBlock) => void>();
  const rewindListeners = new Set<(rewind: Rewind) => void>();
  const waiters = new Set<{
    readonly height: bigint;
    readonly resolve: (block: HeadBlock) => void;
    readonly reject: (error: unknown) => void;
  }>();
  /** By height, oldest first. */
  const times = new Map<bigint, string>();
  let closed = false;
  let chainId = options.chainId;
  let current: HeadBlock | undefined;
  /** When the newest block arrived. */
  let seenAt = 0;
  const counts = { duplicates: 0, skipped: 0 };
  const rewinds = { WITHDRAWN: 0, RESET: 0 };
  let fingerprint: Fingerprint | undefined;
  /** When the first block of the chain arrived. */
  let firstSeenAt = 0;

  /** Whether the signatures of a block were verified, if blocks are. A node that is behind reports blocks that were not. */
  const isVerified = (block: HeadBlock): boolean => transport.verification?.admits(block) ?? true;

  /** The newest block that has arrived. With `WAITS`, it waits for the next one. */
  let tip: HeadBlock | undefined;
  /** A replacement whose block waits. */
  let waitingRewind: Rewind | undefined;

  /** The block before the tip, whose hash the tip has. It has no content. */
  async function readBeforeTip(): Promise<void> {
    const lastHash = tip && transport.verification?.at(tip.height)?.lastHash;
    if (tip === undefined || lastHash === undefined || tip.height < 2n) return;
    const height = tip.height - 1n;
    const decode = (json: JsonValue): HeadBlock => {
      const header = objectAt(objectAt(asObject(json, 'commit'), 'signed_header'), 'header');
      const { hash, lastHash: before, appHash } = checkHeader(header, lastHash);
      return {
        height,
        time: textAt(header, 'time'),
        hash,
        lastHash: before,
        chainId: textAt(header, 'chain_id'),
        appHash,
        block: undefined,
      };
    };
    const block = await transport.call('commit', { height: height.toString() }, { height, decode });
    if (!closed && waitingRewind === undefined && (current === undefined || current.height < height)) observe(block);
  }

  /** Takes a block that a node reports. */
  function receive(block: HeadBlock): void {
    checkChain(block);
    if (block.height === 0n || (behind !== 'FOLLOWS' && !isVerified(block))) return;
    if (behind !== 'WAITS') {
      const next = transport.verification?.at(block.height + 1n);
      if (behind === undefined || next?.lastHash === block.hash) observe(block);
      return;
    }
    if (tip !== undefined && block.height <= tip.height) {
      if (block.height === tip.height && tip.block === undefined) tip = block;
      return;
    }
    const before = tip;
    tip = block;
    if (before !== undefined && waitingRewind !== undefined) {
      const to = waitingRewind;
      waitingRewind = undefined;
      replace({ ...to, newest: before });
    } else if (before !== undefined) observe(before);
    // The node reports its newest block alone at the start, and after a gap.
    if (before?.height !== block.height - 1n) readBeforeTip().catch(() => undefined);
  }

  function checkChain(block: HeadBlock): void {
    if (chainId !== undefined && block.chainId !== chainId)
      throw new ChainError('NODE_INVALID_RESPONSE', `The node belongs to chain ${block.chainId}, not to ${chainId}.`, {});
  }

  function observe(block: HeadBlock): void {
    checkChain(block);
    if (current !== undefined) {
      const hashBefore =
        block.height === current.height ? block.hash : block.height === current.height + 1n ? block.lastHash : '';
      if (hashBefore !== '' && hashBefore !== current.hash) throw inconsistent(current.height);
      if (block.height <= current.height) {
        if (block.block !== undefined) counts.duplicates += 1;
        if (block.height === current.height && current.block === undefined && block.block !== undefined) addContent(block);
        return;
      }
      counts.skipped += Number(block.height - current.height - 1n);
    }
    chainId = block.chainId;
    setNewest(block);
  }

  /** Adds its content to the newest block. */
  function addContent(block: HeadBlock): void {
    // The time in a status is what a node says, and not that of a header.
    times.set(block.height, block.time);
    for (const height of times.keys()) {
      if (times.size <= timesKept) break;
      times.delete(height);
    }
    current = block;
    call(contentListeners, block);
  }

  function setNewest(block: HeadBlock): void {
    seenAt = performance.now();
    if (current === undefined) firstSeenAt = seenAt;
    current = block;
    if (block.block !== undefined) addContent(block);
    for (const waiter of [...waiters]) if (waiter.height <= block.height) waiter.resolve(block);
    call(listeners, block);
  }

  /** Calls every listener. An exception of one listener does not affect the others. */
  function call<T>(all: ReadonlySet<(value: T) => void>, value: T): void {
    for (const listener of [...all]) {
      try {
        listener(value);
      } catch {
        // Ignored, as documented at `onBlock`.
      }
    }
  }

  /** Continues from the block that the transport now accepts, with a new subscription if the old one has ended. */
  function rewind(to: Rewind): void {
    if (closed || (behind !== 'FOLLOWS' && !isVerified(to.newest))) return;
    tip = to.newest;
    if (behind === 'WAITS') waitingRewind = to;
    else replace(to);
  }

  function replace(to: Rewind): void {
    rewinds[to.kind] += 1;
    times.clear();
    current = to.newest;
    if (to.kind === 'RESET') firstSeenAt = performance.now();
    const namedBlock = readFingerprint(fingerprint ?? '');
    if (namedBlock === undefined || namedBlock.height > to.kept) fingerprint = fingerprintOf(to.newest);
    call(rewindListeners, to);
    setNewest(to.newest);
    subscription.restart();
  }

  /** Whether a height that did not arrive within `milliseconds`, in which the chain grew from `begun`, belongs to a chain before this one. */
  function isOfEarlierChain(height: bigint, firstHeight: bigint, milliseconds: number): boolean {
    if (current === undefined || performance.now() - firstSeenAt > youth) return false;
    const [grown, missing] = [Number(current.height - firstHeight), Number(height - current.height)];
    if (grown < 1 || missing < leastMissing) return false;
    return Date.now() - Date.parse(current.time) < (missing * milliseconds) / grown / 2;
  }

  /** Waits for a block. `onTimeout` creates the error after `milliseconds`. */
  function wait(
    height: bigint,
    milliseconds: number,
    signal: AbortSignal | undefined,
    onTimeout: () => unknown,
  ): Promise<HeadBlock> {
    if (current !== undefined && current.height >= height) return Promise.resolve(current);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (closed) return Promise.reject(closedError());
    let release = (): void => undefined;
    const arrival = new Promise<HeadBlock>((resolve, reject) => {
      const waiter = { height, resolve, reject };
      const timer = setTimeout(() => reject(onTimeout()), milliseconds);
      waiters.add(waiter);
      release = () => {
        waiters.delete(waiter);
        clearTimeout(timer);
      };
    });
    return abortable(arrival, signal).finally(release);
  }

  const stopRewinds = transport.onRewind?.(rewind);
  const subscription = createHeadSubscription({
    transport,
    onBlock: receive,
    onStatus(status) {
      fingerprint ??= fingerprintIn(status);
    },
    height: () => (behind === 'WAITS' ? tip : current)?.height,
    pollInterval,
    backoff,
    longestBackoff,
    silence,
  });

  return {
    /** The newest block; undefined until a node has responded. Its height decreases only with a {@link Rewind}. */
    current: (): HeadBlock | undefined => current,
    /**
     * The newest block, as soon as one is known. Rejects after `milliseconds` (5,000) with the last error of the nodes, or with
     * the signal's reason. Attempts continue in the background.
     */
    ready({ milliseconds = 5_000, signal }: { readonly milliseconds?: number; readonly signal?: AbortSignal } = {}) {
      return wait(0n, milliseconds, signal, () => subscription.lastError() ?? timeoutError(milliseconds));
    },
    /**
     * The newest block once its height is at least `height`. Rejects with HEIGHT_NOT_YET_AVAILABLE after `milliseconds`; with CHAIN_RESET if the chain
     * is known for a short time, produces blocks, and is not the one that had this height (see {@link createHead}).
     */
    waitFor(
      height: bigint,
      { milliseconds, signal }: { readonly milliseconds: number; readonly signal?: AbortSignal },
    ): Promise<HeadBlock> {
      const firstHeight = current?.height ?? height;
      return wait(height, milliseconds, signal, () => {
        const latestHeight = current?.height;
        if (latestHeight !== undefined && isOfEarlierChain(height, firstHeight, milliseconds)) return chainReset(latestHeight);
        return new ChainError('HEIGHT_NOT_YET_AVAILABLE', `Block ${height} did not arrive within ${milliseconds} ms.`, {
          height,
          ...(latestHeight !== undefined && { latestHeight }),
        });
      });
    },
    /**
     * Calls `listener` for each new block, in order of height; heights may be skipped. Exceptions of listeners are ignored.
     * Returns a function that removes the listener.
     */
    onBlock: (listener: (block: HeadBlock) => void) => added(listeners, listener),
    /**
     * Calls `listener` with the newest block once its event has arrived: before `onBlock`, or after it if a node has named the block
     * earlier than its event. Exceptions of listeners are ignored. Returns a function that removes the listener.
     */
    onContent: (listener: (block: HeadBlock) => void) => added(contentListeners, listener),
    /**
     * Calls `listener` when the newest block is replaced, before the listeners of `onBlock` get the replacement. Caches
     * drop their entries then. Exceptions of listeners are ignored. Returns a function that removes the listener.
     */
    onRewind: (listener: (rewind: Rewind) => void) => added(rewindListeners, listener),
    /** Identifies the chain for clients; undefined until a node has reported its status with a block. It changes with a reset of the chain. */
    fingerprint: (): Fingerprint | undefined => fingerprint,
    /** The time of a block, RFC 3339 as in its header; undefined unless its event was one of the last {@link timesKept}. */
    timeAt: (height: bigint): string | undefined => times.get(height),
    /** Number of times that the newest block was replaced. Caches that are written after a read include it in their keys. */
    generation: (): number => rewinds.RESET + rewinds.WITHDRAWN,
    stats: (): HeadStats => ({ ...counts, ...subscription.state, rewinds: { ...rewinds } }),
    /**
     * Whether the chain has stalled: no new block for three mean block times, and for 15 s (`silence`) at least. False before the
     * first block.
     */
    isStalled: (): boolean => current !== undefined && performance.now() - seenAt > subscription.silenceLimit(),
    /** Ends the subscription and rejects all waits. */
    close(): void {
      if (closed) return;
      closed = true;
      stopRewinds?.();
      subscription.close(closedError());
      for (const waiter of [...waiters]) waiter.reject(closedError());
    },
  };
}
