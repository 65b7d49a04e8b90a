import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStore } from '../../src/archive/postgres/store.ts';
import {
  type Recording,
  type RecordingOptions,
  type RecordingStatus,
  startRecording,
} from '../../src/archive/recording/recording.ts';
import { openSqlite } from '../../src/archive/sqlite/connection.ts';
import { createSqliteStore } from '../../src/archive/sqlite/store.ts';
import type { ArchiveStore } from '../../src/archive/store/archiveStore.ts';
import { createArchiveReader } from '../../src/archive/store/reader.ts';
import { placedTables, schemaVersion } from '../../src/archive/store/schema.ts';
import { expectedRecordsOf } from '../support/archive/expectedRecords.ts';
import { hasPostgres, type PostgresServer, postgresNote, startPostgres } from '../support/archive/postgres.ts';
import { createSimulatedSource, type SimulatedSource } from '../support/archive/simulatedSource.ts';
import { simulate } from '../support/archive/simulation.ts';
import { runsAll, seed } from '../support/atRandom.ts';

/** The number of simulated blocks: more than the small file of the test of a full disk can hold. */
const length = runsAll ? 500 : 250;
const blocks = simulate(seed, length);
const directory = mkdtempSync(join(tmpdir(), 'stele-recording-'));
const stops: (() => Promise<unknown>)[] = [];
let files = 0;

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const newFile = (): string => join(directory, `${files++}.db`);

function sqliteStore(file: string, maxPages?: number): ArchiveStore {
  const store = createSqliteStore({ file, chainId: 'test-1', maxPages });
  stops.push(store.close);
  return store;
}

interface Run extends Recording {
  readonly statuses: RecordingStatus[];
  readonly lines: string[];
  readonly audits: bigint[];
}

function record(store: ArchiveStore, source: SimulatedSource, options: Partial<RecordingOptions> = {}): Run {
  const statuses: RecordingStatus[] = [];
  const lines: string[] = [];
  const audits: bigint[] = [];
  const recording = startRecording({
    store,
    source,
    from: undefined,
    backoff: 10,
    longestBackoff: 50,
    catchUp: 10n,
    chunk: 15n,
    log: {
      status: (status) => void statuses.push(status),
      backfill: (line) => void lines.push(line),
      audit: (id) => void audits.push(id),
    },
    ...options,
  });
  stops.push(recording.stop);
  return { ...recording, statuses, lines, audits };
}

const heights = (store: ArchiveStore) => store.coverage().ranges.map(({ base, to }) => [base, to]);
const covers = (store: ArchiveStore, ...ranges: (readonly [bigint, bigint])[]) =>
  expect.poll(() => heights(store)).toEqual(ranges);

/** Expects that the archive equals one that recorded every block above `base` in order. */
async function expectWhole(store: ArchiveStore, base: bigint, to: bigint): Promise<void> {
  await covers(store, [base, to]);
  const start = blocks[Number(base) - 1]!.start;
  const facts = [...start, ...blocks.slice(Number(base), Number(to)).flatMap((block) => block.facts)];
  const expected = expectedRecordsOf(facts, to);
  const reader = createArchiveReader(store, 'GOVERNANCE');
  expect((await reader.recordPage({}, { first: 1000, reverse: false, count: true }, to)).items.map(({ id }) => id)).toEqual(
    expected.proposals.map(({ id }) => id),
  );
  expect(await reader.stats()).toMatchObject({ ...expected.stats, coverage: [{ from: base + 1n, to }] });
  for (const table of placedTables) {
    const [row] = await store.read(
      `SELECT CAST(COALESCE(sum(total), 0) AS BIGINT) AS counted, (SELECT count(*) FROM ${table} WHERE height IS NOT NULL) AS stored
         FROM row_counts WHERE name = ?`,
      [table],
    );
    expect(row!.counted, table).toBe(row!.stored);
  }
}

describe('recording', () => {
  it('begins a range at the newest block, follows the chain and continues after a restart', async () => {
    const file = newFile();
    const source = createSimulatedSource(blocks);
    const store = sqliteStore(file);
    const first = record(store, source);
    source.moveTo(40n);
    await covers(store, [40n, 40n]);
    source.moveTo(55n);
    await covers(store, [40n, 55n]);
    expect(first.lag()).toBe(0n);
    await first.stop();
    await store.close();
    source.moveTo(60n);
    const again = sqliteStore(file);
    record(again, source);
    await expectWhole(again, 40n, 60n);
    expect(source.starts).toEqual([40n]);
  });

  it.runIf(runsAll)(
    'shows what is left to fill in before the work begins, and says why coverage begins at block 2',
    async () => {
      const source = createSimulatedSource(blocks);
      source.moveTo(40n);
      const views: ReturnType<Recording['backfill']>[] = [];
      const start: SimulatedSource['start'] = (height, signal) => {
        views.push(run.backfill());
        return source.start(height, signal);
      };
      const store = sqliteStore(newFile());
      const run = record(store, { ...source, start }, { from: 1n });
      await covers(store, [1n, 40n]);
      const left = { from: 2n, to: 40n, next: 26n, blocksPerSecond: 0, secondsLeft: null };
      // The state of block 40, and then that of the base of the first piece.
      expect(views.slice(0, 2)).toEqual([left, left]);
      await expect.poll(run.backfill).toBeNull();
      expect(run.lines[0]).toMatch(/^backfill: coverage begins at block 2, because/);
    },
  );

  it.runIf(runsAll)('ends when it is stopped while it compares its blocks with the chain', async () => {
    const source = createSimulatedSource(blocks);
    source.moveTo(40n);
    const store = sqliteStore(newFile());
    const first = record(store, source);
    await covers(store, [40n, 40n]);
    source.moveTo(45n);
    await covers(store, [40n, 45n]);
    await first.stop();
    const stopping: Promise<void>[] = [];
    const second = record(store, {
      ...source,
      hashAt(height, signal) {
        stopping.push(second.stop());
        return source.hashAt(height, signal);
      },
    });
    await expect.poll(() => stopping.length).toBeGreaterThan(0);
    await Promise.all(stopping);
    expect(second.statuses).toEqual([]);
  });

  it.runIf(runsAll)('fills in older blocks down to a height, newest first, and what was missed while it was away', async () => {
    const file = newFile();
    const source = createSimulatedSource(blocks);
    source.moveTo(50n);
    const store = sqliteStore(file);
    const first = record(store, source, { from: 5n });
    await expectWhole(store, 4n, 50n);
    expect(source.starts).toEqual([50n, 35n, 20n, 5n, 4n]);
    expect(first.backfill()).toBeNull();
    await first.stop();
    await store.close();
    source.moveTo(110n);
    const again = sqliteStore(file);
    const second = record(again, source);
    await expectWhole(again, 4n, 110n);
    const differing = blocks
      .slice(4, 110)
      .flatMap(({ facts }) => facts)
      .flatMap((fact) => (fact.kind === 'close' && fact.computed?.yesCount === '77' ? [fact.proposalId] : []));
    expect(differing).not.toEqual([]);
    expect([...first.audits, ...second.audits].toSorted()).toEqual(differing.toSorted());
    expect((await createArchiveReader(again, 'GOVERNANCE').stats()).auditFailures).toBe(BigInt(differing.length));
    expect(source.starts.slice(5)).toEqual([110n, 95n, 80n, 65n]);
  });

  it.runIf(runsAll)('stops filling in where the nodes have no older state', async () => {
    const source = createSimulatedSource(blocks);
    source.moveTo(60n);
    source.prune(33n);
    const store = sqliteStore(newFile());
    const recording = record(store, source, { from: 5n });
    await expectWhole(store, 33n, 60n);
    await expect
      .poll(() => recording.lines)
      .toEqual(['backfill: the nodes have no state below height 33; blocks 5 to 33 stay unrecorded']);
    expect(recording.backfill()).toBeNull();
    expect(recording.status().state).toBe('RECORDING');
  });

  it.runIf(runsAll)('pauses on a full disk, with one line, and continues without a gap when there is space again', async () => {
    const file = newFile();
    const source = createSimulatedSource(blocks);
    source.moveTo(20n);
    const small = sqliteStore(file, 100);
    const recording = record(small, source);
    await covers(small, [20n, 20n]);
    source.moveTo(BigInt(length));
    await expect.poll(() => recording.status().trouble).toBe('ARCHIVE_FULL');
    const reached = small.coverage().ranges[0]!.to;
    expect(reached).toBeLessThan(BigInt(length));
    expect(recording.statuses.filter(({ trouble }) => trouble === 'ARCHIVE_FULL')[0]).toEqual({
      state: 'PAUSED',
      trouble: 'ARCHIVE_FULL',
      message: 'the disk or the database file is full',
      absent: [],
    });
    // What is recorded can be read meanwhile.
    const reader = createArchiveReader(small, 'GOVERNANCE');
    expect((await reader.recordPage({}, { first: 1, reverse: false, count: false }, reached)).items).toHaveLength(1);
    await recording.stop();
    await small.close();
    const large = sqliteStore(file);
    record(large, source, { catchUp: BigInt(length) });
    await expectWhole(large, 20n, BigInt(length));
  });

  it.runIf(runsAll)(
    'pauses while the file cannot be written, and fills in afterwards',
    async () => {
      const file = newFile();
      const source = createSimulatedSource(blocks);
      source.moveTo(20n);
      const store = sqliteStore(file);
      const recording = record(store, source);
      await covers(store, [20n, 20n]);
      // Another process holds the lock for longer than a statement waits.
      const other = openSqlite(file);
      other.runNow('BEGIN IMMEDIATE', []);
      source.moveTo(60n);
      await expect.poll(() => recording.status().trouble, { timeout: 15_000 }).toBe('ARCHIVE_DATABASE');
      other.runNow('ROLLBACK', []);
      other.close();
      await expectWhole(store, 20n, 60n);
      expect(recording.status()).toEqual({ state: 'RECORDING', trouble: undefined, message: undefined, absent: [] });
    },
    180_000,
  );

  it.runIf(runsAll)("stops at another chain's block and overwrites nothing", async () => {
    const file = newFile();
    const source = createSimulatedSource(blocks);
    source.moveTo(20n);
    const store = sqliteStore(file);
    const first = record(store, source);
    await covers(store, [20n, 20n]);
    source.moveTo(30n);
    await covers(store, [20n, 30n]);
    await first.stop();
    await store.close();
    const other = createSimulatedSource(blocks, 'B');
    other.moveTo(35n);
    const again = sqliteStore(file);
    const recording = record(again, other);
    await expect
      .poll(() => recording.status())
      .toEqual({
        state: 'STOPPED',
        trouble: 'ARCHIVE_OTHER_CHAIN',
        message: 'the nodes serve another chain than the archive recorded: block 30 has the hash B0000001E, not A0000001E',
        absent: [],
      });
    expect(recording.statuses).toHaveLength(1);
    expect(heights(again)).toEqual([[20n, 30n]]);
  });

  it('stops when the chain is reset', async () => {
    const source = createSimulatedSource(blocks);
    source.moveTo(20n);
    const store = sqliteStore(newFile());
    const recording = record(store, source);
    await covers(store, [20n, 20n]);
    source.reset();
    source.moveTo(30n);
    expect(recording.status()).toMatchObject({ state: 'STOPPED', trouble: 'ARCHIVE_OTHER_CHAIN' });
    await recording.stop();
    expect(heights(store)).toEqual([[20n, 20n]]);
  });

  it('reports the modules that the chain does not have, until an upgrade adds them', async () => {
    const source = createSimulatedSource(blocks);
    source.upgrade(['cosmos.group.v1']);
    source.moveTo(5n);
    const run = record(sqliteStore(newFile()), source);
    await expect.poll(() => run.status()).toMatchObject({ state: 'RECORDING', absent: ['cosmos.group.v1'] });
    source.upgrade([]);
    await expect.poll(() => run.status()).toMatchObject({ state: 'RECORDING', absent: [] });
    expect(run.statuses.map(({ state, absent }) => [state, absent])).toEqual([
      ['RECORDING', ['cosmos.group.v1']],
      ['RECORDING', []],
    ]);
  });

  it.runIf(runsAll)('does not open an archive of a newer version or of another chain', async () => {
    const file = newFile();
    const source = createSimulatedSource(blocks);
    source.moveTo(20n);
    const store = sqliteStore(file);
    const first = record(store, source);
    await covers(store, [20n, 20n]);
    await first.stop();
    await store.close();
    const database = openSqlite(file);
    database.runNow("UPDATE meta SET value = '99' WHERE name = 'schema_version'", []);
    database.close();
    const newer = record(sqliteStore(file), source);
    await expect
      .poll(() => newer.status())
      .toEqual({
        state: 'STOPPED',
        trouble: 'ARCHIVE_MISMATCH',
        absent: [],
        message: `the archive has version 99; this server supports versions up to ${schemaVersion}`,
      });
    const store2 = createSqliteStore({ file, chainId: 'other-1' });
    stops.push(store2.close);
    const other = record(store2, source);
    await expect.poll(() => other.status().message).toBe('the archive belongs to the chain test-1, not to other-1');
  });

  it.runIf(runsAll)('waits until a height is held', async () => {
    const source = createSimulatedSource(blocks);
    source.moveTo(20n);
    const store = sqliteStore(newFile());
    record(store, source);
    const reader = createArchiveReader(store, 'GOVERNANCE');
    await reader.waitFor(20n, { milliseconds: 30_000 });
    const later = reader.waitFor(25n, { milliseconds: 30_000 });
    await expect(reader.waitFor(26n, { milliseconds: 1 })).rejects.toMatchObject({ code: 'HEIGHT_NOT_YET_AVAILABLE' });
    await expect(reader.waitFor(19n, { milliseconds: 30_000 })).rejects.toMatchObject({ code: 'HEIGHT_NOT_YET_AVAILABLE' });
    source.moveTo(25n);
    await later;
    expect(reader.holding(25n)).toBe('HELD');
  });

  it('rejects reads before the file is there', async () => {
    const file = newFile();
    const reader = createArchiveReader(sqliteStore(file), 'GOVERNANCE');
    await expect(reader.records([1n], 1n)).rejects.toMatchObject({ name: 'ArchiveUnavailable' });
    expect(existsSync(file)).toBe(false);
  });
});

describe.skipIf(!hasPostgres)(`recording in PostgreSQL${postgresNote}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  function postgresStore(url: string): ArchiveStore {
    const store = createPostgresStore({ url, chainId: 'test-1', pollInterval: 20 });
    stops.push(store.close);
    return store;
  }

  it.runIf(runsAll)('has one writer; another server takes over when it ends, without a gap, and all read', async () => {
    const url = await server.database();
    const source = createSimulatedSource(blocks);
    source.moveTo(20n);
    const [one, two] = [postgresStore(url), postgresStore(url)];
    const first = record(one, source);
    await covers(one, [20n, 20n]);
    const second = record(two, source);
    await expect.poll(() => second.status().state).toBe('STANDBY');
    source.moveTo(40n);
    await covers(one, [20n, 40n]);
    await covers(two, [20n, 40n]);
    await first.stop();
    await one.close();
    source.moveTo(60n);
    await expectWhole(two, 20n, 60n);
    expect(second.status().state).toBe('RECORDING');
  });

  it('survives a crash of the database, and fills in what was missed', async () => {
    const url = await server.database();
    const source = createSimulatedSource(blocks);
    source.moveTo(20n);
    const store = postgresStore(url);
    const recording = record(store, source);
    await covers(store, [20n, 20n]);
    source.moveTo(30n);
    await covers(store, [20n, 30n]);
    await server.crash();
    source.moveTo(70n);
    await expect.poll(() => recording.status().trouble).toBe('ARCHIVE_DATABASE');
    await expect(createArchiveReader(store, 'GOVERNANCE').records([1n], 30n)).rejects.toMatchObject({
      name: 'ArchiveUnavailable',
    });
    await server.start();
    await expectWhole(store, 20n, 70n);
    expect(recording.status().state).toBe('RECORDING');
  });
});
