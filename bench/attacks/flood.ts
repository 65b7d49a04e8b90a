import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Attack } from './attack.ts';

/** A request of a flood. */
export interface FloodRequest {
  readonly path: string;
  readonly body: Buffer | string;
}

/**
 * Sends POST requests on a number of connections. Each connection sends the next request after the previous response. `make` is
 * called for each connection, and its result for each request with a unique number.
 */
export async function flood(
  target: Parameters<Attack['run']>[0],
  { connections, signal }: Parameters<Attack['run']>[1],
  make: () => (serial: number) => FloodRequest,
): Promise<{ readonly requests: number }> {
  const { url, token, addresses: [localAddress] = [] } = target;
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 60_000, ...(localAddress && { localAddress }) });
  const headers = { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) };
  let requests = 0;

  async function work(): Promise<void> {
    const next = make();
    while (!signal.aborted) {
      requests += 1;
      try {
        const { body } = await pool.request({ ...next(requests), method: 'POST', headers, signal });
        await body.dump();
      } catch {
        // Counted at the sender. Waits before the next attempt if the server refuses connections.
        await pause(50);
      }
    }
  }

  await Promise.all(Array.from({ length: connections }, work));
  await pool.destroy();
  return { requests };
}
