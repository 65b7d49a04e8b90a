import { chainReset, isChainError, withdrawn } from '../base/errors.ts';
import { backoff, createTimeSlicer, onAbort, pause } from '../base/waiting.ts';
import type { CacheCounts } from '../memory/memoryBudget.ts';
import { scopeOf, setScope } from '../tracing/scopes.ts';
import { closedError } from '../transports/nodeReplies.ts';
import type { Transport } from '../transports/transport.ts';
import { createBlockReader } from './blockReader.ts';
import { type BlockSource, createNodeSource, follows } from './blockSource.ts';
import { type BlockStoreOptions, createBlockStore } from './blockStore.ts';
import { type CommittedBlock, type CommittedTx, decodeNewBlockValue } from './committedBlock.ts';
import type { Head } from './head.ts';

export type { BlockSource } from './blockSource.ts';
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
export interface BlockLogStats {
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
