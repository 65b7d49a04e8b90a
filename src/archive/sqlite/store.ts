import { statSync } from 'node:fs';
import { DatabaseError } from '../database/connection.ts';
import { type ArchiveStore, createCoverageState } from '../store/archiveStore.ts';
import { createGroupedRecord } from '../store/groupedRecord.ts';
import { openSqlite, type Sqlite } from './connection.ts';
import type { WorkerRequest } from './requests.ts';
import { startSqliteWorker } from './workerClient.ts';

/** Options of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  readonly file: string;
  readonly chainId: string;
  /** Whether the file is temporary, and the archive counts as one in memory. */
  readonly isTemporary?: boolean;
  /** The most pages of the file: no limit by default. */
  readonly maxPages?: number | undefined;
}

function fileSize(file: string): bigint {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.size ?? 0n;
}

/**
 * The storage in a SQLite file. One thread writes and another one scans; short reads run in the calling thread, each in some 10 µs to 300 µs. Nothing
 * is opened before {@link ArchiveStore.becomeWriter}.
 */
export function createSqliteStore(options: SqliteStoreOptions): ArchiveStore {
  const { file, chainId, isTemporary = false, maxPages } = options;
  const coverage = createCoverageState();
  const writer = startSqliteWorker({ file, chainId, role: 'writer', maxPages });
  const scanner = startSqliteWorker({ file, chainId, role: 'reader' });
  let reader: Sqlite | undefined;

  async function write(request: WorkerRequest): Promise<void> {
    const result = await writer.request(request);
    if (result.kind === 'coverage') coverage.set(result.coverage);
  }

  /** Opens the file for short reads. The writer must have made its tables. */
  function shortReader(): Sqlite {
    if (coverage.get().ranges.length === 0 && fileSize(file) === 0n)
      throw new DatabaseError('LOST', 'the archive is not open yet');
    reader ??= openSqlite(file, { isReader: true });
    return reader;
  }

  return {
    storage: isTemporary ? 'MEMORY' : 'SQLITE',
    coverage: coverage.get,
    onCoverage: coverage.onChange,
    becomeWriter: () => write({ kind: 'prepare' }),
    begin: (start) => write({ kind: 'begin', start }),
    record: createGroupedRecord((blocks) => write({ kind: 'record', blocks })),
    read: async (text, values) => shortReader().runNow(text, values),
    async scan(text, values, signal) {
      const result = await scanner.request({ kind: 'read', text, values }, signal);
      return result.kind === 'rows' ? result.rows : [];
    },
    async search(search, signal) {
      const result = await scanner.request({ kind: 'search', search }, signal);
      return result.kind === 'found' ? result.page : null;
    },
    async addEarlier(found) {
      const result = await writer.request({ kind: 'addEarlier', found });
      if (result.kind !== 'added') return false;
      coverage.set(result.coverage);
      return result.isChanged;
    },
    async expire(before) {
      const result = await writer.request({ kind: 'expire', before });
      if (result.kind !== 'expired') return false;
      coverage.set(result.coverage);
      return result.hasMore;
    },
    sizeBytes: async () => fileSize(file) + fileSize(`${file}-wal`),
    async close() {
      reader?.close();
      await Promise.all([writer.close(), scanner.close()]);
    },
  };
}
