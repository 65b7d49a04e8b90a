import { afterAll, beforeAll, expect, it } from 'vitest';
import { integerAt } from '../../src/archive/database/database.ts';
import { type ProposalRecordFilter, recordKey } from '../../src/archive/records.ts';
import { createArchiveReader } from '../../src/archive/store/reader.ts';
import { type PlainArchive, sqliteArchive } from '../support/archive/databases.ts';
import { longHistory, longTimeAt } from '../support/archive/longHistory.ts';
import { some } from '../support/atRandom.ts';

/** Proposals of the two archives. A page must not take longer in the one that is four times as long. */
const [short, long] = [400, 1_600];

const archives = new Map<number, PlainArchive>();
beforeAll(async () => {
  for (const proposals of [short, long]) {
    const archive = await sqliteArchive();
    archives.set(proposals, archive);
    await archive.begin({ height: 1n, hash: 'H1', facts: [] });
    for (const block of longHistory(proposals)) await archive.record(block);
  }
});
afterAll(() => Promise.all([...archives.values()].map((archive) => archive.close())));

/** The filters of an archive of this length. Group 1 has two of five proposals; few are rejected, have failed or are open. */
function filtersOf(proposals: number): Readonly<Record<string, ProposalRecordFilter>> {
  const [rejected, none] = [{ status: [3] }, { status: [5] }];
  const middle = BigInt(proposals / 2);
  const time = { submittedFrom: longTimeAt(middle - 20n), submittedTo: longTimeAt(middle + 20n) };
  const group = { groupId: 1n };
  const policy = { groupPolicyAddress: 'policy1' };
  const messageType = { messageType: '/x.Common' };
  return {
    'no filter': {},
    accepted: { status: [2] },
    rejected,
    open: { status: [1] },
    'a status of none': none,
    success: { executorResult: [2] },
    failure: { executorResult: [3] },
    group,
    'group, rejected': { ...group, ...rejected },
    'group, accepted': { ...group, status: [2] },
    'group, open or rejected': { ...group, status: [1, 3] },
    'group, a status of none': { ...group, ...none },
    'group, failure': { ...group, executorResult: [3] },
    'group, time': { ...group, ...time },
    policy,
    'policy, rejected': { ...policy, ...rejected },
    'policy, time': { ...policy, ...time },
    voter: { voter: 'alice' },
    'voter, time': { voter: 'alice', ...time },
    'voter, rejected': { voter: 'alice', ...rejected },
    'voter, failure': { voter: 'alice', executorResult: [3] },
    proposer: { proposer: 'alice' },
    'proposer, rejected': { proposer: 'alice', ...rejected },
    'message type': messageType,
    'message type, rejected': { ...messageType, ...rejected },
    'message type, time': { ...messageType, ...time },
    time,
    'time from': { submittedFrom: time.submittedFrom },
    'time to': { submittedTo: time.submittedTo },
    'time, rejected': { ...time, ...rejected },
    'time, a status of none': { ...time, ...none },
  };
}

/** Steps of the virtual machine of SQLite that all statements of a connection have taken. Each row that a statement reads takes some. */
async function stepsOf({ connection }: PlainArchive): Promise<number> {
  // Without this statement itself.
  const [row] = await connection.run("SELECT sum(nstep) AS steps FROM sqlite_stmt WHERE sql NOT LIKE '%sqlite_stmt%'", []);
  return Number(integerAt(row!, 'steps'));
}

/** What a page may ask for besides its filter. */
interface PageOf {
  readonly from: 'the end' | 'the middle';
  readonly reverse: boolean;
  readonly asOf: 'now' | 'the middle';
}

async function stepsOfPage(proposals: number, name: string, { from, reverse, asOf }: PageOf): Promise<number> {
  const archive = archives.get(proposals)!;
  const reader = createArchiveReader(archive, 'GOVERNANCE');
  const last = archive.coverage().ranges.at(-1)!.to;
  const after = { key: recordKey({ id: BigInt(proposals / 2) }), place: undefined };
  const page = { first: 20, reverse, count: false, ...(from === 'the middle' && { after }) };
  const before = await stepsOf(archive);
  await reader.recordPage(filtersOf(proposals)[name]!, page, asOf === 'now' ? last : last / 2n);
  return (await stepsOf(archive)) - before;
}

/** As of a past height, everything that was open then is searched among what was closed since. */
const isOfThePresent = (name: string): boolean => name.includes('open');

const pages: readonly PageOf[] = (['the end', 'the middle'] as const).flatMap((from) =>
  [false, true].flatMap((reverse) => (['now', 'the middle'] as const).map((asOf) => ({ from, reverse, asOf }))),
);

/** Pages that pass over every row of an account. Each row that has another outcome takes one search in an index. */
const passOver = ['voter, rejected', 'voter, failure', 'proposer, rejected'];

it.each(passOver)('a page of records does not read the proposals of an account that have other outcomes: %s', async (name) => {
  for (const page of pages) {
    const [few, many] = [await stepsOfPage(short, name, page), await stepsOfPage(long, name, page)];
    expect((many - few) / (long - short), JSON.stringify(page)).toBeLessThan(16);
  }
});

const others = Object.keys(filtersOf(short)).filter((name) => !passOver.includes(name));

it.each(some(others, 3))('a page of records does not read the whole list: %s', async (name) => {
  for (const page of pages) {
    if (page.asOf === 'the middle' && isOfThePresent(name)) continue;
    const [few, many] = [await stepsOfPage(short, name, page), await stepsOfPage(long, name, page)];
    expect(few).toBeGreaterThan(0);
    expect(many / few, JSON.stringify(page)).toBeLessThan(1.25);
  }
});
