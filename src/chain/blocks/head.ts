import { ChainError, inconsistent } from '../base/errors.ts';
import { onAbort, pause } from '../base/waiting.ts';
import { closedError, timeoutError } from '../transports/nodeErrors.ts';
import type { Subscription, Transport } from '../transports/transport.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, newBlockQuery, type Rewind } from '../wire/newestBlock.ts';

export type { HeadBlock, Rewind } from '../wire/newestBlock.ts';

/** Options of {@link createHead}. Times in milliseconds. */
export interface HeadOptions {
  readonly transport: Transport;
  /** The chain that blocks must be of; absent: that of the first block seen. */
  readonly chainId?: string;
  /** Between `status` calls while no subscription runs: 1,000. */
  readonly pollInterval?: number;
  /** First wait before subscribing again, doubled each time up to `longestBackoff`: 100 and 5,000. Half of each wait is random. */
  readonly backoff?: number;
  readonly longestBackoff?: number;
  /** The least silence of a subscription that arouses suspicion: 15,000. It is three mean block times where that is longer. */
  readonly silence?: number;
}

/** The newest block of a chain. */
export interface Head {
  /** The newest block seen; undefined until a node has answered. Its height goes down only with a {@link Rewind}. */
  current(): HeadBlock | undefined;
  /**
   * The first block known, at once when there is one. Rejects after `milliseconds` (5,000) with the last failure of the nodes, or
   * with the signal's reason; trying goes on in the background.
   */
  ready(options?: { readonly milliseconds?: number; readonly signal?: AbortSignal }): Promise<HeadBlock>;
  /** The newest block once its height is at least `height`. Rejects with HEIGHT_NOT_YET_AVAILABLE after `milliseconds`. */
  waitFor(height: bigint, options: { readonly milliseconds: number; readonly signal?: AbortSignal }): Promise<HeadBlock>;
  /** Calls `listener` for each new newest block, in order of height; heights may be skipped. What it throws is dropped. Returns the way to stop. */
  onBlock(listener: (block: HeadBlock) => void): () => void;
  /**
   * Calls `listener` when the newest block is given up, before the listeners of {@link onBlock} see the block that takes its place. Caches
   * of what was read drop their entries then. What it throws is dropped. Returns the way to stop.
   */
  onRewind(listener: (rewind: Rewind) => void): () => void;
  /** Number of times that the newest block was given up. A cache whose entries are written after a read has it in its keys. */
  generation(): number;
  /** Whether the chain stands still: no new block for three mean block times, and for 15 s (`silence`) at least. false before the first. */
  isStalled(): boolean;
  stats(): HeadStats;
  /** Ends the subscription and all waiting. */
  close(): void;
}

/** What an operator sees of the head, counted since the start. */
export interface HeadStats {
  /** Subscriptions begun: one, and another for each that ended. */
  readonly subscriptions: number;
  /** Whether one runs now. */
  readonly isSubscribed: boolean;
  /** Events of blocks that were there already, from whichever node. */
  readonly duplicates: number;
  /** Heights that no event told of: whoever needs their blocks reads them. */
  readonly skipped: number;
  /** Times that the newest block was given up, by kind. */
  readonly rewinds: Readonly<Record<Rewind['kind'], number>>;
}

interface Waiter {
  readonly height: bigint;
  resolve(block: HeadBlock): void;
  reject(error: unknown): void;
}

/**
 * Makes the head. It learns from one upstream subscription to NewBlock, begun again with backoff whenever it ends, and from
 * `status` at the start and while the subscription is down. A subscription that falls silent while `status` shows newer blocks, or
 * no node answers, is replaced; while the chain itself stands still it is left alone. Blocks of another chain are refused, and so are
 * those that contradict the newest one: another at its height, or a next one that does not follow it. When the transport gives up its
 * newest block (see {@link Rewind}), so does the head, and goes on from the block that takes its place.
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
  /** Mean time between blocks, ms; 0 until two events have come. */
  let blockTime = 0;
  let lastEvent = 0;
  /** When the newest block was seen. */
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

  /** One listener's failure does not keep the others from being called. */
  function call<T>(all: ReadonlySet<(value: T) => void>, value: T): void {
    for (const listener of [...all]) {
      try {
        listener(value);
      } catch {
        // See above.
      }
    }
  }

  /** Goes on from the block that the transport believes now, with a new subscription if the old one has ended. */
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

  /** Asks `status`, once at a time. Whether it was answered, with a block of this chain. */
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
        // A block may have come between the last `status` and now.
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

  /** Lets the subscription go and begins another after a while: never two at once. */
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

  /** Asks `status` each second as long as no subscription runs or no block is known. One such loop at a time. */
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

  /** A silence, ms, after which a subscription is suspected. */
  function silenceLimit(): number {
    return Math.max(3 * blockTime, silence);
  }

  /** Waits for a block; `onTimeout` makes the error when `milliseconds` have passed. */
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
