import { ChainError, inconsistent } from '../base/errors.ts';
import { onAbort, pause } from '../base/waiting.ts';
import { closedError, timeoutError } from '../transports/nodeErrors.ts';
import type { Subscription, Transport } from '../transports/transport.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, newBlockQuery, type Rewind } from '../wire/newestBlock.ts';

export type { HeadBlock, Rewind } from '../wire/newestBlock.ts';

/** Options of {@link createHead}. Times in milliseconds. */
export interface HeadOptions {
  readonly transport: Transport;
  /** The chain id that blocks must have; by default that of the first block. */
  readonly chainId?: string;
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
export interface Head {
  /** The newest block; undefined until a node has responded. Its height decreases only with a {@link Rewind}. */
  current(): HeadBlock | undefined;
  /**
   * The newest block, as soon as one is known. Rejects after `milliseconds` (5,000) with the last error of the nodes, or with
   * the signal's reason. Attempts continue in the background.
   */
  ready(options?: { readonly milliseconds?: number; readonly signal?: AbortSignal }): Promise<HeadBlock>;
  /** The newest block once its height is at least `height`. Rejects with HEIGHT_NOT_YET_AVAILABLE after `milliseconds`. */
  waitFor(height: bigint, options: { readonly milliseconds: number; readonly signal?: AbortSignal }): Promise<HeadBlock>;
  /**
   * Calls `listener` for each new block, in order of height; heights may be skipped. Exceptions of listeners are ignored.
   * Returns a function that removes the listener.
   */
  onBlock(listener: (block: HeadBlock) => void): () => void;
  /**
   * Calls `listener` when the newest block is replaced, before the listeners of {@link onBlock} get the replacement. Caches
   * drop their entries then. Exceptions of listeners are ignored. Returns a function that removes the listener.
   */
  onRewind(listener: (rewind: Rewind) => void): () => void;
  /** Number of times that the newest block was replaced. Caches that are written after a read include it in their keys. */
  generation(): number;
  /**
   * Whether the chain has stalled: no new block for three mean block times, and for 15 s (`silence`) at least. False before the
   * first block.
   */
  isStalled(): boolean;
  stats(): HeadStats;
  /** Ends the subscription and rejects all waits. */
  close(): void;
}

/** Statistics of the head for operators, since the start. */
export interface HeadStats {
  /** Subscriptions that were opened. */
  readonly subscriptions: number;
  /** Whether a subscription is open now. */
  readonly isSubscribed: boolean;
  /** Events for blocks that were known already. */
  readonly duplicates: number;
  /** Heights without an event. Readers read their blocks by height. */
  readonly skipped: number;
  /** Replacements of the newest block, by kind. */
  readonly rewinds: Readonly<Record<Rewind['kind'], number>>;
}

interface Waiter {
  readonly height: bigint;
  resolve(block: HeadBlock): void;
  reject(error: unknown): void;
}

/**
 * Makes the head. It follows one upstream subscription to NewBlock, which it reopens with backoff when it ends, and calls
 * `status` at the start and while no subscription is open.
 *
 * A subscription that stays silent while `status` reports newer blocks, or while no node responds, is replaced. If the chain
 * itself has stalled, the subscription stays. Blocks of another chain are rejected, and so are blocks that contradict the
 * newest one: another block at its height, or a next block that does not follow it. When the transport replaces its newest
 * block (see {@link Rewind}), the head continues from the replacement.
 */
export function createHead(options: HeadOptions): Head {
  const { transport, pollInterval = 1_000, backoff = 100, longestBackoff = 5_000, silence = 15_000 } = options;
  const listeners = new Set<(block: HeadBlock) => void>();
  const rewindListeners = new Set<(rewind: Rewind) => void>();
  const waiters = new Set<Waiter>();
  const stopping = new AbortController();
  let chainId = options.chainId;
  let current: HeadBlock | undefined;
  let lastError: unknown;
  let subscription: Subscription | undefined;
  let isOpen = false;
  let failures = 0;
  let asked: Promise<boolean> | undefined;
  let polling = false;
  /** Mean time between blocks in ms; 0 before the second event. */
  let blockTime = 0;
  let lastEvent = 0;
  /** When the newest block arrived. */
  let seenAt = 0;
  const counts = { subscriptions: 0, duplicates: 0, skipped: 0 };
  const rewinds = { WITHDRAWN: 0, RESET: 0 };
  let watchdog: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;

  function see(block: HeadBlock): void {
    if (chainId !== undefined && block.chainId !== chainId) {
      throw new ChainError('NODE_INVALID_RESPONSE', `The node is of chain ${block.chainId}, not of ${chainId}.`, {});
    }
    if (block.height === 0n) return;
    if (current !== undefined) {
      const before = block.height === current.height ? block.hash : block.height === current.height + 1n ? block.lastHash : '';
      if (before !== '' && before !== current.hash) {
        throw inconsistent(current.height);
      }
      if (block.height <= current.height) {
        if (block.block !== undefined) counts.duplicates += 1;
        return;
      }
      counts.skipped += Number(block.height - current.height - 1n);
    }
    chainId = block.chainId;
    become(block);
  }

  function become(block: HeadBlock): void {
    current = block;
    seenAt = performance.now();
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
    if (stopping.signal.aborted) return;
    rewinds[to.kind] += 1;
    current = to.newest;
    failures = 0;
    call(rewindListeners, to);
    become(to.newest);
    if (retry === undefined) return;
    clearTimeout(retry);
    subscribe();
  }

  /** Calls `status`, one call at a time. Resolves with whether the call succeeded with a block of this chain. */
  function ask(): Promise<boolean> {
    asked ??= transport
      .call('status', {}, { decode: decodeStatus, signal: stopping.signal })
      .then((status) => {
        see(status.newest);
        return true;
      })
      .catch((error: unknown) => {
        lastError = error;
        return false;
      })
      .finally(() => {
        asked = undefined;
      });
    return asked;
  }

  function subscribe(): void {
    retry = undefined;
    counts.subscriptions += 1;
    let mine = true;
    const opened = transport.subscribe(newBlockQuery, {
      open() {
        if (!mine) return;
        isOpen = true;
        watch();
        // A block may have been missed between the last `status` and now.
        if (failures > 0) void ask();
      },
      event(result) {
        if (!mine) return;
        try {
          const block = decodeNewBlock(result);
          if (block === undefined) return;
          see(block);
        } catch (error) {
          replace(error);
          return;
        }
        failures = 0;
        measure();
        watch();
      },
      end(error) {
        if (mine) replace(error);
      },
    });
    subscription = {
      close() {
        mine = false;
        opened.close();
      },
    };
  }

  /** Closes the subscription and schedules the next one. There are never two at once. */
  function replace(error: unknown): void {
    lastError = error ?? lastError;
    clearTimeout(watchdog);
    isOpen = false;
    lastEvent = 0;
    const old = subscription;
    subscription = undefined;
    old?.close();
    if (stopping.signal.aborted || retry !== undefined) return;
    const wait = Math.min(backoff * 2 ** failures, longestBackoff);
    failures += 1;
    retry = setTimeout(subscribe, wait / 2 + (Math.random() * wait) / 2);
    void poll();
  }

  /** Calls `status` every second while no subscription is open or no block is known. Only one such loop runs. */
  async function poll(): Promise<void> {
    if (polling) return;
    polling = true;
    while (!stopping.signal.aborted) {
      await ask();
      if (isOpen && current !== undefined) break;
      await pause(pollInterval, stopping.signal).catch(() => undefined);
      if (isOpen && current !== undefined) break;
    }
    polling = false;
  }

  function measure(): void {
    const now = performance.now();
    if (lastEvent !== 0) blockTime = blockTime === 0 ? now - lastEvent : blockTime * 0.8 + (now - lastEvent) * 0.2;
    lastEvent = now;
  }

  function watch(): void {
    clearTimeout(watchdog);
    const watched = subscription;
    watchdog = setTimeout(async () => {
      const before = current?.height;
      const answered = await ask();
      if (subscription !== watched || stopping.signal.aborted) return;
      if (answered && current?.height === before) watch();
      else replace(timeoutError(silence));
    }, silenceLimit());
  }

  /** Silence in ms after which the subscription is checked. */
  function silenceLimit(): number {
    return Math.max(3 * blockTime, silence);
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
    if (stopping.signal.aborted) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const release = (): void => {
        waiters.delete(waiter);
        clearTimeout(timer);
        removeListener();
      };
      const waiter: Waiter = {
        height,
        resolve(block) {
          release();
          resolve(block);
        },
        reject(error) {
          release();
          reject(error);
        },
      };
      const timer = setTimeout(() => waiter.reject(onTimeout()), milliseconds);
      const removeListener = onAbort(signal, () => waiter.reject(signal?.reason));
      waiters.add(waiter);
    });
  }

  const stopRewinds = transport.onRewind?.(rewind);
  subscribe();
  void poll();

  return {
    current: () => current,
    ready: ({ milliseconds = 5_000, signal } = {}) =>
      wait(0n, milliseconds, signal, () => lastError ?? timeoutError(milliseconds)),
    waitFor: (height, { milliseconds, signal }) =>
      wait(height, milliseconds, signal, () => {
        const latestHeight = current?.height;
        return new ChainError('HEIGHT_NOT_YET_AVAILABLE', `Block ${height} did not come within ${milliseconds} ms.`, {
          height,
          ...(latestHeight !== undefined && { latestHeight }),
        });
      }),
    onRewind(listener) {
      rewindListeners.add(listener);
      return () => rewindListeners.delete(listener);
    },
    generation: () => rewinds.RESET + rewinds.WITHDRAWN,
    stats: () => ({ ...counts, isSubscribed: isOpen, rewinds: { ...rewinds } }),
    isStalled: () => current !== undefined && performance.now() - seenAt > silenceLimit(),
    onBlock(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      if (stopping.signal.aborted) return;
      stopping.abort(closedError());
      stopRewinds?.();
      clearTimeout(watchdog);
      clearTimeout(retry);
      subscription?.close();
      subscription = undefined;
      for (const waiter of [...waiters]) waiter.reject(closedError());
    },
  };
}
