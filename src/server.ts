import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Client } from './chain/client.ts';
import { pause } from './chain/transports/waiting.ts';
import { createLimits, type Limits } from './graphql/limits.ts';
import { schema } from './graphql/schema.ts';
import { createSubscriptions, type SubscriptionStats } from './graphql/subscriptions/subscriptions.ts';
import { createGraphQLYoga } from './graphql/yoga.ts';
import { startAdmin } from './http/admin.ts';
import { createConnections } from './http/connections.ts';
import { createGraphQLHandler } from './http/graphqlHandler.ts';
import { createGraphQLSockets } from './http/graphqlSockets.ts';
import { createHealth } from './http/health.ts';
import { listen, pathOf } from './http/listen.ts';
import { createSchemaHandler } from './http/schemaHandler.ts';

/** A running server. */
export interface Server {
  /** `http://host:port`. */
  readonly url: string;
  /** The same of what is for operators; undefined where none was asked for. */
  readonly adminUrl: string | undefined;
  /** What of the subscriptions runs at the moment. */
  subscriptions(): SubscriptionStats;
  /**
   * Stops without failing anybody: not ready from now on; after `delay` ms, which are the load balancer's to notice, nothing new is
   * accepted, every stream ends with SERVER_SHUTDOWN, and what is under way is answered. What is not by `limit` ms, both counted from now, is cut
   * off. Resolves when no connection is left.
   */
  drain(times: { readonly delay: number; readonly limit: number }): Promise<void>;
  /** Ends every stream with SERVER_SHUTDOWN, and every connection, at once. */
  close(): Promise<void>;
}

/** How a server is started. */
export interface ServerOptions {
  readonly client: Client;
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** Where what is for operators listens: the probes with their reasons, and `/metrics`. Nowhere when absent. */
  readonly admin?: { readonly host: string; readonly port: number } | undefined;
  /** Told of each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
  /** Whether broadcastTxCommit may be used: true if absent. */
  readonly broadcastCommit?: boolean | undefined;
  /** Limits other than the usual ones. */
  readonly limits?: Partial<Limits> | undefined;
}

/** Starts the server on plain `node:http`. Resolves once it listens; no node need be reachable for that. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { client, port, host, admin, report, broadcastCommit = true } = options;
  const limits = createLimits(options.limits);
  const queue = { maxEvents: limits['subscription.events'], maxBytes: limits['subscription.bytes'] };
  const health = createHealth({ client });
  const subscriptions = createSubscriptions({ schema, report, queue });
  const yoga = createGraphQLYoga({ subscriptions, report, broadcastCommit, limits });
  const graphql = createGraphQLHandler({ client, yoga, limits });
  const schemaHandler = createSchemaHandler();
  const sockets = createGraphQLSockets({ client, yoga, report, limits });

  const server = createHttpServer(
    {
      maxHeaderSize: limits['http.headers'] + limits['http.uri'],
      keepAliveTimeout: 65_000,
      requestTimeout: 20_000,
      headersTimeout: 10_000,
    },
    (request, response) => {
      route(request, response).catch((error: unknown) => {
        // A caller that leaves in the middle of its own request is no failure of ours.
        if (!request.destroyed || request.complete) report(error, randomUUID());
        if (!response.headersSent) response.writeHead(500).end();
        else response.destroy();
      });
    },
  );

  const connections = createConnections(server);

  server.on('upgrade', (request, socket, head) => {
    if (pathOf(request) === '/graphql') return sockets.upgrade(request, socket, head);
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
  });

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request);
    if (path === '/graphql') return graphql(request, response);
    if (path === '/schema.graphql') return schemaHandler(request, response);
    if (health.answer(path, request, response)) return;
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
  }

  const url = await listen(server, { host, port, audience: 'public' });
  const operators =
    admin &&
    (await startAdmin({ ...admin, health }).catch((error: unknown) => {
      server.close();
      throw error;
    }));

  async function close(): Promise<void> {
    health.shutDown();
    subscriptions.close();
    await sockets.close();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    await operators?.close();
  }

  return {
    url,
    adminUrl: operators?.url,
    subscriptions: subscriptions.stats,
    async drain({ delay, limit }) {
      health.shutDown();
      connections.retire();
      await pause(delay);
      const drained = Promise.all([connections.drain(), sockets.drain()]);
      subscriptions.close();
      const over = new AbortController();
      await Promise.race([drained, pause(Math.max(limit - delay, 0), over.signal).catch(() => undefined)]);
      over.abort();
      await close();
    },
    close,
  };
}
