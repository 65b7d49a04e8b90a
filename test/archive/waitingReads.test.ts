import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/archive/sqlite/store.ts';
import type { ArchiveStore } from '../../src/archive/store/archiveStore.ts';
import { createArchiveReader } from '../../src/archive/store/reader.ts';
import { ChainError } from '../../src/chain/base/errors.ts';
import { runsAll } from '../support/atRandom.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-waiting-'));
let files = 0;
let store: ArchiveStore;

beforeEach(async () => {
  store = createSqliteStore({ file: join(directory, `${files++}.db`), chainId: 'test-1' });
  await store.becomeWriter(new AbortController().signal, () => undefined);
  await store.begin({ height: 1n, hash: 'A', facts: [] });
});
afterEach(() => store.close());
afterAll(() => rmSync(directory, { recursive: true }));

/** A statement that takes some hundred milliseconds at least. */
const slow =
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT count(*) AS total FROM n';

const timeout = new ChainError('NODE_TIMEOUT', 'The response was not ready.', { milliseconds: 1 });

describe('a read that waits for the thread of the archive', () => {
  it('ends with the reason of its request, and never runs', async () => {
    const order: string[] = [];
    const running = store.scan(slow, []).then(() => order.push('slow'));
    const dropped = new AbortController();
    const reader = createArchiveReader(store, 'GOVERNANCE').under(dropped.signal);
    const waiting = Array.from({ length: 20 }, () => store.scan(slow, [], dropped.signal).catch(() => order.push('cancelled')));
    const page = reader.recordPage({}, { first: 1, reverse: false, count: true }, 1n);
    const rejected = expect(page).rejects.toBe(timeout);
    const last = store.scan('SELECT 1 AS one', []).then(() => order.push('last'));
    dropped.abort(timeout);
    await Promise.all([rejected, ...waiting]);
    expect(order).toEqual(Array.from({ length: 20 }, () => 'cancelled'));
    const begun = performance.now();
    await running;
    const one = performance.now() - begun;
    await last;
    // The thread goes from the running statement to the last one.
    expect(order.slice(20)).toEqual(['slow', 'last']);
    expect(performance.now() - begun).toBeLessThan(5 * one + 500);
  });

  it.runIf(runsAll)('rejects at once if its request has ended, also while its statement runs', async () => {
    const ended = new AbortController();
    const running = store.scan(slow, [], ended.signal);
    let isOver = false;
    const after = store.scan('SELECT 1 AS one', []).then(() => {
      isOver = true;
    });
    ended.abort(timeout);
    await expect(running).rejects.toBe(timeout);
    expect(isOver).toBe(false);
    await expect(store.scan('SELECT 1 AS one', [], ended.signal)).rejects.toBe(timeout);
    await expect(createArchiveReader(store, 'FULL').under(ended.signal).stats()).rejects.toBe(timeout);
    await after;
  });
});
