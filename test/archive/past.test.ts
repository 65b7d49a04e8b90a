import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStoredArchive } from '../../scripts/archive/storedArchive.ts';
import type { Row, Sql } from '../../src/archive/database/database.ts';
import { createArchivedPast } from '../../src/archive/setup/keptPast.ts';
import {
  aroundQuery,
  runIn,
  runsQuery,
  type StoreRun,
  storeRuns,
  storeTimes,
  timeIn,
  timeQuery,
} from '../../src/archive/store/past.ts';
import type { BlockTime } from '../../src/chain/past/keptPast.ts';
import { StoreRuns } from '../../src/chain/past/storeRuns.ts';
import { type PlainArchive, postgresArchive, sqliteArchive } from '../support/archive/databases.ts';
import { hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { fc, rounds } from '../support/atRandom.ts';

const rootOf = (index: number): string => index.toString(16).padStart(64, '0');

/** Roots of a store at each height, as a chain may have them: of a large tree none comes back. */
const histories = fc.array(fc.record({ length: fc.integer({ min: 1, max: 6 }), isSmall: fc.boolean() }), {
  minLength: 1,
  maxLength: 12,
});

/** The runs of a history, and the same in a random order as a recorder and histories may prove them: heights one by one, and some together. */
function runsOf(
  history: readonly { readonly length: number; readonly isSmall: boolean }[],
  store: string,
): readonly StoreRun[] {
  const runs: StoreRun[] = [];
  let first = 2n;
  for (const [index, { length, isSmall }] of history.entries()) {
    const last = first + BigInt(length) - 1n;
    // Every second small tree is the empty one.
    runs.push({ store, first, last, root: isSmall && index % 2 === 0 ? rootOf(1_000) : rootOf(index), isSmall });
    first = last + 1n;
  }
  return runs;
}

async function read(archive: PlainArchive, { text, values }: Sql): Promise<readonly Row[]> {
  return archive.connection.run(text, values);
}

const open = (make: () => Promise<PlainArchive>): Promise<PlainArchive> =>
  make().then((archive) => {
    onTestFinished(() => archive.close());
    return archive;
  });

function itKeepsThePast(make: () => Promise<PlainArchive>, count: number): void {
  it('keeps the runs of stores as they are in memory, in whatever order they come', async () => {
    const archive = await open(make);
    const order = fc.infiniteStream(fc.nat(1_000));
    await fc.assert(
      fc.asyncProperty(histories, histories, order, async (one, other, places) => {
        await archive.connection.run('DELETE FROM store_runs', []);
        const pieces: StoreRun[] = [];
        for (const run of [...runsOf(one, 'bank'), ...runsOf(other, 'group')])
          for (let height = run.first; height <= run.last; height += 1n) {
            const place = places.next().value ?? 0;
            // Some heights are never proven.
            if (place % 5 === 0) continue;
            pieces.splice(place % (pieces.length + 1), 0, { ...run, first: height, last: height });
          }
        const inMemory = new Map([
          ['bank', new StoreRuns()],
          ['group', new StoreRuns()],
        ]);
        for (const { store, ...run } of pieces) inMemory.get(store)!.add(run);
        for (let start = 0; start < pieces.length; start += 7)
          await storeRuns(archive.connection, pieces.slice(start, start + 7));
        for (const [name, runs] of inMemory) {
          const rows = await read(archive, runsQuery(name, 0n, 1_000n, 1_000));
          expect(rows.map(runIn)).toEqual(runs.all());
          const from = 2n + BigInt((places.next().value ?? 0) % 40);
          const later = (await read(archive, runsQuery(name, from, from + 5n, 2)))
            .map(runIn)
            .filter(({ last }) => last >= from);
          const expected = runs.all().filter(({ first, last }) => last >= from && first <= from + 5n);
          expect(later).toEqual(expected.slice(0, later.length));
          expect(later.length).toBeGreaterThanOrEqual(Math.min(expected.length, 1));
        }
      }),
      { numRuns: count },
    );
  });

  it('finds the blocks around a time, also between heights that are not kept', async () => {
    const archive = await open(make);
    const steps = fc.array(fc.record({ height: fc.integer({ min: 1, max: 400 }), time: fc.integer({ min: 1, max: 20 }) }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (each) => {
        await archive.connection.run('DELETE FROM block_times', []);
        const blocks: BlockTime[] = [];
        for (const { height, time } of each) {
          const last = blocks.at(-1) ?? { height: 0n, time: 0n };
          blocks.push({ height: last.height + BigInt(height), time: last.time + BigInt(time) });
        }
        await storeTimes(archive.connection, blocks);
        const end = blocks.at(-1)?.time ?? 3n;
        for (let time = 0n; time <= end + 1n; time += 1n + end / 40n) {
          const before = blocks.findLast((block) => block.time <= time);
          const after = blocks.find((block) => block.time > time);
          const expected = [before, after].filter((block) => block !== undefined);
          expect((await read(archive, aroundQuery(time))).map(timeIn)).toEqual(expected);
        }
        for (const block of blocks) expect((await read(archive, timeQuery(block.height))).map(timeIn)).toEqual([block]);
      }),
      { numRuns: count },
    );
  });
}

describe('the past in SQLite', () => itKeepsThePast(sqliteArchive, rounds(80)));
describe.runIf(hasPostgres)(`the past in PostgreSQL${postgresNote}`, () => itKeepsThePast(postgresArchive, rounds(20)));

describe('what is kept of the past', () => {
  const run = { first: 5n, last: 9n, root: rootOf(1), isSmall: false };

  function archivedPast(state: () => string, write: (runs: readonly StoreRun[]) => Promise<void>, store: object) {
    const recording = {
      status: () => ({ state: state() }),
      checking: () => (state() === 'STARTING' ? Promise.resolve() : undefined),
    };
    return createArchivedPast({ store: store as never, recording: recording as never, write });
  }

  it('is not used before the chain is compared, nor if it is another one, and a failure of the database is none of the past', async () => {
    let state = 'STARTING';
    const writes: (readonly StoreRun[])[] = [];
    let reads = 0;
    const failing = {
      read: () => {
        reads += 1;
        return Promise.reject(new Error('the database is gone'));
      },
    };
    const past = archivedPast(
      () => state,
      async (runs) => {
        writes.push(runs);
        throw new Error('the disk is full');
      },
      failing,
    );
    const ask = () => Promise.all([past.runs('bank', 1n, 9n), past.timeOf(1n), past.around(1n)]);
    const nothing = [{ runs: [], through: 0n }, undefined, []];
    for (state of ['STARTING', 'STOPPED']) {
      past.keep('bank', run);
      expect(await ask()).toEqual(nothing);
      await past.flush();
    }
    expect([reads, writes]).toEqual([0, []]);
    past.keep('bank', run);
    past.forget();
    state = 'RECORDING';
    expect(await ask()).toEqual(nothing);
    expect(reads).toBe(3);
    past.keep('bank', run);
    // What is not written yet is known.
    expect(await past.runs('bank', 6n, 20n)).toEqual({ runs: [run], through: 9n });
    await past.flush();
    expect(writes).toEqual([[{ store: 'bank', ...run }]]);
    expect(await past.runs('bank', 6n, 20n)).toEqual({ runs: [], through: 5n });
  });

  it('is checked by `archive verify`: times that do not ascend, roots that overlap, and roots that come back', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'stele-past-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const file = join(directory, 'test-1.db');
    const store = await open(() => sqliteArchive(file));
    await store.begin({ height: 4n, hash: 'H4', time: 40n, facts: [] });
    await store.record({ height: 5n, hash: 'H5', previousHash: 'H4', time: 50n, facts: [] });
    await store.record({ height: 6n, hash: 'H6', previousHash: 'H5', time: 60n, facts: [] });
    await storeRuns(store.connection, [{ store: 'bank', ...run }]);
    const stored = await openStoredArchive({ kind: 'file', path: file }, 'test-1');
    onTestFinished(() => stored.close());
    const look = async () => [await stored.falsePast(), await stored.rowsOutside(), await stored.rowsMissing()];
    expect(await look()).toEqual([{ times: 0n, overlaps: 0n, repeats: 0n }, new Map(), []]);
    const past = archivedPast(
      () => 'RECORDING',
      async () => undefined,
      store,
    );
    expect(await past.around(55n)).toEqual([
      { height: 5n, time: 50n },
      { height: 6n, time: 60n },
    ]);
    await store.connection.run('DELETE FROM block_times WHERE height = 5', []);
    await store.connection.run('INSERT INTO block_times (height, time) VALUES (7, 45)', []);
    await store.connection.run('INSERT INTO store_runs SELECT store, 8, 12, root, is_small FROM store_runs', []);
    expect(await look()).toEqual([{ times: 1n, overlaps: 1n, repeats: 1n }, new Map([['block_times', 1n]]), []]);
    await store.connection.run('DELETE FROM block_times WHERE height = 7', []);
    expect(await stored.rowsMissing()).toEqual([{ table: 'block_times', from: 0n, to: 9_999n, stored: 3n, missing: 1n }]);
  });
});
