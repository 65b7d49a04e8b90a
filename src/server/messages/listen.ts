import type { Server, ServerOptions } from 'node:http';
import { errorCode } from '../../chain/transports/http.ts';
import type { Limits } from '../../config/limits/limits.ts';

export interface Place {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Whether the address is the public one or that of the operators' endpoints. */
  readonly audience: 'public' | 'operators';
}

/** A server cannot listen on its address. `code` is the error code of the system: `EADDRINUSE`, `EADDRNOTAVAIL`, `EACCES`, … */
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

/** Starts to listen. Returns `http://host:port`. Rejects with a {@link ListenError}. */
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

export function connectionTimes(limits: Limits): ServerOptions {
  return {
    keepAliveTimeout: limits['http.keepAlive'],
    requestTimeout: limits['http.requestTime'],
    headersTimeout: Math.min(limits['http.headersTime'], limits['http.requestTime']),
    connectionsCheckingInterval: 1_000,
  };
}
