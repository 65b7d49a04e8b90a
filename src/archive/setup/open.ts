import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromMilliseconds, type Nanoseconds, pause } from '../../chain/base/time.ts';
import type { Client } from '../../chain/client.ts';
import { DatabaseError } from '../database/database.ts';
import type { Recorder } from '../facts.ts';
import { createPostgresStore } from '../postgres/store.ts';
import { type RecordingLog, startRecording } from '../recording/recording.ts';
import { createRecordingSource } from '../recording/source.ts';
import { createSqliteStore } from '../sqlite/store.ts';
import type { ArchiveStore } from '../store/archiveStore.ts';
import { type Coverage, type CoverageState, createCoverageState } from '../store/ranges.ts';
import { type ArchiveStats, createArchiveReader } from '../store/reader.ts';
import { Archive } from './archive.ts';
import { createArchiveIndex } from './archiveIndex.ts';
import { createArchivedPast } from './keptPast.ts';

/**
 * Where an archive is stored: a file for the chain in a directory, a file that is removed on close, or a database. `queryTimeout` is the longest wait for
 * a response of the database, in ms, by default that of `createPostgresStore`.
 */
export type ArchivePlace =
  | { readonly kind: 'directory'; readonly path: string }
  /** Without a path, the archive makes a directory and removes it. */
  | { readonly kind: 'temporary'; readonly path?: string | undefined }
  | { readonly kind: 'postgres'; readonly url: string; readonly queryTimeout?: number };

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

/** The name of the file of a chain. A node chooses the id of its chain, so it must not name another directory. */
export function archiveFileName(chainId: string): string {
  return `${chainId.replace(/[^\w.-]/g, '_').replace(/^\./, '_')}.db`;
}

export function archiveFile(directory: string, chainId: string): string {
  return join(directory, archiveFileName(chainId));
}

/** Opens the store of a chain. A temporary one without a path gets a directory, which is removed when it is closed. */
function openStore(place: ArchivePlace, chainId: string, coverage?: CoverageState): ArchiveStore {
  if (place.kind === 'postgres') return createPostgresStore({ ...place, chainId, coverage });
  const { path = mkdtempSync(join(tmpdir(), 'stele-archive-')) } = place;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DatabaseError('LOST', `the directory ${path} cannot be created`, error);
  }
  const isTemporary = place.kind === 'temporary';
  const store = createSqliteStore({ file: archiveFile(path, chainId), chainId, isTemporary, coverage });
  if (place.path !== undefined) return store;
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    ...store,
    async close() {
      await store.close();
      process.off('exit', remove);
      remove();
    },
  };
}

const storages = { postgres: 'POSTGRES', directory: 'SQLITE', temporary: 'MEMORY' } as const;

/**
 * The store at a place, which can be opened only when a node has named the chain. Until `opened` returns it, nothing is covered and reads fail. The
 * coverage is that of `coverage`.
 */
function storeOnceOpen(
  { kind }: ArchivePlace,
  coverage: CoverageState,
  opened: () => ArchiveStore | undefined,
  becomeWriter: ArchiveStore['becomeWriter'],
): ArchiveStore {
  function store(): ArchiveStore {
    const openStore = opened();
    if (openStore === undefined) throw new DatabaseError('LOST', 'the archive is not open yet');
    return openStore;
  }
  return {
    storage: storages[kind],
    coverage: coverage.get,
    onCoverage: coverage.onChange,
    becomeWriter,
    begin: async (start) => store().begin(start),
    record: async (block, mayWait) => store().record(block, mayWait),
    addEarlier: async (facts) => store().addEarlier(facts),
    addProof: async (proof) => store().addProof(proof),
    addRehearsal: async (rehearsal) => store().addRehearsal(rehearsal),
    addRoots: async (runs) => store().addRoots(runs),
    change: async (statements) => store().change(statements),
    read: async (...statement) => store().read(...statement),
    scan: async (...statement) => store().scan(...statement),
    search: async (...search) => store().search(...search),
    expire: async (before) => store().expire(before),
    sizeBytes: async () => store().sizeBytes(),
    close: async () => opened()?.close(),
  };
}

function writtenStore({ place, client }: ArchiveOptions): ArchiveStore {
  const coverage = createCoverageState();
  let store: ArchiveStore | undefined;
  return storeOnceOpen(
    place,
    coverage,
    () => store,
    async (signal, onStandby) => {
      if (store === undefined) {
        const { chainId } = await client.head.ready({ signal });
        store = openStore(place, chainId, coverage);
      }
      await store.becomeWriter(signal, onStandby);
    },
  );
}

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

/** Opens the archive of the chain of a client and starts recording. Nothing is read or written before a node has responded. */
export function openArchive(options: ArchiveOptions): Archive {
  const { client, recorder, mode, retention, from, log } = options;
  const store = writtenStore(options);
  const keptFrom = (): Nanoseconds => (retention === undefined ? 0n : fromMilliseconds(Date.now() - retention));
  const keeps = mode === 'FULL' ? (time: Nanoseconds): boolean => time >= keptFrom() : undefined;
  const source = createRecordingSource(client, recorder, keeps);
  const recording = startRecording({ store, source, keepRoots: (name, run) => past.keep(name, run), from, log });
  const past = createArchivedPast({ store, recording, write: store.addRoots });
  client.remember(past);
  const reader = createArchiveReader(store, mode);
  const expiry = mode === 'FULL' && retention !== undefined ? startExpiry({ store, keptFrom }) : undefined;
  if (mode === 'FULL') client.searchWith(createArchiveIndex({ client, store, reader, recording }));
  return new Archive({
    reader,
    recording,
    onCoverage: store.onCoverage,
    addRehearsal: store.addRehearsal,
    addRoots: store.addRoots,
    change: store.change,
    read: store.read,
    past,
    async close() {
      await expiry?.stop();
      await recording.stop();
      await past.flush();
      await store.close();
    },
  });
}

/** What another process reports about the archive that it writes. */
export interface RecordedState extends Coverage {
  readonly chainId: string;
  readonly status: ReturnType<Archive['recording']['status']>;
  readonly backfill: ReturnType<Archive['recording']['backfill']>;
  readonly lag: bigint;
}

const starting: RecordedState['status'] = { state: 'STARTING', trouble: undefined, message: undefined, absent: [] };

/**
 * Opens an archive for reading, at the place where another process of this machine writes it in this mode. A temporary archive needs its directory.
 * `follow` notes what the writer has reported, and the other functions ask it to keep or change something. The first report of a range opens the archive.
 */
export function followArchive(
  place: ArchivePlace,
  mode: ArchiveStats['mode'],
  { addRehearsal, addRoots, change }: Pick<Archive, 'addRehearsal' | 'addRoots' | 'change'>,
): { readonly archive: Archive; follow(state: RecordedState): void } {
  if (place.kind === 'temporary' && place.path === undefined) throw new Error('the temporary archive has no directory');
  const coverage = createCoverageState();
  let last: RecordedState | undefined;
  let opened: ArchiveStore | undefined;
  const store = storeOnceOpen(
    place,
    coverage,
    () => opened,
    () => Promise.reject(new DatabaseError('LOST', 'another process writes the archive')),
  );
  const recording = {
    // The primary checks.
    checking: () => undefined,
    status: () => last?.status ?? starting,
    backfill: () => last?.backfill ?? null,
    lag: () => last?.lag ?? 0n,
  };
  const past = createArchivedPast({ store, recording, write: addRoots });
  const archive = new Archive({
    reader: createArchiveReader(store, mode),
    recording,
    onCoverage: coverage.onChange,
    ...{ addRehearsal, addRoots, change, past },
    read: store.read,
    async close() {
      await past.flush();
      await store.close();
    },
  });
  return {
    archive,
    follow(state) {
      last = state;
      if (state.ranges.length === 0) return;
      opened ??= openStore(place, state.chainId);
      const { ranges, generation, indexed, transactions } = state;
      coverage.set({ ranges, generation, indexed, transactions });
    },
  };
}
