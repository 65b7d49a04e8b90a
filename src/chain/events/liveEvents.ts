import { backoff } from '../base/time.ts';
import type { Head } from '../blocks/head.ts';
import type { Subscription, Transport } from '../transports/transport.ts';
import { asObject, type JsonValue, textAt } from '../wire/json.ts';

/** The kinds of consensus events, which are not part of any block (docs/chain.md, "Events that no block carries"). */
export const liveKinds = [
  'CompleteProposal',
  'Lock',
  'NewRound',
  'NewRoundStep',
  'Polka',
  'Relock',
  'TimeoutPropose',
  'TimeoutWait',
  'Unlock',
  'ValidBlock',
  'Vote',
] as const;

/** One of {@link liveKinds}: a value of `tm.event`. */
export type LiveKind = (typeof liveKinds)[number];

/** Kinds that occurred with every recorded block. The others indicate problems, so their absence is normal. */
const kindsOfEveryBlock: readonly LiveKind[] = [
  'CompleteProposal',
  'Lock',
  'NewRound',
  'NewRoundStep',
  'Polka',
  'ValidBlock',
  'Vote',
];

/** Number of blocks without an event of such a kind after which its subscription may be replaced. */
const silentBlocks = 3;

/** A consensus event, as the node's JSON. */
export interface LiveEvent {
  readonly kind: LiveKind;
  /** `tendermint/event/…`. Several kinds share a type. */
  readonly type: string;
  readonly value: JsonValue;
}

/** The upstream subscription of a kind that has listeners. */
interface KindSubscription {
  readonly listeners: Set<(event: LiveEvent) => void>;
  subscription: Subscription | undefined;
  retry: NodeJS.Timeout | undefined;
  failures: number;
  /** When it was opened or last delivered an event, in ms, and the number of blocks since then. */
  activeAt: number;
  blocks: number;
}

/** Consensus events as they occur, without replay. Events are missing while a node's socket is closed or silent. */
export type LiveKinds = ReturnType<typeof createLiveKinds>;

/**
 * `backoff` is the first wait in ms before a subscription is reopened, doubled each time up to `longestBackoff`; half of each wait is random. `silence`
 * is the least time in ms before a silent subscription is replaced: 15,000, as for the head.
 */
export function createLiveKinds(options: {
  readonly transport: Pick<Transport, 'subscribe'>;
  readonly head: Pick<Head, 'onBlock'>;
  readonly backoff?: number;
  readonly longestBackoff?: number;
  readonly silence?: number;
}) {
  const { transport, head, backoff: first = 100, longestBackoff: max = 5_000, silence = 15_000 } = options;
  const waitAfter = backoff({ first, max, jitter: 0.5 });
  const byKind = new Map<LiveKind, KindSubscription>();
  let opened = 0;

  /** Stops to look for silent kinds at each block; undefined while no kind has listeners. */
  let stopWatching: (() => void) | undefined;

  function watch(): void {
    for (const kind of kindsOfEveryBlock) {
      const entry = byKind.get(kind);
      if (entry?.subscription === undefined) continue;
      entry.blocks += 1;
      if (entry.blocks >= silentBlocks && performance.now() - entry.activeAt >= silence) entry.subscription.close();
    }
  }

  function noteActivity(entry: KindSubscription): void {
    entry.activeAt = performance.now();
    entry.blocks = 0;
  }

  function subscribe(kind: LiveKind, entry: KindSubscription): void {
    entry.retry = undefined;
    opened += 1;
    noteActivity(entry);
    entry.subscription = transport.subscribe(`tm.event='${kind}'`, {
      open() {
        entry.failures = 0;
      },
      event(result) {
        noteActivity(entry);
        if (byKind.get(kind) !== entry) return;
        let event: LiveEvent;
        try {
          const data = asObject(result.data, 'data');
          event = { kind, type: textAt(data, 'type'), value: data.value ?? null };
        } catch {
          // The message is not an event and is ignored.
          return;
        }
        for (const listener of [...entry.listeners]) listener(event);
      },
      end() {
        entry.subscription = undefined;
        if (byKind.get(kind) !== entry) return;
        entry.failures += 1;
        entry.retry = setTimeout(subscribe, waitAfter(entry.failures), kind, entry);
      },
    });
  }

  function end(kind: LiveKind, { subscription, retry }: KindSubscription): void {
    byKind.delete(kind);
    clearTimeout(retry);
    subscription?.close();
    if (byKind.size > 0) return;
    stopWatching?.();
    stopWatching = undefined;
  }

  return {
    /**
     * Calls `listener` for each event of a kind. Returns a function that removes the listener. All listeners of a kind share one
     * upstream subscription. It opens with the first listener, reopens when it ends, and closes with the last listener. If a kind
     * that occurs with every block stays silent while blocks arrive, its subscription is replaced.
     */
    listen(kind: LiveKind, listener: (event: LiveEvent) => void): () => void {
      let entry = byKind.get(kind);
      if (entry === undefined) {
        entry = { listeners: new Set(), subscription: undefined, retry: undefined, failures: 0, activeAt: 0, blocks: 0 };
        byKind.set(kind, entry);
        stopWatching ??= head.onBlock(watch);
        subscribe(kind, entry);
      }
      const joinedEntry = entry;
      // A wrapper, because one function may be registered twice.
      const wrapper = (event: LiveEvent): void => listener(event);
      joinedEntry.listeners.add(wrapper);
      return () => {
        if (joinedEntry.listeners.delete(wrapper) && joinedEntry.listeners.size === 0 && byKind.get(kind) === joinedEntry)
          end(kind, joinedEntry);
      };
    },
    /** Upstream subscriptions that are open now, and those opened since the start. */
    stats: () => ({ running: [...byKind.values()].filter(({ subscription }) => subscription !== undefined).length, opened }),
    close(): void {
      for (const [kind, entry] of [...byKind]) end(kind, entry);
    },
  };
}
