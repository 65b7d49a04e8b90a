import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromMilliseconds, type Nanoseconds } from '../../chain/base/time.ts';
import type { Client } from '../../chain/client.ts';
import { DatabaseError } from '../database/connection.ts';
import type { Recorder } from '../facts.ts';
import { createPostgresStore } from '../postgres/store.ts';
import type { ArchiveReader, ArchiveStats } from '../reader.ts';
import { type Recording, type RecordingLog, startRecording } from '../recording/recording.ts';
import { createRecordingSource } from '../recording/source.ts';
import { createSqliteStore } from '../sqlite/store.ts';
import { createArchiveReader } from '../store/archiveReader.ts';
import type { ArchiveStore } from '../store/archiveStore.ts';
import { createArchiveIndex } from './archiveIndex.ts';
import { createDeferredStore } from './deferredStore.ts';
import { startExpiry } from './expiry.ts';

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
