import { type ChainError, isChainError } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { onAbort } from '../base/waiting.ts';
import type { Head } from '../blocks/head.ts';
import { noNodeError, timeoutError } from '../transports/nodeErrors.ts';
import { createAccountQueue } from './accountQueue.ts';
import { type Attempt, attemptOf, type BroadcastMethod, type SendResult, sendTx } from './attempt.ts';
import type { OutgoingTx } from './outgoingTx.ts';
import type { TxRoutes } from './routes.ts';

/** What came of handing a transaction to the nodes for the first time. */
export interface Delivery {
  /** Every sending, in order; at least one. */
  readonly attempts: readonly Attempt[];
  /**
   * Some node took it; had it already; CheckTx refused it, and no sending before may have been taken. LOST: it may have reached a node,
   * and no one has taken it since: what a later node says against it may be because it is in a block already.
   */
  readonly outcome: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED' | 'LOST';
  readonly check: TxExec | null;
  /** Whether identical bytes were there before the first of these sendings. */
  readonly duplicate: boolean;
}

/** Hands transactions over. */
export interface TxDelivery {
  /**
   * Sends a transaction to the first node that takes it, in bounded time. Those who want to send the same bytes the same way at the same time
   * share it. Rejects with MEMPOOL_REJECTED when no mempool had room or the first would not look at it, and with a node's own
   * failure when it has reached none.
   */
  deliver(tx: OutgoingTx, method: BroadcastMethod): Promise<Delivery>;
}

/** Nodes that one delivery tries: the first and two others (reliability.md 4.2). */
const nodesTried = 3;

const wrongSequence = 32;

/** Whether CheckTx refused it for its sequence alone, as it does when a check has used that up. */
function refusedSequence({ check }: SendResult): boolean {
  return check?.codespace === 'sdk' && check.code === wrongSequence;
}

/** Whether a mempool's refusal is of the transaction itself: another node's would be the same. */
function isOfTx(failure: ChainError | undefined): boolean {
  return isChainError(failure, 'MEMPOOL_REJECTED') && /^(TOO_LARGE|PRE_CHECK)$/.test(failure.facts.reason);
}

function isRechecking(failure: ChainError | undefined): boolean {
  return isChainError(failure, 'MEMPOOL_REJECTED') && failure.facts.reason === 'RECHECKING';
}

/**
 * Why the same bytes were sent once more: to the same node after blocks without them; to another node after such; to another because
 * the one before could not take them; after a block, whose check had used the sequence up or whose mempool was busy.
 */
export type Rebroadcast = 'resent' | 'moved' | 'failover' | 'next_block';

/** Makes it. `wait`: most time, ms, of one delivery. `stopping` ends what is under way. */
export function createTxDelivery(options: {
  readonly head: Head;
  readonly routes: TxRoutes;
  readonly wait: number;
  readonly stopping: AbortSignal;
  /** Told of each sending but the first. */
  readonly onRebroadcast: (reason: Rebroadcast) => void;
}): TxDelivery {
  const { head, routes, wait, stopping, onRebroadcast } = options;
  const underWay = new Map<string, Promise<Delivery>>();
  const accountQueue = createAccountQueue();

  async function run(tx: OutgoingTx, method: BroadcastMethod, signal: AbortSignal): Promise<Delivery> {
    const attempts: Attempt[] = [];
    const ended = (outcome: Delivery['outcome'], check: TxExec | null = null): Delivery => {
      const duplicate =
        attempts.find((each) => each.outcome !== 'FAILED' && each.outcome !== 'REFUSED')?.outcome === 'DUPLICATE';
      return { attempts, outcome, check, duplicate };
    };
    const isDoubtful = (): boolean => attempts.some(({ outcome }) => outcome === 'LOST');
    let height = (await head.ready({ signal })).height;
    let failure: ChainError | undefined;
    let refusedBefore: SendResult | undefined;

    /** One sending to each node in turn until one decides; undefined when none has, and true when the next block may change that. */
    async function round(isLast: boolean): Promise<Delivery | boolean> {
      const nodes = (await routes.order(tx, height)).slice(0, nodesTried);
      let nextBlockHelps = false;
      // Nobody would be told that it is refused.
      const wouldBeRefused = nodes.every(({ alias }) => routes.isSequenceUsed(tx, alias, height));
      if (method === 'broadcast_tx_async' && wouldBeRefused && !isLast) return true;
      for (const node of nodes) {
        if (signal.aborted) break;
        height = head.current()?.height ?? height;
        if (attempts.length > 0) onRebroadcast(isLast && node === nodes[0] ? 'next_block' : 'failover');
        const sending = await sendTx(node, tx, { method, height, signal });
        attempts.push(attemptOf(sending));
        switch (sending.outcome) {
          case 'ACCEPTED':
            routes.accepted(tx, node.alias, height);
            return ended('ACCEPTED', sending.check);
          case 'DUPLICATE':
            return ended('DUPLICATE');
          case 'REJECTED':
            // A block that this server has not heard of yet does not free a sequence, so a check one block ago may be the reason too.
            if (
              !isLast &&
              refusedSequence(sending) &&
              nodes.some(({ alias }) => routes.isSequenceUsed(tx, alias, height - 1n))
            ) {
              refusedBefore = sending;
              return true;
            }
            return isDoubtful() ? ended('LOST') : ended('REJECTED', sending.check);
          case 'REFUSED':
            if (isOfTx(sending.failure) && !isDoubtful()) throw sending.failure;
            nextBlockHelps ||= isRechecking(sending.failure);
            if (!isChainError(failure, 'MEMPOOL_REJECTED')) failure = sending.failure;
            break;
          case 'FAILED':
          case 'LOST':
            failure ??= sending.failure;
            break;
        }
      }
      return nextBlockHelps && !isLast;
    }

    const first = await round(false);
    if (typeof first !== 'boolean') return first;
    if (first && (await nextBlock(height, signal))) {
      height = head.current()?.height ?? height;
      const second = await round(true);
      if (typeof second !== 'boolean') return second;
    }
    if (isDoubtful()) return ended('LOST');
    if (refusedBefore !== undefined) return ended('REJECTED', refusedBefore.check);
    throw failure ?? noNodeError();
  }

  function nextBlock(height: bigint, signal: AbortSignal): Promise<boolean> {
    return head.waitFor(height + 1n, { milliseconds: wait, signal }).then(
      () => true,
      () => false,
    );
  }

  return {
    deliver(tx, method) {
      if (stopping.aborted) return Promise.reject(stopping.reason);
      const key = `${method} ${tx.hash}`;
      const known = underWay.get(key);
      if (known !== undefined) return known;
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(timeoutError(wait)), wait);
      const removeListener = onAbort(stopping, () => limit.abort(stopping.reason));
      const delivery = accountQueue
        .take(tx.account, () => run(tx, method, limit.signal))
        .finally(() => {
          clearTimeout(timer);
          removeListener();
          underWay.delete(key);
        });
      underWay.set(key, delivery);
      return delivery;
    },
  };
}
