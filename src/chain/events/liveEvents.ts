import type { Head } from '../blocks/head.ts';
import type { Subscription, Transport } from '../transports/transport.ts';
import { asObject, textAt } from '../wire/decode.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';

/** The kinds of events that no block carries: consensus talks of itself in them (chain.md 1.7). */
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

/** Those that came with every recorded block. The others deliver of trouble: of their silence nothing follows. */
const kindsOfEveryBlock: readonly LiveKind[] = [
  'CompleteProposal',
  'Lock',
  'NewRound',
  'NewRoundStep',
  'Polka',
  'ValidBlock',
  'Vote',
];

/** Blocks that come while such a kind tells nothing, after which its subscription is suspected. */
const silentBlocks = 3;

/** An event of such a kind, in the node's JSON. */
export interface LiveEvent {
  readonly kind: LiveKind;
  /** `tendermint/event/…`: several kinds share one. */
  readonly type: string;
  readonly value: JsonValue;
}

/** What consensus says, as it says it: without replay, and with gaps where the node's socket was lost or fell silent. */
export interface LiveKinds {
  /**
   * Calls `listener` for each event of a kind, until the function that it returns is called. However many listen there is one
   * upstream subscription for each kind, begun by the first of them, begun again when it ends, and ended behind the last. One
   * that tells nothing while blocks come, of a kind that comes with every block, is let go and begun again.
   */
  listen(kind: LiveKind, listener: (event: LiveEvent) => void): () => void;
  /** Upstream subscriptions that there are now, and those begun since the start. */
  stats(): { readonly running: number; readonly begun: number };
  /** Ends them all. */
  close(): void;
}

/** One kind that somebody listens to. */
interface KindSubscription {
  readonly listeners: Set<(event: LiveEvent) => void>;
  subscription: Subscription | undefined;
  retry: NodeJS.Timeout | undefined;
  failures: number;
  /** When it was begun or last told something, ms, and the blocks that came since. */
  activeAt: number;
  blocks: number;
}

/**
 * Makes it. `backoff` is the first wait, ms, before a subscription is begun again, doubled each time up to `longestBackoff`; half of each is random.
 * `silence` is the least, ms, that arouses suspicion: 15,000, as of the head.
 */
export function createLiveKinds(options: {
  readonly transport: Pick<Transport, 'subscribe'>;
  readonly head: Pick<Head, 'onBlock'>;
  readonly backoff?: number;
  readonly longestBackoff?: number;
  readonly silence?: number;
}): LiveKinds {
  const { transport, head, backoff = 100, longestBackoff = 5_000, silence = 15_000 } = options;
  const byKind = new Map<LiveKind, KindSubscription>();
  let begun = 0;

  const stopWatching = head.onBlock(() => {
    for (const kind of kindsOfEveryBlock) {
      const entry = byKind.get(kind);
      if (entry?.subscription === undefined) continue;
      entry.blocks += 1;
      if (entry.blocks >= silentBlocks && performance.now() - entry.activeAt >= silence) entry.subscription.close();
    }
  });

  function noteActivity(entry: KindSubscription): void {
    entry.activeAt = performance.now();
    entry.blocks = 0;
  }

  function subscribe(kind: LiveKind, entry: KindSubscription): void {
    entry.retry = undefined;
    begun += 1;
    noteActivity(entry);
    entry.subscription = transport.subscribe(`tm.event='${kind}'`, {
      open() {
        entry.failures = 0;
      },
      event(result) {
        noteActivity(entry);
        if (byKind.get(kind) === entry) deliver(kind, entry, result);
      },
      end() {
        entry.subscription = undefined;
        if (byKind.get(kind) !== entry) return;
        const wait = Math.min(backoff * 2 ** entry.failures, longestBackoff);
        entry.failures += 1;
        entry.retry = setTimeout(subscribe, wait / 2 + (Math.random() * wait) / 2, kind, entry);
      },
    });
  }

  function deliver(kind: LiveKind, { listeners }: KindSubscription, result: JsonObject): void {
    let event: LiveEvent;
    try {
      const data = asObject(result.data, 'data');
      event = { kind, type: textAt(data, 'type'), value: data.value ?? null };
    } catch {
      // A message that is no event tells nobody anything.
      return;
    }
    for (const listener of [...listeners]) listener(event);
  }

  function end(kind: LiveKind, { subscription, retry }: KindSubscription): void {
    byKind.delete(kind);
    clearTimeout(retry);
    subscription?.close();
  }

  return {
    listen(kind, listener) {
      let entry = byKind.get(kind);
      if (entry === undefined) {
        entry = { listeners: new Set(), subscription: undefined, retry: undefined, failures: 0, activeAt: 0, blocks: 0 };
        byKind.set(kind, entry);
        subscribe(kind, entry);
      }
      const { listeners } = entry;
      const mine = entry;
      // The same function may listen twice.
      const own = (event: LiveEvent): void => listener(event);
      listeners.add(own);
      return () => {
        if (listeners.delete(own) && listeners.size === 0 && byKind.get(kind) === mine) end(kind, mine);
      };
    },
    stats: () => ({ running: [...byKind.values()].filter(({ subscription }) => subscription !== undefined).length, begun }),
    close() {
      stopWatching();
      for (const [kind, entry] of [...byKind]) end(kind, entry);
    },
  };
}
