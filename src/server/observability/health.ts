import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Archive } from '../../archive/setup/archive.ts';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { methodNotAllowed, sendError } from '../messages/errors.ts';
import { connectionTimes, listen } from '../messages/listen.ts';
import { pathOf } from '../messages/requestHeaders.ts';

type Unready =
  /** The keys to verify tokens were never loaded. */
  | 'TOKEN_KEYS'
  /** No upstream node of the chain responds and is caught up. */
  | 'NODES'
  /**
   * The chain was reset under the same id within the last ten seconds. Data that callers hold is from the chain before the
   * reset.
   */
  | 'CHAIN_RESET'
  /** The validators signed two different blocks: the chain was attacked. */
  | 'CHAIN_CONFLICT'
  | 'SHUTTING_DOWN'
  /** No worker process listens. */
  | 'WORKERS';

/** The probes for load balancers. */
export type Health = ReturnType<typeof createHealth>;

/** The paths of the probes. */
export const probePaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** How long a reset of the chain is reported, in ms. Long enough for a probe every few seconds. */
const resetReported = 10_000;

/** Creates the probes. `keysLoaded` returns whether the keys to verify tokens are loaded. By default, no keys are needed. */
export function createHealth(options: {
  readonly client: Client;
  readonly keysLoaded?: (() => boolean) | undefined;
  readonly archive?: Pick<Archive, 'recording'> | undefined;
  /** Whether a worker process listens. By default there are none. */
  readonly hasWorker?: (() => boolean) | undefined;
}) {
  const { client, keysLoaded = () => true, hasWorker = () => true, archive } = options;
  let shuttingDown = false;
  let resetAt = Number.NEGATIVE_INFINITY;
  client.head.onRewind(({ kind }) => {
    if (kind === 'RESET') resetAt = performance.now();
  });

  function hasNode(): boolean {
    // Without a head, no read can succeed, whatever the nodes report.
    if (client.head.current() === undefined) return false;
    const nodes = client.nodes();
    if (nodes.length === 0) return true;
    return nodes.some(
      ({ health, consecutiveFailures, catchingUp }) =>
        health === 'HEALTHY' ||
        health === 'LAGGING' ||
        // An ejected node that responds again is used if no other node is available.
        (health === 'EJECTED' && consecutiveFailures === 0 && catchingUp === false),
    );
  }

  /** Whether every node has failed in its last call, so that nobody can say whether there are new blocks. */
  function isCutOff(): boolean {
    const nodes = client.nodes();
    const isOneReached = nodes.some((node) => node.consecutiveFailures === 0 || !['DOWN', 'EJECTED'].includes(node.health));
    return nodes.length > 0 && !isOneReached;
  }

  /**
   * Why the server is not ready, and what does not make it unready: whether new blocks arrive, why the archive records nothing, the modules that it
   * would record and the chain does not have, whether answers are kept by roots, and whether the newest block is verified.
   */
  function readiness() {
    const failed: Unready[] = [];
    if (!keysLoaded()) failed.push('TOKEN_KEYS');
    if (!hasNode()) failed.push('NODES');
    if (performance.now() - resetAt < resetReported) failed.push('CHAIN_RESET');
    if (client.verification?.status().state === 'CONFLICT') failed.push('CHAIN_CONFLICT');
    if (!hasWorker()) failed.push('WORKERS');
    if (shuttingDown) failed.push('SHUTTING_DOWN');
    const { head } = client;
    const status = archive?.recording.status();
    return {
      failed,
      chain: head.current() === undefined || isCutOff() ? 'unknown' : head.isStalled() ? 'stalled' : ('moving' as const),
      archive: status?.trouble,
      notRecorded: status === undefined || status.absent.length === 0 ? undefined : status.absent,
      roots: client.roots.status().state,
      verification: client.verification?.status().state,
    };
  }

  return {
    readiness,
    /** Makes the server unready from now on. */
    shutDown(): void {
      shuttingDown = true;
    },
    /**
     * Responds at one of {@link probePaths}. `withReasons` adds the reasons to the body of a 503, which only operators see.
     */
    answer(
      path: string,
      { method }: IncomingMessage,
      response: ServerResponse,
      { withReasons }: { readonly withReasons: boolean } = { withReasons: false },
    ): void {
      if (method !== 'GET' && method !== 'HEAD') {
        sendError(response, methodNotAllowed);
        return;
      }
      // A cached probe would be meaningless.
      response.setHeader('cache-control', 'no-store');
      if (path === '/livez') {
        response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
        return;
      }
      const { failed, chain, archive: trouble, notRecorded, roots, verification } = readiness();
      const body = {
        ready: failed.length === 0,
        chain,
        ...(withReasons && {
          failed,
          ...(trouble !== undefined && { archive: trouble }),
          ...(notRecorded && { notRecorded }),
          roots,
          ...(verification !== undefined && { verification }),
        }),
      };
      response.writeHead(body.ready ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  };
}

/** Starts the server of the operators' endpoints, on its own port. It requires no token: every client that can reach the port may read. */
export async function startAdmin(options: {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly health: Health;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
  readonly limits: Limits;
  /** Logs a failure to read the metrics. */
  readonly report: (error: unknown, requestId: string) => void;
}) {
  const { host, port, health, metrics, limits, report } = options;
  const server = createServer(connectionTimes(limits), (request, response) => {
    const path = pathOf(request);
    if (probePaths.has(path)) return health.answer(path, request, response, { withReasons: true });
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
    async close(): Promise<void> {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
