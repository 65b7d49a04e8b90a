import pg from 'pg';
import { type Connection, createQueue, transact } from '../../../src/archive/database/database.ts';
import { searchIndex } from '../../../src/archive/full/search.ts';
import { expireContents } from '../../../src/archive/full/storeContents.ts';
import { postgresConnection, postgresOptions } from '../../../src/archive/postgres/connection.ts';
import { openSqlite } from '../../../src/archive/sqlite/connection.ts';
import type { ArchiveReads } from '../../../src/archive/store/archiveStore.ts';
import {
  beginRange,
  createCoverageState,
  type RangeStart,
  type RecordedBlock,
  readCoverage,
  recordBlocks,
} from '../../../src/archive/store/ranges.ts';
import { prepareSchema } from '../../../src/archive/store/schema.ts';
import { emptyDatabase } from './postgres.ts';

/** An archive on one connection, without threads and locks. */
export interface PlainArchive extends ArchiveReads {
  readonly connection: Connection;
  /** Number of statements that were run by reads. */
  readonly queries: () => number;
  begin(start: RangeStart): Promise<void>;
  record(block: RecordedBlock): Promise<void>;
  expire(before: bigint): Promise<boolean>;
  close(): Promise<void>;
}

async function plainArchive(connection: Connection, close: () => Promise<void>): Promise<PlainArchive> {
  const coverage = createCoverageState();
  const inTurn = createQueue();
  let queries = 0;
  const write = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(async () => {
      const next = await transact(connection, async () => ({ result: await work(), coverage: await readCoverage(connection) }));
      coverage.set(next.coverage);
      return next.result;
    });
  await write(() => prepareSchema(connection, 'test-1'));
  const run: Connection['run'] = (text, values) => {
    queries += 1;
    return connection.run(text, values);
  };
  return {
    storage: connection.dialect === 'postgres' ? 'POSTGRES' : 'MEMORY',
    connection,
    coverage: coverage.get,
    onCoverage: coverage.onChange,
    read: run,
    scan: run,
    search: (search) => searchIndex(({ text, values }) => run(text, values), search),
    expire: (before) => write(() => expireContents(connection, before)),
    queries: () => queries,
    sizeBytes: async () => 0n,
    begin: (start) => write(() => beginRange(connection, start)),
    record: (block) => write(() => recordBlocks(connection, [block])),
    close,
  };
}

/** An archive in a SQLite file in memory. */
export function sqliteArchive(file = ':memory:'): Promise<PlainArchive> {
  const connection = openSqlite(file);
  return plainArchive(connection, async () => connection.close());
}

/** Connects to a database. Returns the connection and the function that ends it. */
export async function connectPostgres(url: string, schema: string): Promise<readonly [Connection, () => Promise<void>]> {
  const client = new pg.Client(postgresOptions(url, schema));
  client.on('error', () => undefined);
  await client.connect();
  return [postgresConnection(client), () => client.end()];
}

/** An archive in an empty database of PostgreSQL. */
export async function postgresArchive(): Promise<PlainArchive> {
  return plainArchive(...(await connectPostgres(await emptyDatabase(), 'public')));
}
