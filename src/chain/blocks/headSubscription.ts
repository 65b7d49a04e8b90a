import { backoff } from '../base/waiting.ts';
import { timeoutError } from '../transports/nodeReplies.ts';
import type { Subscription, Transport } from '../transports/transport.ts';
import { decodeNewBlock, decodeStatus, type HeadBlock, type NodeStatus, newBlockQuery } from '../wire/block.ts';

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
export function createHeadSubscription(options: HeadSubscriptionOptions) {
  const { transport, onBlock, onStatus, height, pollInterval, silence } = options;
  const waitAfter = backoff({ first: options.backoff, max: options.longestBackoff, jitter: 0.5 });
  const stopping = new AbortController();
  let lastError: unknown;
  let subscription: Subscription | undefined;
  let isOpen = false;
  /** Whether the subscription has missed no block: it has had an event, or a `status` that was called while it was open has responded. */
  let isComplete = false;
  let subscriptions = 0;
  let failures = 0;
  let pending: Promise<boolean> | undefined;
  let isPolling = false;
  let nextPoll: NodeJS.Timeout | undefined;
  /** Mean time between blocks in ms; 0 before the second event. */
  let blockTime = 0;
  let lastEvent = 0;
  let watchdog: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;

  /** Calls `status`, one call at a time. Resolves with whether the call succeeded with a block of this chain. */
  function readStatus(): Promise<boolean> {
    if (pending !== undefined) return pending;
    const open = isOpen ? subscription : undefined;
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
    if (!isComplete && subscription === open && !stopping.signal.aborted) await readStatus();
  }

  function subscribe(): void {
    retry = undefined;
    subscriptions += 1;
    let mine = true;
    const inner = transport.subscribe(newBlockQuery, {
      open() {
        if (!mine) return;
        isOpen = true;
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
        complete();
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
        inner.close();
      },
    };
  }

  /** Closes the subscription and schedules the next one. There are never two at once. */
  function replace(error: unknown): void {
    lastError = error ?? lastError;
    clearTimeout(watchdog);
    isOpen = false;
    isComplete = false;
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
    if (isComplete && height() !== undefined) isPolling = false;
    else nextPoll = setTimeout(pollOnce, pollInterval);
  }

  /** Records that the open subscription has missed no block, and ends the calls at an interval. */
  function complete(): void {
    isComplete = true;
    if (nextPoll === undefined || height() === undefined) return;
    clearTimeout(nextPoll);
    nextPoll = undefined;
    isPolling = false;
  }

  function measure(): void {
    const now = performance.now();
    if (lastEvent !== 0) blockTime = blockTime === 0 ? now - lastEvent : blockTime * 0.8 + (now - lastEvent) * 0.2;
    lastEvent = now;
  }

  /** Silence in ms after which the subscription is checked: three mean block times, and `silence` at least. */
  function silenceLimit(): number {
    return Math.max(3 * blockTime, silence);
  }

  function watch(): void {
    clearTimeout(watchdog);
    const watched = subscription;
    watchdog = setTimeout(async () => {
      const heightBefore = height();
      const statusReply = await readStatus();
      if (subscription !== watched || stopping.signal.aborted) return;
      if (statusReply && height() === heightBefore) watch();
      else replace(timeoutError(silence));
    }, silenceLimit());
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
    stats: () => ({ subscriptions, isSubscribed: isOpen, isComplete }),
    silenceLimit,
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
