import { expect, it } from 'vitest';
import type { Fact, Place, RecordedMember } from '../../src/archive/facts.ts';
import { createArchiveReader } from '../../src/archive/store/reader.ts';
import { type PlainArchive, postgresArchive, sqliteArchive } from '../support/archive/databases.ts';
import { hasPostgres, postgresNote } from '../support/archive/postgres.ts';

const place = (height: bigint, order = 0): Place => ({ height, order, time: height * 1_000n, hash: `H${height}` });

function group(version: bigint, at: Place, members: readonly RecordedMember[]): Fact {
  const common = {
    at,
    change: version === 1n ? 'created' : 'members',
    account: 'tp1admin',
    admin: 'tp1admin',
    metadata: '',
  } as const;
  return { kind: 'group', ...common, groupId: 1n, version, totalWeight: '10', members };
}

const member = (address: string, weight: string): RecordedMember => ({ address, weight, metadata: '' });

const vote = (voter: string, option: number, at: Place): Fact => ({
  ...{ kind: 'vote', proposalId: 1n, voter, option, metadata: '', at, origin: 'MESSAGE' },
});

const proposal: Fact = {
  ...{ kind: 'proposal', id: 1n, groupPolicyAddress: 'tp1policy', groupId: 1n, groupVersion: 1n, groupPolicyVersion: 1n },
  ...{
    title: '',
    summary: '',
    metadata: '',
    messages: [],
    proposers: ['tp1a'],
    submitTime: 2_000n,
    votingPeriodEnd: 9_000_000n,
  },
  submitted: place(2n),
};

/** The facts of the blocks from 2 on. */
const blocks: readonly (readonly Fact[])[] = [
  [group(1n, place(2n), [member('tp1a', '0.1'), member('tp1b', '0.2'), member('tp1c', '3')]), proposal],
  [vote('tp1a', 1, place(3n)), vote('tp1b', 1, place(3n, 1))],
  [],
  [vote('tp1c', 3, place(5n))],
  [group(2n, place(6n), [member('tp1a', '5'), member('tp1c', '3')])],
];

async function expectRunningSums(archive: PlainArchive): Promise<void> {
  await archive.begin({ height: 1n, hash: 'B1', facts: [] });
  const reader = createArchiveReader(archive, 'GOVERNANCE');
  async function read(asOf: bigint) {
    const [record] = await reader.records([1n], asOf);
    const before = archive.queries();
    const [tally] = await reader.tallies([record!]);
    return [tally?.yesCount, tally?.noCount, archive.queries() - before];
  }
  const seen: unknown[] = [];
  for (const [index, facts] of blocks.entries()) {
    const height = BigInt(index + 2);
    await archive.record({ height, hash: `B${height}`, previousHash: `B${height - 1n}`, facts });
    seen.push(await read(height));
  }
  // 0.1 and 0.2 are 0.3. A member that has left does not count, and the others have their present weights.
  expect(seen).toEqual([
    ['0', '0', 1],
    ['0.3', '0', 1],
    ['0.3', '0', 1],
    ['0.3', '3', 1],
    ['5', '3', 1],
  ]);
  // Nothing is read again at the newest height, and an older height has its own sums.
  expect([await read(6n), await read(4n), await read(6n)]).toEqual([
    ['5', '3', 0],
    ['0.3', '0', expect.any(Number)],
    ['5', '3', 0],
  ]);
  await archive.close();
}

it('the tally of an open proposal follows votes, members and heights, with one short statement for a new height: SQLite', async () => {
  await expectRunningSums(await sqliteArchive());
});

it.runIf(hasPostgres)(`the same in PostgreSQL${postgresNote}`, async () => {
  await expectRunningSums(await postgresArchive());
});
