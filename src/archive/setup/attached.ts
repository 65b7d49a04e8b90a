import type { Client } from '../../chain/client.ts';
import type { Archive } from './archive.ts';

const archives = new WeakMap<WeakKey, Archive>();

/** Gives a client its archive. Everything that reads with the client then also reads records. */
export function attachArchive(client: Client, archive: Archive): void {
  archives.set(client, archive);
}

/** The archive of a client, or of its identity; undefined if the server runs without one. */
export function archiveOf(client: WeakKey): Archive | undefined {
  return archives.get(client);
}
