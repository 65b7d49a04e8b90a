import { createServer } from 'node:http';
import type { Health } from './health.ts';
import { listen, pathOf } from './listen.ts';

/** What is for operators, on a port of its own. */
export interface Admin {
  /** `http://host:port`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts it. It asks for no token: whoever reaches the port may read. */
export async function startAdmin(options: {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly health: Health;
}): Promise<Admin> {
  const { host, port, health } = options;
  const server = createServer((request, response) => {
    const path = pathOf(request);
    if (health.answer(path, request, response, { withReasons: true })) return;
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
  });
  const url = await listen(server, { host, port, audience: 'operators' });
  return {
    url,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
