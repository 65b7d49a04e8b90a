import type { Client } from '../chain/client.ts';
import type { Archive } from './setup/archive.ts';

/** The archive of a client, as the graph and the HTTP surfaces read it. */
export type AttachedArchive = Pick<Archive, 'reader' | 'recording'>;

const archives = new WeakMap<Client, AttachedArchive>();

/** Gives a client its archive. Everything that reads with the client then also reads records. */
export function attachArchive(client: Client, archive: AttachedArchive): void {
  archives.set(client, archive);
}

/** The archive of a client; undefined if the server runs without one. */
export function archiveOf(client: Client): AttachedArchive | undefined {
  return archives.get(client);
}
