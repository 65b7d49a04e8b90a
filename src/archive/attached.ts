import type { Client } from '../chain/client.ts';
import type { ArchiveReader } from './reader.ts';

/** The work of filling in older blocks. */
export interface BackfillProgress {
  /** The heights that are filled in, both included. */
  readonly from: bigint;
  readonly to: bigint;
  /** The height that is read next. */
  readonly next: bigint;
  readonly blocksPerSecond: number;
  /** Whole seconds until it is done; null if that is not known yet. */
  readonly secondsLeft: bigint | null;
}

/** The archive of a chain, as the graph and the HTTP surfaces read it. */
export interface Archive {
  readonly reader: ArchiveReader;
  /** Null if nothing is being filled in. */
  backfill(): BackfillProgress | null;
}

const archives = new WeakMap<Client, Archive>();

/** Gives a client its archive. Everything that reads with the client then also reads records. */
export function attachArchive(client: Client, archive: Archive): void {
  archives.set(client, archive);
}

/** The archive of a client; undefined if the server runs without one. */
export function archiveOf(client: Client): Archive | undefined {
  return archives.get(client);
}
