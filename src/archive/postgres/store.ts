import { createQueue, DatabaseError, integerAt, runAll, transact } from '../database/database.ts';
import { searchIndex } from '../full/search.ts';
import { expireContents } from '../full/storeContents.ts';
import { storeEarlier } from '../recording/earlier.ts';
import type { ArchiveStore } from '../store/archiveStore.ts';
import { storeRuns } from '../store/past.ts';
import { storeProof } from '../store/proofs.ts';
import {
  beginRange,
  type CoverageState,
  createCoverageState,
  createGroupedRecord,
  readCoverage,
  recordBlocks,
} from '../store/ranges.ts';
import { storeRehearsal } from '../store/rehearsals.ts';
import { hasSchema, prepareSchema } from '../store/schema.ts';
import { createPostgresReads, takeWriterLock, type WriterConnection } from './connection.ts';

export interface PostgresStoreOptions {
  /** A `postgres://` URL. No pooler in transaction mode may stand between, because the lock of the writer belongs to its connection. */
  readonly url: string;
  readonly chainId: string;
  /** Interval at which a server that does not write reads the coverage, in ms: 250. */
  readonly pollInterval?: number;
  /** The longest wait for a response, in ms: 10,000 for reads and 20,000 for writes. Then the host counts as gone. */
  readonly queryTimeout?: number;
  /** Where the coverage is noted. */
  readonly coverage?: CoverageState | undefined;
}

/** The name of the schema with the tables of a chain, so that a database can hold the archives of several chains. */
export function schemaName(chainId: string): string {
  return `stele_${chainId.toLowerCase().replace(/[^a-z0-9]/g, '_')}`.slice(0, 63);
}

/** The storage in a PostgreSQL database, which several servers may share. One of them writes, all read. Connects when it is first used. */
export function createPostgresStore(options: PostgresStoreOptions): ArchiveStore {
  const { url, chainId, pollInterval = 250, queryTimeout, coverage = createCoverageState() } = options;
  const schema = schemaName(chainId);
  const reads = createPostgresReads(url, schema, queryTimeout);
  const inTurn = createQueue();
  let writer: WriterConnection | undefined;
  let isReady = false;
  let isClosed = false;

  async function poll(): Promise<void> {
    if (writer !== undefined && !writer.isLost()) return;
    isReady ||= await hasSchema(reads, chainId);
    if (!isReady) return;
    const next = await readCoverage(reads);
    const [last, now] = [coverage.get(), next].map(
      ({ ranges, generation, indexed }) => `${generation} ${ranges.at(-1)?.to} ${indexed[0]?.from}`,
    );
    if (last !== now) coverage.set(next);
  }

  let timer: NodeJS.Timeout;
  function schedule(): void {
    timer = setTimeout(() => {
      poll()
        .catch(() => undefined)
        .finally(() => {
          if (!isClosed) schedule();
        });
    }, pollInterval);
    timer.unref();
  }
  schedule();

  async function write<T>(work: (connection: WriterConnection) => Promise<T>): Promise<T> {
    return inTurn(async () => {
      const connection = writer;
      if (connection === undefined) throw new DatabaseError('LOST', 'another server writes the archive');
      const next = await transact(connection, async () => {
        const result = await work(connection);
        return { result, coverage: await readCoverage(connection) };
      });
      coverage.set(next.coverage);
      return next.result;
    });
  }

  return {
    storage: 'POSTGRES',
    coverage: coverage.get,
    onCoverage: coverage.onChange,
    async becomeWriter(signal, onStandby) {
      if (writer !== undefined && !writer.isLost()) return;
      await writer?.end();
      writer = undefined;
      writer = await takeWriterLock(url, schema, signal, onStandby, queryTimeout);
      await write(async (connection) => {
        await connection.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`, []);
        await prepareSchema(connection, chainId);
      });
      isReady = true;
    },
    begin: (start) => write((connection) => beginRange(connection, start)),
    record: createGroupedRecord((blocks) => write((connection) => recordBlocks(connection, blocks))),
    addEarlier: (earlierFacts) => write((connection) => storeEarlier(connection, earlierFacts)),
    addProof: (proof) => write((connection) => storeProof(connection, proof)),
    addRehearsal: (rehearsal) => write((connection) => storeRehearsal(connection, rehearsal)),
    addRoots: (runs) => write((connection) => storeRuns(connection, runs)),
    read: reads.runPrepared,
    scan: reads.run,
    search: (search, signal, caller) => searchIndex(({ text, values }) => reads.run(text, values, signal, caller), search),
    change: (statements) => reads.transact((connection) => runAll(connection, statements)),
    expire: (before) => write((connection) => expireContents(connection, before)),
    async sizeBytes() {
      const [row] = await reads.run(
        `SELECT CAST(COALESCE(sum(pg_total_relation_size(c.oid)), 0) AS BIGINT) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = ? AND c.relkind = 'r'`,
        [schema],
      );
      return row === undefined ? 0n : integerAt(row, 'bytes');
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      await inTurn(async () => writer?.end());
      await reads.end();
    },
  };
}
