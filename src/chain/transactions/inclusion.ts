import { isChainError } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { abortable, pause } from '../base/waiting.ts';
import type { BlockLog, CommittedTx } from '../blocks/blockLog.ts';
import { hashTx } from '../blocks/committedBlock.ts';
import type { Head } from '../blocks/head.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { setScope } from '../tracing/scopes.ts';
import type { Scope } from '../tracing/tracer.ts';
import { timeoutError } from '../transports/nodeReplies.ts';
import { handlesOf, type NodeHandle, type Transport } from '../transports/transport.ts';
import { type Block, decodeExec, decodeStatus } from '../wire/block.ts';
import { asObject, bigintAt, intAt, type JsonValue, malformed, objectAt, textAt } from '../wire/json.ts';
import { refusedAsUsed } from './attempt.ts';
import { createConfirmations } from './confirmations.ts';
import { isNonceCommitted } from './usedNonce.ts';
import type { Sighting } from './watch.ts';

/** A transaction in a block that other nodes do not contradict. */
export interface Inclusion extends Sighting {
  /** Number of nodes whose block at this height contains it; at least 1. */
  readonly confirmedBy: number;
}

/** The end of first attempts, none of which a node accepted (`Delivery`). */
export interface Undelivered {
  readonly outcome: string;
  readonly check: TxExec | null;
  readonly refusedAsUsedBy: string | undefined;
}

/**
 * Finds out whether a block contains a transaction. Nothing rejects: if the answer is unknown, the result is undefined. In traces, the
 * calls belong to `scope`.
 */
export interface InclusionLookup {
  /**
   * Reads the block from every node. Returns undefined if at least as many nodes have a block without the transaction as with
   * it, because either group may be wrong. Nodes without the block yet get a little time.
   */
  confirm(sighting: Sighting, scope?: Scope): Promise<Inclusion | undefined>;
  /**
   * Looks for a transaction that a block may contain already: first in the blocks in memory, then in the index of each node,
   * then in the newest blocks. Those are the few that an index may lack or, with `deep` and if no node has an index, a hundred.
   */
  find(hash: string, options?: { readonly deep?: boolean; readonly scope?: Scope | undefined }): Promise<Inclusion | undefined>;
  /**
   * Looks for a transaction that a node has refused, because its sequence or nonce was used or its timeout has passed. The node may be ahead of the
   * newest known block, so this looks again after the blocks that it has. null if no block contains it, undefined if that could not be found out: the
   * time was over, or nodes contradict each other.
   */
  findRefused(hash: string, refusedBy: string, scope?: Scope): Promise<Inclusion | null | undefined>;
  /**
   * Looks for a transaction after its first attempts, none of which a node accepted. null if no block that was searched contains it and a refusal is
   * final. undefined if it is not: its nonce was used by a transaction that is in no block yet, or the blocks could not be searched.
   */
  findDelivered(hash: string, delivered: Undelivered, scope?: Scope): Promise<Inclusion | null | undefined>;
  /** Waits until a node has a block. Resolves with false if the signal is aborted before, or if the node cannot be reached. */
  hasBlock(alias: string, height: bigint, signal: AbortSignal): Promise<boolean>;
}

/**
 * Blocks to scan with an index, which a node writes after the block (docs/chain.md, "Transaction index"; docs/security.md,
 * T44), and without one.
 */
const indexLag = 3n;
const scanWithoutIndex = 100n;

/** First wait in ms for a block of a node, doubled each time. */
const firstWait = 25;

/** Blocks that are read at once. */
const scanBatch = 10n;

function decodeIndexed(json: JsonValue, hash: string): Sighting {
  const result = asObject(json, 'tx');
  const tx = textAt(result, 'tx');
  if (hashTx(tx) !== hash) throw malformed('the result is another transaction');
  const transaction: CommittedTx = {
    hash,
    index: intAt(result, 'index'),
    tx,
    result: decodeExec(objectAt(result, 'tx_result')),
  };
  return { height: bigintAt(result, 'height'), transaction };
}

/** Makes the lookup. `grace`: time limit in ms of a confirmation, of a lookup by hash, and of a scan of blocks. */
export function createInclusionLookup(options: {
  readonly head: Head;
  readonly blocks: BlockLog;
  readonly transport: Transport;
  /** Reads a block of the chain, from memory if possible. */
  readonly block: (height: bigint, signal: AbortSignal) => Promise<Block>;
  readonly memory: MemoryBudget;
  readonly grace: number;
}): InclusionLookup {
  const { head, blocks, transport, block, memory, grace } = options;
  const confirmations = createConfirmations(transport, memory);

  /** Runs a lookup with a signal that aborts at the time limit. */
  async function withTimeLimit<T>(scope: Scope | undefined, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    setScope(limit.signal, scope);
    const timer = setTimeout(() => limit.abort(timeoutError(grace)), grace);
    return ask(limit.signal).finally(() => clearTimeout(timer));
  }

  async function confirm(sighting: Sighting, signal: AbortSignal): Promise<Inclusion | undefined> {
    const { holders, deniers } = await confirmations.count(sighting, signal);
    if (deniers > 0 && deniers >= holders) return undefined;
    return { ...sighting, confirmedBy: Math.max(holders, 1) };
  }

  /** The entry in a node's index: null if the index has none, undefined if the node has no index or does not respond. */
  async function lookUpIndex(node: NodeHandle, hash: string, signal: AbortSignal): Promise<Sighting | null | undefined> {
    const params = { hash: Buffer.from(hash, 'hex').toString('base64'), prove: false };
    try {
      return await node.call('tx', params, { signal, decode: (json) => decodeIndexed(json, hash) });
    } catch (error) {
      return isChainError(error, 'RPC_ERROR') && / not found$/.test(error.facts.data) ? null : undefined;
    }
  }

  /** Finds the transaction with its result in the block at a height, read through the log. */
  async function findInBlock(height: bigint, hash: string, signal: AbortSignal): Promise<Sighting | undefined> {
    const log = blocks.from(height - 1n, { signal });
    try {
      const next = await log.next();
      const transaction = next.done ? undefined : next.value.transactions.find((each) => each.hash === hash);
      return transaction && { height, transaction };
    } finally {
      await log.return?.();
    }
  }

  /** The transactions of a block. None if nodes refuse to show it, as pruned ones. */
  async function txsOf(height: bigint, signal: AbortSignal): Promise<readonly string[]> {
    try {
      return (await abortable(block(height, signal), signal)).txs;
    } catch (error) {
      if (isChainError(error, 'RPC_ERROR') || isChainError(error, 'HEIGHT_PRUNED')) return [];
      throw error;
    }
  }

  /** Scans the newest blocks in descending order. */
  async function scan(hash: string, depth: bigint, signal: AbortSignal): Promise<Sighting | undefined> {
    const newest = head.current()?.height ?? 0n;
    const lowest = newest > depth ? newest - depth + 1n : 1n;
    for (let top = newest; top >= lowest; top -= scanBatch) {
      const heights: bigint[] = [];
      for (let height = top; height >= lowest && height > top - scanBatch; height--) heights.push(height);
      const found = await Promise.all(
        heights.map(async (height) => {
          return (await txsOf(height, signal)).some((tx) => hashTx(tx) === hash) ? height : undefined;
        }),
      );
      const height = found.find((each) => each !== undefined);
      if (height !== undefined) return findInBlock(height, hash, signal);
    }
    return undefined;
  }

  /** Looks in the blocks in memory and in the indexes. If neither has it, returns whether any node has an index. */
  async function lookUp(hash: string, signal: AbortSignal): Promise<Inclusion | { readonly hasIndex: boolean }> {
    const own = blocks.transaction(hash);
    const seen = own && (await confirm({ height: own.block.header.height, transaction: own.transaction }, signal));
    if (seen !== undefined) return seen;
    const nodes = await handlesOf(transport);
    const answers = await Promise.all(nodes.map((node) => lookUpIndex(node, hash, signal)));
    for (const sighting of answers) {
      // An index entry alone is not enough: a node must have the transaction in its block.
      const { holders, deniers } = sighting ? await confirmations.count(sighting, signal) : { holders: 0, deniers: 0 };
      if (sighting && holders > deniers) return { ...sighting, confirmedBy: holders };
    }
    return { hasIndex: answers.some((answer) => answer === null) };
  }

  /** null if no block that was searched contains it, undefined if nodes contradict each other. */
  async function find(hash: string, deep: boolean, scope: Scope | undefined): Promise<Inclusion | null | undefined> {
    const found = await withTimeLimit(scope, (signal) => lookUp(hash, signal));
    if ('height' in found) return found;
    const depth = found.hasIndex ? indexLag : deep ? scanWithoutIndex : 0n;
    if (depth === 0n) return null;
    return withTimeLimit(scope, async (signal) => {
      const sighting = await scan(hash, depth, signal);
      return sighting === undefined ? null : confirm(sighting, signal);
    });
  }

  /** The newest block of a node. undefined if it is not known any more. */
  async function newestOf(alias: string, signal: AbortSignal): Promise<bigint | undefined> {
    const node = (await handlesOf(transport)).find((each) => each.alias === alias);
    return (await node?.call('status', {}, { signal, decode: decodeStatus }))?.newest.height;
  }

  async function hasBlock(alias: string, height: bigint, signal: AbortSignal): Promise<boolean> {
    for (let wait = firstWait; !signal.aborted; wait *= 2) {
      const newest = await newestOf(alias, signal);
      if (newest === undefined || newest >= height) return newest !== undefined;
      await pause(wait, signal);
    }
    return false;
  }

  /** Waits for the newest block of a node. Returns whether it was above the newest known block. */
  async function catchUp(alias: string, signal: AbortSignal): Promise<boolean> {
    const before = head.current()?.height ?? 0n;
    const newest = (await newestOf(alias, signal)) ?? 0n;
    await head.waitFor(newest, { milliseconds: grace, signal });
    return newest > before;
  }

  const findQuietly = (hash: string, deep: boolean, scope: Scope | undefined): Promise<Inclusion | null | undefined> =>
    find(hash, deep, scope).catch(() => undefined);

  async function findRefused(hash: string, refusedBy: string, scope?: Scope): Promise<Inclusion | null | undefined> {
    const found = await findQuietly(hash, true, scope);
    if (found) return found;
    const isNewer = await withTimeLimit(scope, (signal) => catchUp(refusedBy, signal)).catch(() => undefined);
    return isNewer === false ? found : isNewer && findQuietly(hash, true, scope);
  }

  /** Whether a node has refused a nonce that no block of it has used: the same bytes may wait in the mempool of another node. */
  async function isPending(alias: string, check: TxExec, signal: AbortSignal): Promise<boolean> {
    const node = (await handlesOf(transport)).find((each) => each.alias === alias);
    return node === undefined || (await isNonceCommitted(node, check, signal)) === false;
  }

  return {
    findRefused,
    async findDelivered(hash, { outcome, check, refusedAsUsedBy }, scope) {
      if (refusedAsUsedBy === undefined) return (await findQuietly(hash, outcome === 'DUPLICATE', scope)) ?? null;
      const isNonce = check !== null && refusedAsUsed(check) === 'nonce';
      // Before the blocks are searched, so that they have what it finds.
      const mayBePending =
        isNonce && (await withTimeLimit(scope, (signal) => isPending(refusedAsUsedBy, check, signal)).catch(() => true));
      const found = await findRefused(hash, refusedAsUsedBy, scope);
      return found === null && mayBePending ? undefined : found;
    },
    hasBlock: (alias, height, signal) => hasBlock(alias, height, signal).catch(() => false),
    confirm: (sighting, scope) => withTimeLimit(scope, (signal) => confirm(sighting, signal)).catch(() => undefined),
    find: async (hash, { deep = false, scope } = {}) => (await findQuietly(hash, deep, scope)) ?? undefined,
  };
}
