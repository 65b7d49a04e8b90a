import { LRUCache } from 'lru-cache';
import { follows } from './blockSource.ts';
import type { CommittedBlock, CommittedTx } from './committedBlock.ts';
import type { Event } from './results.ts';

/** Bounds of a {@link BlockStore}. */
export interface BlockStoreOptions {
  /** The newest blocks kept: 256, enough for the newest pages of an explorer. */
  readonly newestBlocks?: number;
  /** Of the newest blocks, in bytes as by {@link sizeOf}: 64 MiB. The newest one is kept whatever its size. */
  readonly newestBytes?: number;
  /** Of older blocks that were read lately: 32 MiB. */
  readonly pastBytes?: number;
}

/** Committed blocks of one chain in memory, never two that contradict each other. */
export interface BlockStore {
  at(height: bigint): CommittedBlock | undefined;
  /** A transaction of the newest blocks, by its hash in upper case hex. */
  transaction(hash: string): { readonly block: CommittedBlock; readonly transaction: CommittedTx } | undefined;
  /** Keeps a block; false when it contradicts one that is kept: another one at its height, or a neighbour that it is no neighbour of. */
  put(block: CommittedBlock): boolean;
  clear(): void;
}

/** What an object of few short members weighs beside its text: a guess, so that bounds of bytes are of the right order. */
const overhead = 64;

function sizeOfEvents(events: readonly Event[]): number {
  let size = 0;
  for (const { type, attributes } of events) {
    size += overhead + type.length;
    for (const { key, value } of attributes) size += overhead + key.length + value.length;
  }
  return size;
}

/** About how many bytes of memory a block takes. */
export function sizeOf({ transactions, events, lastCommit }: CommittedBlock): number {
  let size = 2_000 + sizeOfEvents(events) + 300 * (lastCommit?.signatures.length ?? 0);
  for (const { tx, result } of transactions) {
    size += 3 * overhead + tx.length + result.log.length + (result.data?.length ?? 0) + sizeOfEvents(result.events);
  }
  return size;
}

/** Makes a store with nothing in it. */
export function createBlockStore(options: BlockStoreOptions = {}): BlockStore {
  const { newestBlocks = 256, newestBytes = 64 * 1024 * 1024, pastBytes = 32 * 1024 * 1024 } = options;
  const newest = new Map<bigint, { readonly block: CommittedBlock; readonly size: number }>();
  const past = new LRUCache<bigint, CommittedBlock>({ maxSize: pastBytes, sizeCalculation: sizeOf });
  const heights = new Map<string, bigint>();
  let highest = 0n;
  let bytes = 0;

  const at = (height: bigint): CommittedBlock | undefined => newest.get(height)?.block ?? past.get(height);

  function forgetLowest(): void {
    let lowest = highest;
    for (const height of newest.keys()) if (height < lowest) lowest = height;
    const entry = newest.get(lowest);
    if (entry === undefined) return;
    newest.delete(lowest);
    bytes -= entry.size;
    for (const { hash } of entry.block.transactions) if (heights.get(hash) === lowest) heights.delete(hash);
    past.set(lowest, entry.block);
  }

  return {
    at,
    transaction(hash) {
      const height = heights.get(hash);
      const block = height === undefined ? undefined : newest.get(height)?.block;
      const transaction = block?.transactions.find((each) => each.hash === hash);
      return block && transaction && { block, transaction };
    },
    put(block) {
      const { height } = block.header;
      const same = at(height);
      if (same !== undefined) return same.blockId.hash === block.blockId.hash;
      const [before, after] = [at(height - 1n), at(height + 1n)];
      if ((before !== undefined && !follows(block, before)) || (after !== undefined && !follows(after, block))) return false;
      if (height <= highest - BigInt(newestBlocks)) {
        past.set(height, block);
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
  };
}
