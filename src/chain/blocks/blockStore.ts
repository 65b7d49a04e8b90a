import type { Event, TxExec } from '../base/execution.ts';
import { type BoundedCache, type CacheCounts, createSharedCache, objectBytes, textBytes } from '../memory/memoryBudget.ts';
import type { Block } from '../wire/block.ts';
import { follows } from './blockSource.ts';
import type { CommittedBlock, CommittedTx } from './committedBlock.ts';

/** Bounds of a {@link BlockStore}. */
export interface BlockStoreOptions {
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
export interface BlockStore {
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
