import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromMilliseconds, type Nanoseconds } from '../../chain/base/time.ts';
import { pause } from '../../chain/base/waiting.ts';
import type { Client } from '../../chain/client.ts';
import { DatabaseError, type Row } from '../database/database.ts';
import type { Recorder } from '../facts.ts';
import { createPostgresStore } from '../postgres/store.ts';
import { type Recording, type RecordingLog, startRecording } from '../recording/recording.ts';
import { createRecordingSource } from '../recording/source.ts';
import { createSqliteStore } from '../sqlite/store.ts';
import { type ArchiveStore, createCoverageState } from '../store/archiveStore.ts';
import type { Coverage } from '../store/ranges.ts';
import { type ArchiveReader, type ArchiveStats, createArchiveReader } from '../store/reader.ts';
import { createArchiveIndex } from './archiveIndex.ts';

/**
 * A store that is made when this process first wants to write, because its place depends on the id of the chain, which a node must name first. Until
 * then nothing is covered and reads fail.
 */
function createDeferredStore(
  storage: ArchiveStore['storage'],
  make: (signal: AbortSignal) => Promise<ArchiveStore>,
): ArchiveStore {
  const coverage = createCoverageState();
  let store: ArchiveStore | undefined;

  function made(): ArchiveStore {
    if (store === undefined) throw new DatabaseError('LOST', 'the archive is not open yet');
    return store;
  }

  return {
    storage,
    coverage: coverage.get,
    onCoverage: coverage.onChange,
    async becomeWriter(signal, onStandby) {
      if (store === undefined) {
        const opened = await make(signal);
        opened.onCoverage(() => coverage.set(opened.coverage()));
        store = opened;
      }
      await store.becomeWriter(signal, onStandby);
    },
    begin: async (start) => made().begin(start),
    record: async (block, mayWait) => made().record(block, mayWait),
    addEarlier: async (found) => made().addEarlier(found),
    read: async (...read): Promise<readonly Row[]> => made().read(...read),
    scan: async (...read): Promise<readonly Row[]> => made().scan(...read),
    search: async (...search) => made().search(...search),
    expire: async (before) => made().expire(before),
    sizeBytes: async () => made().sizeBytes(),
    close: async () => store?.close(),
  };
}

/** Options of {@link startExpiry}. Times in ms. */
interface ExpiryOptions {
  readonly store: Pick<ArchiveStore, 'expire'>;
  /** The time before which contents of blocks are deleted. */
  readonly keptFrom: () => Nanoseconds;
  /** Wait after the last step, until the next look: 10,000. */
  readonly interval?: number;
  /** Wait between two steps, in which blocks are recorded: 50. */
  readonly breather?: number;
}

/** Deletes expired contents of blocks in small steps, until it is stopped. A server that does not write fails each step and tries again. */
export function startExpiry({ store, keptFrom, interval = 10_000, breather = 50 }: ExpiryOptions): { stop(): Promise<void> } {
  const controller = new AbortController();
  const { signal } = controller;

  async function run(): Promise<void> {
    for (;;) {
      const hasMore = await store.expire(keptFrom()).catch(() => false);
      await pause(hasMore ? breather : interval, signal);
    }
  }

  const running = run().catch(() => undefined);
  return {
    async stop() {
      controller.abort(new Error('the archive is closed'));
      await running;
    },
  };
}

/**
 * Where an archive is stored: a file for the chain in a directory, a file that is removed on close, or a database. `queryTimeout` is the longest wait for
 * a response of the database, in ms, by default that of `createPostgresStore`.
 */
export type ArchivePlace =
  | { readonly kind: 'directory'; readonly path: string }
  /** Without a path, the archive makes a directory and removes it. */
  | { readonly kind: 'temporary'; readonly path?: string | undefined }
  | { readonly kind: 'postgres'; readonly url: string; readonly queryTimeout?: number };

/** Options of {@link openArchive}. */
export interface ArchiveOptions {
  readonly client: Client;
  readonly recorder: Recorder;
  readonly place: ArchivePlace;
  readonly mode: ArchiveStats['mode'];
  /** How long mode FULL keeps what it adds, in ms; undefined for ever. Groups, proposals and votes are kept for ever. */
  readonly retention?: number | undefined;
  /** Fills in older blocks down to this height; undefined fills in only what was missed. */
  readonly from: bigint | undefined;
  readonly log: RecordingLog;
}

/** An archive: its records, and the recording. */
export interface Archive {
  readonly reader: ArchiveReader;
  readonly recording: Pick<Recording, 'status' | 'checking' | 'backfill' | 'lag'>;
  /** Calls `listener` after each change of the coverage. Returns a function that removes the listener. */
  onCoverage(listener: () => void): () => void;
  /** Ends the recording after the block that is being stored, and closes the storage. */
  close(): Promise<void>;
}

/** The name of the file of a chain. A node chooses the id of its chain, so it must not name another directory. */
export function archiveFileName(chainId: string): string {
  return `${chainId.replace(/[^\w.-]/g, '_').replace(/^\./, '_')}.db`;
}

/** The file of the archive of a chain in a directory. */
export function archiveFile(directory: string, chainId: string): string {
  return join(directory, archiveFileName(chainId));
}

function openFile(directory: string, chainId: string, isTemporary: boolean): ArchiveStore {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DatabaseError('LOST', `the directory ${directory} cannot be created`, error);
  }
  return createSqliteStore({ file: archiveFile(directory, chainId), chainId, isTemporary });
}

function openStore({ place, client }: ArchiveOptions): ArchiveStore {
  const chainId = async (signal: AbortSignal): Promise<string> => (await client.head.ready({ signal })).chainId;
  if (place.kind === 'postgres')
    return createDeferredStore('POSTGRES', async (signal) => createPostgresStore({ ...place, chainId: await chainId(signal) }));
  if (place.kind === 'directory')
    return createDeferredStore('SQLITE', async (signal) => openFile(place.path, await chainId(signal), false));
  const { path } = place;
  if (path !== undefined) return createDeferredStore('MEMORY', async (signal) => openFile(path, await chainId(signal), true));
  return createDeferredStore('MEMORY', async (signal) => {
    const chain = await chainId(signal);
    const directory = mkdtempSync(join(tmpdir(), 'stele-archive-'));
    const remove = (): void => rmSync(directory, { recursive: true, force: true });
    process.once('exit', remove);
    const store = openFile(directory, chain, true);
    return {
      ...store,
      async close() {
        await store.close();
        process.off('exit', remove);
        remove();
      },
    };
  });
}

/** Opens the archive of the chain of a client and starts recording. Nothing is read or written before a node has responded. */
export function openArchive(options: ArchiveOptions): Archive {
  const { client, recorder, mode, retention, from, log } = options;
  const store = openStore(options);
  const keptFrom = (): Nanoseconds => (retention === undefined ? 0n : fromMilliseconds(Date.now() - retention));
  const source = createRecordingSource(client, recorder, (time) => mode === 'FULL' && time >= keptFrom());
  const recording = startRecording({ store, source, from, log });
  const reader = createArchiveReader(store, mode);
  const expiry = mode === 'FULL' && retention !== undefined ? startExpiry({ store, keptFrom }) : undefined;
  if (mode === 'FULL') client.searchWith(createArchiveIndex({ client, store, reader, recording }));
  return {
    reader,
    recording,
    onCoverage: store.onCoverage,
    async close() {
      await expiry?.stop();
      await recording.stop();
      await store.close();
    },
  };
}

/** What another process reports about the archive that it writes. */
interface RecordedState extends Coverage {
  readonly chainId: string;
  readonly status: ReturnType<Archive['recording']['status']>;
  readonly backfill: ReturnType<Archive['recording']['backfill']>;
  readonly lag: bigint;
}

/** An archive that another process of this machine writes. */
interface FollowedArchive extends Archive {
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
