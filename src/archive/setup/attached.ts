import type { Client } from '../../chain/client.ts';
import type { Archive } from './archive.ts';

const archives = new WeakMap<Client, Archive>();

/** Gives a client its archive. Everything that reads with the client then also reads records. */
export function attachArchive(client: Client, archive: Archive): void {
  archives.set(client, archive);
}

/** The archive of a client; undefined if the server runs without one. */
export function archiveOf(client: Client): Archive | undefined {
  return archives.get(client);
}
