import type { Event, TxExec } from '../base/execution.ts';
import { type BoundedCache, type CacheCounts, createSharedCache } from '../memory/sharedCache.ts';
import { objectBytes, textBytes } from '../memory/sizes.ts';
import type { Block } from '../wire/block.ts';
import { follows } from './blockSource.ts';
import type { CommittedBlock, CommittedTx } from './committedBlock.ts';

/** Bounds of a {@link BlockStore}. */
export interface BlockStoreOptions {
  /** The newest blocks kept: 256, enough for the newest pages of an explorer. */
  readonly newestBlocks?: number;
  /** Memory of the newest blocks, in bytes as by {@link sizeOf}: 64 MiB. The newest one is kept whatever its size. */
  readonly newestBytes?: number | undefined;
  /** Where older blocks are kept that were read lately: in 32 MiB of their own when absent. */
  readonly past?: BoundedCache<CommittedBlock> | undefined;
}

/** Committed blocks of one chain in memory, never two that contradict each other. */
export interface BlockStore {
  at(height: bigint): CommittedBlock | undefined;
  /** A transaction of the newest blocks, by its hash in upper case hex. */
  transaction(hash: string): { readonly block: CommittedBlock; readonly transaction: CommittedTx } | undefined;
  /** Keeps a block; false when it contradicts one that is kept: another one at its height, or a neighbour that it is no neighbour of. */
  put(block: CommittedBlock): boolean;
  /** Removes every block. */
  clear(): void;
  /** Of the newest blocks; older ones are counted by the cache that they are in. */
  counts(): CacheCounts;
}

/** A header with the identity of its block: its hashes and texts. Measured with recorded blocks: 2,400. */
const headerBytes = 2_400;

/** A signature of a commit: its texts and the object. */
const signatureBytes = 350;

/** A change of the validator set. */
const updateBytes = 300;

/** What parsed JSON takes in memory for each character of its text. */
const jsonFactor = 4;

/**
 * Events with what they are when they are flattened to be matched, which a block keeps from the first query on: for each attribute an object, a
 * tag of its own and a place in a list.
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

/** Memory of what executing or checking a transaction gave, in bytes. */
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

/** Bytes of the past where no cache is given. */
const defaultPast = 32 * 1024 * 1024;

/** Makes a store with nothing in it. */
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
