import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Connection, textAt } from '../../src/archive/database/database.ts';
import type { CloseFact } from '../../src/archive/facts.ts';
import { createPostgresStore, schemaName } from '../../src/archive/postgres/store.ts';
import type { ProposalRecordFilter } from '../../src/archive/records.ts';
import { openSqlite } from '../../src/archive/sqlite/connection.ts';
import { createSqliteStore } from '../../src/archive/sqlite/store.ts';
import type { ArchiveStore } from '../../src/archive/store/archiveStore.ts';
import { createArchiveReader } from '../../src/archive/store/reader.ts';
import { prepareSchema, schemaVersion } from '../../src/archive/store/schema.ts';
import { connectPostgres } from '../support/archive/databases.ts';
import { oldArchive } from '../support/archive/oldArchive.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { runsAll, some } from '../support/atRandom.ts';

const chainId = 'test-1';
const schema = schemaName(chainId);

/** An empty database for an archive. */
interface Place {
  /** Runs work on a connection of its own. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  store(): ArchiveStore;
}

function sqlitePlace(): Place {
  const directory = mkdtempSync(join(tmpdir(), 'stele-old-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'archive.db');
  return {
    async use(work) {
      const connection = openSqlite(file);
      return work(connection).finally(connection.close);
    },
    store: () => createSqliteStore({ file, chainId }),
  };
}

async function postgresPlace(): Promise<Place> {
  const url = await emptyDatabase();
  return {
    async use(work) {
      const [connection, end] = await connectPostgres(url, schema);
      return work(connection).finally(end);
    },
    store: () => createPostgresStore({ url, chainId }),
  };
}

/** The tables and the indexes of an archive. */
async function shapeOf({ use }: Place): Promise<readonly string[]> {
  return use(async (connection) => {
    const text =
      connection.dialect === 'sqlite'
        ? 'SELECT sql AS line FROM sqlite_master WHERE sql IS NOT NULL'
        : `SELECT indexdef AS line FROM pg_indexes WHERE schemaname = '${schema}' UNION ALL
             SELECT concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable) FROM information_schema.columns
               WHERE table_schema = '${schema}'`;
    const lines = (await connection.run(text, [])).map((row) => textAt(row, 'line').replaceAll(/\s+/g, ' '));
    return lines.toSorted();
  });
}

async function createSchema({ dialect, run }: Connection): Promise<void> {
  if (dialect === 'postgres') await run(`CREATE SCHEMA ${schema}`, []);
}

async function opened({ store }: Place): Promise<ArchiveStore> {
  const archive = store();
  onTestFinished(() => archive.close());
  await archive.becomeWriter(new AbortController().signal, () => undefined);
  return archive;
}

/** The close of the proposal that is open in the old archive. */
const rejection: CloseFact = {
  kind: 'close',
  proposalId: 4n,
  at: { height: 11n, order: 0, time: 11_000_000_000n, hash: null },
  by: 'VOTING_ENDED',
  account: null,
  status: 3,
  tally: { yesCount: '3', abstainCount: '0', noCount: '0', noWithVetoCount: '0' },
  groupVersion: 1n,
  policyVersion: 1n,
  totalWeight: '3',
  computed: null,
};

function itOpensOldVersions(place: () => Promise<Place> | Place): void {
  it.each(some([1, 2], 2))('migrates version %i, whose rows can be read and continued', async (version) => {
    const old = await place();
    await old.use(async (connection) => {
      await createSchema(connection);
      for (const statement of oldArchive(connection.dialect, version)) await connection.run(statement, []);
    });
    const store = await opened(old);
    const reader = createArchiveReader(store, 'FULL');
    const ids = async (filter: ProposalRecordFilter, asOf = 10n) =>
      (await reader.recordPage(filter, { first: 9, reverse: false, count: false }, asOf)).items.map(({ id }) => Number(id));

    expect(reader.coverage().ranges.map(({ base, to }) => [base, to])).toEqual([[1n, 10n]]);
    expect(await ids({})).toEqual([4, 3, 2, 1]);
    expect(await ids({ status: [2] })).toEqual([3, 1]);
    expect(await ids({ groupId: 1n, status: [3] })).toEqual([2]);
    expect(await ids({ groupPolicyAddress: 'policy1', status: [1, 3] })).toEqual([4, 2]);
    expect([await ids({ executorResult: [2] }), await ids({ groupId: 1n, executorResult: [3] })]).toEqual([[1], [3]]);
    const [record] = await reader.records([1n], 10n);
    expect(record).toMatchObject({ title: 'Proposal 1', status: 2, executorResult: 2, agrees: true, isComplete: true });
    const texts = await reader.texts({ words: ['propos'], kinds: ['PROPOSAL'] }, { limit: 9, after: undefined }, 10n);
    expect(texts.map(({ id }) => Number(id))).toEqual([4, 3, 2, 1]);
    expect((await reader.votes([record!], { first: 9, reverse: false, count: true }))[0]).toMatchObject({
      items: [{ voter: 'alice', option: 1 }],
      total: 1n,
    });

    await store.record({ height: 11n, hash: 'H11', previousHash: 'H10', facts: [rejection] });
    expect(await ids({ groupId: 1n, status: [3] }, 11n)).toEqual([4, 2]);
    expect(await ids({ groupId: 1n, status: [3] })).toEqual([2]);

    const counted = await old.use((connection) =>
      connection.run('SELECT name, total FROM row_counts WHERE part = 0 ORDER BY name', []),
    );
    // Those of the old archive, and the close that was recorded now.
    expect(Object.fromEntries(counted.map((row) => [textAt(row, 'name'), Number(row.total)]))).toEqual({
      ...{ closes: 4, executions: 2, group_versions: 1, policy_versions: 1, proposals: 4, prunes: 1, votes: 4 },
    });

    const fresh = await place();
    await fresh.use(async (connection) => {
      await createSchema(connection);
      await prepareSchema(connection, chainId);
    });
    expect(await shapeOf(old)).toEqual(await shapeOf(fresh));
    const [row] = await old.use((connection) => connection.run("SELECT value FROM meta WHERE name = 'schema_version'", []));
    expect(row).toEqual({ value: String(schemaVersion) });
  });

  it.runIf(runsAll)('finds the group policies of an archive that indexed none', async () => {
    const old = await place();
    await old.use(async (connection) => {
      await createSchema(connection);
      await prepareSchema(connection, chainId);
      if (connection.dialect === 'postgres') await connection.run('DROP INDEX search_texts_title_GROUP_POLICY', []);
      await connection.run(
        `INSERT INTO policy_versions (address, version, seen, height, ord, time, change, group_id, admin, metadata, policy)
          VALUES ('tp1board', 1, 2, 2, 0, 2, 'created', 1, 'alice', 'Small grants', '[]')`,
        [],
      );
      await connection.run("UPDATE meta SET value = '13' WHERE name = 'schema_version'", []);
    });
    const reader = createArchiveReader(await opened(old), 'FULL');
    expect(await reader.texts({ words: ['grant'], kinds: ['GROUP_POLICY'] }, { limit: 9, after: undefined }, 2n)).toMatchObject(
      [{ kind: 'GROUP_POLICY', address: 'tp1board' }],
    );
    const fresh = await place();
    await fresh.use(async (connection) => {
      await createSchema(connection);
      await prepareSchema(connection, chainId);
    });
    expect(await shapeOf(old)).toEqual(await shapeOf(fresh));
  });

  it('refuses a newer version, and leaves it as it is', async () => {
    const newer = await place();
    await newer.use(async (connection) => {
      await createSchema(connection);
      await prepareSchema(connection, chainId);
      await connection.run("UPDATE meta SET value = '99' WHERE name = 'schema_version'", []);
    });
    const shape = await shapeOf(newer);
    await expect(opened(newer)).rejects.toThrow(
      `the archive has version 99; this server supports versions up to ${schemaVersion}`,
    );
    expect(await shapeOf(newer)).toEqual(shape);
  });
}

describe('an archive of another version in SQLite', () => itOpensOldVersions(sqlitePlace));

describe.skipIf(!hasPostgres)(`an archive of another version in PostgreSQL${postgresNote}`, () => {
  itOpensOldVersions(postgresPlace);
});
