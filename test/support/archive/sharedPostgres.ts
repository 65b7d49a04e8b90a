import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PostgresServer } from './postgres.ts';

/** The PostgreSQL server that the files of a test run share. */
export interface SharedPostgres {
  /** A GET of this URL returns the URL of a new database. The first one starts PostgreSQL. */
  readonly url: string;
  /** Stops PostgreSQL, if it was started. */
  close(): Promise<void>;
}

/** Starts a server on a free port that starts PostgreSQL once it is needed. */
export async function sharePostgres(): Promise<SharedPostgres> {
  let started: Promise<PostgresServer> | undefined;
  const start = async (): Promise<PostgresServer> => (await import('./postgres.ts')).startPostgres();
  const server = createServer(async (_, response) => {
    try {
      started ??= start();
      response.end(await (await started).database());
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      const postgres = await started?.catch(() => undefined);
      await postgres?.close();
    },
  };
}
