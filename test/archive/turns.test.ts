import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresReads } from '../../src/archive/postgres/connection.ts';
import { createSqliteStore } from '../../src/archive/sqlite/store.ts';
import type { ArchiveStore, RunRead } from '../../src/archive/store/archiveStore.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { runsAll, some } from '../support/atRandom.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-turns-'));
let store: ArchiveStore;

beforeAll(async () => {
  store = createSqliteStore({ file: join(directory, 'archive.db'), chainId: 'test-1' });
  await store.becomeWriter(new AbortController().signal, () => undefined);
  await store.begin({ height: 1n, hash: 'A', facts: [] });
  await start(store.read);
  await start(store.scan);
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

/** A statement that takes tens of milliseconds. */
const slow =
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT count(*) AS total FROM n';

/** Starts all reading threads or connections: a read that is given to one that is still starting would wait for that. */
async function start(run: RunRead): Promise<void> {
  await Promise.all(['one', 'two', 'three', 'four'].map((caller) => run(slow, [], undefined, caller)));
}

/** The order in which the reads of two callers end: twenty slow ones of one, then two quick ones of another, which end as soon as they have their turn. */
async function endsOf(run: RunRead): Promise<readonly string[]> {
  const order: string[] = [];
  const read = (caller: string, text: string): Promise<unknown> =>
    run(text, [], undefined, caller).then(() => order.push(caller));
  const many = Array.from({ length: 20 }, () => read('many', slow));
  await Promise.all([...many, read('few', 'SELECT 1 AS one'), read('few', 'SELECT 1 AS one')]);
  return order;
}

describe('reads of the archive', () => {
  it.each(some(['read', 'scan'] as const, 2))('takes turns between callers with %s in SQLite', async (kind) => {
    const order = await endsOf(store[kind]);
    // One statement of the other caller is running, and one may precede each of the two.
    expect(order.lastIndexOf('few')).toBeLessThanOrEqual(4);
  });

  it.runIf(runsAll)('does not run statements of SQLite in the calling thread', async () => {
    const one = async (): Promise<number> => {
      const begun = performance.now();
      await store.read(slow, []);
      return performance.now() - begun;
    };
    const took = await one();
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 5 }, one));
    isOver = true;
    expect(took).toBeGreaterThan(1);
    // In the calling thread, the five statements would run within five turns.
    expect(turns).toBeGreaterThan(20);
  });

  it.runIf(runsAll)('does not let the parts of a record wait for the lists of another caller', async () => {
    const order: string[] = [];
    const lists = Array.from({ length: 5 }, () => store.scan(slow, [], undefined, 'many').then(() => order.push('list')));
    await store.read('SELECT 1 AS one', [], undefined, 'few').then(() => order.push('part'));
    await Promise.all(lists);
    expect(order[0]).toBe('part');
  });

  it.skipIf(!hasPostgres || !runsAll)(`shares the connections of PostgreSQL between callers${postgresNote}`, async () => {
    const reads = createPostgresReads(await emptyDatabase(), 'public');
    const text = 'SELECT CAST(1 AS BIGINT) AS one FROM pg_sleep(0.05)';
    const order: string[] = [];
    await start(reads.run);
    const read = (caller: string): Promise<unknown> => reads.run(text, [], undefined, caller).then(() => order.push(caller));
    await Promise.all([...Array.from({ length: 40 }, () => read('many')), read('few')]);
    // The fourth connection is free for it, whatever the other caller has waiting.
    expect(order.indexOf('few')).toBeLessThanOrEqual(4);
    await reads.end();
  });
});
