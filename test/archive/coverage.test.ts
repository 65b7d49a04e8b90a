import { describe, expect, it } from 'vitest';
import type { VoteRecord } from '../../src/archive/records.ts';
import { holdingOf } from '../../src/archive/store/ranges.ts';
import { createArchiveReader } from '../../src/archive/store/reader.ts';
import { type PlainArchive, sqliteArchive } from '../support/archive/databases.ts';
import { expectedRecordsOf } from '../support/archive/expectedRecords.ts';
import { createDice, type Dice, hashAt, type SimulatedBlock, simulate } from '../support/archive/simulation.ts';
import { fc, runsAll } from '../support/atRandom.ts';

const isCovered = (archive: PlainArchive, height: bigint): boolean => holdingOf(archive.coverage(), height) === 'HELD';

/** Records some ranges of a history, in random order. */
async function recordParts(archive: PlainArchive, blocks: readonly SimulatedBlock[], dice: Dice): Promise<void> {
  for (let part = 0; part < 4; part++) {
    const base = BigInt(1 + dice.roll(blocks.length - 1));
    if (!isCovered(archive, base))
      await archive.begin({ height: base, hash: hashAt(base), facts: blocks[Number(base) - 1]!.start });
    const { to } = dice.pick(archive.coverage().ranges);
    const end = to + BigInt(dice.roll(15));
    for (let height = to + 1n; height <= end && height <= BigInt(blocks.length); height++) {
      // Where the range has met the next one, it ends higher.
      if (isCovered(archive, height)) break;
      await archive.record(blocks[Number(height) - 1]!);
    }
  }
}

const cast = ({ voter, option, metadata, at: { time } }: VoteRecord) => ({ voter, option, metadata, time });

describe('an archive with gaps', () => {
  it.runIf(runsAll)(
    'shows every proposal that the chain has, marks those that it lost, and is exact where it says complete',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const dice = createDice(seed);
          const blocks = simulate(seed, 60);
          const facts = blocks.flatMap((block) => block.facts);
          const archive = await sqliteArchive();
          await recordParts(archive, blocks, dice);
          const reader = createArchiveReader(archive, 'GOVERNANCE');
          const { ranges } = archive.coverage();
          for (const { base, to } of ranges) {
            const asOf = base + BigInt(dice.roll(Number(to - base) + 1));
            const truth = expectedRecordsOf(facts, asOf);
            const page = await reader.recordPage({}, { first: 1000, reverse: false, count: true }, asOf);
            expect(page.total).toBe(BigInt(page.items.length));
            const shown = new Map(page.items.map((record) => [record.id, record]));
            const everyVote = await reader.votes(page.items, { first: 1000, reverse: false, count: false });
            for (const [index, record] of page.items.entries()) {
              const expected = truth.record(truth.proposals.find(({ id }) => id === record.id)!);
              const wasSeenToEnd = expected.pruned === null || (record.pruned !== null && record.pruned.height <= asOf);
              expect([record.id, record.isLost]).toEqual([record.id, !wasSeenToEnd]);
              const begun = expected.submitted!.height;
              const ended = expected.pruned?.height ?? asOf;
              expect([record.id, record.isComplete]).toEqual([
                record.id,
                expected.isComplete && ranges.some((range) => range.base < begun && ended <= range.to),
              ]);
              if (!record.isComplete) continue;
              expect(record).toEqual(expected);
              expect(everyVote[index]!.items).toEqual(truth.votes(record.id));
            }
            for (const proposal of truth.proposals) {
              const expected = truth.record(proposal);
              if (expected.pruned !== null) continue;
              const record = shown.get(proposal.id);
              expect([proposal.id, record?.status, record?.executorResult]).toEqual([
                proposal.id,
                expected.status,
                expected.executorResult,
              ]);
              if (expected.close !== null) continue;
              const votes = everyVote[page.items.indexOf(record!)]!.items;
              const order = (one: { voter: string }, other: { voter: string }) => (one.voter < other.voter ? -1 : 1);
              expect(votes.map(cast).toSorted(order)).toEqual(truth.votes(proposal.id).map(cast).toSorted(order));
            }
          }
          await archive.close();
        }),
        { numRuns: 100 },
      );
    },
  );
});
