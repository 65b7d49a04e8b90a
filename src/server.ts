import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Client } from './chain/client.ts';
import { schema } from './graphql/schema.ts';
import {
  createSubscriptions,
  type SubscriptionStats,
  type SubscriptionsOptions,
} from './graphql/subscriptions/subscriptions.ts';
import { createGraphQLYoga } from './graphql/yoga.ts';
import { createGraphQLHandler } from './http/graphqlHandler.ts';
import { createGraphQLSockets } from './http/graphqlSockets.ts';
import { createSchemaHandler } from './http/schemaHandler.ts';

/** A running server. */
export interface Server {
  /** `http://host:port`. */
  readonly url: string;
  /** What of the subscriptions runs at the moment. */
  subscriptions(): SubscriptionStats;
  /** Ends every stream with SERVER_SHUTDOWN, and every connection. */
  close(): Promise<void>;
}

/** How a server is started. */
export interface ServerOptions {
  readonly client: Client;
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** Told of each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
  /** Longest an operation may take, ms: 15,000 if absent. */
  readonly deadline?: number | undefined;
  /** Whether broadcastTxCommit may be used: true if absent. */
  readonly broadcastCommit?: boolean | undefined;
  /** What is kept of each subscriber that is slow: 128 events or 8 MiB. */
  readonly queue?: SubscriptionsOptions['queue'];
}

/** Header bytes and the request line together (reliability.md 1). */
const maxHeaderSize = 16 * 1024;

/** Starts the server on plain `node:http`. Resolves once it listens; no node need be reachable for that. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { client, port, host, report, deadline, broadcastCommit = true, queue } = options;
  const subscriptions = createSubscriptions({ schema, report, queue });
  const yoga = createGraphQLYoga({ subscriptions, report, broadcastCommit });
  const graphql = createGraphQLHandler({ client, yoga, deadline });
  const schemaHandler = createSchemaHandler();
  const sockets = createGraphQLSockets({ client, yoga, report });

  const server = createHttpServer(
    { maxHeaderSize, keepAliveTimeout: 65_000, requestTimeout: 20_000, headersTimeout: 10_000 },
    (request, response) => {
      route(request, response).catch((error: unknown) => {
        // A caller that leaves in the middle of its own request is no failure of ours.
        if (!request.destroyed || request.complete) report(error, randomUUID());
        if (!response.headersSent) response.writeHead(500).end();
        else response.destroy();
      });
    },
  );

  server.on('upgrade', (request, socket, head) => {
    if (request.url?.split('?', 1)[0] === '/graphql') return sockets.upgrade(request, socket, head);
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
  });

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0];
    if (path === '/graphql') return graphql(request, response);
    if (path === '/schema.graphql') return schemaHandler(request, response);
    if (path === '/livez') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
      return;
    }
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    subscriptions: subscriptions.stats,
    async close() {
      subscriptions.close();
      await sockets.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
