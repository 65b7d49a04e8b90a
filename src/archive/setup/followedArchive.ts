import type { Coverage } from '../coverage.ts';
import { DatabaseError } from '../database/connection.ts';
import { createPostgresStore } from '../postgres/store.ts';
import type { ArchiveStats } from '../reader.ts';
import { createSqliteStore } from '../sqlite/store.ts';
import { createArchiveReader } from '../store/archiveReader.ts';
import { type ArchiveStore, createCoverageState } from '../store/archiveStore.ts';
import { type Archive, type ArchivePlace, archiveFile } from './archive.ts';

/** What another process reports about the archive that it writes. */
export interface RecordedState extends Coverage {
  readonly chainId: string;
  readonly status: ReturnType<Archive['recording']['status']>;
  readonly backfill: ReturnType<Archive['recording']['backfill']>;
  readonly lag: bigint;
}

/** An archive that another process of this machine writes. */
export interface FollowedArchive extends Archive {
  /** Notes what the writer has reported. The archive is opened at the first report. */
  follow(state: RecordedState): void;
}

const starting: RecordedState['status'] = { state: 'STARTING', trouble: undefined, message: undefined };

/** Opens an archive for reading, at the place where another process writes it in this mode. A temporary archive needs its directory. */
export function followArchive(place: ArchivePlace, mode: ArchiveStats['mode']): FollowedArchive {
  const coverage = createCoverageState();
  let last: RecordedState | undefined;
  let opened: ArchiveStore | undefined;

  function open(chainId: string): ArchiveStore {
    if (place.kind === 'postgres') return createPostgresStore({ ...place, chainId });
    if (place.path === undefined) throw new Error('the temporary archive has no directory');
    return createSqliteStore({ file: archiveFile(place.path, chainId), chainId, isTemporary: place.kind === 'temporary' });
  }

  function store(): ArchiveStore {
    if (opened === undefined) throw new DatabaseError('LOST', 'the archive is not open yet');
    return opened;
  }

  return {
    reader: createArchiveReader(
      {
        storage: place.kind === 'postgres' ? 'POSTGRES' : place.kind === 'temporary' ? 'MEMORY' : 'SQLITE',
        coverage: coverage.get,
        onCoverage: coverage.onChange,
        read: async (...read) => store().read(...read),
        scan: async (...read) => store().scan(...read),
        search: async (...search) => store().search(...search),
        sizeBytes: async () => store().sizeBytes(),
      },
      mode,
    ),
    recording: {
      // The primary checks.
      checking: () => undefined,
      status: () => last?.status ?? starting,
      backfill: () => last?.backfill ?? null,
      lag: () => last?.lag ?? 0n,
    },
    onCoverage: coverage.onChange,
    follow(state) {
      last = state;
      if (state.ranges.length === 0) return;
      opened ??= open(state.chainId);
      const { ranges, generation, indexed, transactions } = state;
      coverage.set({ ranges, generation, indexed, transactions });
    },
    close: async () => opened?.close(),
  };
}
