import { expect, it } from 'vitest';
import { DatabaseError } from '../../src/archive/database/database.ts';
import { createGroupedRecord, type RecordedBlock } from '../../src/archive/store/ranges.ts';

const blockAt = (height: number, characters = 0): RecordedBlock => ({
  height: BigInt(height),
  hash: `${height}`,
  previousHash: `${height - 1}`,
  facts: [],
  contents: { height: BigInt(height), time: 0n, block: 'x'.repeat(characters), transactions: [] },
});

/** Records blocks at once. `failing` decides which groups fail. Returns the heights of each written group, and what each block came to. */
async function record(
  blocks: readonly RecordedBlock[],
  {
    mayWait = false,
    failing = () => undefined,
  }: { mayWait?: boolean; failing?: (heights: readonly number[]) => Error | undefined },
) {
  const groups: number[][] = [];
  const run = createGroupedRecord(async (group) => {
    const heights = group.map(({ height }) => Number(height));
    groups.push(heights);
    await new Promise(setImmediate);
    const error = failing(heights);
    if (error !== undefined) throw error;
  });
  const outcomes = await Promise.allSettled(blocks.map((block) => run(block, mayWait)));
  return { groups, outcomes: outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'stored' : outcome.reason.message)) };
}

const upTo = (count: number, characters?: number) =>
  Array.from({ length: count }, (_, index) => blockAt(index + 1, characters));

it('writes the blocks that wait while a block is written as one group', async () => {
  const { groups, outcomes } = await record(upTo(5), {});
  expect(groups).toEqual([[1], [2, 3, 4, 5]]);
  expect(outcomes).toEqual(Array(5).fill('stored'));
});

it('bounds a group by its blocks and by their size', async () => {
  expect((await record(upTo(130), {})).groups.map(({ length }) => length)).toEqual([1, 64, 64, 1]);
  expect((await record(upTo(6, 600_000), {})).groups).toEqual([[1], [2, 3], [4, 5], [6]]);
  expect((await record(upTo(3, 5_000_000), {})).groups).toEqual([[1], [2], [3]]);
});

it('lets blocks wait for a full group, but not for long', async () => {
  const { groups, outcomes } = await record(upTo(70), { mayWait: true });
  expect(groups.map(({ length }) => length)).toEqual([64, 6]);
  expect(outcomes).toEqual(Array(70).fill('stored'));
});

it('writes the blocks of a refused group one by one, so that only those fail that are refused', async () => {
  const { groups, outcomes } = await record(upTo(4), {
    failing: (heights) => (heights.includes(3) ? new Error('refused') : undefined),
  });
  expect(groups).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
  expect(outcomes).toEqual(['stored', 'stored', 'refused', 'stored']);
});

it('does not try the blocks of a group again when the database is lost or full', async () => {
  for (const failure of ['LOST', 'FULL'] as const) {
    const error = new DatabaseError(failure, failure);
    const { groups, outcomes } = await record(upTo(4), {
      failing: (heights) => (heights.includes(3) ? error : undefined),
    });
    expect(groups).toEqual([[1], [2, 3, 4]]);
    expect(outcomes).toEqual(['stored', failure, failure, failure]);
  }
});
