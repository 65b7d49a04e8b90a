import { expect, it, onTestFinished } from 'vitest';
import { createOpenSet } from '../../src/archive/recording/source.ts';
import { sqliteArchive } from '../support/archive/databases.ts';
import { hashAt, simulate } from '../support/archive/simulation.ts';
import { runsAll, seed } from '../support/atRandom.ts';

it.runIf(runsAll)('the proposals of a stream of blocks are as the archive stores them', async () => {
  const blocks = simulate(seed, 80);
  const archive = await sqliteArchive();
  onTestFinished(() => archive.close());
  const nothing = async (): Promise<void> => undefined;
  await archive.begin({ height: 1n, hash: hashAt(1n), facts: blocks[0]!.start });
  const stream = await createOpenSet(archive.read, 1n, nothing);
  const ids = new Set<bigint>();
  let votes = 0;
  for (const block of blocks.slice(1)) {
    const stored = (await createOpenSet(archive.read, block.height - 1n, nothing)).before(block.height);
    const kept = stream.before(block.height);
    expect(await kept.open(block.height)).toEqual(await stored.open(block.height));
    for (const id of ids) {
      const proposal = await kept.proposal(id);
      votes += proposal?.votes.length ?? 0;
      expect(proposal).toEqual(await stored.proposal(id));
    }
    stream.apply(block.facts);
    await archive.record(block);
    for (const fact of block.facts) if (fact.kind === 'proposal') ids.add(fact.id);
  }
  expect(votes).toBeGreaterThan(50);
});

it('a proposal that is not kept is read after its facts are stored', async () => {
  const blocks = simulate(seed, 80);
  const archive = await sqliteArchive();
  onTestFinished(() => archive.close());
  await archive.begin({ height: 1n, hash: hashAt(1n), facts: blocks[0]!.start });
  let waits = 0;
  const stream = await createOpenSet(archive.read, 1n, async () => {
    waits += 1;
  });
  // The archive may know the group of the proposal, which its fact does not name.
  const fact = blocks.flatMap(({ facts }) => facts).find((each) => each.kind === 'proposal')!;
  stream.apply([{ ...fact, groupId: null }]);
  expect(await stream.before(3n).proposal(fact.id)).toBeNull();
  expect(waits).toBe(1);
  await stream.before(3n).proposal(fact.id + 1_000n);
  expect(waits).toBe(1);
});
