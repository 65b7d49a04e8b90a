import { isChainError } from '../base/errors.ts';
import { abortable } from '../base/waiting.ts';
import type { BlockLog, CommittedTx } from '../blocks/blockLog.ts';
import { hashTx } from '../blocks/committedBlock.ts';
import type { Head } from '../blocks/head.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { timeoutError } from '../transports/nodeErrors.ts';
import { handlesOf } from '../transports/nodeHandles.ts';
import type { NodeHandle, Transport } from '../transports/transport.ts';
import type { Block } from '../wire/block.ts';
import { asObject, bigintAt, intAt, malformed, objectAt, textAt } from '../wire/decode.ts';
import type { JsonValue } from '../wire/json.ts';
import { decodeExec } from '../wire/results.ts';
import { createConfirmations } from './confirmations.ts';
import type { Sighting } from './watch.ts';

/** A transaction in a block that no other node contradicts. */
export interface Inclusion extends Sighting {
  /** How many nodes hold it in their own block of that height; at least 1. */
  readonly confirmedBy: number;
}

/** Finds out whether a block holds a transaction. Nothing here rejects: what cannot be known is undefined. */
export interface InclusionLookup {
  /**
   * Asks every node for its own block of the height. undefined when as many as hold the transaction there hold a block without it:
   * which of them is wrong is not known. A node that is about to have the block is waited for a little.
   */
  confirm(sighting: Sighting): Promise<Inclusion | undefined>;
  /**
   * Looks for a transaction that may be in a block already: what this server has seen, then the index of each node, then newest
   * blocks: the few that an index may lag behind, and with `deep` a hundred where no node keeps an index.
   */
  find(hash: string, options?: { readonly deep?: boolean }): Promise<Inclusion | undefined>;
}

/** Blocks that are looked through behind an index, which is written after the block (reliability.md T44), and without one. */
const behindIndex = 3n;
const withoutIndex = 100n;

/** Read at once. */
const wave = 10n;

function decodeIndexed(json: JsonValue, hash: string): Sighting {
  const result = asObject(json, 'tx');
  const tx = textAt(result, 'tx');
  if (hashTx(tx) !== hash) throw malformed('it is another transaction');
  const transaction: CommittedTx = {
    hash,
    index: intAt(result, 'index'),
    tx,
    result: decodeExec(objectAt(result, 'tx_result')),
  };
  return { height: bigintAt(result, 'height'), transaction };
}

/** Makes it. `grace`: most time, ms, to confirm, to look a hash up, and again to look through blocks for it. */
export function createInclusionLookup(options: {
  readonly head: Head;
  readonly blocks: BlockLog;
  readonly transport: Transport;
  /** Reads a block of the chain, from memory where it is there. */
  readonly block: (height: bigint, signal: AbortSignal) => Promise<Block>;
  readonly memory: MemoryBudget;
  readonly grace: number;
}): InclusionLookup {
  const { head, blocks, transport, block, memory, grace } = options;
  const confirmations = createConfirmations(transport, memory);

  /** Runs a question with a signal that ends it when its time is over. */
  async function withTimeLimit<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(timeoutError(grace)), grace);
    return ask(limit.signal).finally(() => clearTimeout(timer));
  }

  async function confirm(sighting: Sighting, signal: AbortSignal): Promise<Inclusion | undefined> {
    const { holders, deniers } = await confirmations.count(sighting, signal);
    if (deniers > 0 && deniers >= holders) return undefined;
    return { ...sighting, confirmedBy: Math.max(holders, 1) };
  }

  /** What the index of a node says: null when it holds none, undefined when it keeps none or does not answer. */
  async function indexed(node: NodeHandle, hash: string, signal: AbortSignal): Promise<Sighting | null | undefined> {
    const params = { hash: Buffer.from(hash, 'hex').toString('base64'), prove: false };
    try {
      return await node.call('tx', params, { signal, decode: (json) => decodeIndexed(json, hash) });
    } catch (error) {
      return isChainError(error, 'RPC_ERROR') && / not found$/.test(error.facts.data) ? null : undefined;
    }
  }

  /** The whole block of a height out of the log. */
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

  /** Looks through the newest blocks, the newest first. */
  async function scan(hash: string, depth: bigint, signal: AbortSignal): Promise<Sighting | undefined> {
    const newest = head.current()?.height ?? 0n;
    const lowest = newest > depth ? newest - depth + 1n : 1n;
    for (let top = newest; top >= lowest; top -= wave) {
      const heights: bigint[] = [];
      for (let height = top; height >= lowest && height > top - wave; height--) heights.push(height);
      const found = await Promise.all(
        heights.map(async (height) => {
          const { txs } = await abortable(block(height, signal), signal);
          return txs.some((tx) => hashTx(tx) === hash) ? height : undefined;
        }),
      );
      const height = found.find((each) => each !== undefined);
      if (height !== undefined) return findInBlock(height, hash, signal);
    }
    return undefined;
  }

  /** What this server has seen or an index tells; else whether there is an index at all. */
  async function lookUp(hash: string, signal: AbortSignal): Promise<Inclusion | { readonly hasIndex: boolean }> {
    const own = blocks.transaction(hash);
    const seen = own && (await confirm({ height: own.block.header.height, transaction: own.transaction }, signal));
    if (seen !== undefined) return seen;
    const nodes = await handlesOf(transport);
    const answers = await Promise.all(nodes.map((node) => indexed(node, hash, signal)));
    for (const sighting of answers) {
      // An index alone proves nothing: some node has to hold it in its block.
      const { holders, deniers } = sighting ? await confirmations.count(sighting, signal) : { holders: 0, deniers: 0 };
      if (sighting && holders > deniers) return { ...sighting, confirmedBy: holders };
    }
    return { hasIndex: answers.some((answer) => answer === null) };
  }

  async function find(hash: string, deep: boolean): Promise<Inclusion | undefined> {
    const found = await withTimeLimit((signal) => lookUp(hash, signal));
    if ('height' in found) return found;
    const depth = found.hasIndex ? behindIndex : deep ? withoutIndex : 0n;
    if (depth === 0n) return undefined;
    return withTimeLimit(async (signal) => {
      const sighting = await scan(hash, depth, signal);
      return sighting && confirm(sighting, signal);
    });
  }

  return {
    confirm: (sighting) => withTimeLimit((signal) => confirm(sighting, signal)).catch(() => undefined),
    find: (hash, { deep = false } = {}) => find(hash, deep).catch(() => undefined),
  };
}
