import { randomUUID } from 'node:crypto';
import { createAnswerCaches } from '../answers/answerCache.ts';
import type { Archive } from '../archive/setup/archive.ts';
import type { Client } from '../chain/client.ts';
import type { Tracer } from '../chain/tracing/tracer.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { Config } from '../config/settings/config.ts';
import { createChainSchema, type TypedPackages } from '../graphql/chainSchema.ts';
import { createDocumentCache } from '../graphql/documents/documents.ts';
import {
  createNamedDocuments,
  createPersistedDocuments,
  createTrustedDocuments,
  type TrustedDocuments,
} from '../graphql/documents/requestParams.ts';
import { createEngine } from '../graphql/engine/engine.ts';
import { createHistoryAnswers } from '../graphql/engine/historyAnswers.ts';
import { createHttpExecution } from '../graphql/engine/httpOperation.ts';
import type { EnginePlugin } from '../graphql/engine/plugins.ts';
import { createExecute, type ExecutionRequest } from '../graphql/execution/execute.ts';
import { createLiveQueries, type StreamStats } from '../graphql/live/liveQueries.ts';
import { createSubscriptions } from '../graphql/subscriptions/subscriptions.ts';
import type { Authenticator } from '../server/auth/auth.ts';
import type { CacheTags } from '../server/cacheTags.ts';
import { createTokenHandler, type Issuer } from '../server/issuer/issuer.ts';
import { createCompression } from '../server/messages/sendAnswer.ts';
import type { Faults } from '../server/observability/faults.ts';
import type { Requests } from '../server/observability/requestLog.ts';
import type { Rates } from '../server/rateLimits/rates.ts';
import type { Turns } from '../server/rateLimits/turns.ts';
import type { Handler, PublicHandler, SocketHandler } from '../server/router.ts';
import { createSharedDocuments, type SharedStore, storeWaits } from '../shared/sharedStore.ts';
import { createAggregatesHandler } from '../surfaces/aggregates/aggregatesHandler.ts';
import { createWebhooksHandler } from '../surfaces/aggregates/webhooksHandler.ts';
import { createCards } from '../surfaces/cards/cards.ts';
import { createGraphQLHandler } from '../surfaces/graphql/graphqlHandler.ts';
import { createGraphQLSockets } from '../surfaces/graphql/graphqlSockets.ts';
import { createSchemaHandler } from '../surfaces/graphql/schemaHandler.ts';
import { createMcpHandler } from '../surfaces/mcp/mcpHandler.ts';
import { createResourceMetadata } from '../surfaces/mcp/resourceMetadata.ts';
import { isShipped } from '../surfaces/mcp/shippedTools.ts';
import { cometDialect, documentedDialect } from '../surfaces/nodeRpc/dialects.ts';
import { createDispatch } from '../surfaces/nodeRpc/dispatch.ts';
import { createNodeRpcHandler } from '../surfaces/nodeRpc/httpHandler.ts';
import { createNodeEvents } from '../surfaces/nodeRpc/nodeEvents.ts';
import { createSocketHandler } from '../surfaces/nodeRpc/socketHandler.ts';
import { createDescriptionHandler, createDocsPage } from '../surfaces/openapi/descriptionHandler.ts';
import { createBuiltFiles, createDashboardPage, createPlaygroundPage, createPlaygroundToken } from '../surfaces/pages/pages.ts';
import { documentedDialect as documentedRest, nodeDialect as nodeRest } from '../surfaces/rest/dialect.ts';
import { createRestHandler } from '../surfaces/rest/restHandler.ts';
import { createRouteTables } from '../surfaces/rest/routes.ts';
import type { WebhookSettings } from '../webhooks/service.ts';

/** Begins to serve and deliver webhooks. It is loaded only if the server has an archive. */
type StartWebhooks = typeof import('../webhooks/service.ts').startWebhooks;

/** What the surfaces of a server offer. Members without a description here are settings of the same name. */
export interface SurfaceSettings
  extends Given<
    | 'dashboardLogin'
    | 'dashboardLook'
    | 'broadcastCommit'
    | 'onlyTrustedDocuments'
    | 'allowSharedCaches'
    | 'invalidateFormat'
    | 'federation'
  > {
  /** The embedded issuer. undefined if tokens come from an outside issuer. */
  readonly issuer?: Issuer | undefined;
  /** Returns the token of the playground for local requests. undefined if users must enter their own. */
  readonly playgroundToken?: (() => Promise<string>) | undefined;
  /** The directory of the built dashboard. If absent, `/dashboard` responds 404. */
  readonly dashboard?: string | undefined;
  /** What several processes share. The caller closes it. undefined if this is the only one. */
  readonly shared?: SharedStore | undefined;
  /** The documents that the operator trusts. Default none. */
  readonly trustedDocuments?: TrustedDocuments | undefined;
  /** Plugins of GraphQL Yoga, through which every executed operation goes. Default none. */
  readonly plugins?: readonly EnginePlugin[] | undefined;
  /** The packages of the chain whose types the schema gets. Default none. */
  readonly typed?: TypedPackages | undefined;
}

/** Settings that may be absent. */
export type Given<Name extends keyof Config> = { readonly [N in Name]?: Config[N] | undefined };

export function createSurfaces(
  options: SurfaceSettings & {
    readonly client: Client;
    readonly auth: Authenticator;
    readonly rates: Rates;
    readonly turns: Turns;
    readonly requests: Requests;
    readonly tracer: Tracer;
    readonly faults: Faults;
    readonly limits: Limits;
    /** The tags of answers. undefined if they have none. */
    readonly tags: CacheTags | undefined;
    /** How webhooks are delivered, and what begins it. undefined if they are not. */
    readonly webhooks?:
      | { readonly archive: Archive; readonly settings: WebhookSettings; readonly start: StartWebhooks }
      | undefined;
    /** Logs each failure that callers see masked. `count` is the number of fields that failed, by default 1. */
    readonly report: (error: unknown, requestId: string, count?: number) => void;
  },
) {
  const { client, issuer, playgroundToken, rates, limits, report, tracer, plugins = [] } = options;
  const { broadcastCommit = true, trustedDocuments = createTrustedDocuments() } = options;
  const persistedBytes = Math.floor(client.memory.share('documents') / 8);
  const documents = createDocumentCache({ maxBytes: client.memory.share('documents') - persistedBytes });
  client.memory.report('documents', 'documents', documents.stats);
  // A document fills a small part of its cache.
  const execute = createExecute(documents.grow, Math.floor(client.memory.share('documents') / 64));
  const chainSchema = createChainSchema(client, options.typed ?? 'none', report, options.federation);
  const schema = chainSchema.current();
  // Streams live longer than a schema.
  const executeNow = (request: ExecutionRequest) => execute({ ...request, schema: chainSchema.current() });
  const operations = { schema, execute: executeNow, report, memory: client.memory, chain: client.head.fingerprint, tracer };
  const subscriptions = createSubscriptions({
    ...operations,
    queue: {
      maxEvents: limits['subscription.events'],
      maxBytes: limits['subscription.bytes'],
      maxWait: limits['subscription.wait'],
    },
    freshness: limits['request.freshness'],
  });
  const liveQueries = createLiveQueries(operations);
  const stopRewinds = client.head.onRewind((rewind) => {
    subscriptions.rewind(rewind);
    liveQueries.rewind(rewind);
  });
  const stopConflicts = client.verification?.onConflict((height) => {
    subscriptions.conflict(height);
    liveQueries.conflict(height);
  });
  chainSchema.onReplaced((replacement) => {
    subscriptions.replaceSchema(replacement);
    liveQueries.replaceSchema(replacement);
  });
  const persisted = createPersistedDocuments({ maxBytes: persistedBytes, maxText: limits['graphql.bytes'] });
  client.memory.report('documents', 'persisted', persisted.stats);
  const namedDocuments = createNamedDocuments({
    trusted: trustedDocuments,
    shared: options.shared && createSharedDocuments(options.shared, storeWaits(limits).documents),
    onlyTrusted: options.onlyTrustedDocuments ?? false,
    persisted,
  });
  const engine = createEngine({
    ...options,
    schema: chainSchema,
    history: createHistoryAnswers({ schema: chainSchema, execute: executeNow, memory: client.memory, report }),
    subscriptions,
    liveQueries,
    execute,
    documents,
    broadcastCommit,
    plugins,
    isTrusted: (text) => trustedDocuments.includes(text) || isShipped(text),
  });
  const { webhooks } = options;
  const deliveries = webhooks?.start({
    ...{ client, engine, rates, limits, documents: namedDocuments },
    ...{ archive: webhooks.archive, settings: webhooks.settings },
    scopesOf: async (clientId) => (issuer === undefined || clientId === '' ? undefined : issuer.scopesOf(clientId)),
    report: (error) => report(error, randomUUID()),
  });
  const answers = createAnswerCaches(client);
  const keeps = plugins.every(({ everyRequest }) => everyRequest !== true);
  const graphql = {
    ...options,
    engine,
    answers: answers.of('graphql', { keeps, onDropped: chainSchema.onReplaced }),
    documents: namedDocuments,
  };
  const { tags } = options;
  const answerTags = tags && { of: tags.of, areInExtensions: options.invalidateFormat === 'apollo' };
  const dispatch = createDispatch({ client, broadcastCommit, report });
  const http = { client, compression: createCompression(client.memory), dispatch, tables: createRouteTables(client), limits };
  const built = createBuiltFiles(options.dashboard);
  const isPublic = options.auth.anonymous?.viewer.scopes.includes('read') === true;
  const site = options.dashboardLook?.name ?? 'Stele';
  const cards = createCards({ client, rates, limits, site, report: (error) => report(error, randomUUID()) });
  const handlers: readonly (Handler | PublicHandler)[] = [
    createDashboardPage(built, options.dashboardLogin, isPublic, options.dashboardLook, isPublic ? cards.tags : undefined),
    cards.handler,
    createPlaygroundPage(built),
    createPlaygroundToken(playgroundToken),
    createTokenHandler({ issuer, rates, limits }),
    createDescriptionHandler({
      ...http,
      issuer,
      hasDevnetClient: playgroundToken !== undefined,
      hasWebhooks: webhooks !== undefined,
    }),
    createDocsPage(playgroundToken),
    createGraphQLHandler({
      ...{ ...graphql, ...http, execute: createHttpExecution(engine, answerTags) },
      tags,
      allowSharedCaches: options.allowSharedCaches ?? false,
    }),
    createSchemaHandler(chainSchema),
    createResourceMetadata(options.auth),
    createMcpHandler({ client, engine, schema: chainSchema, documents: trustedDocuments, limits, report }),
    ...(webhooks === undefined ? [] : [createWebhooksHandler({ client, limits })]),
    createAggregatesHandler({ ...http, answers: answers.of('aggregates') }),
    createNodeRpcHandler({ ...http, dialect: cometDialect, base: '/comet' }),
    createNodeRpcHandler({ ...http, dialect: documentedDialect, base: '' }),
    createRestHandler({ ...http, dialect: nodeRest, answers: answers.of(nodeRest.surface) }),
    createRestHandler({ ...http, dialect: documentedRest, answers: answers.of(documentedRest.surface) }),
  ];
  const nodeEvents = createNodeEvents(client, (error) => report(error, randomUUID()));
  const rpcSockets = { ...options, dispatch, events: nodeEvents };
  const socketHandlers: readonly SocketHandler[] = [
    createGraphQLSockets(graphql),
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
    subscriptions: (): StreamStats => ({ ...subscriptions.stats(), live: liveQueries.stats() }),
    nodeEvents: nodeEvents.stats,
    answers: answers.counts,
    webhooks: deliveries?.stats,
    openSockets: () => socketHandlers.reduce((sum, handler) => sum + handler.open(), 0),
    /** Ends every stream with SERVER_SHUTDOWN, and each socket once its running requests have responses. Resolves when all sockets are closed. */
    async drain(): Promise<void> {
      await deliveries?.close();
      closeStreams();
      await Promise.all(socketHandlers.map((handler) => handler.drain()));
    },
    /** Ends every stream with SERVER_SHUTDOWN and every socket at once. Resolves when all sockets are closed. */
    async close(): Promise<void> {
      await deliveries?.close();
      closeStreams();
      await Promise.all(socketHandlers.map((handler) => handler.close()));
      nodeEvents.close();
      cards.close();
      stopRewinds();
      stopConflicts?.();
      chainSchema.close();
    },
  };
}
