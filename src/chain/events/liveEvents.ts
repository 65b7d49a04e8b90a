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

/** Those that came with every recorded block. The others tell of trouble: of their silence nothing follows. */
const ofEveryBlock: readonly LiveKind[] = [
  'CompleteProposal',
  'Lock',
  'NewRound',
  'NewRoundStep',
  'Polka',
  'ValidBlock',
  'Vote',
];

/** Blocks that come while such a kind tells nothing, after which its subscription is suspected. */
const suspiciousBlocks = 3;

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
interface Listened {
  readonly listeners: Set<(event: LiveEvent) => void>;
  subscription: Subscription | undefined;
  retry: NodeJS.Timeout | undefined;
  failures: number;
  /** When it was begun or last told something, ms, and the blocks that came since. */
  heardAt: number;
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
  const listened = new Map<LiveKind, Listened>();
  let begun = 0;

  const stopWatching = head.onBlock(() => {
    for (const kind of ofEveryBlock) {
      const of = listened.get(kind);
      if (of?.subscription === undefined) continue;
      of.blocks += 1;
      if (of.blocks >= suspiciousBlocks && performance.now() - of.heardAt >= silence) of.subscription.close();
    }
  });

  function hear(of: Listened): void {
    of.heardAt = performance.now();
    of.blocks = 0;
  }

  function subscribe(kind: LiveKind, of: Listened): void {
    of.retry = undefined;
    begun += 1;
    hear(of);
    of.subscription = transport.subscribe(`tm.event='${kind}'`, {
      open() {
        of.failures = 0;
      },
      event(result) {
        hear(of);
        if (listened.get(kind) === of) tell(kind, of, result);
      },
      end() {
        of.subscription = undefined;
        if (listened.get(kind) !== of) return;
        const wait = Math.min(backoff * 2 ** of.failures, longestBackoff);
        of.failures += 1;
        of.retry = setTimeout(subscribe, wait / 2 + (Math.random() * wait) / 2, kind, of);
      },
    });
  }

  function tell(kind: LiveKind, { listeners }: Listened, result: JsonObject): void {
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

  function end(kind: LiveKind, { subscription, retry }: Listened): void {
    listened.delete(kind);
    clearTimeout(retry);
    subscription?.close();
  }

  return {
    listen(kind, listener) {
      let of = listened.get(kind);
      if (of === undefined) {
        of = { listeners: new Set(), subscription: undefined, retry: undefined, failures: 0, heardAt: 0, blocks: 0 };
        listened.set(kind, of);
        subscribe(kind, of);
      }
      const { listeners } = of;
      const mine = of;
      // The same function may listen twice.
      const own = (event: LiveEvent): void => listener(event);
      listeners.add(own);
      return () => {
        if (listeners.delete(own) && listeners.size === 0 && listened.get(kind) === mine) end(kind, mine);
      };
    },
    stats: () => ({ running: [...listened.values()].filter(({ subscription }) => subscription !== undefined).length, begun }),
    close() {
      stopWatching();
      for (const [kind, of] of [...listened]) end(kind, of);
    },
  };
}
