import type { CommittedBlock } from '../../chain/blocks/blockLog.ts';
import type { Pin } from '../../reads/pin.ts';
import { type Found, type HistoryQuery, inBlock } from './found.ts';
import { newestFirst, oldestOf } from './position.ts';
import type { Looked, Range } from './searched.ts';

/** Blocks of the first step downwards, doubled with each up to the largest. */
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

/** One block of the log, read where it is not in memory. */
export async function wholeBlock(pin: Pin, height: bigint): Promise<CommittedBlock | undefined> {
  return pin.client.blocks.at(height) ?? (await blocksDown(pin, { low: height, high: height }))[0];
}

/** What a block tells of, newest first. */
export function foundIn<T>(query: HistoryQuery<T>, block: CommittedBlock): Found<T>[] {
  return inBlock(query, block).sort((a, b) => newestFirst(a.position, b.position));
}

/**
 * Looks through a range by its blocks, newest first, in steps that grow, until `wanted` things are found or the range is at its end.
 * Two upstream calls for each block that is not in memory.
 */
export async function lookByBlocks<T>(pin: Pin, query: HistoryQuery<T>, range: Range, wanted: number): Promise<Looked<T>> {
  const found: Found<T>[] = [];
  let { high } = range;
  for (let step = firstStep; high >= range.low && found.length < wanted; step = step < largestStep ? step * 2n : step) {
    const low = high - step + 1n > range.low ? high - step + 1n : range.low;
    for (const block of await blocksDown(pin, { low, high })) found.push(...foundIn(query, block));
    high = low - 1n;
  }
  return { found, reached: high < range.low ? null : oldestOf(high + 1n) };
}
