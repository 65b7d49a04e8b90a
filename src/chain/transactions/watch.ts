import { isChainError } from '../base/errors.ts';
import { type Nanoseconds, parseTime } from '../base/time.ts';
import { onAbort, pause } from '../base/waiting.ts';
import type { BlockLog, CommittedBlock, CommittedTx } from '../blocks/blockLog.ts';
import type { Head } from '../blocks/head.ts';

/** A transaction in a block, as reported by one node. */
export interface Sighting {
  readonly height: bigint;
  readonly transaction: CommittedTx;
}

/** Looks for one transaction in every block since the search was opened. */
export interface BlockSearch {
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
