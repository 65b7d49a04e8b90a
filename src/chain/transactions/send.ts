import { ChainError, type ChainErrorCode, isChainError, type MempoolReason } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { onAbort } from '../base/waiting.ts';
import type { Head } from '../blocks/head.ts';
import { inSpan, type Scope, type Span, scopeOf, setScope, spanOf } from '../tracing/tracer.ts';
import { noNodeError, timeoutError } from '../transports/nodeReplies.ts';
import type { NodeHandle } from '../transports/transport.ts';
import { decodeExec } from '../wire/block.ts';
import type { JsonValue } from '../wire/json.ts';
import { asObject, malformed, textAt } from '../wire/json.ts';
import { type InclusionLookup, refusedAsUsed } from './inclusion.ts';
import { createAccountQueue, type TxRoutes } from './order.ts';
import type { OutgoingTx } from './tx.ts';

/**
 * The outcome of sending a transaction once. ACCEPTED: CheckTx passed, or the node took it without waiting for CheckTx.
 * REJECTED: CheckTx failed. DUPLICATE: the node had it already. REFUSED: the mempool refused it before CheckTx. FAILED: it did
 * not reach the node. LOST: it was sent, but the response was lost.
 */
export type AttemptOutcome = 'ACCEPTED' | 'REJECTED' | 'DUPLICATE' | 'REFUSED' | 'FAILED' | 'LOST';

/** One attempt to send a transaction to one node. */
export interface Attempt {
  /** Alias of the node. */
  readonly node: string;
  /** The newest block at the time of sending. */
  readonly height: bigint;
  readonly outcome: AttemptOutcome;
  /** The error code if it was refused or failed; null otherwise. */
  readonly error: ChainErrorCode | null;
}

/** An attempt with its internal details. */
export interface SendResult extends Attempt {
  /** The result of CheckTx; null if there is none. */
  readonly check: TxExec | null;
  /** The error; undefined if `error` is null. */
  readonly failure: ChainError | undefined;
}

/** The method to send with: with the result of CheckTx, or without waiting for it. */
type BroadcastMethod = 'broadcast_tx_sync' | 'broadcast_tx_async';

/** Errors of a node whose mempool refused a transaction (docs/chain.md, "Mempool refusals"). */
const refusals: readonly (readonly [RegExp, MempoolReason])[] = [
  [/^mempool is full/, 'FULL'],
  [/^mempool is still rechecking/, 'RECHECKING'],
  [/^Tx too large|request body too large/, 'TOO_LARGE'],
  [/^tx pre check/, 'PRE_CHECK'],
];

/** Codes of codespace `sdk` with the same meaning as those errors. */
const codedRefusals: ReadonlyMap<number, MempoolReason> = new Map([
  [20, 'FULL'],
  [21, 'TOO_LARGE'],
]);
const alreadyInMempool = 19;

/**
 * Decodes the result of `broadcast_tx_sync` and `_async`. Its `data` is hex. It has no gas, info and events, which become zero
 * and empty. Throws if the result is for another transaction.
 */
function decodeAnswer(json: JsonValue, hash: string): TxExec {
  const result = asObject(json, 'broadcast');
  if (textAt(result, 'hash') !== hash) throw malformed('the result is for another transaction');
  const data = Buffer.from(textAt(result, 'data'), 'hex').toString('base64');
  return decodeExec({ ...result, data });
}

/** How a transaction is sent. */
interface Sending {
  readonly method: BroadcastMethod;
  /** The newest block. */
  readonly height: bigint;
  /** It also names the span that the attempt belongs to. */
  readonly signal: AbortSignal;
  /** Why it is sent again. undefined for the first time. */
  readonly reason: string | undefined;
}

/** Sends a transaction to a node once. Never rejects: errors are part of the result. */
export function sendTx(node: NodeHandle, tx: OutgoingTx, how: Sending): Promise<SendResult> {
  const { signal, reason } = how;
  const attributes = { 'stele.node': node.alias, ...(reason !== undefined && { 'stele.tx.reason': reason }) };
  return inSpan(spanOf(signal), reason === undefined ? 'send' : 'send again', { attributes }, async (span) => {
    const result = await sendOnce(node, tx, { ...how, span });
    span?.set({ 'stele.tx.outcome': result.outcome });
    return result;
  });
}

async function sendOnce(
  node: NodeHandle,
  tx: OutgoingTx,
  { method, height, signal, span }: Sending & { readonly span: Span | undefined },
): Promise<SendResult> {
  const ended = (outcome: AttemptOutcome, check: TxExec | null = null, failure?: ChainError): SendResult => ({
    node: node.alias,
    height,
    outcome,
    error: failure?.code ?? null,
    check,
    failure,
  });
  const refused = (text: string, reason: MempoolReason): SendResult =>
    ended('REFUSED', null, new ChainError('MEMPOOL_REJECTED', text, { hash: tx.hash, reason }));
  try {
    const decode = (json: JsonValue): TxExec => decodeAnswer(json, tx.hash);
    const check = await node.call(method, { tx: tx.tx }, { signal, decode, span });
    if (method === 'broadcast_tx_async') return ended('ACCEPTED');
    if (check.code === 0) return ended('ACCEPTED', check);
    if (check.codespace === 'sdk' && check.code === alreadyInMempool) return ended('DUPLICATE');
    const reason = check.codespace === 'sdk' ? codedRefusals.get(check.code) : undefined;
    return reason === undefined ? ended('REJECTED', check) : refused(check.log, reason);
  } catch (error) {
    const failure = isChainError(error)
      ? error
      : new ChainError('NODE_UNREACHABLE', 'Stele stopped waiting for the response.', { sent: true }, error);
    if (isChainError(failure, 'RPC_ERROR')) {
      const { data } = failure.facts;
      if (data === 'tx already exists in cache') return ended('DUPLICATE');
      const reason = refusals.find(([words]) => words.test(data))?.[1];
      if (reason !== undefined) return refused(data, reason);
      // The node accepted the transaction for CheckTx, but stopped waiting for the result.
      return ended(data.startsWith('broadcast confirmation not received') ? 'LOST' : 'REFUSED', null, failure);
    }
    const unsent = isChainError(failure, 'NODE_UNREACHABLE') && failure.facts.sent === false;
    return ended(unsent ? 'FAILED' : 'LOST', null, failure);
  }
}

/** The part of a result that callers see. */
export function attemptOf({ node, height, outcome, error }: SendResult): Attempt {
  return { node, height, outcome, error };
}

/** The outcome of the first attempts to send a transaction. */
export interface Delivery {
  /** Every attempt, in order; at least one. */
  readonly attempts: readonly Attempt[];
  /**
   * ACCEPTED: a node took it. DUPLICATE: a node had it already. REJECTED: CheckTx failed, and no earlier attempt may have
   * succeeded. LOST: it may have reached a node, and no node has accepted it since; a later rejection may mean that a block
   * contains it already.
   */
  readonly outcome: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED' | 'LOST';
  readonly check: TxExec | null;
  /** Whether a node had the same bytes before the first of these attempts. */
  readonly duplicate: boolean;
  /** The node whose refusal may mean that a block contains the transaction already. undefined if there is none. */
  readonly refusedAsUsedBy: string | undefined;
}

/** Sends transactions for the first time. */
export interface TxDelivery {
  /**
   * Sends a transaction to the first node that takes it, within a time limit. Concurrent calls with the same bytes and method
   * share the attempts. Rejects with MEMPOOL_REJECTED if all mempools were full or the first one refused the transaction
   * itself, and with a node's error if no node was reached. In traces, the attempts belong to the scope of the first call.
   */
  deliver(tx: OutgoingTx, method: BroadcastMethod, scope?: Scope): Promise<Delivery>;
}

/** Nodes to try: the first and two others (docs/architecture.md, "Sending a transaction"). */
const nodesTried = 3;

/** Whether a mempool refused the transaction itself, so that other nodes would refuse it too. */
function isOfTx(failure: ChainError | undefined): boolean {
  return isChainError(failure, 'MEMPOOL_REJECTED') && /^(TOO_LARGE|PRE_CHECK)$/.test(failure.facts.reason);
}

function isRechecking(failure: ChainError | undefined): boolean {
  return isChainError(failure, 'MEMPOOL_REJECTED') && failure.facts.reason === 'RECHECKING';
}

/**
 * Why bytes were sent again. resent: to the same node after blocks without the transaction. moved: the same, to another node.
 * failover: to another node, because the previous one could not take it. next_block: after a block, because a check had used up
 * the sequence or nonce, or the mempool was busy.
 */
export type Rebroadcast = 'resent' | 'moved' | 'failover' | 'next_block';

/** Makes the delivery. `wait`: time limit of a delivery in ms. `stopping` aborts pending deliveries. */
export function createTxDelivery(options: {
  readonly head: Head;
  readonly routes: TxRoutes;
  readonly wait: number;
  readonly stopping: AbortSignal;
  /** For a transaction that a node refused because its sequence or nonce was used. */
  readonly inclusions: Pick<InclusionLookup, 'findRefused' | 'hasBlock'>;
  /** Called for each attempt but the first. */
  readonly onRebroadcast: (reason: Rebroadcast) => void;
}): TxDelivery {
  const { head, routes, wait, stopping, inclusions, onRebroadcast } = options;
  const underWay = new Map<string, Promise<Delivery>>();
  const accountQueue = createAccountQueue();

  async function run(tx: OutgoingTx, method: BroadcastMethod, signal: AbortSignal): Promise<Delivery> {
    const attempts: Attempt[] = [];
    const ended = (outcome: Delivery['outcome'], check: TxExec | null = null): Delivery => {
      const duplicate =
        attempts.find((each) => each.outcome !== 'FAILED' && each.outcome !== 'REFUSED')?.outcome === 'DUPLICATE';
      return { attempts, outcome, check, duplicate, refusedAsUsedBy };
    };
    const isDoubtful = (): boolean => attempts.some(({ outcome }) => outcome === 'LOST');
    let height = (await head.ready({ signal })).height;
    let failure: ChainError | undefined;
    let refusedBefore: SendResult | undefined;
    let refusedAsUsedBy: string | undefined;

    /**
     * Whether CheckTx may pass after the next block. A check uses up a sequence or a nonce until then. The check of a nonce may have been another
     * client's, and the same bytes may wait in the mempool of another node.
     */
    function mayPassLater({ check }: SendResult, nodes: readonly NodeHandle[]): boolean {
      const used = refusedAsUsed(check);
      // A node may not have the newest block yet, so a sequence that a check used one block ago may still be used up.
      const isChecked = (): boolean => nodes.some(({ alias }) => routes.isSequenceUsed(tx, alias, height - 1n));
      return used === 'nonce' || (used === 'sequence' && isChecked());
    }

    /** Waits until another round may succeed. Resolves with false if none can, because a block contains the transaction or the time is over. */
    async function nextRound(): Promise<boolean> {
      const refusedBy = refusedBefore?.node;
      const isNonce = refusedBefore !== undefined && refusedAsUsed(refusedBefore.check) === 'nonce';
      if (isNonce && refusedBy !== undefined && (await inclusions.findRefused(tx.hash, refusedBy, scopeOf(signal))))
        return false;
      if (!(await nextBlock(height, signal))) return false;
      // The node forgets what a check has used with its own next block, which may come after the newest known one.
      return refusedBy === undefined || inclusions.hasBlock(refusedBy, height + 1n, signal);
    }

    /**
     * Tries each node once until an attempt is decisive. Returns the delivery, or else whether another round after the next
     * block may succeed.
     */
    async function round(isLast: boolean): Promise<Delivery | boolean> {
      const nodes = (await routes.order(tx, height)).slice(0, nodesTried);
      let nextBlockHelps = false;
      // With `async`, the client would not see the rejection, so this waits for the next block.
      const wouldBeRefused = nodes.every(({ alias }) => routes.isSequenceUsed(tx, alias, height));
      if (method === 'broadcast_tx_async' && wouldBeRefused && !isLast) return true;
      for (const node of nodes) {
        if (signal.aborted) break;
        height = head.current()?.height ?? height;
        const reason = attempts.length === 0 ? undefined : isLast && node === nodes[0] ? 'next_block' : 'failover';
        if (reason !== undefined) onRebroadcast(reason);
        const sending = await sendTx(node, tx, { method, height, signal, reason });
        attempts.push(attemptOf(sending));
        switch (sending.outcome) {
          case 'ACCEPTED':
            routes.accepted(tx, node.alias, height);
            return ended('ACCEPTED', sending.check);
          case 'DUPLICATE':
            return ended('DUPLICATE');
          case 'REJECTED':
            if (refusedAsUsed(sending.check) !== undefined) refusedAsUsedBy = node.alias;
            if (!isLast && mayPassLater(sending, nodes)) {
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
    if (first && (await nextRound())) {
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
    deliver(tx, method, scope) {
      if (stopping.aborted) return Promise.reject(stopping.reason);
      const key = `${method} ${tx.hash}`;
      const known = underWay.get(key);
      if (known !== undefined) return known;
      const limit = new AbortController();
      setScope(limit.signal, scope);
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
