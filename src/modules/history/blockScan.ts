import type { CommittedBlock } from '../../chain/blocks/blockLog.ts';
import type { Pin } from '../../reads/pin.ts';
import type { Range, ScannedRange } from './indexSearch.ts';
import { type HistoryMatch, type HistoryQuery, matchesInBlock } from './matches.ts';
import { oldestOf } from './position.ts';

/** Number of blocks of the first step. It doubles with each step, up to the largest. */
const firstStep = 16n;
const largestStep = 128n;

/** The blocks of a range from the log, newest first. */
async function blocksDown({ client, signal }: Pin, { low, high }: Range): Promise<readonly CommittedBlock[]> {
  const blocks: CommittedBlock[] = [];
  for await (const block of client.blocks.from(low - 1n, { signal })) {
    blocks.push(block);
    if (block.header.height >= high) break;
  }
  return blocks.toReversed();
}

/** The block at a height, from memory or through the block log; undefined if the log ends before it. */
export async function wholeBlock(pin: Pin, height: bigint): Promise<CommittedBlock | undefined> {
  return pin.client.blocks.at(height) ?? (await blocksDown(pin, { low: height, high: height }))[0];
}

/**
 * Reads a range block by block, newest first, in growing steps, until it has `wanted` matches or reaches the end. Two upstream
 * calls for each block that is not in memory.
 */
export async function scanBlocks<T>(pin: Pin, query: HistoryQuery<T>, range: Range, wanted: number): Promise<ScannedRange<T>> {
  const found: HistoryMatch<T>[] = [];
  let { high } = range;
  for (let step = firstStep; high >= range.low && found.length < wanted; step = step < largestStep ? step * 2n : step) {
    const low = high - step + 1n > range.low ? high - step + 1n : range.low;
    for (const block of await blocksDown(pin, { low, high })) found.push(...matchesInBlock(query, block));
    high = low - 1n;
  }
  return { found, reached: high < range.low ? null : oldestOf(high + 1n) };
}
