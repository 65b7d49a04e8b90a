import { chainReset, isChainError, withdrawn } from '../base/errors.ts';
import { createTimeSlicer } from '../base/timeSlicer.ts';
import { onAbort, pause } from '../base/waiting.ts';
import type { CacheCounts } from '../memory/sharedCache.ts';
import { closedError } from '../transports/nodeErrors.ts';
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
  /** Whose one subscription tells of the present. */
  readonly head: Head;
  readonly transport: Transport;
  /** Where the past comes from, the first asked first: the transport's nodes when absent. */
  readonly sources?: readonly BlockSource[];
  /** Blocks of the past that are read ahead for one reader, in parallel: 8. */
  readonly wave?: number;
  /** Blocks read at once for all readers together: 16. */
  readonly parallel?: number;
  /** First wait, ms, before a block that could not be had is tried again, doubled each time up to 5 s, half of it random: 100. */
  readonly backoff?: number;
}

/** The blocks of one chain, in order. */
export interface BlockLog {
  /**
   * Every block above `after`, each once and in order, the past first and then each as it comes; nothing is read before it is
   * pulled, but for a few blocks ahead. It lasts through dropped sockets, restarts of nodes and halts of the chain. Its `next`
   * rejects, and it is over, with HEIGHT_PRUNED when no node has the next block any more, NODE_INCONSISTENT when that
   * block contradicts the last one given or when a block that was given is withdrawn, CHAIN_RESET when the chain began anew, what a node said against it again and again, NODE_UNREACHABLE on close, or
   * the signal's reason. `return` lets a `next` under way end at once.
   */
  from(after: bigint, options?: { readonly signal?: AbortSignal | undefined }): AsyncIterableIterator<CommittedBlock>;
  /** A block that is in memory: the newest ones that were told or read, and older ones read lately. */
  at(height: bigint): CommittedBlock | undefined;
  /** A transaction of the newest blocks in memory, by its hash in upper case hex. */
  transaction(hash: string): { readonly block: CommittedBlock; readonly transaction: CommittedTx } | undefined;
  stats(): BlockLogStats;
  /** Ends every stream. The head is left as it is. */
  close(): void;
}

/** What an operator sees of the log. */
export interface BlockLogStats {
  /** Of the newest blocks in memory. */
  readonly newest: CacheCounts;
  /** Streams that are read now. */
  readonly readers: number;
  /** Blocks read by height since the start, because no event brought them: gaps that were filled, and the past. */
  readonly filled: number;
}

/** One stream's way through the blocks. */
interface Cursor {
  /** The block after the last one given, however long that takes. */
  readonly next: () => Promise<CommittedBlock>;
  /** The height that it has come to. */
  readonly reached: () => bigint;
}

const longestBackoff = 5_000;

/** Tries at a block after which a failure that no waiting cures is believed. */
const tries = 5;

/** Whether a failure may pass with time: no node there, none quick enough, or none that is as far as the head. */
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

/** Makes the log. It holds no subscription of its own: the head's serves all readers, and what it misses is read by height. */
export function createBlockLog(options: BlockLogOptions): BlockLog {
  const { head, transport, wave = 8, parallel = 16, backoff = 100 } = options;
  const store = createBlockStore(options);
  const sources = options.sources ?? [createNodeSource(transport)];
  const reader = createBlockReader({ sources, parallel, keep, generation: head.generation });
  /** What ends each open stream, and the height that it has come to. */
  const open = new Map<AbortController, () => bigint>();
  const waiting = new Set<() => void>();
  /** One block is given to many readers at once: what each of them makes of it runs in turns. */
  const turns = createTimeSlicer();
  let closed = false;
  let filled = 0;

  /** Keeps a block that was read, unless the newest block was given up meanwhile. */
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

  const stopListening = head.onBlock(({ block }) => {
    if (block !== undefined) {
      try {
        store.put(decodeNewBlockValue(block));
      } catch {
        // Not kept: whoever comes to this height reads it, and is told what is wrong.
      }
    }
    for (const wake of [...waiting]) wake();
  });

  /** Resolves when the head has moved. */
  function moved(signal: AbortSignal): Promise<void> {
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

  /** What gives the block after the last one given, however long that takes. */
  function createCursor(after: bigint, signal: AbortSignal): Cursor {
    const ahead = new Map<bigint, Promise<CommittedBlock>>();
    let generation = head.generation();
    let height = after < 0n ? 1n : after + 1n;
    let previous = store.at(height - 1n);

    function readAhead(chainId: string, newest: bigint): void {
      // Blocks that were read before the newest one was given up may be those that are gone.
      if (generation !== head.generation()) ahead.clear();
      generation = head.generation();
      for (let next = height; next < height + BigInt(wave) && next <= newest; next++) {
        if (ahead.has(next) || store.at(next) !== undefined) continue;
        const block = reader.read({ height: next, chainId, previous: next === height ? previous : undefined, signal });
        block.catch(() => undefined);
        ahead.set(next, block);
      }
    }

    async function attempt(chainId: string, newest: bigint): Promise<CommittedBlock> {
      const kept = store.at(height);
      if (kept !== undefined && (previous === undefined || follows(kept, previous))) return kept;
      readAhead(chainId, newest);
      const early = await ahead.get(height);
      if (early !== undefined && (previous === undefined || follows(early, previous))) return early;
      // What was read ahead is another node's, and may be in memory: of no use to those who have come this far.
      ahead.clear();
      store.clear();
      return reader.read({ height, chainId, previous, signal });
    }

    const next = async (): Promise<CommittedBlock> => {
      for (let failures = 0; ; ) {
        signal.throwIfAborted();
        const present = head.current();
        if (present === undefined || present.height < height) {
          await moved(signal);
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
          ahead.clear();
          failures += 1;
          // Which of the two is wrong is not known: the next reader begins with neither.
          if (isChainError(error, 'NODE_INCONSISTENT')) store.clear();
          if (isFinal(error) || (!isTransient(error) && failures >= tries)) throw error;
          const wait = Math.min(backoff * 2 ** (failures - 1), longestBackoff);
          await pause(wait / 2 + (Math.random() * wait) / 2, signal);
        }
      }
    };
    return { next, reached: () => height - 1n };
  }

  return {
    from(after, { signal } = {}) {
      const own = new AbortController();
      const cursor = createCursor(after, own.signal);
      const removeListener = onAbort(signal, () => {
        open.delete(own);
        own.abort(signal?.reason);
      });
      let over = false;
      let turn: Promise<unknown> = Promise.resolve();
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
          await turns.next();
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
          turn = result.catch(() => undefined);
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
      stopListening();
      stopRewinds();
      for (const controller of open.keys()) controller.abort(closedError());
      open.clear();
      waiting.clear();
    },
  };
}
