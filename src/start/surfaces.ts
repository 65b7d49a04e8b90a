import { randomUUID } from 'node:crypto';
import { type AnswerCounts, createAnswerCaches } from '../answers/answerCache.ts';
import type { Client } from '../chain/client.ts';
import type { Tracer } from '../chain/tracing/tracer.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { DashboardLogin } from '../config/settings/authConfig.ts';
import { createDocumentCache } from '../graphql/documents/documents.ts';
import { createNamedDocuments, createPersistedDocuments, type TrustedDocuments } from '../graphql/documents/namedDocuments.ts';
import { createEngine } from '../graphql/engine/engine.ts';
import { createHttpExecution } from '../graphql/engine/httpOperation.ts';
import type { EnginePlugin } from '../graphql/engine/plugins.ts';
import { createExecute } from '../graphql/execution/execute.ts';
import { createLiveQueries, type StreamStats } from '../graphql/live/liveQueries.ts';
import { schema } from '../graphql/schema.ts';
import { createSubscriptions } from '../graphql/subscriptions/subscriptions.ts';
import type { Authenticator } from '../server/auth/auth.ts';
import { createTokenHandler, type Issuer } from '../server/issuer/issuer.ts';
import { createCompression } from '../server/messages/compression.ts';
import type { Faults } from '../server/observability/faults.ts';
import type { Requests } from '../server/observability/requestLog.ts';
import type { NodeEventStats } from '../server/observability/stats.ts';
import type { Rates } from '../server/rateLimits/rates.ts';
import type { Turns } from '../server/rateLimits/turns.ts';
import type { Handler, PublicHandler, SocketHandler } from '../server/router.ts';
import { createSharedDocuments, type SharedStore, storeWaits } from '../shared/sharedStore.ts';
import { createAggregatesHandler } from '../surfaces/aggregates/aggregatesHandler.ts';
import { createGraphQLHandler } from '../surfaces/graphql/graphqlHandler.ts';
import { createGraphQLSockets } from '../surfaces/graphql/graphqlSockets.ts';
import { createSchemaHandler } from '../surfaces/graphql/schemaHandler.ts';
import { cometDialect, documentedDialect } from '../surfaces/nodeRpc/dialects.ts';
import { createDispatch } from '../surfaces/nodeRpc/dispatch.ts';
import { createNodeRpcHandler } from '../surfaces/nodeRpc/httpHandler.ts';
import { createNodeEvents } from '../surfaces/nodeRpc/nodeEvents.ts';
import { createSocketHandler } from '../surfaces/nodeRpc/socketHandler.ts';
import { createDescriptionHandler, createDocsPage } from '../surfaces/openapi/descriptionHandler.ts';
import { createBuiltFiles } from '../surfaces/pages/bundledFile.ts';
import { createDashboardPage, createPlaygroundPage, createPlaygroundToken } from '../surfaces/pages/pages.ts';
import { documentedDialect as documentedRest, nodeDialect as nodeRest } from '../surfaces/rest/dialect.ts';
import { createRestHandler } from '../surfaces/rest/restHandler.ts';
import { createRouteTables } from '../surfaces/rest/routes.ts';
import { createTxSending } from '../surfaces/rest/txSending.ts';

/** The API surfaces of a server: the handlers of HTTP requests and of WebSockets. */
export interface Surfaces {
  /** Of the handlers of a path, the router asks the first one first. */
  readonly handlers: readonly (Handler | PublicHandler)[];
  /** GraphQL and the node RPC over WebSocket. */
  readonly socketHandlers: readonly SocketHandler[];
  /** Returns statistics of the GraphQL subscriptions and live queries. */
  subscriptions(): StreamStats;
  /** Returns statistics of the subscriptions on sockets of the node RPC. */
  nodeEvents(): NodeEventStats;
  /** Returns the counters of the cached answers of each surface. */
  answers(): readonly AnswerCounts[];
  /** Returns the number of open WebSockets. */
  openSockets(): number;
  /**
   * Ends every subscription with SERVER_SHUTDOWN, and each socket once its running requests have responses. Resolves when all
   * sockets are closed.
   */
  drain(): Promise<void>;
  /** Ends every subscription with SERVER_SHUTDOWN and every socket at once. Resolves when all sockets are closed. */
  close(): Promise<void>;
}

/** Creates the surfaces of a server. */
export function createSurfaces(options: {
  readonly client: Client;
  readonly auth: Authenticator;
  readonly issuer: Issuer | undefined;
  readonly playgroundToken: (() => Promise<string>) | undefined;
  /** The directory of the built dashboard. */
  readonly dashboard: string | undefined;
  /** How the pages of the dashboard get a token. undefined if visitors enter one. */
  readonly dashboardLogin: DashboardLogin | undefined;
  /** Whether broadcastTxCommit may be used. */
  readonly broadcastCommit: boolean;
  readonly rates: Rates;
  readonly turns: Turns;
  readonly requests: Requests;
  readonly tracer: Tracer;
  readonly faults: Faults;
  readonly limits: Limits;
  /** What several processes share. undefined if this is the only one. */
  readonly shared: SharedStore | undefined;
  /** The documents that the operator trusts. */
  readonly trustedDocuments: TrustedDocuments;
  /** Whether other documents need a token with the scope `introspect`. */
  readonly onlyTrustedDocuments: boolean;
  /** Whether shared caches may keep answers to trusted documents at a height that the URL names. */
  readonly allowSharedCaches: boolean;
  /** The plugins of the operator. */
  readonly plugins: readonly EnginePlugin[];
  /** Logs each failure that callers see masked. `count` is the number of fields that failed, by default 1. */
  readonly report: (error: unknown, requestId: string, count?: number) => void;
}): Surfaces {
  const { client, auth, issuer, playgroundToken, dashboard, broadcastCommit, rates, turns, requests, faults, limits, report } =
    options;
  const { tracer } = options;
  const persistedBytes = Math.floor(client.memory.share('documents') / 8);
  const documents = createDocumentCache({ maxBytes: client.memory.share('documents') - persistedBytes });
  client.memory.report('documents', 'documents', documents.stats);
  // A document fills a small part of its cache.
  const execute = createExecute(documents.grow, Math.floor(client.memory.share('documents') / 64));
  const subscriptions = createSubscriptions({
    schema,
    execute,
    report,
    memory: client.memory,
    queue: {
      maxEvents: limits['subscription.events'],
      maxBytes: limits['subscription.bytes'],
      maxWait: limits['subscription.wait'],
    },
    freshness: limits['request.freshness'],
    chain: client.head.fingerprint,
    tracer,
  });
  const liveQueries = createLiveQueries({
    schema,
    execute,
    memory: client.memory,
    report,
    chain: client.head.fingerprint,
    tracer,
  });
  const stopRewinds = client.head.onRewind((rewind) => {
    subscriptions.rewind(rewind);
    liveQueries.rewind();
  });
  const persisted = createPersistedDocuments({ maxBytes: persistedBytes, maxText: limits['graphql.bytes'] });
  client.memory.report('documents', 'persisted', persisted.stats);
  const namedDocuments = createNamedDocuments({
    trusted: options.trustedDocuments,
    shared: options.shared && createSharedDocuments(options.shared, storeWaits(limits).documents),
    onlyTrusted: options.onlyTrustedDocuments,
    persisted,
  });
  const engine = createEngine({
    ...{ schema, subscriptions, liveQueries, execute, documents },
    ...{ report, broadcastCommit, limits, tracer, plugins: options.plugins },
  });
  const answers = createAnswerCaches(client);
  const compression = createCompression(client.memory);
  const graphqlAnswers = answers.of('graphql', { keeps: !options.plugins.some(({ everyRequest }) => everyRequest) });
  const dispatch = createDispatch({ client, broadcastCommit, report });
  const nodeRpc = { client, dispatch, limits };
  const rest = { client, tables: createRouteTables(client), compression, limits };
  const descriptions = {
    client,
    tables: rest.tables,
    dispatch,
    limits,
    issuer,
    hasDevnetClient: playgroundToken !== undefined,
  };
  const built = createBuiltFiles(dashboard);
  const handlers: readonly (Handler | PublicHandler)[] = [
    createDashboardPage(built, options.dashboardLogin),
    createPlaygroundPage(built),
    createPlaygroundToken(playgroundToken),
    createTokenHandler({ issuer, rates, limits }),
    createDescriptionHandler(descriptions),
    createDocsPage(playgroundToken),
    createGraphQLHandler({
      ...{
        client,
        execute: createHttpExecution(engine),
        answers: graphqlAnswers,
        documents: namedDocuments,
        compression,
        limits,
      },
      allowSharedCaches: options.allowSharedCaches,
    }),
    createSchemaHandler(),
    createAggregatesHandler({ client, answers: answers.of('aggregates'), compression, limits }),
    createNodeRpcHandler({ ...nodeRpc, dialect: cometDialect, base: '/comet' }),
    createNodeRpcHandler({ ...nodeRpc, dialect: documentedDialect, base: '' }),
    createRestHandler({
      ...rest,
      dialect: nodeRest,
      answers: answers.of(nodeRest.surface),
      sending: createTxSending({ client, limits, dialect: nodeRest }),
    }),
    createRestHandler({ ...rest, dialect: documentedRest, answers: answers.of(documentedRest.surface) }),
  ];
  const nodeEvents = createNodeEvents(client, (error) => report(error, randomUUID()));
  const rpcSockets = { dispatch, events: nodeEvents, rates, turns, requests, limits, report, faults };
  const socketHandlers: readonly SocketHandler[] = [
    createGraphQLSockets({
      client,
      engine,
      answers: graphqlAnswers,
      documents: namedDocuments,
      auth,
      requests,
      report,
      faults,
      rates,
      turns,
      limits,
    }),
    createSocketHandler({ ...rpcSockets, dialect: cometDialect, path: '/comet/websocket' }),
    createSocketHandler({ ...rpcSockets, dialect: documentedDialect, path: '/websocket' }),
  ];

  /** Ends every stream. Sockets are closed after it. */
  function closeStreams(): void {
    subscriptions.close();
    liveQueries.close();
  }

  return {
    handlers,
    socketHandlers,
    subscriptions: () => ({ ...subscriptions.stats(), live: liveQueries.stats() }),
    nodeEvents: nodeEvents.stats,
    answers: answers.counts,
    openSockets: () => socketHandlers.reduce((sum, handler) => sum + handler.open(), 0),
    async drain() {
      closeStreams();
      await Promise.all(socketHandlers.map((handler) => handler.drain()));
    },
    async close() {
      closeStreams();
      await Promise.all(socketHandlers.map((handler) => handler.close()));
      nodeEvents.close();
      stopRewinds();
    },
  };
}
