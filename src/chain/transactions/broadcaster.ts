import type { TxExec } from '../base/execution.ts';
import { abortable } from '../base/waiting.ts';
import type { BlockLog } from '../blocks/blockLog.ts';
import type { Head } from '../blocks/head.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { scopeOf, spanOf } from '../tracing/scopes.ts';
import { inSpan, type Scope } from '../tracing/tracer.ts';
import { closedError } from '../transports/nodeReplies.ts';
import type { Transport } from '../transports/transport.ts';
import type { Block } from '../wire/block.ts';
import { asObject, type JsonValue, malformed } from '../wire/json.ts';
import { type Broadcast, ofInclusion } from './broadcastStatus.ts';
import { createTxCheck } from './check.ts';
import { commitTx } from './commit.ts';
import { createTxDelivery, type Delivery, type Rebroadcast } from './delivery.ts';
import { createInclusionLookup } from './inclusion.ts';
import { type OutgoingTx, readTx } from './outgoingTx.ts';
import { createTxRoutes } from './routes.ts';
import type { TxUpdate } from './trackAndResend.ts';
import { createTrackedTransactions } from './trackedTransactions.ts';
import { createTxWatch } from './watch.ts';

export type { Attempt, AttemptOutcome } from './attempt.ts';
export type { Broadcast, BroadcastStatus } from './broadcastStatus.ts';
export type { Inclusion } from './inclusion.ts';
export type { TxStage, TxUpdate } from './trackAndResend.ts';

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
 * Sends transactions and evidence. It never changes the bytes of a transaction, and sends them again if necessary, which is
 * always safe. Calls that send reject with MEMPOOL_REJECTED if every mempool refused the transaction, and with a node's error
 * if no node was reached. A lost response is the status UNKNOWN, not an error.
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

/** Makes a broadcaster. */
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
  const delivery = createTxDelivery({
    head,
    routes,
    wait: commitWait,
    stopping: stopping.signal,
    inclusions,
    onRebroadcast,
  });
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

  return {
    async sync(bytes, { signal } = {}) {
      signal?.throwIfAborted();
      const tx = readTx(bytes);
      const sent = inSpan(spanOf(signal), 'transaction', { attributes: { 'stele.tx.hash': tx.hash } }, async (span) =>
        settle(tx, await delivery.deliver(tx, 'broadcast_tx_sync', span), span),
      );
      return abortable(sent, signal);
    },
    async async(bytes, { signal } = {}) {
      signal?.throwIfAborted();
      const tx = readTx(bytes);
      const sending = inSpan(spanOf(signal), 'transaction', { attributes: { 'stele.tx.hash': tx.hash } }, (span) =>
        delivery.deliver(tx, 'broadcast_tx_async', span),
      );
      const sent = await abortable(sending, signal);
      const { outcome, attempts, duplicate } = sent;
      const { hash } = tx;
      return { hash, status: outcome === 'LOST' ? 'UNKNOWN' : 'SENT', checkTx: null, inclusion: null, duplicate, attempts };
    },
    async commit(bytes, { signal, joinsDuplicate = true } = {}) {
      signal?.throwIfAborted();
      return commitTx(readTx(bytes), { tracked, inclusions }, { commitWait, grace, signal, joinsDuplicate });
    },
    submit(bytes, { signal } = {}) {
      const tx = readTx(bytes);
      return untilFinal(() => tracked.follow(tx, scopeOf(signal)).updates);
    },
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

/** Yields updates up to the final one. Starts when the first is requested. */
function untilFinal(begin: () => AsyncIterableIterator<TxUpdate>): AsyncIterableIterator<TxUpdate> {
  const done = { done: true, value: undefined } as const;
  let updates: AsyncIterableIterator<TxUpdate> | undefined;
  let over = false;
  const end = async (): Promise<typeof done> => {
    over = true;
    await updates?.return?.();
    return done;
  };
  return {
    async next() {
      if (over) return done;
      updates ??= begin();
      const step = await updates.next();
      if (step.done === true) return end();
      if (step.value.final) void end();
      return step;
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
