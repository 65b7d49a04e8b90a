import { chainReset, inconsistent, isChainError, withdrawn } from '../base/errors.ts';
import type { Event, TxExec } from '../base/execution.ts';
import { backoff, createTimeSlicer, onAbort, pause } from '../base/time.ts';
import { createInFlight } from '../memory/inFlight.ts';
import { type BoundedCache, type CacheCounts, createSharedCache, objectBytes, textBytes } from '../memory/memoryBudget.ts';
import { scopeOf, setScope } from '../tracing/tracer.ts';
import { closedError } from '../transports/http.ts';
import type { Transport } from '../transports/transport.ts';
import { type Block, decodeBlock } from '../wire/block.ts';
import { type JsonValue, malformed } from '../wire/json.ts';
import {
  type CommittedBlock,
  type CommittedTx,
  decodeBlockResults,
  decodeNewBlockValue,
  decodeWholeBlock,
  joinResults,
} from './committedBlock.ts';
import type { Head } from './head.ts';

/** A block that a reader needs. */
interface WantedBlock {
  readonly height: bigint;
  readonly chainId: string;
  /** The previous block, if known. */
  readonly previous: CommittedBlock | undefined;
  readonly signal: AbortSignal;
}

/** Whether the header of a block contains the hash of `previous`, and its app hash is the one after `previous`. */
function follows({ header }: Block, previous: CommittedBlock): boolean {
  return header.lastBlockId.hash === previous.blockId.hash && header.appHash === previous.appHash;
}

function namesBefore({ header }: Block, previous: Block): boolean {
  return header.lastBlockId.hash === previous.blockId.hash;
}

/**
 * Reads a block from the nodes of a transport. It calls `block` and `block_results` together, so both go to one node unless that node fails. Rejects
 * with HEIGHT_PRUNED; with NODE_INVALID_RESPONSE if the block has another height or chain id; with NODE_INCONSISTENT if it does not follow the previous
 * block by hash and app hash; or with the error of the call.
 */
async function readBlock(transport: Transport, { height, chainId, previous, signal }: WantedBlock): Promise<CommittedBlock> {
  const call = <T>(method: string, at: bigint, decode: (json: JsonValue) => T): Promise<T> =>
    transport.call(method, { height: at.toString() }, { height: at, signal, decode });
  const results = call('block_results', height, (json) => {
    const reply = decodeBlockResults(json);
    if (reply.height !== height) throw malformed(`results of block ${reply.height} instead of ${height}`);
    return reply;
  });
  // Prevents an unhandled rejection while the block is still pending.
  results.catch(() => undefined);
  let isContradicted = false;
  const block = await call('block', height, (json) => {
    const reply = decodeWholeBlock(json);
    isContradicted ||= previous !== undefined && !namesBefore(reply, previous);
    const { header } = reply;
    if (header.height !== height) throw malformed(`block ${header.height} instead of ${height}`);
    if (header.chainId !== chainId) throw malformed('a block of another chain');
    if (previous !== undefined && !follows(reply, previous)) throw inconsistent(height - 1n);
    return reply;
  });
  if (!isContradicted) return joinResults(block, await results);
  // Nodes hold different blocks at the height. Results contain no block hash, only the app hash after the block, and the next block's header repeats
  // that. Until the next block exists, this rejects with HEIGHT_NOT_YET_AVAILABLE.
  const appHash = await call('block', height + 1n, (json) => {
    const next = decodeBlock(json);
    if (!namesBefore(next, block)) throw inconsistent(height);
    return next.header.appHash;
  });
  const proven = await call('block_results', height, (json) => {
    const reply = decodeBlockResults(json);
    if (reply.outcome.appHash !== appHash) throw inconsistent(height);
    return reply;
  });
  return joinResults(block, proven);
}

/** Bounds of the blocks in memory. */
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

/** Creates an empty store of committed blocks of one chain. No two of them contradict each other. */
export function createBlockStore(options: BlockStoreOptions = {}) {
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
    /** A block in memory: one of the newest, or an older one that was read recently. */
    at(height: bigint): CommittedBlock | undefined {
      const entry = newest.get(height);
      if (entry === undefined) {
        misses += 1;
        return past.get(height.toString());
      }
      hits += 1;
      return entry.block;
    },
    /** A transaction in the newest blocks, by its hash in upper case hex. */
    transaction(hash: string): { readonly block: CommittedBlock; readonly transaction: CommittedTx } | undefined {
      const height = heights.get(hash);
      const block = height === undefined ? undefined : newest.get(height)?.block;
      const transaction = block?.transactions.find((each) => each.hash === hash);
      return block && transaction && { block, transaction };
    },
    /**
     * Stores a block. Returns false, and does not store it, if it contradicts a stored one: another block at its height, or a
     * neighbour that it is not linked to.
     */
    put(block: CommittedBlock): boolean {
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
    clear(): void {
      newest.clear();
      past.clear();
      heights.clear();
      highest = 0n;
      bytes = 0;
    },
    /** Counters of the newest blocks. Older ones are counted by their cache. */
    counts: (): CacheCounts => ({ entries: newest.size, bytes, hits, misses, evictions }),
  };
}

export interface BlockLogOptions extends BlockStoreOptions {
  /** The head, whose subscription delivers new blocks. */
  readonly head: Head;
  readonly transport: Transport;
  /** Whether the blocks in events are kept: true. If not, each block is read by its height. */
  readonly keepsEvents?: boolean;
  /** Number of older blocks that are read ahead for one reader, in portions of a half: 10, so that the calls of a portion fill a batch. */
  readonly wave?: number;
  /** Most blocks that are read at once for all readers: 20. */
  readonly parallel?: number;
  /** First wait in ms before a failed read of a block is retried, doubled each time up to 5 s; half of it is random: 100. */
  readonly backoff?: number;
}

/** The blocks of one chain, in order. */
export type BlockLog = ReturnType<typeof createBlockLog>;

/** Statistics of the log for operators. */
interface BlockLogStats {
  /** The newest blocks in memory. */
  readonly newest: CacheCounts;
  /** Number of open streams. */
  readonly readers: number;
  /** Blocks that were read by height since the start, to fill gaps between events or for readers of older blocks. */
  readonly filled: number;
}

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

/** Creates a function that runs at most `parallel` pieces of work at once, in the order of the calls. */
function createSlots(parallel: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
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
  };
}

/**
 * Creates the log. It has no separate subscription: the subscription of the head serves all readers. Blocks without an event
 * are read by height.
 */
export function createBlockLog(options: BlockLogOptions) {
  const { head, transport, keepsEvents = true, wave = 10, parallel = 20, backoff: first = 100 } = options;
  const waitAfter = backoff({ first, max: longestBackoff, jitter: 0.5 });
  const store = createBlockStore(options);
  const inFlight = createInFlight<CommittedBlock>();
  const slots = createSlots(parallel);
  /** The controller that ends each open stream, and the height that the stream has reached. */
  const open = new Map<AbortController, () => bigint>();
  /** Wakes the readers that wait for the next block of the head. */
  const waiting = new Set<() => void>();
  /** One block wakes many readers at once. The slicer spreads their work over iterations of the event loop. */
  const slicer = createTimeSlicer();
  let closed = false;
  let filled = 0;

  /**
   * Tries once to read a block, and stores it unless the newest block was replaced during the read. Concurrent calls for the same block share one read;
   * others wait for a free slot.
   */
  function read(wantedBlock: WantedBlock): Promise<CommittedBlock> {
    const generation = head.generation();
    const key = `${generation} ${wantedBlock.height} ${wantedBlock.previous?.blockId.hash ?? ''}`;
    return inFlight.join(key, wantedBlock.signal, (signal) =>
      slots(async () => {
        signal.throwIfAborted();
        const block = await readBlock(transport, { ...wantedBlock, signal });
        filled += 1;
        if (generation === head.generation()) store.put(block);
        return block;
      }),
    );
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
    if (block !== undefined && keepsEvents) store.put(decodeNewBlockValue(block));
  });
  const stopListening = head.onBlock(() => {
    for (const wake of [...waiting]) wake();
  });

  /** The position of a stream that starts after the height `after`. */
  function createCursor(after: bigint, signal: AbortSignal) {
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
        const block = read({ height: next, chainId, previous: next === height ? previous : undefined, signal });
        block.catch(() => undefined);
        ahead.set(next, block);
      }
    }

    async function attempt(chainId: string, newest: bigint): Promise<CommittedBlock> {
      const inMemory = store.at(height);
      // The block was in memory when the blocks after it were read ahead, and is not any more.
      if (inMemory === undefined && !ahead.has(height)) forgetAhead();
      if (inMemory === undefined || newest > height) readAhead(chainId, newest);
      if (inMemory !== undefined && (previous === undefined || follows(inMemory, previous))) return inMemory;
      const readBefore = await ahead.get(height);
      if (readBefore !== undefined && (previous === undefined || follows(readBefore, previous))) return readBefore;
      // The blocks that were read ahead come from a node with another chain, and may be in the store. They do not continue this
      // stream.
      forgetAhead();
      store.clear();
      return read({ height, chainId, previous, signal });
    }

    /** The next block. Waits for it as long as necessary. */
    async function next(): Promise<CommittedBlock> {
      for (let failures = 0; ; ) {
        signal.throwIfAborted();
        const present = head.current();
        if (present === undefined || present.height < height) {
          await new Promise<void>((resolve, reject) => {
            const wake = (): void => {
              waiting.delete(wake);
              removeListener();
              resolve();
            };
            const removeListener = onAbort(signal, () => {
              waiting.delete(wake);
              reject(signal.reason);
            });
            waiting.add(wake);
          });
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
          const isFinal = isChainError(error, 'HEIGHT_PRUNED') || isChainError(error, 'NODE_INCONSISTENT');
          if (isFinal || (!isTransient(error) && failures >= tries)) throw error;
          await pause(waitAfter(failures), signal);
        }
      }
    }

    return { next, reached: (): bigint => height - 1n };
  }

  return {
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
    from(after: bigint, { signal }: { readonly signal?: AbortSignal | undefined } = {}): AsyncIterableIterator<CommittedBlock> {
      const stopping = new AbortController();
      setScope(stopping.signal, scopeOf(signal));
      const cursor = createCursor(after, stopping.signal);
      const removeListener = onAbort(signal, () => {
        open.delete(stopping);
        stopping.abort(signal?.reason);
      });
      let isOver = false;
      /** The end of the last step, without its block. */
      let turn: Promise<void> = Promise.resolve();
      if (closed) stopping.abort(closedError());
      else if (signal?.aborted) stopping.abort(signal.reason);
      else open.set(stopping, cursor.reached);

      const end = (): IteratorResult<CommittedBlock> => {
        isOver = true;
        removeListener();
        open.delete(stopping);
        stopping.abort();
        return { done: true, value: undefined };
      };
      const step = async (): Promise<IteratorResult<CommittedBlock>> => {
        if (isOver) return end();
        try {
          const value = await cursor.next();
          await slicer.next();
          return isOver ? end() : { done: false, value };
        } catch (error) {
          if (isOver) return end();
          end();
          throw error;
        }
      };
      return {
        next() {
          const result = turn.then(step);
          turn = result.then(
            () => undefined,
            () => undefined,
          );
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
    stats: (): BlockLogStats => ({ newest: store.counts(), readers: open.size, filled }),
    /** Ends every stream. Does not close the head. */
    close(): void {
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
