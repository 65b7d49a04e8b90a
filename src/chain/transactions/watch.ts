import { isChainError } from '../base/errors.ts';
import { onAbort, pause } from '../base/waiting.ts';
import type { BlockLog, CommittedBlock, CommittedTx } from '../blocks/blockLog.ts';
import type { Head } from '../blocks/head.ts';

/** A transaction in a block, as some node tells it. */
export interface Sighting {
  readonly height: bigint;
  readonly transaction: CommittedTx;
}

/** Looks for one transaction in every block from the moment it was begun. */
export interface BlockSearch {
  /** The newest block that was looked through. */
  readonly height: bigint;
  /**
   * A sighting not given before, as soon as there is one; undefined once every block up to `height` was looked through without one.
   * Without a height it waits for ever. Rejects with the signal's reason.
   */
  until(height: bigint | undefined, signal: AbortSignal): Promise<Sighting | undefined>;
  /** Ends it. */
  close(): void;
}

/** Looks through the blocks for all who wait for a transaction. */
export interface TxWatch {
  /** Begins with the block after the newest one: to be called before the transaction is sent. A block must be known. */
  open(hash: string): BlockSearch;
}

interface Search {
  readonly hash: string;
  readonly sightings: Sighting[];
  /** Tells whoever waits that there may be something. */
  wake: () => void;
}

/** Before the log is read again when it could not go on, ms. */
const retryWait = 100;

/**
 * Makes the watch. One reader of the block log serves everybody; without anybody there is none. Where blocks contradict each
 * other the last ones are looked through again, as another node tells them.
 */
export function createTxWatch({ blocks, head }: { readonly blocks: BlockLog; readonly head: Head }): TxWatch {
  const searches = new Map<string, Set<Search>>();
  let reading: AbortController | undefined;
  let examined = 0n;

  function examine(block: CommittedBlock): void {
    const { height } = block.header;
    for (const transaction of block.transactions) {
      for (const search of searches.get(transaction.hash) ?? []) search.sightings.push({ height, transaction });
    }
    if (height > examined) examined = height;
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
        // What was looked through may have been of the node that was wrong. A block that is gone is not waited for.
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
        examined = head.current()?.height ?? 0n;
        void read(examined, reading.signal);
      }
      return {
        get height() {
          return examined;
        },
        until(height, signal) {
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
              if (sighting === undefined && (height === undefined || examined < height)) return;
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
