import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createReadTurns } from '../../src/archive/database/database.ts';
import { createPostgresStore } from '../../src/archive/postgres/store.ts';
import { createSqliteStore } from '../../src/archive/sqlite/store.ts';
import type { ArchiveStore } from '../../src/archive/store/archiveStore.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { runsAll } from '../support/atRandom.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-turns-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** A statement that takes some hundred milliseconds. */
const slow =
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT count(*) AS total FROM n';

async function opened(store: ArchiveStore): Promise<ArchiveStore> {
  await store.becomeWriter(new AbortController().signal, () => undefined);
  await store.begin({ height: 1n, hash: 'A', facts: [] });
  return store;
}

/** Another caller's short reads beside twelve slow ones, with all of both kinds begun before the first ends. */
async function expectTurns(store: ArchiveStore): Promise<void> {
  // Threads and connections begin with the first reads.
  await Promise.all(['a', 'b', 'c', 'd'].map((caller) => store.read('SELECT 1 AS one', [], undefined, caller)));
  const order: string[] = [];
  const all = [
    ...Array.from({ length: 6 }, () => store.read(slow, [], undefined, 'one').then(() => order.push('slow'))),
    ...Array.from({ length: 6 }, () => store.scan(slow, [], undefined, 'one').then(() => order.push('slow'))),
    store.read('SELECT 1 AS one', [], undefined, 'other').then(() => order.push('read')),
    store.scan('SELECT 1 AS one', [], undefined, 'other').then(() => order.push('scan')),
  ];
  let isRead = false;
  void all[0]?.then(() => {
    isRead = true;
  });
  // The statement runs elsewhere, so the event loop goes on.
  await nextIteration();
  expect(isRead).toBe(false);
  await Promise.all(all);
  // Statements of the first caller may end while the thread of the other one starts. Without turns, all twelve would.
  expect(order.indexOf('scan')).toBeLessThanOrEqual(8);
  expect(order.indexOf('read')).toBeLessThan(order.indexOf('scan'));
  await store.close();
}

describe('reads of one caller do not keep another one waiting', () => {
  it.runIf(runsAll)('another caller is not kept waiting in SQLite', async () => {
    await expectTurns(await opened(createSqliteStore({ file: join(directory, 'turns.db'), chainId: 'test-1' })));
  });
  it.runIf(hasPostgres)(`another caller is not kept waiting in PostgreSQL${postgresNote}`, async () => {
    await expectTurns(await opened(createPostgresStore({ url: await emptyDatabase(), chainId: 'test-1' })));
  });
});

describe('turns', () => {
  /** Work that ends when it is told to. */
  function createWork() {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (name: string) => () =>
      new Promise<void>((resolve) => {
        begun.push(name);
        ends.set(name, resolve);
      });
    return { begun, work, end: (name: string) => ends.get(name)?.() };
  }

  it('run one piece of work of a caller at a time, and leave the other connections to others', async () => {
    const turns = createReadTurns(['a', 'b']);
    const { begun, work, end } = createWork();
    const first = turns.run('one', work('one 1'));
    const second = turns.run('one', work('one 2'));
    const other = turns.run('other', work('other 1'));
    expect(begun).toEqual(['one 1', 'other 1']);
    end('one 1');
    await first;
    await nextIteration();
    expect(begun).toEqual(['one 1', 'other 1', 'one 2']);
    end('one 2');
    end('other 1');
    await Promise.all([second, other]);
  });

  it('give a free connection to the caller that has used the least', async () => {
    const turns = createReadTurns(['a']);
    const { begun, work, end } = createWork();
    const all = [turns.run('one', work('one 1')), turns.run('one', work('one 2')), turns.run('other', work('other 1'))];
    await nextIteration();
    end('one 1');
    await nextIteration();
    expect(begun).toEqual(['one 1', 'other 1']);
    end('other 1');
    await nextIteration();
    end('one 2');
    await Promise.all(all);
  });

  it('drop work whose request has ended, and keep no caller', async () => {
    const turns = createReadTurns(['a']);
    const { begun, work, end } = createWork();
    const running = turns.run('one', work('one 1'));
    const leaving = new AbortController();
    const dropped = turns.run('one', work('one 2'), leaving.signal);
    leaving.abort(new Error('left'));
    await expect(dropped).rejects.toThrow('left');
    end('one 1');
    await running;
    const next = turns.run('other', work('other 1'));
    await nextIteration();
    expect(begun).toEqual(['one 1', 'other 1']);
    end('other 1');
    await next;
  });

  it('go on after a failure', async () => {
    const turns = createReadTurns(['a']);
    await expect(turns.run('one', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.run('one', async (connection) => connection)).toBe('a');
  });
});
