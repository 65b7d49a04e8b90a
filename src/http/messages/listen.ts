import type { IncomingMessage, Server, ServerOptions } from 'node:http';
import { errorCode } from '../../chain/transports/nodeErrors.ts';
import type { Limits } from '../../config/limits/limits.ts';

/** Where a server was to listen. */
export interface Place {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** For whom. */
  readonly audience: 'public' | 'operators';
}

/** A server that cannot listen where it was to. `code` is the system's: `EADDRINUSE`, `EADDRNOTAVAIL`, `EACCES`, … */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: string;
  readonly audience: Place['audience'];

  constructor({ audience, host, port }: Place, cause: unknown) {
    super(`cannot listen on ${host} port ${port}`, { cause });
    this.code = errorCode(cause);
    this.audience = audience;
  }
}

/** Has a server listen: its `http://host:port`. Rejects with a {@link ListenError}. */
export async function listen(server: Server, place: Place): Promise<string> {
  const { host, port } = place;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown): void => reject(new ListenError(place, error));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

/** How long an HTTP server waits for what comes on its connections. */
export function connectionTimes(limits: Limits): ServerOptions {
  return {
    keepAliveTimeout: limits['http.keepAlive'],
    requestTimeout: limits['http.requestTime'],
    headersTimeout: Math.min(limits['http.headersTime'], limits['http.requestTime']),
    connectionsCheckingInterval: 1_000,
  };
}

/** The path of a request, without its query. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}
