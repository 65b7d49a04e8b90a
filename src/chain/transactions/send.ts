import { ChainError, type ChainErrorCode, isChainError, type MempoolReason } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import type { Head } from '../blocks/head.ts';
import { createInFlight } from '../memory/inFlight.ts';
import { type MemoryBudget, objectBytes } from '../memory/memoryBudget.ts';
import { inSpan, type Scope, scopeOf, spanOf } from '../tracing/tracer.ts';
import { noNodeError, timeoutError } from '../transports/http.ts';
import { handlesOf, type NodeHandle, type Transport } from '../transports/transport.ts';
import { decodeExec } from '../wire/block.ts';
import { asObject, type JsonValue, malformed, textAt } from '../wire/json.ts';
import { type InclusionLookup, refusedAsUsed, within, withinTime } from './inclusion.ts';
import type { OutgoingTx } from './tx.ts';

/** Longest time in ms that work blocks the next of its account: any client can name any account. */
const longestHold = 500;

/**
 * Creates a function that runs the work for an account after earlier work for it has ended, or after {@link longestHold}. So the transactions of an
 * account are sent in the order of their arrival. Over several connections the second could overtake the first.
 */
function createAccountQueue(): <T>(account: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<void>>();

  return async (account, work) => {
    const earlierWork = last.get(account);
    let end = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    last.set(account, turn);
    let timer: NodeJS.Timeout | undefined;
    try {
      if (earlierWork !== undefined) await earlierWork;
      timer = setTimeout(end, longestHold);
      return await work();
    } finally {
      clearTimeout(timer);
      end();
      if (last.get(account) === turn) last.delete(account);
    }
  };
}

/** Chooses the nodes for a transaction. */
export type TxRoutes = ReturnType<typeof createTxRoutes>;

/** Number of blocks for which an account stays with its node. */
const stickyBlocks = 2n;

/** Creates the routes over the nodes of a transport. Records of accounts are kept within the memory share for callers. */
export function createTxRoutes(transport: Transport, memory: MemoryBudget) {
  const lastNodes = memory.cache<{ readonly node: string; readonly height: bigint }>('callers', 'txRoutes', () => objectBytes);
  const checks = memory.cache<bigint>('callers', 'txCheckers', () => objectBytes);
  transport.onRewind?.(() => {
    lastNodes.clear();
    checks.clear();
  });

  /** Whether a node has checked a transaction of the same account at `since` or later. */
  function isSequenceUsed({ account }: OutgoingTx, node: string, since: bigint): boolean {
    return (checks.get(`${account} ${node}`) ?? -1n) >= since;
  }

  return {
    /**
     * The nodes for a transaction, best first. First the node that accepted the account's last transaction within two blocks,
     * because others may not have received it yet. Last the nodes that have used up its sequence in a check at `height`.
     */
    async order(tx: OutgoingTx, height: bigint): Promise<readonly NodeHandle[]> {
      const nodes = await handlesOf(transport);
      const lastNode = lastNodes.get(tx.account);
      const rank = ({ alias }: NodeHandle): number => {
        if (isSequenceUsed(tx, alias, height)) return 2;
        return lastNode?.node === alias && height <= lastNode.height + stickyBlocks ? 0 : 1;
      };
      return nodes.toSorted((a, b) => rank(a) - rank(b));
    },
    /** Records that a node accepted a transaction at a height. */
    noteAccepted: ({ account }: OutgoingTx, node: string, height: bigint): void => lastNodes.set(account, { node, height }),
    /**
     * Records that a node checked a transaction at a height. This uses up the signers' sequences on that node until its next
     * block (docs/chain.md, "check_tx uses up a sequence").
     */
    noteChecked: ({ account }: OutgoingTx, node: string, height: bigint): void => checks.set(`${account} ${node}`, height),
    isSequenceUsed,
  };
}

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
interface SendResult {
  readonly attempt: Attempt;
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

/** How a transaction is sent. */
interface Sending {
  readonly method: BroadcastMethod;
  /** The newest block. */
  readonly height: bigint;
  /** It also names the span that the attempt belongs to. */
  readonly signal: AbortSignal;
  /** Why it is sent again. undefined for the first time. */
  readonly reason: string | undefined;
  /** How long the node may take, in ms, before the next one is tried; undefined if none is. */
  readonly limit?: number | undefined;
}

/** Whether a call has failed before the node could receive it. */
export function isUnsent(error: unknown): boolean {
  return isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false;
}

/** Sends a transaction to a node once. Never rejects: errors are part of the result. */
export function sendTx(
  node: NodeHandle,
  tx: OutgoingTx,
  { method, height, signal, reason, limit }: Sending,
): Promise<SendResult> {
  const name = reason === undefined ? 'send' : 'send again';
  const attributes = { 'stele.node': node.alias, ...(reason !== undefined && { 'stele.tx.reason': reason }) };
  return inSpan(spanOf(signal), name, { attributes }, async (span) => {
    const ended = (outcome: AttemptOutcome, check: TxExec | null = null, failure?: ChainError): SendResult => {
      span?.set({ 'stele.tx.outcome': outcome });
      return { attempt: { node: node.alias, height, outcome, error: failure?.code ?? null }, check, failure };
    };
    const refusedResult = (text: string, refusal: MempoolReason): SendResult =>
      ended('REFUSED', null, new ChainError('MEMPOOL_REJECTED', text, { hash: tx.hash, reason: refusal }));

    // The `data` of the result is hex. It has no gas, info and events, which become zero and empty.
    const decode = (json: JsonValue): TxExec => {
      const result = asObject(json, 'broadcast');
      if (textAt(result, 'hash') !== tx.hash) throw malformed('the result is for another transaction');
      return decodeExec({ ...result, data: Buffer.from(textAt(result, 'data'), 'hex').toString('base64') });
    };
    try {
      const call = node.call(method, { tx: tx.tx }, { signal, decode, span });
      const check = limit === undefined ? await call : await within(limit, call);
      if (check === undefined) throw timeoutError(limit ?? 0);
      if (method === 'broadcast_tx_async') return ended('ACCEPTED');
      if (check.code === 0) return ended('ACCEPTED', check);
      if (check.codespace === 'sdk' && check.code === alreadyInMempool) return ended('DUPLICATE');
      const refusal = check.codespace === 'sdk' ? codedRefusals.get(check.code) : undefined;
      return refusal === undefined ? ended('REJECTED', check) : refusedResult(check.log, refusal);
    } catch (error) {
      const failure = isChainError(error)
        ? error
        : new ChainError('NODE_UNREACHABLE', 'Stele stopped waiting for the response.', { sent: true }, error);
      if (!isChainError(failure, 'RPC_ERROR')) return ended(isUnsent(failure) ? 'FAILED' : 'LOST', null, failure);
      const { data } = failure.facts;
      if (data === 'tx already exists in cache') return ended('DUPLICATE');
      const refusal = refusals.find(([words]) => words.test(data))?.[1];
      if (refusal !== undefined) return refusedResult(data, refusal);
      // The node accepted the transaction for CheckTx, but stopped waiting for the result.
      return ended(data.startsWith('broadcast confirmation not received') ? 'LOST' : 'REFUSED', null, failure);
    }
  });
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
export type TxDelivery = ReturnType<typeof createTxDelivery>;

/** Nodes to try: the first and two others (docs/architecture.md, "Sending a transaction"). */
export const nodesTried = 3;

/** Whether a mempool refused the transaction itself, so that other nodes would refuse it too. */
function isOfTx(failure: ChainError | undefined): boolean {
  return isChainError(failure, 'MEMPOOL_REJECTED') && /^(TOO_LARGE|PRE_CHECK)$/.test(failure.facts.reason);
}

/**
 * Why bytes were sent again. resent: to the same node after blocks without the transaction. moved: the same, to another node.
 * failover: to another node, because the previous one could not take it or was silent. next_block: after a block, because a check had used up
 * the sequence or nonce, or the mempool was busy.
 */
export type Rebroadcast = 'resent' | 'moved' | 'failover' | 'next_block';

/** Creates the delivery. `wait`: time limit of a delivery in ms. `stopping` aborts pending deliveries. */
export function createTxDelivery(options: {
  readonly head: Head;
  readonly routes: TxRoutes;
  readonly wait: number;
  readonly stopping: AbortSignal;
  readonly inclusions: Pick<InclusionLookup, 'findRefused' | 'hasBlock'>;
  /** Called for each attempt but the first. */
  readonly onRebroadcast: (reason: Rebroadcast) => void;
}) {
  const { head, routes, wait, stopping, inclusions, onRebroadcast } = options;
  const inFlight = createInFlight<Delivery>();
  const inTurn = createAccountQueue();

  /**
   * Sends a transaction to one node after the other, until one has decided about it. A node that cannot be reached, does not respond, or has a full
   * mempool is followed by the next one. Each node but the last has at most its share of the time that is left until `deadline`. If a rejection may not last, all nodes are tried once more after the next block.
   */
  async function run(tx: OutgoingTx, method: BroadcastMethod, deadline: number, signal: AbortSignal): Promise<Delivery> {
    const attempts: Attempt[] = [];
    /** The outcome of the first attempt that a node may have taken the transaction from. */
    let first: AttemptOutcome | undefined;
    const ended = (outcome: Delivery['outcome'], check: TxExec | null = null): Delivery => ({
      attempts,
      outcome,
      check,
      duplicate: first === 'DUPLICATE',
      refusedAsUsedBy,
    });
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
      const usedKind = refusedAsUsed(check);
      if (usedKind !== 'sequence') return usedKind === 'nonce';
      // A node may not have the newest block yet, so a sequence that a check used one block ago may still be used up.
      return nodes.some(({ alias }) => routes.isSequenceUsed(tx, alias, height - 1n));
    }

    /** Waits until another try of all nodes may succeed. Resolves with false if none can, because a block contains the transaction or the time is over. */
    async function mayTryAgain(): Promise<boolean> {
      const refusedBy = refusedBefore?.attempt.node;
      const isNonce = refusedBefore !== undefined && refusedAsUsed(refusedBefore.check) === 'nonce';
      if (isNonce && refusedBy !== undefined && (await inclusions.findRefused(tx.hash, refusedBy, scopeOf(signal))))
        return false;
      const next = head.waitFor(height + 1n, { milliseconds: wait, signal });
      if ((await next.catch(() => undefined)) === undefined) return false;
      // The node forgets what a check has used with its own next block, which may come after the newest known one.
      return refusedBy === undefined || inclusions.hasBlock(refusedBy, height + 1n, signal);
    }

    /** Tries each node once until an attempt is decisive. Otherwise returns whether another try after the next block may succeed. */
    async function tryNodes(isLast: boolean): Promise<Delivery | boolean> {
      const nodes = (await routes.order(tx, height)).slice(0, nodesTried);
      let nextBlockHelps = false;
      // With `async`, the client would not see the rejection, so this waits for the next block.
      if (method === 'broadcast_tx_async' && !isLast && nodes.every(({ alias }) => routes.isSequenceUsed(tx, alias, height)))
        return true;
      for (const [index, node] of nodes.entries()) {
        if (signal.aborted) break;
        // A node that is silent leaves the others their shares of the time.
        const others = nodes.length - index - 1;
        const limit = others === 0 ? undefined : Math.ceil((deadline - performance.now()) / (others + 1));
        height = head.current()?.height ?? height;
        const reason = attempts.length === 0 ? undefined : isLast && index === 0 ? 'next_block' : 'failover';
        if (reason !== undefined) onRebroadcast(reason);
        const sending = await sendTx(node, tx, { method, height, signal, reason, limit });
        const { outcome } = sending.attempt;
        attempts.push(sending.attempt);
        if (outcome !== 'FAILED' && outcome !== 'REFUSED') first ??= outcome;
        switch (outcome) {
          case 'ACCEPTED':
            routes.noteAccepted(tx, node.alias, height);
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
            nextBlockHelps ||=
              isChainError(sending.failure, 'MEMPOOL_REJECTED') && sending.failure.facts.reason === 'RECHECKING';
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

    let result = await tryNodes(false);
    if (result === true && (await mayTryAgain())) {
      height = head.current()?.height ?? height;
      result = await tryNodes(true);
    }
    if (typeof result !== 'boolean') return result;
    if (isDoubtful()) return ended('LOST');
    if (refusedBefore !== undefined) return ended('REJECTED', refusedBefore.check);
    throw failure ?? noNodeError();
  }

  return {
    /**
     * Sends a transaction to the first node that takes it, within a time limit. Concurrent calls with the same bytes and method
     * share the attempts. Rejects with MEMPOOL_REJECTED if all mempools were full or the first one refused the transaction
     * itself, and with a node's error if no node was reached. In traces, the attempts belong to the scope of the first call.
     */
    async deliver(tx: OutgoingTx, method: BroadcastMethod, scope?: Scope): Promise<Delivery> {
      stopping.throwIfAborted();
      return inFlight.join(`${method} ${tx.hash}`, undefined, () => {
        const deadline = performance.now() + wait;
        return withinTime(wait, scope, (signal) => inTurn(tx.account, () => run(tx, method, deadline, signal)), stopping);
      });
    },
  };
}
