import { inconsistent } from '../../base/errors.ts';
import { newBlockQuery } from '../../wire/block.ts';
import type { JsonObject } from '../../wire/json.ts';
import { closedError, noNodeError, timeoutError } from '../nodeErrors.ts';
import type { NodeState } from '../nodes/nodeState.ts';
import type { Subscription, SubscriptionListener, Transport } from '../transport.ts';
import type { NodePool } from './nodePool.ts';

/** The shortest interval, in ms, between checks that a subscription has reached the height of other nodes. */
const shortestInterval = 100;

/** Most events that wait while the block of an earlier event is checked. */
const maxHeldEvents = 256;

/** What {@link createPoolSubscriptions} needs. */
export interface PoolSubscriptionsOptions {
  readonly pool: NodePool;
  /** Time between checks of a subscription, in ms. */
  readonly interval: number;
  /** Whether the transport is closed. */
  readonly isClosed: () => boolean;
}

/**
 * Makes subscriptions that run on the best node of a pool. A subscription to NewBlock delivers an event only after its block is accepted. It
 * ends when its node is below the height that some node had at the previous check, because that node lags or is silent.
 */
export function createPoolSubscriptions(options: PoolSubscriptionsOptions): Transport['subscribe'] {
  const { pool, isClosed } = options;
  const interval = Math.max(options.interval, shortestInterval);

  return (query, listener): Subscription => {
    let inner: Subscription | undefined;
    let over = false;
    let checks: NodeJS.Timeout | undefined;

    function end(error: Error | undefined): void {
      if (over) return;
      over = true;
      clearInterval(checks);
      inner?.close();
      listener.end(error);
    }

    async function start(): Promise<void> {
      await pool.answered();
      const node = pool.chooseForSubscription();
      if (node !== undefined && node.status === undefined) await pool.probe(node);
      if (over) return;
      if (node?.status === undefined || node.wrongChain) {
        end(isClosed() ? closedError() : (asError(node?.lastError) ?? noNodeError()));
        return;
      }
      inner = node.transport.subscribe(query, listen(node));
    }

    /** The listener on one node. */
    function listen(node: NodeState): SubscriptionListener {
      /** The height of the last delivered event. */
      let reached = node.height;
      /** The highest accepted height at the previous check. */
      let expected = 0n;
      /** Events after the one that is being checked. They wait to keep the order. */
      const held: JsonObject[] = [];
      let isHeld = false;

      function check(): void {
        if (reached < expected) {
          end(timeoutError(interval));
          return;
        }
        expected = pool.highest();
        pool.keepProbing();
      }

      /** Delivers an event once its block is accepted. Returns undefined if that is done already. */
      function pass(result: JsonObject): Promise<void> | undefined {
        if (over) return undefined;
        let recorded: ReturnType<NodePool['recordEvent']>;
        try {
          if (query === newBlockQuery) recorded = pool.recordEvent(node, result);
        } catch (error) {
          end(asError(error));
          return undefined;
        }
        if (recorded === undefined) {
          listener.event(result);
          return undefined;
        }
        const { block, relation } = recorded;
        if (relation === 'AHEAD' || relation === 'CONTRADICTS') {
          return pool.settle(node, block).then((accepted) => {
            if (over) return;
            if (!accepted) return end(node.opposes ?? node.unproven ?? inconsistent(block.height));
            reached = block.height;
            listener.event(result);
          });
        }
        if (block.height > reached) reached = block.height;
        if (node.contradicts) end(inconsistent(reached));
        else listener.event(result);
        return undefined;
      }

      async function deliverHeld(checked: Promise<void>): Promise<void> {
        isHeld = true;
        await checked;
        for (let next = held.shift(); next !== undefined; next = held.shift()) await pass(next);
        isHeld = false;
      }

      return {
        open() {
          if (query === newBlockQuery) checks ??= setInterval(check, interval);
          listener.open?.();
        },
        event(result) {
          if (isHeld) {
            if (held.push(result) > maxHeldEvents) end(timeoutError(interval));
            return;
          }
          const checked = pass(result);
          if (checked !== undefined) void deliverHeld(checked);
        },
        end(error) {
          if (over) return;
          pool.failed(node, error);
          node.returns = true;
          end(error);
        },
      };
    }

    void start();
    return { close: () => end(undefined) };
  };
}

function asError(error: unknown): Error | undefined {
  return error instanceof Error ? error : undefined;
}
