import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from '../../chain/client.ts';
import { methodNotAllowed, sendError } from '../messages/errors.ts';

/** What keeps a server from being ready. */
export type Unready =
  /** The keys that tokens are verified with were never loaded. */
  | 'TOKEN_KEYS'
  /** No upstream node of the chain answers and is caught up. */
  | 'NODES'
  /** The chain was reset under the same id a moment ago: what callers know of it is of the chain before. */
  | 'CHAIN_RESET'
  | 'SHUTTING_DOWN';

/** How the server is doing. */
export interface Readiness {
  /** Empty when it is ready. */
  readonly failed: readonly Unready[];
  /** Whether blocks come. A chain that stands still is no reason to send callers elsewhere. */
  readonly chain: 'unknown' | 'moving' | 'stalled';
}

/** Tells load balancers whether to send callers here. */
export interface Health {
  readiness(): Readiness;
  /** From now on it is not ready. */
  shutDown(): void;
  /**
   * Answers `/livez` and `/readyz`; whether the path was one of them. `withReasons` lists what failed in the body of a 503, which the
   * public does not see.
   */
  answer(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    options?: { readonly withReasons: boolean },
  ): boolean;
}

/** How long a reset of the chain is reported, ms: long enough for a probe every few seconds to see it. */
const resetReported = 10_000;

/** Makes it. `keysLoaded` tells whether the keys of tokens are there, where tokens are asked for. */
export function createHealth(options: { readonly client: Client; readonly keysLoaded?: (() => boolean) | undefined }): Health {
  const { client, keysLoaded = () => true } = options;
  let shuttingDown = false;
  let resetAt = Number.NEGATIVE_INFINITY;
  client.head.onRewind(({ kind }) => {
    if (kind === 'RESET') resetAt = performance.now();
  });

  function hasNode(): boolean {
    // Without a newest block that is believed no read can be answered, whatever the nodes report.
    if (client.head.current() === undefined) return false;
    const nodes = client.nodes();
    if (nodes.length === 0) return true;
    return nodes.some(
      ({ health, consecutiveFailures, catchingUp }) =>
        health === 'HEALTHY' ||
        health === 'LAGGING' ||
        // Set aside, but it answers again: where there is no other, reads go to it.
        (health === 'EJECTED' && consecutiveFailures === 0 && catchingUp === false),
    );
  }

  function readiness(): Readiness {
    const failed: Unready[] = [];
    if (!keysLoaded()) failed.push('TOKEN_KEYS');
    if (!hasNode()) failed.push('NODES');
    if (performance.now() - resetAt < resetReported) failed.push('CHAIN_RESET');
    if (shuttingDown) failed.push('SHUTTING_DOWN');
    const { head } = client;
    return { failed, chain: head.current() === undefined ? 'unknown' : head.isStalled() ? 'stalled' : 'moving' };
  }

  return {
    readiness,
    shutDown() {
      shuttingDown = true;
    },
    answer(path, { method }, response, { withReasons } = { withReasons: false }) {
      if (path !== '/livez' && path !== '/readyz') return false;
      if (method !== 'GET' && method !== 'HEAD') {
        sendError(response, methodNotAllowed);
        return true;
      }
      // A probe that was kept somewhere tells nothing.
      response.setHeader('cache-control', 'no-store');
      if (path === '/livez') {
        response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
        return true;
      }
      const { failed, chain } = readiness();
      const body = { ready: failed.length === 0, chain, ...(withReasons && { failed }) };
      response.writeHead(body.ready ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    },
  };
}
