import { bech32 } from '@scure/base';
import { isChainError } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { type Nanoseconds, parseTime } from '../base/time.ts';
import { abortable, backoff, onAbort, pause } from '../base/waiting.ts';
import type { BlockLog, CommittedBlock, CommittedTx } from '../blocks/blockLog.ts';
import { hashTx } from '../blocks/committedBlock.ts';
import type { Head } from '../blocks/head.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { type Scope, setScope } from '../tracing/tracer.ts';
import { timeoutError } from '../transports/nodeReplies.ts';
import type { NodeHandle, Transport } from '../transports/transport.ts';
import { handlesOf } from '../transports/transport.ts';
import { type Block, decodeBlock, decodeExec, decodeStatus } from '../wire/block.ts';
import type { JsonValue } from '../wire/json.ts';
import { asObject, bigintAt, bytesAt, intAt, malformed, objectAt, textAt } from '../wire/json.ts';

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

/** A transaction in a block, as reported by one node. */
interface Sighting {
  readonly height: bigint;
  readonly transaction: CommittedTx;
}

/** Looks for one transaction in every block since the search was opened. */
interface BlockSearch {
  /** The newest block that was examined. */
  readonly height: bigint;
  /** Its time, or 0 if only its height is known. */
  readonly time: Nanoseconds;
  /**
   * The next sighting; undefined once every block up to `height`, or a block after `time`, was examined without one. Without both it waits
   * indefinitely. Rejects with the signal's reason.
   */
  until(
    end: { readonly height: bigint | undefined; readonly time: Nanoseconds | undefined },
    signal: AbortSignal,
  ): Promise<Sighting | undefined>;
  /** Ends the search. */
  close(): void;
}

/** Examines blocks for all open searches. */
export interface TxWatch {
  /** Opens a search that starts after the newest block. Open it before the transaction is sent. The head must have a block. */
  open(hash: string): BlockSearch;
}

interface Search {
  readonly hash: string;
  readonly sightings: Sighting[];
  /** Makes the search check its state. */
  wake: () => void;
}

/** Wait in ms before the log is read again after an error. */
const retryWait = 100;

/**
 * Makes the watch. All searches share one reader of the block log, which runs only while there are any. If blocks contradict
 * each other, the last ones are examined again, as another node reports them.
 */
export function createTxWatch({ blocks, head }: { readonly blocks: BlockLog; readonly head: Head }): TxWatch {
  const searches = new Map<string, Set<Search>>();
  let reading: AbortController | undefined;
  let examined = 0n;
  let examinedTime: Nanoseconds = 0n;

  function examine(block: CommittedBlock): void {
    const { height } = block.header;
    for (const transaction of block.transactions) {
      for (const search of searches.get(transaction.hash) ?? []) search.sightings.push({ height, transaction });
    }
    if (height > examined) {
      examined = height;
      examinedTime = parseTime(block.header.time);
    }
    for (const each of searches.values()) for (const search of each) search.wake();
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

  function close(search: Search): void {
    const same = searches.get(search.hash);
    same?.delete(search);
    if (same?.size === 0) searches.delete(search.hash);
    if (searches.size > 0) return;
    reading?.abort();
    reading = undefined;
  }

  return {
    open(hash) {
      const search: Search = { hash, sightings: [], wake: () => undefined };
      const same = searches.get(hash) ?? new Set();
      searches.set(hash, same.add(search));
      if (reading === undefined) {
        reading = new AbortController();
        const newest = head.current();
        examined = newest?.height ?? 0n;
        // The time in a status is what a node says, and not that of a header.
        examinedTime = newest?.block === undefined ? 0n : parseTime(newest.time);
        void read(examined, reading.signal);
      }
      return {
        get height() {
          return examined;
        },
        get time() {
          return examinedTime;
        },
        until({ height, time }, signal) {
          return new Promise((resolve, reject) => {
            if (signal.aborted) return reject(signal.reason);
            const release = (): void => {
              removeListener();
              search.wake = () => undefined;
            };
            const removeListener = onAbort(signal, () => {
              release();
              reject(signal.reason);
            });
            search.wake = () => {
              const sighting = search.sightings.shift();
              const isOver = (height !== undefined && examined >= height) || (time !== undefined && examinedTime > time);
              if (sighting === undefined && !isOver) return;
              release();
              resolve(sighting);
            };
            search.wake();
          });
        },
        close: () => close(search),
      };
    },
  };
}

/** Counts the nodes whose blocks contain a transaction. */
interface Confirmations {
  /**
   * How many nodes have a block at this height with the transaction, and how many have one without it. Each node is called
   * until it has responded or the signal is aborted. Nodes without the block yet are called again until more than half of all
   * nodes hold the transaction.
   */
  count(sighting: Sighting, signal: AbortSignal): Promise<{ readonly holders: number; readonly deniers: number }>;
}

/** Memory of a transaction hash in a set. */
const hashBytes = 150;

function decodeHashes(json: JsonValue, height: bigint): ReadonlySet<string> {
  const { header, txs } = decodeBlock(json);
  if (header.height !== height) throw malformed(`block ${header.height} instead of ${height}`);
  return new Set(txs.map(hashTx));
}

/**
 * Makes the count. Hashes of a block are kept within the memory share for blocks, because many transactions of one block are
 * counted at once.
 */
function createConfirmations(transport: Transport, memory: MemoryBudget): Confirmations {
  const held = memory.cache<ReadonlySet<string>>('blocks', 'txHashes', (hashes) => hashBytes * hashes.size);
  transport.onRewind?.(() => held.clear());

  /**
   * Whether a node's block contains the transaction; 'later' if the node does not have the block yet, undefined if it does not
   * respond.
   */
  async function holds(
    node: NodeHandle,
    { height, transaction: { hash } }: Sighting,
    signal: AbortSignal,
  ): Promise<boolean | 'later' | undefined> {
    const key = `${height} ${node.alias}`;
    const known = held.get(key);
    if (known !== undefined) return known.has(hash);
    try {
      const decode = (json: JsonValue): ReadonlySet<string> => decodeHashes(json, height);
      const hashes = await node.call('block', { height: height.toString() }, { height, signal, decode });
      held.set(key, hashes);
      return hashes.has(hash);
    } catch (error) {
      return isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE') ? 'later' : undefined;
    }
  }

  return {
    async count(sighting, signal) {
      const nodes = await handlesOf(transport);
      let [holders, deniers] = [0, 0];
      let remaining = nodes;
      for (let tries = 1; remaining.length > 0 && !signal.aborted; tries += 1) {
        const answers = await Promise.all(remaining.map((node) => holds(node, sighting, signal)));
        holders += answers.filter((answer) => answer === true).length;
        deniers += answers.filter((answer) => answer === false).length;
        remaining = remaining.filter((_, index) => answers[index] === 'later');
        if (remaining.length === 0 || holders * 2 > nodes.length) break;
        await pause(waitAfter(tries), signal).catch(() => undefined);
      }
      return { holders, deniers };
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

/** A transaction in a block that other nodes do not contradict. */
export interface Inclusion extends Sighting {
  /** Number of nodes whose block at this height contains it; at least 1. */
  readonly confirmedBy: number;
}

/** The end of first attempts, none of which a node accepted (`Delivery`). */
interface Undelivered {
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

/** The waits for a block of a node, in ms. */
const waitAfter = backoff({ first: 25 });

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
    for (let tries = 1; !signal.aborted; tries += 1) {
      const newest = await newestOf(alias, signal);
      if (newest === undefined || newest >= height) return newest !== undefined;
      await pause(waitAfter(tries), signal);
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
