import { ChainError, chainReset, inconsistent, isChainError, withdrawn } from '../base/errors.ts';
import type { Event, TxExec } from '../base/execution.ts';
import { backoff, createTimeSlicer, onAbort, pause } from '../base/waiting.ts';
import { createInFlight } from '../memory/inFlight.ts';
import { type BoundedCache, type CacheCounts, createSharedCache, objectBytes, textBytes } from '../memory/memoryBudget.ts';
import { scopeOf, setScope } from '../tracing/tracer.ts';
import { closedError } from '../transports/nodeReplies.ts';
import type { Transport } from '../transports/transport.ts';
import { type Block, decodeBlock } from '../wire/block.ts';
import type { JsonValue } from '../wire/json.ts';
import { malformed } from '../wire/json.ts';
import {
  type BlockResults,
  type CommittedBlock,
  type CommittedTx,
  decodeBlockResults,
  decodeNewBlockValue,
  decodeWholeBlock,
  joinResults,
} from './committedBlock.ts';
import type { Head } from './head.ts';

/** The block that a reader needs. */
interface WantedBlock {
  readonly height: bigint;
  readonly chainId: string;
  /** The previous block, if known. */
  readonly previous: CommittedBlock | undefined;
  readonly signal: AbortSignal;
}

/** A source of older blocks. */
interface BlockSource {
  /**
   * The block; undefined if this source does not have it, so that the next one is tried. Rejects with a `ChainError`:
   * HEIGHT_PRUNED, NODE_INCONSISTENT (see {@link checkBlock}), or the error of the call.
   */
  block(wanted: WantedBlock): Promise<CommittedBlock | undefined>;
}

/**
 * Checks a block. Throws NODE_INVALID_RESPONSE if it has another height or chain id, and NODE_INCONSISTENT if it does not
 * follow the previous block by hash and app hash.
 */
function checkBlock<B extends Block>(block: B, { height, chainId, previous }: Omit<WantedBlock, 'signal'>): B {
  const { header } = block;
  if (header.height !== height) throw malformed(`block ${header.height} instead of ${height}`);
  if (header.chainId !== chainId) throw malformed('a block of another chain');
  if (previous !== undefined && !follows(block, previous)) throw inconsistent(height - 1n);
  return block;
}

/** Whether the header of a block contains the hash of `previous`, and its app hash is the one after `previous`. */
function follows(block: Block, previous: CommittedBlock): boolean {
  return namesBefore(block, previous) && block.header.appHash === previous.appHash;
}

function namesBefore({ header }: Block, previous: Block): boolean {
  return header.lastBlockId.hash === previous.blockId.hash;
}

type BlockRequest = Pick<WantedBlock, 'height' | 'signal'>;

/**
 * Makes a source of the nodes of a transport. It calls `block` and `block_results` together, so both go to one node unless that
 * node fails.
 */
export function createNodeSource(transport: Transport): BlockSource {
  function read<T>(method: string, { height, signal }: BlockRequest, decode: (json: JsonValue) => T): Promise<T> {
    return transport.call(method, { height: height.toString() }, { height, signal, decode });
  }

  /**
   * Reads the results of a block when nodes hold different blocks at the height. Results contain no block hash, only the app
   * hash after the block, and the next block's header repeats that. Until the next block exists, this rejects with
   * HEIGHT_NOT_YET_AVAILABLE.
   */
  async function readProven(block: Block, signal: AbortSignal): Promise<BlockResults> {
    const { height } = block.header;
    const appHash = await read('block', { height: height + 1n, signal }, (json) => {
      const next = decodeBlock(json);
      if (!namesBefore(next, block)) throw inconsistent(height);
      return next.header.appHash;
    });
    return read('block_results', { height, signal }, (json) => {
      const results = decodeBlockResults(json);
      if (results.outcome.appHash !== appHash) throw inconsistent(height);
      return results;
    });
  }

  return {
    async block(wanted) {
      const { height } = wanted;
      const results = read('block_results', wanted, (json) => {
        const answered = decodeBlockResults(json);
        if (answered.height !== height) throw malformed(`results of block ${answered.height} instead of ${height}`);
        return answered;
      });
      // Prevents an unhandled rejection while the block is still pending.
      results.catch(() => undefined);
      let contradicted = false;
      const block = await read('block', wanted, (json) => {
        const answered = decodeWholeBlock(json);
        contradicted ||= wanted.previous !== undefined && !namesBefore(answered, wanted.previous);
        return checkBlock(answered, wanted);
      });
      return joinResults(block, contradicted ? await readProven(block, wanted.signal) : await results);
    },
  };
}

/** Reads single older blocks. */
interface BlockReader {
  /** Tries once to read a block. Concurrent calls for the same block share one read; others wait for a free slot. */
  read(wanted: WantedBlock): Promise<CommittedBlock>;
}

/**
 * Makes a reader. It tries the sources in order and reads at most `parallel` blocks at once. It passes each block to `keep`
 * with the generation of the head at the start of the read. Reads of different generations are not shared.
 */
function createBlockReader(options: {
  readonly sources: readonly BlockSource[];
  readonly parallel: number;
  readonly keep: (block: CommittedBlock, generation: number) => void;
  readonly generation: () => number;
}): BlockReader {
  const { sources, parallel, keep, generation } = options;
  const inFlight = createInFlight<CommittedBlock>();
  const queue: (() => void)[] = [];
  let running = 0;

  async function withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (running >= parallel) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The slot passes directly to the next in the queue, so that no new caller overtakes it.
      const next = queue.shift();
      if (next !== undefined) next();
      else running -= 1;
    }
  }

  async function readFromSources(wanted: WantedBlock, startGeneration: number): Promise<CommittedBlock> {
    wanted.signal.throwIfAborted();
    let failure: unknown;
    for (const source of sources) {
      try {
        const block = await source.block(wanted);
        if (block === undefined) continue;
        checkBlock(block, wanted);
        keep(block, startGeneration);
        return block;
      } catch (error) {
        if (wanted.signal.aborted) throw error;
        // NODE_INCONSISTENT takes precedence over the error of another source.
        if (failure === undefined || isChainError(error, 'NODE_INCONSISTENT')) failure = error;
      }
    }
    const { height } = wanted;
    throw failure ?? new ChainError('HEIGHT_NOT_YET_AVAILABLE', `No source has block ${height}.`, { height });
  }

  return {
    read(wanted) {
      const startGeneration = generation();
      const key = `${startGeneration} ${wanted.height} ${wanted.previous?.blockId.hash ?? ''}`;
      return inFlight.join(key, wanted.signal, (signal) =>
        withSlot(() => readFromSources({ ...wanted, signal }, startGeneration)),
      );
    },
  };
}

/** Bounds of a {@link BlockStore}. */
interface BlockStoreOptions {
  /** Number of newest blocks: 256, enough for the first pages of an explorer. */
  readonly newestBlocks?: number;
  /**
   * Memory of the newest blocks in bytes, as estimated by {@link sizeOf}: 64 MiB. The newest block is kept whatever its size.
   */
  readonly newestBytes?: number | undefined;
  /** The cache of older blocks: one of 32 MiB by default. */
  readonly past?: BoundedCache<CommittedBlock> | undefined;
}

/** Committed blocks of one chain in memory. No two of them contradict each other. */
interface BlockStore {
  at(height: bigint): CommittedBlock | undefined;
  /** A transaction in the newest blocks, by its hash in upper case hex. */
  transaction(hash: string): { readonly block: CommittedBlock; readonly transaction: CommittedTx } | undefined;
  /**
   * Stores a block. Returns false, and does not store it, if it contradicts a stored one: another block at its height, or a
   * neighbour that it is not linked to.
   */
  put(block: CommittedBlock): boolean;
  /** Removes every block. */
  clear(): void;
  /** Counters of the newest blocks. Older ones are counted by their cache. */
  counts(): CacheCounts;
}

/** Memory of a header and block id: hashes and texts. Measured with recorded blocks. */
const headerBytes = 2_400;

/** Memory of a signature of a commit: object and texts. */
const signatureBytes = 350;

/** Memory of a change of the validator set. */
const updateBytes = 300;

/** Memory of parsed JSON for each character of its text. */
const jsonFactor = 4;

/**
 * Memory of events, including their flattened form for queries, which a block keeps from the first query on. Each attribute has
 * an object, a tag and an entry in a list.
 */
function sizeOfEvents(events: readonly Event[]): number {
  let size = 0;
  for (const { type, attributes } of events) {
    size += 2 * objectBytes + type.length;
    for (const { key, value } of attributes) {
      size += 2 * objectBytes + textBytes(value) + type.length + 2 * key.length;
    }
  }
  return size;
}

/** Memory of the result of executing or checking a transaction, in bytes. */
export function sizeOfExec({ codespace, log, info, data, events }: TxExec): number {
  const texts = textBytes(codespace) + textBytes(log) + textBytes(info) + textBytes(data ?? '');
  return 2 * objectBytes + texts + sizeOfEvents(events);
}

/** Memory of a block, in bytes. */
export function sizeOf({ transactions, events, evidence, validatorUpdates, lastCommit }: CommittedBlock): number {
  let size = headerBytes + sizeOfEvents(events) + signatureBytes * (lastCommit?.signatures.length ?? 0);
  for (const { hash, tx, result } of transactions) {
    size += 2 * objectBytes + textBytes(hash) + textBytes(tx) + sizeOfExec(result);
  }
  if (evidence.length > 0) size += jsonFactor * JSON.stringify(evidence).length;
  return size + updateBytes * validatorUpdates.length;
}

/** Memory of a block without its results, in bytes. */
export function sizeOfBlock({ txs }: Block): number {
  return txs.reduce((sum, tx) => sum + textBytes(tx), headerBytes);
}

/** Bytes of the default cache of older blocks. */
const defaultPast = 32 * 1024 * 1024;

/** Makes an empty store. */
export function createBlockStore(options: BlockStoreOptions = {}): BlockStore {
  const { newestBlocks = 256, newestBytes = 64 * 1024 * 1024 } = options;
  const newest = new Map<bigint, { readonly block: CommittedBlock; readonly size: number }>();
  const past = options.past ?? createSharedCache(defaultPast).add(sizeOf);
  const heights = new Map<string, bigint>();
  let highest = 0n;
  let bytes = 0;
  let hits = 0;
  let misses = 0;
  let evictions = 0;

  const peek = (height: bigint): CommittedBlock | undefined => newest.get(height)?.block ?? past.peek(height.toString());

  function forgetLowest(): void {
    let lowest = highest;
    for (const height of newest.keys()) if (height < lowest) lowest = height;
    const entry = newest.get(lowest);
    if (entry === undefined) return;
    newest.delete(lowest);
    bytes -= entry.size;
    evictions += 1;
    for (const { hash } of entry.block.transactions) if (heights.get(hash) === lowest) heights.delete(hash);
    past.set(lowest.toString(), entry.block);
  }

  return {
    at(height) {
      const entry = newest.get(height);
      if (entry === undefined) {
        misses += 1;
        return past.get(height.toString());
      }
      hits += 1;
      return entry.block;
    },
    transaction(hash) {
      const height = heights.get(hash);
      const block = height === undefined ? undefined : newest.get(height)?.block;
      const transaction = block?.transactions.find((each) => each.hash === hash);
      return block && transaction && { block, transaction };
    },
    put(block) {
      const { height } = block.header;
      const same = peek(height);
      if (same !== undefined) return same.blockId.hash === block.blockId.hash;
      const [before, after] = [peek(height - 1n), peek(height + 1n)];
      if ((before !== undefined && !follows(block, before)) || (after !== undefined && !follows(after, block))) return false;
      if (height <= highest - BigInt(newestBlocks)) {
        past.set(height.toString(), block);
        return true;
      }
      const size = sizeOf(block);
      newest.set(height, { block, size });
      bytes += size;
      if (height > highest) highest = height;
      for (const { hash } of block.transactions) heights.set(hash, height);
      while (newest.size > 1 && (newest.size > newestBlocks || bytes > newestBytes)) forgetLowest();
      return true;
    },
    clear() {
      newest.clear();
      past.clear();
      heights.clear();
      highest = 0n;
      bytes = 0;
    },
    counts: () => ({ entries: newest.size, bytes, hits, misses, evictions }),
  };
}

export type { Commit, CommitSig, CommittedBlock, CommittedTx, Evidence } from './committedBlock.ts';

/** Options of {@link createBlockLog}. */
export interface BlockLogOptions extends BlockStoreOptions {
  /** The head, whose subscription delivers new blocks. */
  readonly head: Head;
  readonly transport: Transport;
  /** Sources of older blocks, in order of preference: the nodes of the transport by default. */
  readonly sources?: readonly BlockSource[];
  /** Number of older blocks that are read ahead for one reader, in portions of a half: 10, so that the calls of a portion fill a batch. */
  readonly wave?: number;
  /** Most blocks that are read at once for all readers: 20. */
  readonly parallel?: number;
  /** First wait in ms before a failed read of a block is retried, doubled each time up to 5 s; half of it is random: 100. */
  readonly backoff?: number;
}

/** The blocks of one chain, in order. */
export interface BlockLog {
  /**
   * Yields every block above `after` exactly once and in order: first older blocks, then new ones as they arrive. It reads a
   * few blocks ahead, but nothing before the first `next`. It survives dropped sockets, restarts of nodes and halts of the
   * chain.
   *
   * `next` rejects and the stream ends with HEIGHT_PRUNED if no node has the next block any more; NODE_INCONSISTENT if the next
   * block contradicts the previous one, or if a yielded block was withdrawn; CHAIN_RESET if the chain restarted; a node's error
   * that persists through several tries; NODE_UNREACHABLE on close; or the signal's reason. `return` ends a pending `next` at
   * once.
   */
  from(after: bigint, options?: { readonly signal?: AbortSignal | undefined }): AsyncIterableIterator<CommittedBlock>;
  /** A block in memory: one of the newest, or an older one that was read recently. */
  at(height: bigint): CommittedBlock | undefined;
  /** A transaction in the newest blocks in memory, by its hash in upper case hex. */
  transaction(hash: string): { readonly block: CommittedBlock; readonly transaction: CommittedTx } | undefined;
  stats(): BlockLogStats;
  /** Ends every stream. Does not close the head. */
  close(): void;
}

/** Statistics of the log for operators. */
interface BlockLogStats {
  /** The newest blocks in memory. */
  readonly newest: CacheCounts;
  /** Number of open streams. */
  readonly readers: number;
  /** Blocks that were read by height since the start, to fill gaps between events or for readers of older blocks. */
  readonly filled: number;
}

/** The position of a stream. */
interface Cursor {
  /** The next block. Waits for it as long as necessary. */
  readonly next: () => Promise<CommittedBlock>;
  /** The height of the last block. */
  readonly reached: () => bigint;
}

const ignore = (): void => undefined;

const longestBackoff = 5_000;

/** Number of tries at a block before a permanent error is reported. */
const tries = 5;

/** Whether a retry may succeed: no node is reachable, none responded in time, or none has the head's height yet. */
export function isTransient(error: unknown): boolean {
  return (
    isChainError(error, 'NODE_UNREACHABLE') ||
    isChainError(error, 'NODE_TIMEOUT') ||
    isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE')
  );
}

function isFinal(error: unknown): boolean {
  return isChainError(error, 'HEIGHT_PRUNED') || isChainError(error, 'NODE_INCONSISTENT');
}

/**
 * Creates the log. It has no separate subscription: the subscription of the head serves all readers. Blocks without an event
 * are read by height.
 */
export function createBlockLog(options: BlockLogOptions): BlockLog {
  const { head, transport, wave = 10, parallel = 20, backoff: first = 100 } = options;
  const waitAfter = backoff({ first, max: longestBackoff, jitter: 0.5 });
  const store = createBlockStore(options);
  const sources = options.sources ?? [createNodeSource(transport)];
  const reader = createBlockReader({ sources, parallel, keep, generation: head.generation });
  /** The controller that ends each open stream, and the height that the stream has reached. */
  const open = new Map<AbortController, () => bigint>();
  const waiting = new Set<() => void>();
  /** One block wakes many readers at once. The slicer spreads their work over iterations of the event loop. */
  const slicer = createTimeSlicer();
  let closed = false;
  let filled = 0;

  /** Stores a block that was read, unless the newest block was replaced during the read. */
  function keep(block: CommittedBlock, generation: number): void {
    filled += 1;
    if (generation === head.generation()) store.put(block);
  }

  const stopRewinds = head.onRewind(({ kind, newest, kept }) => {
    store.clear();
    const reason = kind === 'RESET' ? chainReset(newest.height) : withdrawn(kept + 1n);
    for (const [controller, reached] of [...open]) {
      if (kind !== 'RESET' && reached() <= kept) continue;
      open.delete(controller);
      controller.abort(reason);
    }
  });

  const stopStoring = head.onContent(({ block }) => {
    // If it is invalid, the block is not stored. A reader that needs this height reads it from a node and gets the error.
    if (block !== undefined) store.put(decodeNewBlockValue(block));
  });
  const stopListening = head.onBlock(() => {
    for (const wake of [...waiting]) wake();
  });

  /** Resolves at the next block of the head. */
  function nextHead(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const release = (): void => {
        waiting.delete(wake);
        removeListener();
      };
      const wake = (): void => {
        release();
        resolve();
      };
      const removeListener = onAbort(signal, () => {
        release();
        reject(signal.reason);
      });
      waiting.add(wake);
    });
  }

  /** Makes a cursor that starts after the height `after`. */
  function createCursor(after: bigint, signal: AbortSignal): Cursor {
    const ahead = new Map<bigint, Promise<CommittedBlock>>();
    let generation = head.generation();
    let height = after < 0n ? 1n : after + 1n;
    /** The highest block that was read ahead, or was in memory at that time. */
    let aheadTo = height - 1n;
    let previous = store.at(height - 1n);

    function forgetAhead(): void {
      ahead.clear();
      aheadTo = height - 1n;
    }

    /** Reads the next portion ahead, unless enough blocks were read ahead. */
    function readAhead(chainId: string, newest: bigint): void {
      // Blocks that were read before the newest block was replaced may be among the replaced ones.
      if (generation !== head.generation()) forgetAhead();
      generation = head.generation();
      if (aheadTo - height >= BigInt(wave >> 1)) return;
      const last = height + BigInt(wave) - 1n;
      for (let next = aheadTo < height ? height : aheadTo + 1n; next <= last && next <= newest; next++) {
        aheadTo = next;
        if (ahead.has(next) || store.at(next) !== undefined) continue;
        const block = reader.read({ height: next, chainId, previous: next === height ? previous : undefined, signal });
        block.catch(() => undefined);
        ahead.set(next, block);
      }
    }

    async function attempt(chainId: string, newest: bigint): Promise<CommittedBlock> {
      const kept = store.at(height);
      // The block was in memory when the blocks after it were read ahead, and is not any more.
      if (kept === undefined && !ahead.has(height)) forgetAhead();
      readAhead(chainId, newest);
      if (kept !== undefined && (previous === undefined || follows(kept, previous))) return kept;
      const readBefore = await ahead.get(height);
      if (readBefore !== undefined && (previous === undefined || follows(readBefore, previous))) return readBefore;
      // The blocks that were read ahead come from a node with another chain, and may be in the store. They do not continue this
      // stream.
      forgetAhead();
      store.clear();
      return reader.read({ height, chainId, previous, signal });
    }

    const next = async (): Promise<CommittedBlock> => {
      for (let failures = 0; ; ) {
        signal.throwIfAborted();
        const present = head.current();
        if (present === undefined || present.height < height) {
          await nextHead(signal);
          continue;
        }
        try {
          const block = await attempt(present.chainId, present.height);
          ahead.delete(height);
          previous = block;
          height += 1n;
          return block;
        } catch (error) {
          signal.throwIfAborted();
          forgetAhead();
          failures += 1;
          // Either block may be the wrong one, so later readers start from neither.
          if (isChainError(error, 'NODE_INCONSISTENT')) store.clear();
          if (isFinal(error) || (!isTransient(error) && failures >= tries)) throw error;
          await pause(waitAfter(failures), signal);
        }
      }
    };
    return { next, reached: () => height - 1n };
  }

  return {
    from(after, { signal } = {}) {
      const own = new AbortController();
      setScope(own.signal, scopeOf(signal));
      const cursor = createCursor(after, own.signal);
      const removeListener = onAbort(signal, () => {
        open.delete(own);
        own.abort(signal?.reason);
      });
      let over = false;
      /** The end of the last step, without its block. */
      let turn: Promise<void> = Promise.resolve();
      if (closed) own.abort(closedError());
      else if (signal?.aborted) own.abort(signal.reason);
      else open.set(own, cursor.reached);

      const end = (): IteratorResult<CommittedBlock> => {
        over = true;
        removeListener();
        open.delete(own);
        own.abort();
        return { done: true, value: undefined };
      };
      const step = async (): Promise<IteratorResult<CommittedBlock>> => {
        if (over) return end();
        try {
          const value = await cursor.next();
          await slicer.next();
          return over ? end() : { done: false, value };
        } catch (error) {
          if (over) return end();
          end();
          throw error;
        }
      };
      return {
        next() {
          const result = turn.then(step);
          turn = result.then(ignore, ignore);
          return result;
        },
        async return() {
          return end();
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },
    at: store.at,
    transaction: store.transaction,
    stats: () => ({ newest: store.counts(), readers: open.size, filled }),
    close() {
      closed = true;
      stopStoring();
      stopListening();
      stopRewinds();
      for (const controller of open.keys()) controller.abort(closedError());
      open.clear();
      waiting.clear();
    },
  };
}
