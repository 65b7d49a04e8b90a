import { describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresStore } from '../../src/archive/postgres/store.ts';
import { electorKey, type ProposalRecordFilter, recordKey, voteKey } from '../../src/archive/records.ts';
import { type ArchiveReader, createArchiveReader, type RecordPageRequest } from '../../src/archive/store/reader.ts';
import type { Page } from '../../src/reads/page.ts';
import { type PlainArchive, postgresArchive, sqliteArchive } from '../support/archive/databases.ts';
import { type ExpectedRecords, expectedRecordsOf } from '../support/archive/expectedRecords.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { recordAtRandom } from '../support/archive/recordAtRandom.ts';
import { accounts, createDice, type Dice, messageTypes, type SimulatedBlock, simulate } from '../support/archive/simulation.ts';
import { fc, rounds } from '../support/atRandom.ts';

const all: RecordPageRequest = { first: 1_000, reverse: false, count: false };

function randomFilter(dice: Dice, blocks: readonly SimulatedBlock[]): ProposalRecordFilter {
  const some = <T>(make: () => T): T | undefined => (dice.chance(0.25) ? make() : undefined);
  const time = (): bigint => dice.pick(blocks).time + BigInt(dice.roll(3) - 1);
  return {
    groupId: some(() => BigInt(1 + dice.roll(4))),
    groupPolicyAddress: some(() => `policy${1 + dice.roll(5)}`),
    groupPolicyAddresses: some(() => Array.from({ length: dice.roll(4) }, () => `policy${1 + dice.roll(5)}`)),
    closed: some(() => dice.chance(0.5)),
    proposer: some(() => dice.pick(accounts)),
    voter: some(() => dice.pick(accounts)),
    missedBy: some(() => dice.pick(accounts)),
    status: some(() => [1, 2, 3, 4, 5].filter(() => dice.chance(0.4))),
    executorResult: some(() => [1, 2, 3].filter(() => dice.chance(0.5))),
    messageType: some(() => dice.pick([...messageTypes, '/none'])),
    submittedFrom: some(time),
    submittedTo: some(() => (dice.chance(0.1) ? 10n ** 25n : time())),
  };
}

/** Reads a list page by page in both directions and compares it with the whole list. */
async function expectPages<T>(
  expected: readonly T[],
  keyOf: (item: T) => Uint8Array,
  size: number,
  read: (page: RecordPageRequest) => Promise<Page<T>>,
): Promise<void> {
  for (const reverse of [false, true]) {
    const items: T[] = [];
    for (;;) {
      const last = items.at(-1);
      const page = await read({
        first: size,
        reverse,
        count: true,
        ...(last !== undefined && { after: { key: keyOf(last), place: undefined } }),
      });
      expect(page.total).toBe(BigInt(expected.length));
      items.push(...page.items);
      expect(page.hasNext).toBe(items.length < expected.length);
      if (!page.hasNext) break;
    }
    const ordered = reverse ? expected.toReversed() : expected;
    expect(items).toEqual(ordered);
    // Pages by offset, also one past the end.
    for (let offset = 0; offset <= expected.length; offset += size + 1) {
      const page = await read({ first: size, reverse, count: false, offset: BigInt(offset) });
      expect(page.items).toEqual(ordered.slice(offset, offset + size));
      expect([page.hasPrevious, page.hasNext]).toEqual([offset > 0, offset + size < expected.length]);
    }
  }
}

/** Compares every read as of a height. */
async function expectReads(
  reader: ArchiveReader,
  expected: ExpectedRecords,
  asOf: bigint,
  dice: Dice,
  blocks: readonly SimulatedBlock[],
): Promise<void> {
  const { proposals } = expected;
  const records = (
    await reader.records(
      proposals.map(({ id }) => id),
      asOf,
    )
  ).map((record) => record!);
  expect(records).toEqual(proposals.map(expected.record));
  // The databases hold no id above 2^63 - 1. It hides no other one.
  expect(await reader.records([9_999n, 2n ** 64n - 1n, ...proposals.slice(0, 1).map(({ id }) => id)], asOf)).toEqual([
    ...[null, null],
    ...records.slice(0, 1),
  ]);
  expect((await reader.recordPage({ groupId: 2n ** 64n - 1n }, all, asOf)).items).toEqual([]);
  expect(await reader.tallies(records)).toEqual(proposals.map(expected.tally));
  expect((await reader.votes(records, all)).map(({ items }) => items)).toEqual(proposals.map(({ id }) => expected.votes(id)));
  const voted = dice.pick([undefined, true, false]);
  expect((await reader.electorate(records, all, voted)).map((page) => page?.items ?? null)).toEqual(
    proposals.map((proposal) => expected.electors(proposal, voted)),
  );
  const voter = dice.pick(accounts);
  expect(await reader.votesOf(records, voter)).toEqual(
    proposals.map(({ id }) => expected.votes(id).find((vote) => vote.voter === voter) ?? null),
  );
  expect(await reader.executions(records)).toEqual(proposals.map(({ id }) => expected.executions(id)));
  expect(await reader.changes(records)).toEqual(proposals.map(expected.changes));
  for (const filter of [{}, randomFilter(dice, blocks), randomFilter(dice, blocks), randomFilter(dice, blocks)])
    await expectPages(expected.page(filter), recordKey, 1 + dice.roll(8), (page) => reader.recordPage(filter, page, asOf));
  const account = dice.pick(accounts);
  await expectPages(expected.votesByAccount(account), voteKey, 1 + dice.roll(8), (page) =>
    reader.votesByAccount(account, page, asOf),
  );
  if (records.length > 0) {
    const record = dice.pick(records);
    const proposal = proposals.find(({ id }) => id === record.id)!;
    const size = 1 + dice.roll(3);
    await expectPages(expected.votes(record.id), voteKey, size, async (page) => (await reader.votes([record], page))[0]!);
    const electors = expected.electors(proposal, voted);
    if (electors !== null)
      await expectPages(electors, electorKey, size, async (page) => (await reader.electorate([record], page, voted))[0]!);
    const [history] = await reader.tallyHistory([record], 500);
    expect(history?.at(-1)?.tally ?? null).toEqual(
      electors === null || expected.votes(record.id).length === 0 ? null : await openTally(reader, record),
    );
  }
  const [groupId, last] = [BigInt(1 + dice.roll(4)), 1 + dice.roll(10)];
  expect(await reader.participation(groupId, last, asOf)).toEqual(expected.participation(groupId, last));
}

/** The tally that the votes of a record have at the weights of its electorate. */
async function openTally(reader: ArchiveReader, record: Parameters<ArchiveReader['tallies']>[0][number]) {
  const [tally] = await reader.tallies([{ ...record, close: null }]);
  return tally;
}

async function expectHistory(archive: PlainArchive, seed: number, length: number): Promise<void> {
  const dice = createDice(seed + 1);
  const blocks = simulate(seed, length);
  await recordAtRandom(archive, blocks, dice);
  const reader = createArchiveReader(archive, 'GOVERNANCE');
  const facts = blocks.flatMap((block) => block.facts);
  for (const asOf of [0n, BigInt(length), ...Array.from({ length: 4 }, () => BigInt(1 + dice.roll(length)))]) {
    expect(reader.holding(asOf)).toBe('HELD');
    await expectReads(reader, expectedRecordsOf(facts, asOf), asOf, dice, blocks);
  }
  expect(await reader.stats()).toMatchObject({
    ...expectedRecordsOf(facts, BigInt(length)).stats,
    coverage: [{ from: 1n, to: BigInt(length) }],
  });
}

describe('the queries of an archive in SQLite', () => {
  it('equal a plain evaluation of the same facts as of any height, in whatever order blocks were recorded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const archive = await sqliteArchive();
        await expectHistory(archive, seed, 60);
        await archive.close();
      }),
      { numRuns: rounds(rounds(48)) },
    );
  });
});

describe.skipIf(!hasPostgres)(`the queries of an archive in PostgreSQL${postgresNote}`, () => {
  it('equal a plain evaluation of the same facts as of any height, in whatever order blocks were recorded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const archive = await postgresArchive();
        await expectHistory(archive, seed, 60);
        await archive.close();
      }),
      { numRuns: rounds(rounds(12)) },
    );
  });

  it('are prepared once for each connection if they are short, and a connection with many of them is replaced', async () => {
    const url = await emptyDatabase();
    const store = createPostgresStore({ url, chainId: 'test-1', pollInterval: 3_600_000 });
    onTestFinished(store.close);
    const counting = 'SELECT CAST(count(*) AS INT) AS prepared, pg_backend_pid() AS process FROM pg_prepared_statements';
    const [first] = await store.read(counting, []);
    for (let time = 0; time < 3; time++) expect(await store.read(counting, [])).toEqual([{ ...first, prepared: 1n }]);
    expect(await store.scan(`${counting} WHERE 1 = ?`, [1n])).toEqual([{ ...first, prepared: 1n }]);
    for (let statement = 0; statement < 100; statement++) await store.read(`SELECT ${statement} AS number`, []);
    const [other] = await store.read(counting, []);
    expect(other).toEqual({ prepared: 1n, process: expect.not.toBeOneOf([first!.process]) });

    const table = 'SELECT * FROM changed';
    await store.scan('CREATE SCHEMA stele_test_1', []);
    await store.scan('CREATE TABLE changed AS SELECT 1 AS one', []);
    expect(await store.read(table, [])).toEqual([{ one: 1n }]);
    await store.scan('ALTER TABLE changed ADD COLUMN two INT DEFAULT 2', []);
    await expect(store.read(table, [])).rejects.toThrow('cached plan');
    expect(await store.read(table, [])).toEqual([{ one: 1n, two: 2n }]);
  });
});
