import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A program that the files of a test run share, and that starts when it is first needed. */
export interface OnDemand {
  /** A GET of this URL returns a text about the program. The first one starts it. */
  readonly url: string;
  /** Stops the program, if it was started. */
  close(): Promise<void>;
}

/** Serves `textOf` of a program on a free port. The first request starts the program. A request fails with status 500 if it cannot start. */
export async function serveOnDemand<T extends { close(): Promise<void> }>(
  start: () => Promise<T>,
  textOf: (program: T) => string | Promise<string>,
): Promise<OnDemand> {
  let started: Promise<T> | undefined;
  const server = createServer(async (_, response) => {
    try {
      started ??= start();
      response.end(await textOf(await started));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  // A kept connection must not end while a request is sent over it.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      const program = await started?.catch(() => undefined);
      await program?.close();
    },
  };
}
