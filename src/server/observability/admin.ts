import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Limits } from '../../config/limits/limits.ts';
import { connectionTimes, listen, pathOf } from '../messages/listen.ts';
import type { Health } from './health.ts';

/** The server of the operators' endpoints, on its own port. */
export interface Admin {
  /** `http://host:port`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the server. It requires no token: every client that can reach the port may read. */
export async function startAdmin(options: {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly health: Health;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
  readonly limits: Limits;
  /** Logs a failure to read the metrics. */
  readonly report: (error: unknown, requestId: string) => void;
}): Promise<Admin> {
  const { host, port, health, metrics, limits, report } = options;
  const server = createServer(connectionTimes(limits), (request, response) => {
    const path = pathOf(request);
    if (health.answer(path, request, response, { withReasons: true })) return;
    if (path === '/metrics' && request.method === 'GET') {
      metrics().then(
        ({ contentType, text }) => response.writeHead(200, { 'content-type': contentType }).end(text),
        (error: unknown) => {
          report(error, randomUUID());
          response.writeHead(500).end();
        },
      );
      return;
    }
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
