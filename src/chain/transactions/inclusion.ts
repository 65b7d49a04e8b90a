import { bech32 } from '@scure/base';
import { isChainError } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { abortable, backoff, type Nanoseconds, onAbort, parseTime, pause } from '../base/time.ts';
import type { BlockLog } from '../blocks/blockLog.ts';
import { type CommittedBlock, type CommittedTx, hashTx } from '../blocks/committedBlock.ts';
import type { Head } from '../blocks/head.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { type Scope, setScope } from '../tracing/tracer.ts';
import { timeoutError } from '../transports/http.ts';
import { handlesOf, type NodeHandle, type Transport } from '../transports/transport.ts';
import { type Block, decodeBlock, decodeExec, decodeStatus } from '../wire/block.ts';
import { asObject, bigintAt, bytesAt, intAt, type JsonValue, malformed, objectAt, textAt } from '../wire/json.ts';

const wrongSequence = 32;
const invalidRequest = 18;
const txTimeout = 42;

/**
 * Why a failure of CheckTx may mean that a block or a mempool contains the transaction already (docs/chain.md, "Unordered transactions"): its sequence
 * or its nonce was used, or its timeout has passed. undefined for any other failure.
 */
export function refusedAsUsed(check: TxExec | null): 'sequence' | 'nonce' | 'timeout' | undefined {
  if (check?.codespace !== 'sdk') return undefined;
  if (check.code === wrongSequence) return 'sequence';
  if (check.code === txTimeout) return 'timeout';
  return check.code === invalidRequest && check.log.startsWith('failed to add unordered nonce') ? 'nonce' : undefined;
}

/** Runs work with a signal that aborts at the time limit, in ms, or when `stopping` does. In traces, its calls belong to `scope`. */
export async function withinTime<T>(
  limit: number,
  scope: Scope | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  stopping?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  setScope(controller.signal, scope);
  const timer = setTimeout(() => controller.abort(timeoutError(limit)), limit);
  const removeListener = onAbort(stopping, () => controller.abort(stopping?.reason));
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    removeListener();
  }
}

/** The outcome; undefined if it takes longer. */
export function within<T>(milliseconds: number, outcome: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer));
}

/** A transaction in a block, as reported by one node. */
interface Sighting {
  readonly height: bigint;
  readonly transaction: CommittedTx;
}

/** A transaction in a block that other nodes do not contradict. */
export interface Inclusion extends Sighting {
  /** Number of nodes whose block at this height contains it; at least 1. */
  readonly confirmedBy: number;
}

interface Search {
  readonly hash: string;
  readonly sightings: Sighting[];
  /** Makes the search check its state. */
  wake: () => void;
}

/** Wait in ms before the log is read again after an error. */
const retryWait = 100;

/** Examines each new block for all open searches. */
export type TxWatch = ReturnType<typeof createTxWatch>;

/**
 * Creates the watch. All searches share one reader of the block log, which runs only while there are any. If blocks contradict
 * each other, the last ones are examined again, as another node reports them.
 */
export function createTxWatch({ blocks, head }: { readonly blocks: BlockLog; readonly head: Head }) {
  const searches = new Set<Search>();
  let reading: AbortController | undefined;
  let examined = 0n;
  let examinedTime: Nanoseconds = 0n;

  function examine({ header, transactions }: CommittedBlock): void {
    const { height } = header;
    const byHash = new Map(transactions.toReversed().map((transaction) => [transaction.hash, transaction]));
    if (height > examined) {
      examined = height;
      examinedTime = parseTime(header.time);
    }
    for (const search of searches) {
      const transaction = byHash.get(search.hash);
      if (transaction !== undefined) search.sightings.push({ height, transaction });
      search.wake();
    }
  }

  async function read(after: bigint, signal: AbortSignal): Promise<void> {
    for (let from = after; !signal.aborted; ) {
      try {
        for await (const block of blocks.from(from, { signal })) {
          examine(block);
          from = block.header.height;
        }
      } catch (error) {
        if (signal.aborted) return;
        // The examined blocks may come from the wrong node, so some are examined again. A pruned block is skipped.
        if (isChainError(error, 'NODE_INCONSISTENT')) {
          const { height = from } = error.facts;
          const last = height < from ? height : from;
          from = last > 2n ? last - 2n : 0n;
        } else if (isChainError(error, 'CHAIN_RESET')) from = examined = error.facts.latestHeight;
        else if (isChainError(error, 'HEIGHT_PRUNED')) from = head.current()?.height ?? from;
        await pause(retryWait, signal).catch(() => undefined);
      }
    }
  }

  return {
    /**
     * Opens a search for one transaction in every block after the newest one. Open it before the transaction is sent. The head must have a block.
     */
    open(hash: string) {
      const search: Search = { hash, sightings: [], wake: () => undefined };
      searches.add(search);
      if (reading === undefined) {
        reading = new AbortController();
        const newest = head.current();
        examined = newest?.height ?? 0n;
        // The time in a status is what a node says, and not that of a header.
        examinedTime = newest?.block === undefined ? 0n : parseTime(newest.time);
        void read(examined, reading.signal);
      }
      return {
        /** The newest block that was examined. */
        get height() {
          return examined;
        },
        /** Its time, or 0 if only its height is known. */
        get time() {
          return examinedTime;
        },
        /**
         * The next sighting; undefined once every block up to `height`, or a block after `time`, was examined without one. Without both it waits
         * indefinitely. Rejects with the signal's reason.
         */
        until(
          { height, time }: { readonly height: bigint | undefined; readonly time: Nanoseconds | undefined },
          signal: AbortSignal,
        ): Promise<Sighting | undefined> {
          const reached = new Promise<Sighting | undefined>((resolve) => {
            search.wake = () => {
              if (signal.aborted) return;
              const sighting = search.sightings.shift();
              const isOver = (height !== undefined && examined >= height) || (time !== undefined && examinedTime > time);
              if (sighting === undefined && !isOver) return;
              search.wake = () => undefined;
              resolve(sighting);
            };
            search.wake();
          });
          return abortable(reached, signal);
        },
        close(): void {
          searches.delete(search);
          if (searches.size > 0) return;
          reading?.abort();
          reading = undefined;
        },
      };
    },
  };
}

const refusal = /^failed to add unordered nonce: sender ([a-z0-9]+) has already used timeout (\d{1,19}):/;

/** The key of the nonce in the store of accounts (cosmos-sdk x/auth/types/keys.go): `5a`, the nanoseconds with the sign bit flipped, the address. */
function keyOf(log: string): string | undefined {
  const [, sender, timeout] = refusal.exec(log) ?? [];
  const address = sender === undefined ? undefined : bech32.decodeUnsafe(sender as `${string}1${string}`, 128);
  if (address === undefined || timeout === undefined) return undefined;
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt.asUintN(64, BigInt(timeout)) ^ (1n << 63n));
  return `5a${time.toString('hex')}${Buffer.from(bech32.fromWords(address.words)).toString('hex')}`;
}

/** The value of a nonce is empty, which nodes print as "", and as null if there is none (recorded: facts B7). */
function decodeIsPresent(json: JsonValue): boolean {
  const response = objectAt(asObject(json, 'abci_query'), 'response');
  if (intAt(response, 'code') !== 0) throw malformed('the application refused the query');
  return bytesAt(response, 'value') !== undefined;
}

/**
 * Whether a committed block of this node has used the nonce that a refusal of CheckTx names. False if only the state of CheckTx has it: a transaction that
 * is not in a block yet. undefined if the refusal names none. Rejects like the node's call.
 */
async function isNonceCommitted(node: NodeHandle, check: TxExec, signal: AbortSignal): Promise<boolean | undefined> {
  const data = keyOf(check.log);
  if (data === undefined) return undefined;
  return node.call('abci_query', { path: '/store/acc/key', data }, { signal, decode: decodeIsPresent });
}

/** The waits between calls to a node that does not have a block yet, in ms. */
const waitAfter = backoff({ first: 25 });

/** Calls `ask` with growing waits in between, until it returns something else than undefined. Returns undefined if the signal is aborted before. */
async function poll<T>(ask: () => Promise<T | undefined>, signal: AbortSignal): Promise<T | undefined> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    const result = await ask();
    if (result !== undefined) return result;
    await pause(waitAfter(tries), signal).catch(() => undefined);
  }
  return undefined;
}

/** Memory of a transaction hash in a set. */
const hashBytes = 150;

/**
 * Creates a function that counts how many nodes have a block at this height with the transaction, and how many have one without it. Each node is called
 * until it has responded or the signal is aborted. Nodes without the block yet are called again until more than half of all nodes hold the
 * transaction. Hashes of a block are kept within the memory share for blocks, because many transactions of one block are counted at once.
 */
function createConfirmations(transport: Transport, memory: MemoryBudget) {
  const hashesOf = memory.cache<ReadonlySet<string>>('blocks', 'txHashes', (hashes) => hashBytes * hashes.size);
  transport.onRewind?.(() => hashesOf.clear());

  /** Whether a node's block contains the transaction; 'later' if the node does not have the block yet, undefined if it does not respond. */
  async function holds(node: NodeHandle, { height, transaction }: Sighting, signal: AbortSignal) {
    const key = `${height} ${node.alias}`;
    const decode = (json: JsonValue): ReadonlySet<string> => {
      const { header, txs } = decodeBlock(json);
      if (header.height !== height) throw malformed(`block ${header.height} instead of ${height}`);
      return new Set(txs.map(hashTx));
    };
    let hashes = hashesOf.get(key);
    if (hashes === undefined) {
      try {
        hashes = await node.call('block', { height: height.toString() }, { height, signal, decode });
      } catch (error) {
        return isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE') ? 'later' : undefined;
      }
      hashesOf.set(key, hashes);
    }
    return hashes.has(transaction.hash);
  }

  return async (sighting: Sighting, signal: AbortSignal): Promise<{ readonly holders: number; readonly deniers: number }> => {
    const nodes = await handlesOf(transport);
    const counts = { holders: 0, deniers: 0 };
    let remaining = nodes;
    await poll(async () => {
      const replies = await Promise.all(remaining.map((node) => holds(node, sighting, signal)));
      counts.holders += replies.filter((reply) => reply === true).length;
      counts.deniers += replies.filter((reply) => reply === false).length;
      remaining = remaining.filter((_, index) => replies[index] === 'later');
      return remaining.length === 0 || counts.holders * 2 > nodes.length || undefined;
    }, signal);
    return counts;
  };
}

/**
 * Blocks to scan with an index, which a node writes after the block (docs/chain.md, "Transaction index"; docs/security.md,
 * T44), and without one.
 */
const indexLag = 3n;
const scanWithoutIndex = 100n;

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

/** Finds out whether a block contains a transaction. */
export type InclusionLookup = ReturnType<typeof createInclusionLookup>;

/**
 * Creates the lookup. `grace`: time limit in ms of a confirmation, of a lookup by hash, and of a scan of blocks. Nothing that it offers rejects: if the
 * answer is unknown, the result is undefined. In traces, the calls belong to `scope`.
 */
export function createInclusionLookup(options: {
  readonly head: Head;
  readonly blocks: BlockLog;
  readonly transport: Transport;
  /** Reads a block of the chain, from memory if possible. */
  readonly block: (height: bigint, signal: AbortSignal) => Promise<Block>;
  readonly memory: MemoryBudget;
  readonly grace: number;
}) {
  const { head, blocks, transport, block, memory, grace } = options;
  const count = createConfirmations(transport, memory);

  const withTimeLimit = <T>(scope: Scope | undefined, ask: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withinTime(grace, scope, ask);

  async function confirm(sighting: Sighting, signal: AbortSignal): Promise<Inclusion | undefined> {
    const { holders, deniers } = await count(sighting, signal);
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

  /** The height, if the block at it contains the transaction. A block that nodes refuse to show, as pruned ones, contains none. */
  async function heightIn(height: bigint, hash: string, signal: AbortSignal): Promise<bigint | undefined> {
    try {
      const { txs } = await abortable(block(height, signal), signal);
      return txs.some((tx) => hashTx(tx) === hash) ? height : undefined;
    } catch (error) {
      if (isChainError(error, 'RPC_ERROR') || isChainError(error, 'HEIGHT_PRUNED')) return undefined;
      throw error;
    }
  }

  /** Scans the newest blocks in descending order, and reads the block with the transaction through the log, because that has its result. */
  async function scan(hash: string, depth: bigint, signal: AbortSignal): Promise<Sighting | undefined> {
    const newest = head.current()?.height ?? 0n;
    const lowest = newest > depth ? newest - depth + 1n : 1n;
    for (let top = newest; top >= lowest; top -= scanBatch) {
      const batch: Promise<bigint | undefined>[] = [];
      for (let each = top; each >= lowest && each > top - scanBatch; each--) batch.push(heightIn(each, hash, signal));
      const height = (await Promise.all(batch)).find((each) => each !== undefined);
      if (height === undefined) continue;
      for await (const { transactions } of blocks.from(height - 1n, { signal })) {
        const transaction = transactions.find((each) => each.hash === hash);
        return transaction && { height, transaction };
      }
    }
    return undefined;
  }

  /** Looks in the blocks in memory and in the indexes. If neither has it, returns whether any node has an index. */
  async function lookUp(hash: string, signal: AbortSignal): Promise<Inclusion | { readonly hasIndex: boolean }> {
    const recent = blocks.transaction(hash);
    const inMemory = recent && (await confirm({ height: recent.block.header.height, transaction: recent.transaction }, signal));
    if (inMemory !== undefined) return inMemory;
    const nodes = await handlesOf(transport);
    const entries = await Promise.all(nodes.map((node) => lookUpIndex(node, hash, signal)));
    for (const entry of entries) {
      if (!entry) continue;
      // An index entry alone is not enough: a node must have the transaction in its block.
      const { holders, deniers } = await count(entry, signal);
      if (holders > deniers) return { ...entry, confirmedBy: holders };
    }
    return { hasIndex: entries.includes(null) };
  }

  /**
   * Looks for a transaction that a block may contain already: first in the blocks in memory, then in the index of each node,
   * then in the newest blocks. Those are the few that an index may lack or, with `deep` and if no node has an index, a hundred.
   * null if no block that was searched contains it, undefined if nodes contradict each other or the time is over.
   */
  async function find(hash: string, deep: boolean, scope: Scope | undefined): Promise<Inclusion | null | undefined> {
    try {
      const result = await withTimeLimit(scope, (signal) => lookUp(hash, signal));
      if ('height' in result) return result;
      const depth = result.hasIndex ? indexLag : deep ? scanWithoutIndex : 0n;
      if (depth === 0n) return null;
      return await withTimeLimit(scope, async (signal) => {
        const sighting = await scan(hash, depth, signal);
        return sighting === undefined ? null : confirm(sighting, signal);
      });
    } catch {
      return undefined;
    }
  }

  async function nodeOf(alias: string): Promise<NodeHandle | undefined> {
    return (await handlesOf(transport)).find((each) => each.alias === alias);
  }

  /** The newest block of a node. undefined if it is not known any more. */
  async function newestOf(alias: string, signal: AbortSignal): Promise<bigint | undefined> {
    return (await (await nodeOf(alias))?.call('status', {}, { signal, decode: decodeStatus }))?.newest.height;
  }

  /**
   * Looks for a transaction that a node has refused, because its sequence or nonce was used or its timeout has passed. The node may be ahead of the
   * newest known block, so this looks again after the blocks that it has. null if no block contains it, undefined if that could not be found out: the
   * time was over, or nodes contradict each other.
   */
  async function findRefused(hash: string, refusedBy: string, scope?: Scope): Promise<Inclusion | null | undefined> {
    const result = await find(hash, true, scope);
    if (result) return result;
    const newestBefore = head.current()?.height ?? 0n;
    try {
      const newest = await withTimeLimit(scope, async (signal) => {
        const height = (await newestOf(refusedBy, signal)) ?? 0n;
        await head.waitFor(height, { milliseconds: grace, signal });
        return height;
      });
      return newest > newestBefore ? await find(hash, true, scope) : result;
    } catch {
      return undefined;
    }
  }

  /** Whether a node has refused a nonce that no block of it has used: the same bytes may wait in the mempool of another node. */
  async function isPending(alias: string, check: TxExec, signal: AbortSignal): Promise<boolean> {
    const node = await nodeOf(alias);
    return node === undefined || (await isNonceCommitted(node, check, signal)) === false;
  }

  return {
    findRefused,
    /**
     * Looks for a transaction after its first attempts, none of which a node accepted (`Delivery`). null if no block that was searched contains it and
     * a refusal is final. undefined if it is not: its nonce was used by a transaction that is in no block yet, or the blocks could not be searched.
     */
    async findDelivered(
      hash: string,
      delivered: { readonly outcome: string; readonly check: TxExec | null; readonly refusedAsUsedBy: string | undefined },
      scope?: Scope,
    ): Promise<Inclusion | null | undefined> {
      const { outcome, check, refusedAsUsedBy } = delivered;
      if (refusedAsUsedBy === undefined) return (await find(hash, outcome === 'DUPLICATE', scope)) ?? null;
      const isNonce = check !== null && refusedAsUsed(check) === 'nonce';
      // Before the blocks are searched, so that they have what it finds.
      const mayBePending =
        isNonce && (await withTimeLimit(scope, (signal) => isPending(refusedAsUsedBy, check, signal)).catch(() => true));
      const result = await findRefused(hash, refusedAsUsedBy, scope);
      return result === null && mayBePending ? undefined : result;
    },
    /** Waits until a node has a block. Resolves with false if the signal is aborted before, or if the node cannot be reached. */
    async hasBlock(alias: string, height: bigint, signal: AbortSignal): Promise<boolean> {
      const reached = poll(async () => {
        const newest = await newestOf(alias, signal);
        return newest === undefined ? false : newest >= height || undefined;
      }, signal);
      return (await reached.catch(() => false)) === true;
    },
    /**
     * Reads the block from every node. Returns undefined if at least as many nodes have a block without the transaction as with
     * it, because either group may be wrong. Nodes without the block yet get a little time.
     */
    confirm: (sighting: Sighting, scope?: Scope): Promise<Inclusion | undefined> =>
      withTimeLimit(scope, (signal) => confirm(sighting, signal)).catch(() => undefined),
    /** Looks for a transaction that a block may contain already, for at most two times `grace`. */
    find: async (hash: string, scope?: Scope): Promise<Inclusion | undefined> => (await find(hash, false, scope)) ?? undefined,
  };
}
