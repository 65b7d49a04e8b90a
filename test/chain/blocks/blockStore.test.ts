import { describe, expect, it } from 'vitest';
import { createBlockStore, sizeOf } from '../../../src/chain/blocks/blockLog.ts';
import { type CommittedBlock, decodeCommittedBlock } from '../../../src/chain/blocks/committedBlock.ts';
import { createSharedCache } from '../../../src/chain/memory/memoryBudget.ts';
import { readRecording } from '../../recordings/recordings.ts';

const chain = readRecording('chain').map((row) => decodeCommittedBlock(row.block, row.block_results));
const at = (height: bigint): CommittedBlock => chain.find(({ header }) => header.height === height)!;
const withTx = chain.findLast(({ transactions }) => transactions.length > 0)!;

describe('a block store', () => {
  it('keeps the newest blocks, and older ones within a bound of bytes', () => {
    // No block may take more than a quarter of the share.
    const past = createSharedCache(5 * Math.max(...chain.map(sizeOf))).add(sizeOf);
    const store = createBlockStore({ newestBlocks: 10, past });
    for (const block of chain.slice(0, 12)) expect(store.put(block)).toBe(true);
    for (let height = 1n; height <= 12n; height += 1n) expect(store.at(height)).toBe(at(height));
    for (const block of chain.slice(12)) store.put(block);
    const kept = chain.filter(({ header }) => store.at(header.height) !== undefined);
    expect(kept.length).toBeGreaterThan(10);
    expect(kept.length).toBeLessThan(chain.length / 2);
    expect(kept.slice(-10)).toEqual(chain.slice(-10));
    // An older block that is read again does not evict any of the newest.
    for (const block of chain.slice(0, 100)) store.put(block);
    expect(chain.slice(-10).every(({ header }) => store.at(header.height) !== undefined)).toBe(true);
  });

  it('bounds the bytes of the newest blocks, but always keeps the newest one', () => {
    const newestBytes = 3 * sizeOf(chain.at(-1)!) + 100;
    const store = createBlockStore({ newestBytes, past: createSharedCache(1).add(sizeOf) });
    for (const block of chain) {
      store.put(block);
      expect(store.at(block.header.height)).toBe(block);
      const size = chain.reduce((sum, each) => sum + (store.at(each.header.height) ? sizeOf(each) : 0), 0);
      expect(size).toBeLessThanOrEqual(Math.max(newestBytes, sizeOf(block)));
      expect(store.counts().bytes).toBe(size);
    }
  });

  it('finds a transaction by its hash while its block is among the newest', () => {
    const store = createBlockStore({ newestBlocks: 3 });
    for (const block of chain.filter(({ header }) => header.height <= withTx.header.height)) store.put(block);
    const transaction = withTx.transactions[0]!;
    expect(store.transaction(transaction.hash)).toEqual({ block: withTx, transaction });
    for (const block of chain.filter(({ header }) => header.height > withTx.header.height).slice(0, 3)) store.put(block);
    expect(store.transaction(transaction.hash)).toBeUndefined();
    expect(store.at(withTx.header.height)).toBe(withTx);
  });

  it('rejects a block that contradicts a stored one at, before or after its height', () => {
    const store = createBlockStore();
    store.put(at(50n));
    const other = (block: CommittedBlock, header: Partial<CommittedBlock['header']>, hash: string): CommittedBlock => ({
      ...block,
      header: { ...block.header, ...header },
      blockId: { ...block.blockId, hash },
    });
    expect(store.put(other(at(50n), {}, 'FF'))).toBe(false);
    expect(store.put(other(at(51n), { lastBlockId: { ...at(50n).blockId, hash: 'FF' } }, 'EE'))).toBe(false);
    expect(store.put(other(at(51n), { appHash: 'FF' }, 'EE'))).toBe(false);
    expect(store.put(other(at(49n), {}, 'FF'))).toBe(false);
    expect(store.put({ ...at(49n), appHash: 'FF' })).toBe(false);
    expect([49n, 50n, 51n].map((height) => store.at(height))).toEqual([undefined, at(50n), undefined]);
    expect(store.put(at(49n)) && store.put(at(51n)) && store.put(at(50n))).toBe(true);
    store.clear();
    expect(store.put(other(at(50n), {}, 'FF'))).toBe(true);
  });
});
