import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pause } from './chain/base/waiting.ts';
import type { Client } from './chain/client.ts';
import { createLimits, type Limits } from './config/limits/limits.ts';
import { version } from './config/version.ts';
import { createDocumentCache } from './graphql/documents/documentCache.ts';
import { createScopeCheck } from './graphql/plugins/scopeCheck.ts';
import { schema } from './graphql/schema.ts';
import { createSubscriptions, type SubscriptionStats } from './graphql/subscriptions/subscriptions.ts';
import { createGraphQLYoga } from './graphql/yoga.ts';
import { createAggregatesHandler } from './http/aggregates/aggregatesHandler.ts';
import { type Authenticator, openAuthenticator } from './http/auth/auth.ts';
import { countRefusal } from './http/auth/authRefusal.ts';
import { createGraphQLHandler } from './http/graphql/graphqlHandler.ts';
import { createGraphQLSockets } from './http/graphql/graphqlSockets.ts';
import { createSchemaHandler } from './http/graphql/schemaHandler.ts';
import type { Handler, PublicHandler, SocketHandler } from './http/handlers/handler.ts';
import type { Issuer } from './http/issuer/issuer.ts';
import { createTokenHandler } from './http/issuer/tokenHandler.ts';
import { createTrustedProxies } from './http/messages/clientAddress.ts';
import { closeWithError, notFound } from './http/messages/errors.ts';
import { connectionTimes, listen, pathOf } from './http/messages/listen.ts';
import { cometDialect } from './http/nodeRpc/dialects/cometDialect.ts';
import { documentedDialect } from './http/nodeRpc/dialects/documentedDialect.ts';
import { createDispatch } from './http/nodeRpc/dispatch.ts';
import { createNodeRpcHandler } from './http/nodeRpc/httpHandler.ts';
import { createNodeEvents } from './http/nodeRpc/nodeEvents.ts';
import { createSocketHandler } from './http/nodeRpc/sockets/socketHandler.ts';
import { startAdmin } from './http/observability/admin.ts';
import { contain, createFaults, type FaultOwner, type Faults } from './http/observability/faults.ts';
import { createHealth } from './http/observability/health.ts';
import type { Log } from './http/observability/log.ts';
import { createMetrics } from './http/observability/metrics.ts';
import { createRequests, requestIdOf } from './http/observability/requestLog.ts';
import { createRequestStats } from './http/observability/requestStats.ts';
import type { NodeEventStats } from './http/observability/stats.ts';
import { createDescriptionHandler } from './http/openapi/descriptionHandler.ts';
import { createDocsPage } from './http/openapi/docsPage.ts';
import { createLandingPage } from './http/pages/landingPage.ts';
import { createPlaygroundPage } from './http/pages/playgroundPage.ts';
import { createPlaygroundToken } from './http/pages/playgroundToken.ts';
import { createPublicRate } from './http/rateLimits/publicRate.ts';
import { createRates } from './http/rateLimits/rates.ts';
import { createTurns } from './http/rateLimits/turns.ts';
import { documentedDialect as documentedRest, nodeDialect as nodeRest } from './http/rest/dialect.ts';
import { createRestHandler } from './http/rest/restHandler.ts';
import { createRouteTables } from './http/rest/routes/routeTables.ts';
import { createTxSending } from './http/rest/txSending.ts';
import { createConnections } from './http/server/connections.ts';
import { createOrigins } from './http/server/origins.ts';
import { answerWithoutUpgrade, asksForWebSocket } from './http/server/otherUpgrade.ts';
import { checkHost, checkSize, refuseClient, silenceOf } from './http/server/requestLimits.ts';
import { createRouter } from './http/server/router.ts';

/** A running server. */
export interface Server {
  /** `http://host:port`. */
  readonly url: string;
  /** The same of what is for operators; undefined where none was asked for. */
  readonly adminUrl: string | undefined;
  /** What of the subscriptions runs at the moment. */
  subscriptions(): SubscriptionStats;
  /** The same of those on sockets of the node RPC. */
  nodeEvents(): NodeEventStats;
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
  /** Who is let in; 'open' lets everybody in to everything, which is for tests and benches alone. */
  readonly auth: Authenticator | 'open';
  /** The embedded issuer, if it is not another's tokens that are taken. */
  readonly issuer?: Issuer | undefined;
  /** The token of the playground on local names; undefined if people must enter their own. */
  readonly playgroundToken?: (() => Promise<string>) | undefined;
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** Where what is for operators listens: the probes with their reasons, and `/metrics`. Nowhere when absent. */
  readonly admin?: { readonly host: string; readonly port: number } | undefined;
  /** Logs each failure that callers see masked. `count` is how many fields of the operation failed: 1 if absent. */
  readonly report: (error: unknown, requestId: string, count?: number) => void;
  /** Counts and logs the faults that no request answers for; by `report` if absent. */
  readonly faults?: Faults | undefined;
  /** Where a line is written of each request; nowhere when absent. */
  readonly log?: Pick<Log, 'request' | 'dropped'> | undefined;
  /** Whether broadcastTxCommit may be used: true if absent. */
  readonly broadcastCommit?: boolean | undefined;
  /** Origins of the web whose pages may talk to it, beside its own: none if absent. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Networks of the proxies that name the clients of their requests: none if absent. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Limits other than the usual ones. */
  readonly limits?: Partial<Limits> | undefined;
}

/** Starts the server on plain `node:http`. Resolves once it listens; no node need be reachable for that. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { client, issuer, port, host, admin, report, log, broadcastCommit = true } = options;
  const auth = options.auth === 'open' ? openAuthenticator : options.auth;
  const faults = options.faults ?? createFaults(report);
  const scopeCheck = createScopeCheck(schema);
  const limits = createLimits(options.limits);
  const rates = createRates(limits);
  const trustedProxies = createTrustedProxies(options.trustedProxies ?? []);
  const turns = createTurns();
  const origins = createOrigins(options.allowedOrigins ?? []);
  const queue = {
    maxEvents: limits['subscription.events'],
    maxBytes: limits['subscription.bytes'],
    maxWait: limits['subscription.wait'],
  };
  const health = createHealth({ client, keysLoaded: auth.isReady });
  const stats = createRequestStats();
  const requests = createRequests({ stats, log });
  const subscriptions = createSubscriptions({
    schema,
    report,
    memory: client.memory,
    queue,
    freshness: limits['request.freshness'],
  });
  const stopRewinds = client.head.onRewind(subscriptions.rewind);
  const documents = createDocumentCache({ maxBytes: client.memory.share('documents') });
  client.memory.report('documents', 'documents', documents.stats);
  const yoga = createGraphQLYoga({ subscriptions, report, broadcastCommit, scopeCheck, limits, documents });
  const sockets = createGraphQLSockets({ client, yoga, auth, requests, scopeCheck, report, faults, rates, turns, limits });
  const dispatch = createDispatch({ client, broadcastCommit, report });
  const nodeRpc = { client, dispatch, limits };
  const rest = { client, tables: createRouteTables(client), limits };
  const descriptions = {
    client,
    tables: rest.tables,
    dispatch,
    limits,
    issuer,
    hasDevnetClient: options.playgroundToken !== undefined,
  };
  const publicHandlers: readonly PublicHandler[] = [
    createLandingPage(),
    createPlaygroundPage(),
    createPlaygroundToken(options.playgroundToken),
    createTokenHandler({ issuer, rates, limits }),
    createDescriptionHandler(descriptions),
    createDocsPage(options.playgroundToken),
  ];
  const handlers: readonly Handler[] = [
    createGraphQLHandler({ client, yoga, limits }),
    createSchemaHandler(),
    createAggregatesHandler({ client, limits }),
    createNodeRpcHandler({ ...nodeRpc, dialect: cometDialect, base: '/comet' }),
    createNodeRpcHandler({ ...nodeRpc, dialect: documentedDialect, base: '' }),
    createRestHandler({ ...rest, dialect: nodeRest, sending: createTxSending({ client, limits, dialect: nodeRest }) }),
    createRestHandler({ ...rest, dialect: documentedRest }),
  ];
  const events = createNodeEvents(client, (error) => report(error, randomUUID()));
  const rpcSockets = { dispatch, events, rates, turns, requests, limits, report, faults };
  const socketHandlers: readonly SocketHandler[] = [
    createSocketHandler({ ...rpcSockets, dialect: cometDialect, path: '/comet/websocket' }),
    createSocketHandler({ ...rpcSockets, dialect: documentedDialect, path: '/websocket' }),
  ];

  const ownerOf = (request: IncomingMessage, work: ServerResponse | Duplex): FaultOwner => ({
    faults,
    requestId: () => requestIdOf(request),
    abandon: () => work.destroy(),
  });
  const handle = (request: IncomingMessage, response: ServerResponse): void =>
    contain(ownerOf(request, response), () => {
      if (health.answer(pathOf(request), request, response)) return;
      void route(request, response, requests.http(request, response));
    });
  const server = createHttpServer(
    {
      ...connectionTimes(limits),
      maxHeaderSize: limits['http.headers'] + limits['http.uri'],
      // Node's refusal would have no body: a request without one is refused with the others that say it wrong.
      requireHostHeader: false,
    },
    (request, response) => contain(ownerOf(request, response), () => connections.run(request, response)),
  );
  const connections = createConnections(server, { limits, trustedProxies, turns, handle });
  const publicRate = createPublicRate(limits);
  const route = createRouter({
    publicHandlers,
    handlers,
    auth,
    rates,
    turns,
    publicRate,
    connections,
    origins,
    limits,
    report,
  });

  server.on('connection', turns.accepted);
  server.timeout = silenceOf(limits);
  server.maxConnections = limits['http.connections'];
  // Their size is limited; Node would drop those beyond 2,000, and with them a second token or host.
  server.maxHeadersCount = 0;
  server.on('clientError', (error, socket) => {
    const owner = { faults, requestId: () => undefined, abandon: () => socket.destroy() };
    contain(owner, () => refuseClient(error, socket, { limits, connections }));
  });
  // What is expected beside `100-continue` may be passed over (RFC 9110, 10.1.1); Node would refuse it without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));

  server.on('upgrade', (request, socket, head) => {
    const owner = ownerOf(request, socket);
    const take = () => {
      // A response under way comes first, and the connection cannot wait for it as another protocol.
      if (connections.isAnswering(socket)) return void socket.destroy();
      if (!asksForWebSocket(request)) return answerWithoutUpgrade(server, request, socket, head);
      connections.leave(socket);
      trustedProxies.identify(request);
      // The connection may break at any time, also before it belongs to a WebSocket.
      socket.on('error', () => undefined);
      upgrade(request, socket, head).catch((error: unknown) =>
        contain(owner, () => {
          throw error;
        }),
      );
    };
    contain(owner, take);
  });

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const path = pathOf(request);
    const handler = socketHandlers.find((each) => each.matches(path));
    const refused =
      checkHost(request) ?? checkSize(request, limits) ?? origins.checkUpgrade(request) ?? connections.admit(request, socket);
    if (refused !== undefined) return closeWithError(socket, refused, handler?.shape);
    if (path === '/graphql') return sockets.upgrade(request, socket, head);
    const session = await auth.authenticate(request);
    if ('reason' in session) return closeWithError(socket, countRefusal(session, request, rates), handler?.shape);
    if (handler === undefined) return closeWithError(socket, notFound);
    handler.upgrade(request, socket, head, session);
  }

  const metrics = createMetrics({
    client,
    requests: stats.view,
    subscriptions: subscriptions.stats,
    nodeEvents: events.stats,
    sockets: () => socketHandlers.reduce((sum, handler) => sum + handler.open(), sockets.open()),
    auth: options.auth === 'open' ? undefined : auth.stats,
    faults: faults.counts,
    droppedLines: log?.dropped,
    version,
  });
  const url = await listen(server, { host, port, audience: 'public' });
  const operators =
    admin &&
    (await startAdmin({ ...admin, health, metrics, limits, report }).catch((error: unknown) => {
      server.close();
      throw error;
    }));

  async function close(): Promise<void> {
    health.shutDown();
    subscriptions.close();
    await Promise.all([sockets.close(), ...socketHandlers.map((handler) => handler.close())]);
    events.close();
    stopRewinds();
    await connections.close();
    await operators?.close();
  }

  return {
    url,
    adminUrl: operators?.url,
    subscriptions: subscriptions.stats,
    nodeEvents: events.stats,
    async drain({ delay, limit }) {
      health.shutDown();
      connections.retire();
      await pause(delay);
      subscriptions.close();
      const drained = Promise.all([connections.drain(), sockets.drain(), ...socketHandlers.map((handler) => handler.drain())]);
      const over = new AbortController();
      await Promise.race([drained, pause(Math.max(limit - delay, 0), over.signal).catch(() => undefined)]);
      over.abort();
      await close();
    },
    close,
  };
}
