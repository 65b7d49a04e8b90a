import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Devnet } from '../../../packages/devnet/src/devnet.ts';
import { createPostgresStore } from '../../../src/archive/postgres/store.ts';
import { startRecording } from '../../../src/archive/recording/recording.ts';
import { createRecordingSource } from '../../../src/archive/recording/source.ts';
import { startExpiry } from '../../../src/archive/setup/open.ts';
import { createSqliteStore } from '../../../src/archive/sqlite/store.ts';
import type { ArchiveStore } from '../../../src/archive/store/archiveStore.ts';
import { parseTime } from '../../../src/chain/base/time.ts';
import { type Client, createClient } from '../../../src/chain/client.ts';
import { http } from '../../../src/chain/transports/http.ts';
import { nodeAnswer, startBusyChain } from '../../support/archive/fullArchive.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../../support/archive/postgres.ts';
import { nothingEarlier } from '../../support/archive/simulatedSource.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-expiry-'));
let devnet: Devnet;
let client: Client;

beforeAll(async () => {
  devnet = await startBusyChain();
  client = createClient({ transport: http(devnet.nodes[0]!.url) });
  while (devnet.height < 70n) await devnet.commit();
  await client.head.ready();
}, 60_000);

afterAll(async () => {
  await client.close();
  await devnet.close();
  rmSync(directory, { recursive: true });
});

const timeOf = async (height: bigint): Promise<bigint> => parseTime((await client.block(height)).header.time);

/** Records the chain, and deletes what is older than block 61, and then everything. */
async function expectExpiry(store: ArchiveStore): Promise<void> {
  const source = createRecordingSource(
    client,
    { block: async () => [], start: async () => [], earlier: nothingEarlier, absent: async () => [], proofRequests: () => [] },
    () => true,
  );
  const log = { status: () => undefined, backfill: () => undefined, audit: () => undefined };
  const recording = startRecording({ store, source, from: 1n, log });
  let [cut, steps] = [await timeOf(61n), 0];
  const rows = async (table: string): Promise<unknown> => (await store.scan(`SELECT count(*) AS n FROM ${table}`, []))[0]?.n;
  try {
    await expect.poll(() => store.coverage().indexed, { timeout: 30_000 }).toEqual([{ from: 1n, to: 70n }]);
    const total = store.coverage().transactions;
    const expiry = startExpiry({
      store: {
        async expire(before) {
          const hasMore = await store.expire(before);
          if (hasMore) steps += 1;
          return hasMore;
        },
      },
      keptFrom: () => cut,
      interval: 10,
      breather: 1,
    });
    try {
      await expect.poll(() => store.coverage().indexed, { timeout: 30_000 }).toEqual([{ from: 61n, to: 70n }]);
      // One step was not enough.
      expect(steps).toBeGreaterThan(0);
      expect(store.coverage().ranges.map(({ base, to }) => [base, to])).toEqual([[1n, 70n]]);
      const kept = BigInt(JSON.parse(await nodeAnswer(devnet, 'tx_search', { query: 'tx.height >= 61' })).total_count);
      expect([store.coverage().transactions, total > kept]).toEqual([kept, true]);
      expect([await rows('blocks'), await rows('transactions')]).toEqual([10n, kept]);
      expect((await store.scan('SELECT min(height) AS lowest FROM event_values', []))[0]?.lowest).toBe(61n);
      // Everything expires in the end.
      cut *= 2n;
      await expect.poll(() => store.coverage().indexed, { timeout: 30_000 }).toEqual([]);
      for (const table of ['blocks', 'transactions', 'event_values', 'indexed_ranges']) expect(await rows(table)).toBe(0n);
    } finally {
      await expiry.stop();
    }
  } finally {
    await recording.stop();
    await store.close();
  }
}

describe('expired contents of blocks are deleted in steps, and the rest is kept', () => {
  it(
    'deletes expired contents in steps in SQLite',
    () => expectExpiry(createSqliteStore({ file: join(directory, 'x.db'), chainId: 'stele-devnet' })),
    90_000,
  );

  it.skipIf(!hasPostgres)(
    `in PostgreSQL${postgresNote}`,
    async () => expectExpiry(createPostgresStore({ url: await emptyDatabase(), chainId: 'stele-devnet' })),
    90_000,
  );
});
