import type { TxExec } from '../base/execution.ts';
import { abortable } from '../base/waiting.ts';
import type { BlockLog } from '../blocks/blockLog.ts';
import type { Head } from '../blocks/head.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { closedError } from '../transports/nodeErrors.ts';
import type { Transport } from '../transports/transport.ts';
import type { Block } from '../wire/block.ts';
import { asObject, malformed } from '../wire/decode.ts';
import type { JsonValue } from '../wire/json.ts';
import { type Broadcast, ofInclusion } from './broadcastStatus.ts';
import { createTxCheck } from './check.ts';
import { commitTx } from './commit.ts';
import { createTxDelivery, type Delivery, type Rebroadcast } from './delivery.ts';
import { createInclusionLookup } from './inclusion.ts';
import { type OutgoingTx, readTx } from './outgoingTx.ts';
import { createTxRoutes } from './routes.ts';
import type { TxUpdate } from './trackedTransaction.ts';
import { createTrackedTransactions } from './trackedTransactions.ts';
import { createTxWatch } from './watch.ts';

export type { Attempt, AttemptOutcome } from './attempt.ts';
export type { Broadcast, BroadcastStatus } from './broadcastStatus.ts';
export type { Inclusion } from './inclusion.ts';
export type { TxStage, TxUpdate } from './trackedTransaction.ts';

/** Times of a {@link Broadcaster}, ms. */
export interface BroadcasterOptions {
  /** Most time of a sending with all its nodes, and of the wait for a block: 10,000. */
  readonly commitWait?: number;
  /** Most time of a question whether a block holds it, of which the last one comes on top of the wait: 1,000. */
  readonly grace?: number;
}

/** How a call of the broadcaster ends early: its caller stops waiting. What is under way goes on, for those who share it; nothing is begun. */
export interface BroadcasterCall {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends transactions, and evidence. The same bytes may always be sent again, by anybody: that is how it makes sure of them, and never does it
 * change any. Each call that sends rejects with MEMPOOL_REJECTED when no mempool would look at the transaction, and with a node's own
 * failure when it has reached none; an answer that was lost is UNKNOWN, never a failure.
 */
export interface Broadcaster {
  /** Sends and waits for CheckTx. What is in a block already is told as such. */
  sync(tx: Uint8Array, call?: BroadcasterCall): Promise<Broadcast>;
  /** Hands over and waits for nothing: SENT, or UNKNOWN. */
  async(tx: Uint8Array, call?: BroadcasterCall): Promise<Broadcast>;
  /**
   * Sends and follows it to its block. COMMIT_TIMEOUT when none holds it in time. With `joinsDuplicate` false, one that a node had already
   * is told as such, ACCEPTED, and not waited for.
   */
  commit(tx: Uint8Array, call?: BroadcasterCall & { readonly joinsDuplicate?: boolean }): Promise<Broadcast>;
  /**
   * Sends and tells its life until it is over; the same bytes join the same life. Nothing is sent before it is first read; `return` ends a
   * `next` under way at once.
   */
  submit(tx: Uint8Array): AsyncIterableIterator<TxUpdate>;
  /**
   * Asks a node whether it would take the transaction. Asked again before the next block, what was taken once is still taken, although the
   * node would say otherwise (chain.md finding 13).
   */
  check(tx: Uint8Array, call?: BroadcasterCall): Promise<TxExec>;
  /** Hands in evidence of misbehaviour, in the node's JSON; its hash in upper case hex. RPC_ERROR when the node refuses it. */
  evidence(evidence: JsonValue, call?: BroadcasterCall): Promise<string>;
  /** How often the same bytes were sent once more, by reason, since the start. */
  rebroadcasts(): Readonly<Record<Rebroadcast, number>>;
  /** Ends everything under way with NODE_UNREACHABLE. */
  close(): void;
}

/** Reads the result of `broadcast_evidence`. It is not recorded: that its hash is base64, as bytes are (chain.md 1.5), is a guess; hex is taken too. */
function decodeEvidence(json: JsonValue): string {
  const { hash } = asObject(json, 'broadcast_evidence');
  if (typeof hash !== 'string') throw malformed('the hash of the evidence is missing');
  return /^([0-9A-Fa-f]{2}){20,}$/.test(hash) ? hash.toUpperCase() : Buffer.from(hash, 'base64').toString('hex').toUpperCase();
}

/** Makes a broadcaster over a chain's head, blocks and nodes. */
export function createBroadcaster(
  options: BroadcasterOptions & {
    readonly head: Head;
    readonly blocks: BlockLog;
    readonly transport: Transport;
    /** Reads a block of the chain, from memory where it is there. */
    readonly block: (height: bigint, signal: AbortSignal) => Promise<Block>;
    /** What may be remembered of transactions. */
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
  const delivery = createTxDelivery({ head, routes, wait: commitWait, stopping: stopping.signal, onRebroadcast });
  const inclusions = createInclusionLookup({ head, blocks, transport, block, memory, grace });
  const watch = createTxWatch({ blocks, head });
  const tracked = createTrackedTransactions({ head, watch, delivery, routes, inclusions, onRebroadcast });
  const check = createTxCheck({ head, routes, memory });

  async function settle({ hash }: OutgoingTx, delivered: Delivery): Promise<Broadcast> {
    const { outcome, attempts, duplicate } = delivered;
    const base = { hash, checkTx: delivered.check, inclusion: null, duplicate, attempts };
    if (outcome === 'ACCEPTED') return { ...base, status: 'ACCEPTED' };
    const inclusion = await inclusions.find(hash, { deep: outcome === 'DUPLICATE' });
    if (inclusion !== undefined) {
      // What a node said against it was because a block held it.
      return { ...base, checkTx: null, duplicate: duplicate || outcome === 'REJECTED', ...ofInclusion(inclusion) };
    }
    return { ...base, status: outcome === 'DUPLICATE' ? 'ACCEPTED' : outcome === 'LOST' ? 'UNKNOWN' : 'REJECTED' };
  }

  return {
    async sync(bytes, { signal } = {}) {
      signal?.throwIfAborted();
      const tx = readTx(bytes);
      return abortable(
        delivery.deliver(tx, 'broadcast_tx_sync').then((delivered) => settle(tx, delivered)),
        signal,
      );
    },
    async async(bytes, { signal } = {}) {
      signal?.throwIfAborted();
      const tx = readTx(bytes);
      const sent = await abortable(delivery.deliver(tx, 'broadcast_tx_async'), signal);
      const { outcome, attempts, duplicate } = sent;
      const { hash } = tx;
      return { hash, status: outcome === 'LOST' ? 'UNKNOWN' : 'SENT', checkTx: null, inclusion: null, duplicate, attempts };
    },
    async commit(bytes, { signal, joinsDuplicate = true } = {}) {
      signal?.throwIfAborted();
      return commitTx(readTx(bytes), { tracked, inclusions }, { commitWait, grace, signal, joinsDuplicate });
    },
    submit(bytes) {
      const tx = readTx(bytes);
      return untilFinal(() => tracked.follow(tx).updates);
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

/** The steps up to the last one. They begin when the first is asked for. */
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
