import { statSync } from 'node:fs';
import { DatabaseError, type Row } from '../database/connection.ts';
import { type ArchiveStore, createCoverageState, type RunRead } from '../store/archiveStore.ts';
import { createGroupedRecord } from '../store/groupedRecord.ts';
import type { WorkerRequest } from './requests.ts';
import { type SqliteWorker, startSqliteWorker } from './workerClient.ts';

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
 * The storage in a SQLite file. No statement runs in the calling thread: one thread writes, one reads records and their parts, one lists and counts, and one
 * searches the index of mode FULL, so that none of them waits for another. Each is started when it is first used. Nothing is opened before
 * {@link ArchiveStore.becomeWriter}.
 */
export function createSqliteStore(options: SqliteStoreOptions): ArchiveStore {
  const { file, chainId, isTemporary = false, maxPages } = options;
  const coverage = createCoverageState();
  const writer = startSqliteWorker({ file, chainId, role: 'writer', maxPages });
  const startReader = (): SqliteWorker => startSqliteWorker({ file, chainId, role: 'reader' });
  const [reader, scanner, searcher] = [startReader(), startReader(), startReader()];

  async function write(request: WorkerRequest): Promise<void> {
    const result = await writer.request(request);
    if (result.kind === 'coverage') coverage.set(result.coverage);
  }

  /** Reads in a thread. The writer must have made the tables. */
  function readIn(thread: SqliteWorker): RunRead {
    return async (text, values, signal, caller): Promise<readonly Row[]> => {
      if (coverage.get().ranges.length === 0 && fileSize(file) === 0n)
        throw new DatabaseError('LOST', 'the archive is not open yet');
      const result = await thread.request({ kind: 'read', text, values }, signal, caller);
      return result.kind === 'rows' ? result.rows : [];
    };
  }

  return {
    storage: isTemporary ? 'MEMORY' : 'SQLITE',
    coverage: coverage.get,
    onCoverage: coverage.onChange,
    becomeWriter: () => write({ kind: 'prepare' }),
    begin: (start) => write({ kind: 'begin', start }),
    record: createGroupedRecord((blocks) => write({ kind: 'record', blocks })),
    read: readIn(reader),
    scan: readIn(scanner),
    async search(search, signal, caller) {
      const result = await searcher.request({ kind: 'search', search }, signal, caller);
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
      await Promise.all([writer, reader, scanner, searcher].map((thread) => thread.close()));
    },
  };
}
