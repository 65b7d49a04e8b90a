import { ChainError, isChainError } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { abortable } from '../base/time.ts';
import { type BlockLog, sizeOfExec } from '../blocks/blockLog.ts';
import type { Head } from '../blocks/head.ts';
import { createInFlight } from '../memory/inFlight.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { inSpan, type Scope, scopeOf, spanOf } from '../tracing/tracer.ts';
import { closedError, noNodeError } from '../transports/http.ts';
import type { Transport } from '../transports/transport.ts';
import { type Block, decodeExec } from '../wire/block.ts';
import { asObject, type JsonValue, malformed } from '../wire/json.ts';
import { createInclusionLookup, createTxWatch, type Inclusion, within } from './inclusion.ts';
import { createTrackedTransactions, type TxUpdate } from './resend.ts';
import {
  type Attempt,
  createTxDelivery,
  createTxRoutes,
  type Delivery,
  isUnsent,
  nodesTried,
  type Rebroadcast,
  type TxRoutes,
} from './send.ts';
import { type OutgoingTx, readTx } from './tx.ts';

/** The status of a broadcast: the values of `BroadcastStatus` in the GraphQL schema. */
type BroadcastStatus = 'SENT' | 'ACCEPTED' | 'REJECTED' | 'COMMITTED' | 'EXECUTION_FAILED' | 'UNKNOWN';

/** The outcome of a broadcast. Results of CheckTx and execution are part of it, never errors. */
export interface Broadcast {
  /** Upper case hex. */
  readonly hash: string;
  readonly status: BroadcastStatus;
  /**
   * Null if CheckTx was not waited for, or its response was lost. Gas and events are zero and empty, because nodes do not
   * return them for broadcasts.
   */
  readonly checkTx: TxExec | null;
  /** Null until a block contains it. */
  readonly inclusion: Inclusion | null;
  /** Whether a node had the same bytes already. */
  readonly duplicate: boolean;
  /** Every attempt, in order. */
  readonly attempts: readonly Attempt[];
}

/** The status of a transaction that a block contains. */
function ofInclusion(inclusion: Inclusion): Pick<Broadcast, 'status' | 'inclusion'> {
  return { status: inclusion.transaction.result.code === 0 ? 'COMMITTED' : 'EXECUTION_FAILED', inclusion };
}

/** Time limits of a {@link Broadcaster}, in ms. */
export interface BroadcasterOptions {
  /** For sending to all tried nodes, and for the wait for a block: 10,000. */
  readonly commitWait?: number;
  /** For a lookup whether a block contains the transaction: 1,000. The last lookup is in addition to the wait. */
  readonly grace?: number;
}

/**
 * Options of a call. Aborting the signal ends the wait of this caller. Work in progress continues for other callers; no new
 * work starts.
 */
export interface BroadcasterCall {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends transactions and evidence. It never changes the bytes of a transaction, and sends them again if necessary, which is always safe: to the next
 * node if one cannot take them or is silent for its share of the time (`send.ts`), and after blocks without them (`resend.ts`). Calls that send reject
 * with MEMPOOL_REJECTED if every mempool refused the transaction, and with a node's error if no node was reached. A lost response is the status UNKNOWN,
 * not an error.
 */
export interface Broadcaster {
  /** Sends the transaction and waits for CheckTx. If a block already contains it, the result states this. */
  sync(tx: Uint8Array, call?: BroadcasterCall): Promise<Broadcast>;
  /** Sends the transaction without waiting for CheckTx. The status is SENT or UNKNOWN. */
  async(tx: Uint8Array, call?: BroadcasterCall): Promise<Broadcast>;
  /**
   * Sends the transaction and waits for a block with it. Rejects with COMMIT_TIMEOUT if none contains it in time. With
   * `joinsDuplicate` false, a transaction that a node had already returns ACCEPTED at once.
   */
  commit(tx: Uint8Array, call?: BroadcasterCall & { readonly joinsDuplicate?: boolean }): Promise<Broadcast>;
  /**
   * Sends the transaction and yields each update until the final one. Concurrent calls with the same bytes share one tracked
   * transaction. Nothing is sent before the first `next`. `return` ends a pending `next` at once; the signal only names the
   * span of the transaction.
   */
  submit(tx: Uint8Array, call?: BroadcasterCall): AsyncIterableIterator<TxUpdate>;
  /**
   * Runs CheckTx on a node without sending. Until the next block, a repeated call returns the first success, although the node
   * itself would now fail (docs/chain.md, "check_tx uses up a sequence").
   */
  check(tx: Uint8Array, call?: BroadcasterCall): Promise<TxExec>;
  /**
   * Submits evidence of misbehaviour in the node's JSON. Returns its hash in upper case hex. Rejects with RPC_ERROR if the node
   * refuses it.
   */
  evidence(evidence: JsonValue, call?: BroadcasterCall): Promise<string>;
  /** How often bytes were sent again, by reason, since the start. */
  rebroadcasts(): Readonly<Record<Rebroadcast, number>>;
  /** Rejects all pending calls with NODE_UNREACHABLE. */
  close(): void;
}

/**
 * Decodes the result of `broadcast_evidence`. No recording shows it. Its hash is assumed to be base64 like other bytes
 * (docs/chain.md, "Results of broadcasts"); hex is accepted too.
 */
function decodeEvidence(json: JsonValue): string {
  const { hash } = asObject(json, 'broadcast_evidence');
  if (typeof hash !== 'string') throw malformed('the hash of the evidence is missing');
  return /^([0-9A-Fa-f]{2}){20,}$/.test(hash) ? hash.toUpperCase() : Buffer.from(hash, 'base64').toString('hex').toUpperCase();
}

/**
 * Creates the function that runs CheckTx on a node. CheckTx uses up the sender's sequence on the node, so a success is kept until the next block, within
 * the memory share for callers: for repeated checks, and for sending the transaction afterwards.
 */
function createTxCheck({
  head,
  routes,
  memory,
}: {
  readonly head: Head;
  readonly routes: TxRoutes;
  readonly memory: MemoryBudget;
}) {
  const passed = memory.cache<{ readonly height: bigint; readonly check: TxExec }>('callers', 'txChecks', ({ check }) =>
    sizeOfExec(check),
  );
  head.onRewind(() => passed.clear());
  const inFlight = createInFlight<TxExec>();

  return (tx: OutgoingTx, caller: AbortSignal | undefined): Promise<TxExec> =>
    inFlight.join(tx.hash, caller, async (signal) => {
      const { height } = await head.ready({ signal });
      const earlier = passed.get(tx.hash);
      if (earlier?.height === height) return earlier.check;
      let failure: unknown;
      for (const node of (await routes.order(tx, height)).slice(0, nodesTried)) {
        try {
          const check = await node.call('check_tx', { tx: tx.tx }, { signal, decode: decodeExec });
          if (check.code === 0) {
            const now = head.current()?.height ?? height;
            routes.noteChecked(tx, node.alias, now);
            passed.set(tx.hash, { height: now, check });
          }
          return check;
        } catch (error) {
          if (signal.aborted || isChainError(error, 'RPC_ERROR')) throw error;
          // The node may have run CheckTx in spite of the error.
          if (!isUnsent(error)) routes.noteChecked(tx, node.alias, height);
          failure ??= error;
        }
      }
      throw failure ?? noNodeError();
    });
}

export function createBroadcaster(
  options: BroadcasterOptions & {
    readonly head: Head;
    readonly blocks: BlockLog;
    readonly transport: Transport;
    /** Reads a block of the chain, from memory if possible. */
    readonly block: (height: bigint, signal: AbortSignal) => Promise<Block>;
    /** The memory for records of sent transactions. */
    readonly memory: MemoryBudget;
  },
): Broadcaster {
  const { head, blocks, transport, block, memory, commitWait = 10_000, grace = 1_000 } = options;
  const stopping = new AbortController();
  const routes = createTxRoutes(transport, memory);
  const rebroadcasts: Record<Rebroadcast, number> = { resent: 0, moved: 0, failover: 0, next_block: 0 };
  const onRebroadcast = (reason: Rebroadcast): void => {
    rebroadcasts[reason] += 1;
  };
  const inclusions = createInclusionLookup({ head, blocks, transport, block, memory, grace });
  const { signal: stop } = stopping;
  const delivery = createTxDelivery({ head, routes, wait: commitWait, stopping: stop, inclusions, onRebroadcast });
  const watch = createTxWatch({ blocks, head });
  const tracked = createTrackedTransactions({ head, watch, delivery, routes, inclusions, onRebroadcast });
  const check = createTxCheck({ head, routes, memory });

  async function settle({ hash }: OutgoingTx, delivered: Delivery, scope: Scope | undefined): Promise<Broadcast> {
    const { outcome, attempts, duplicate } = delivered;
    const base = { hash, checkTx: delivered.check, inclusion: null, duplicate, attempts };
    if (outcome === 'ACCEPTED') return { ...base, status: 'ACCEPTED' };
    const inclusion = await inclusions.findDelivered(hash, delivered, scope);
    if (inclusion) {
      // The node rejected it because a block contains it already.
      return { ...base, checkTx: null, duplicate: duplicate || outcome === 'REJECTED', ...ofInclusion(inclusion) };
    }
    if (outcome === 'DUPLICATE') return { ...base, status: 'ACCEPTED' };
    return { ...base, status: outcome === 'LOST' || inclusion === undefined ? 'UNKNOWN' : 'REJECTED' };
  }

  /**
   * Tracks a transaction until a block contains it, for at most `commitWait` plus `grace` for a last lookup. Rejects with
   * COMMIT_TIMEOUT after that, with the signal's reason, or with the error of the tracked transaction.
   */
  async function commit(tx: OutgoingTx, signal: AbortSignal | undefined, joinsDuplicate: boolean): Promise<Broadcast> {
    const scope = scopeOf(signal);
    const follower = tracked.follow(tx, scope);
    let checkTx: TxExec | null = null;
    const base = () => {
      const { duplicate, attempts } = follower;
      return { hash: tx.hash, checkTx, inclusion: null, duplicate, attempts: [...attempts] };
    };

    async function outcome(): Promise<Broadcast | 'EXPIRED' | undefined> {
      for await (const update of follower.updates) {
        checkTx = update.checkTx ?? checkTx;
        if (update.inclusion !== null) return { ...base(), ...ofInclusion(update.inclusion) };
        if (follower.duplicate && !joinsDuplicate) return { ...base(), status: 'ACCEPTED' };
        if (update.stage === 'REJECTED') return { ...base(), status: 'REJECTED' };
        if (update.stage === 'EXPIRED') return 'EXPIRED';
      }
      return undefined;
    }

    try {
      const ended = await within(commitWait, abortable(outcome(), signal));
      const isExpired = ended === 'EXPIRED';
      if (ended !== undefined && !isExpired) return ended;
      const late = base();
      const inclusion = await within(grace, inclusions.find(tx.hash, scope));
      if (inclusion !== undefined) return { ...late, ...ofInclusion(inclusion) };
      const wasTaken = late.attempts.some((each) => each.outcome === 'ACCEPTED' || each.outcome === 'DUPLICATE');
      if (late.attempts.length > 0 && !wasTaken && !isExpired) return { ...late, status: 'UNKNOWN' };
      const outlook = isExpired ? 'Its timeout has passed.' : 'A later block still may.';
      const text = `No block contained the transaction in time. ${outlook}`;
      throw new ChainError('COMMIT_TIMEOUT', text, { hash: tx.hash, checkTx });
    } finally {
      void follower.updates.return?.();
    }
  }

  return {
    async sync(bytes, { signal } = {}) {
      signal?.throwIfAborted();
      const tx = readTx(bytes);
      const attributes = { 'stele.tx.hash': tx.hash };
      const sending = inSpan(spanOf(signal), 'transaction', { attributes }, async (span) =>
        settle(tx, await delivery.deliver(tx, 'broadcast_tx_sync', span), span),
      );
      return abortable(sending, signal);
    },
    async async(bytes, { signal } = {}) {
      signal?.throwIfAborted();
      const tx = readTx(bytes);
      const { hash } = tx;
      const sending = inSpan(spanOf(signal), 'transaction', { attributes: { 'stele.tx.hash': hash } }, (span) =>
        delivery.deliver(tx, 'broadcast_tx_async', span),
      );
      const { outcome, attempts, duplicate } = await abortable(sending, signal);
      return { hash, status: outcome === 'LOST' ? 'UNKNOWN' : 'SENT', checkTx: null, inclusion: null, duplicate, attempts };
    },
    async commit(bytes, { signal, joinsDuplicate = true } = {}) {
      signal?.throwIfAborted();
      return commit(readTx(bytes), signal, joinsDuplicate);
    },
    submit: (bytes, { signal } = {}) => tracked.untilFinal(readTx(bytes), scopeOf(signal)),
    check: (bytes, { signal } = {}) => check(readTx(bytes), signal),
    evidence: (evidence, { signal } = {}) =>
      transport.call('broadcast_evidence', { evidence }, { signal, decode: decodeEvidence }),
    rebroadcasts: () => ({ ...rebroadcasts }),
    close() {
      stopping.abort(closedError());
      tracked.close(closedError());
    },
  };
}
