import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Attack } from './attack.ts';

/** A request of a flood. */
export interface FloodRequest {
  readonly path: string;
  readonly body: Buffer | string;
}

/**
 * Sends requests by POST on so many connections, the next on each as soon as the last is answered. `make` is called for each connection, and
 * what it returns for each request, with a number that no other has.
 */
export async function flood(
  target: Parameters<Attack['run']>[0],
  { connections, signal }: Parameters<Attack['run']>[1],
  make: () => (serial: number) => FloodRequest,
): Promise<{ readonly requests: number }> {
  const pool = new Pool(target.url, { connections, pipelining: 1, headersTimeout: 60_000 });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${target.token}` };
  let requests = 0;

  async function work(): Promise<void> {
    const next = make();
    while (!signal.aborted) {
      requests += 1;
      try {
        const { body } = await pool.request({ ...next(requests), method: 'POST', headers, signal });
        await body.dump();
      } catch {
        // Counted where it was sent. A server that refuses connections is not asked in a closed loop.
        await pause(50);
      }
    }
  }

  await Promise.all(Array.from({ length: connections }, work));
  await pool.destroy();
  return { requests };
}
