import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Archive } from '../archive/setup/archive.ts';
import { pause } from '../chain/base/time.ts';
import type { Client } from '../chain/client.ts';
import { noTracer, type Tracer } from '../chain/tracing/tracer.ts';
import { createLimits, type Limits } from '../config/limits/limits.ts';
import { type Config, ConfigError } from '../config/settings/config.ts';
import { version } from '../config/version.ts';
import { createTrustedDocuments } from '../graphql/documents/requestParams.ts';
import { loadPlugins } from '../graphql/engine/plugins.ts';
import type { StreamStats } from '../graphql/live/liveQueries.ts';
import { type Authenticator, openAuthenticator } from '../server/auth/auth.ts';
import { createCacheInvalidation } from '../server/cacheInvalidation.ts';
import { createCacheTags } from '../server/cacheTags.ts';
import { createHttpServer } from '../server/httpServer.ts';
import { listen } from '../server/messages/listen.ts';
import { createTrustedProxies } from '../server/messages/requestHeaders.ts';
import { createFaults, type Faults, surviveFaults } from '../server/observability/faults.ts';
import { createHealth, startAdmin } from '../server/observability/health.ts';
import type { Log } from '../server/observability/log.ts';
import type { ExportingTracer } from '../server/observability/openTelemetry.ts';
import { createRequestStats, createRequests } from '../server/observability/requestLog.ts';
import { createSharedCounters, noSharedCounters } from '../server/rateLimits/counters.ts';
import { createPublicRate, createRates } from '../server/rateLimits/rates.ts';
import { createTurns } from '../server/rateLimits/turns.ts';
import { createOrigins } from '../server/requestChecks.ts';
import { storeWaits } from '../shared/sharedStore.ts';
import { followTrustedFile } from '../surfaces/graphql/trustedFile.ts';
import { addMetrics, createMetrics, type MetricSources } from '../surfaces/metrics/metrics.ts';
import type { NodeEvents } from '../surfaces/nodeRpc/nodeEvents.ts';
import { readDashboardDocuments } from '../surfaces/pages/pages.ts';
import type { WebhookSettings } from '../webhooks/service.ts';
import { createAuth } from './authSetup.ts';
import { createSurfaces, type Given, type SurfaceSettings } from './surfaces.ts';

export interface Server {
  readonly url: string;
  /** `http://host:port` of the operators' endpoints. undefined without the option `admin`. */
  readonly adminUrl: string | undefined;
  failed(): readonly string[];
  /** Returns the metrics as values, which can be sent to another process. */
  metrics(): Promise<readonly object[]>;
  subscriptions(): StreamStats;
  nodeEvents(): ReturnType<NodeEvents['stats']>;
  /**
   * Shuts down gracefully. The server is not ready from now on. After `delay` ms, in which the load balancer can notice that,
   * it accepts no new connections and ends every subscription with SERVER_SHUTDOWN. Running requests get their responses.
   * Connections that are open after `limit` ms are closed. Both times count from now. Resolves when all connections are closed.
   */
  drain(times: { readonly delay: number; readonly limit: number }): Promise<void>;
  /** Ends every subscription with SERVER_SHUTDOWN and closes every connection, at once. */
  close(): Promise<void>;
}

export interface ServerOptions
  extends SurfaceSettings,
    Given<'allowedOrigins' | 'trustedProxies' | 'limits' | 'cacheTags' | 'invalidate'> {
  readonly client: Client;
  /** Authenticates requests. 'open' gives every request every scope, for tests and benchmarks only. */
  readonly auth: Authenticator | 'open';
  readonly port: number;
  readonly host: string;
  /** The address of the operators' endpoints: the probes with reasons, and `/metrics`. If absent, there are none. */
  readonly admin?: { readonly host: string; readonly port: number } | undefined;
  /** Logs each failure that callers see masked. `count` is the number of fields that failed, by default 1. */
  readonly report: (error: unknown, requestId: string, count?: number) => void;
  /** The archive, for metrics and probes. The caller closes it. */
  readonly archive?: Archive | undefined;
  /** How webhooks are delivered, for which the server needs an archive. If absent, they are not. */
  readonly webhooks?: WebhookSettings | undefined;
  /** Whether this process is a worker, whose primary counts the calls to nodes and the archive. Default false. */
  readonly isWorker?: boolean | undefined;
  /** Counts and logs faults that fail no request. By default, a new counter that logs with `report`. */
  readonly faults?: Faults | undefined;
  /** Writes a line for each request. If absent, requests are not logged. */
  readonly log?: Pick<Log, 'request' | 'dropped'> | undefined;
  /** Records requests and operations. By default nothing. The client records calls to nodes and transactions. */
  readonly tracer?: (Tracer & Pick<ExportingTracer, 'spans'>) | undefined;
}

/** Starts the server. Resolves once it listens, even if no node is reachable. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { client, port, host, admin, report, log, tracer = noTracer } = options;
  const auth = options.auth === 'open' ? openAuthenticator : options.auth;
  const faults = options.faults ?? createFaults(report);
  const limits = createLimits(options.limits);
  const trustedProxies = createTrustedProxies(options.trustedProxies ?? []);
  const turns = createTurns();
  const sharing =
    options.shared === undefined ? noSharedCounters : createSharedCounters(options.shared, { waits: storeWaits(limits) });
  const rates = createRates(limits, () => performance.now(), turns, sharing);
  const health = createHealth({ client, keysLoaded: auth.isReady, archive: options.archive });
  const stats = createRequestStats();
  const requests = createRequests({ stats, log, tracer });
  const { invalidate = [], cacheTags = false } = options;
  const tags = cacheTags || invalidate.length > 0 ? createCacheTags(client, limits['cacheTags.number']) : undefined;
  if (tags !== undefined) client.roots.followFirst();
  const stopInvalidation =
    tags === undefined || invalidate.length === 0
      ? undefined
      : createCacheInvalidation({
          ...{ client, tags },
          urls: invalidate,
          format: options.invalidateFormat ?? 'surrogate-key',
          report: (error) => report(error, randomUUID()),
        });
  const { archive } = options;
  // Its code is loaded only if it is used.
  const webhooks = options.webhooks &&
    archive && { archive, settings: options.webhooks, start: (await import('../webhooks/service.ts')).startWebhooks };
  const surfaces = createSurfaces({ ...options, tags, auth, faults, rates, turns, requests, limits, tracer, webhooks });
  const { server, connections } = createHttpServer({
    ...{ auth, rates, turns, trustedProxies, health, requests, faults, limits, report },
    handlers: surfaces.handlers,
    socketHandlers: surfaces.socketHandlers,
    publicRate: createPublicRate(limits),
    origins: createOrigins(options.allowedOrigins ?? [], { isPublic: auth.anonymous !== undefined }),
  });

  const sources: MetricSources = {
    client,
    requests: stats.view,
    subscriptions: surfaces.subscriptions,
    nodeEvents: surfaces.nodeEvents,
    answers: surfaces.answers,
    sockets: surfaces.openSockets,
    auth: options.auth === 'open' ? undefined : auth.stats,
    archive: options.archive,
    webhooks: surfaces.webhooks,
    shared: options.shared,
    faults: faults.counts,
    droppedLines: log?.dropped,
    spans: options.tracer?.spans,
    version,
    isWorker: options.isWorker ?? false,
  };
  const metrics = createMetrics((kinds) => addMetrics(kinds, sources));
  /** Nothing reads the archive any more when the start fails: it is closed next. */
  const fail = async (error: unknown): Promise<never> => {
    server.close();
    await surfaces.close();
    throw error;
  };
  const url = await listen(server, { host, port, audience: 'public' }).catch(fail);
  const operators = admin && (await startAdmin({ ...admin, health, metrics: metrics.text, limits, report }).catch(fail));

  async function close(): Promise<void> {
    health.shutDown();
    await surfaces.close();
    await connections.close();
    await stopInvalidation?.();
    await operators?.close();
    sharing.close();
  }

  return {
    url,
    adminUrl: operators?.url,
    failed: () => health.readiness().failed,
    metrics: metrics.values,
    subscriptions: surfaces.subscriptions,
    nodeEvents: surfaces.nodeEvents,
    async drain({ delay, limit }) {
      health.shutDown();
      connections.retire();
      await pause(delay);
      const drained = Promise.all([surfaces.drain(), connections.drain()]);
      const over = new AbortController();
      await Promise.race([drained, pause(Math.max(limit - delay, 0), over.signal).catch(() => undefined)]);
      over.abort();
      await close();
    },
    close,
  };
}

/** The directory of the built dashboard: beside this file in a build, in `dist` when the sources run. */
const dashboardDirectory = ['dashboard/', '../../dist/dashboard/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

/** Returns a function that throws an error again as an error of the configuration. */
function configError(setting: string): (error: unknown) => never {
  return (error) => {
    throw new ConfigError([setting + (error instanceof Error ? error.message : error)]);
  };
}

/** Counts and logs the faults of this process, and survives them. */
export function openFaults(log: Pick<Log, 'error'>): Faults {
  const faults = createFaults(log.error);
  surviveFaults(faults);
  return faults;
}

/**
 * Starts the server of this process as configured. `devnetToken` returns a token of the client `devnet`; undefined if there is none. `stop` ends
 * what follows files. The caller drains or closes the server.
 */
export async function serve(
  options: Pick<ServerOptions, 'client' | 'archive' | 'shared' | 'tracer' | 'admin' | 'isWorker'> & {
    /** Encrypts the keys of webhooks; undefined if they are not delivered. */
    readonly webhookSecret: string | undefined;
    readonly config: Config;
    /** Encrypts the signing keys in the shared store. undefined if they are not stored there. */
    readonly secret: string | undefined;
    readonly limits: Limits;
    readonly log: Log;
  },
) {
  const { config, secret, webhookSecret, ...parts } = options;
  const { client, archive, shared, log } = parts;
  const report = log.error;
  const faults = openFaults(log);
  let url = '';
  const { auth, issuer, devnetToken } = await createAuth(config.auth, {
    address: () => url,
    report,
    memory: client.memory,
    sharedKeys: shared === undefined || secret === undefined ? undefined : { store: shared, secret },
    onLostKeys: log.keys,
    anonymousScopes: config.public,
  }).catch(configError(''));
  const trustedDocuments = createTrustedDocuments(await readDashboardDocuments(dashboardDirectory));
  const stopFollowing =
    config.trustedDocuments === undefined
      ? undefined
      : await followTrustedFile(config.trustedDocuments, trustedDocuments, report).catch(
          configError('--trusted-documents (STELE_TRUSTED_DOCUMENTS): '),
        );
  const plugins = await loadPlugins(config.plugins, config).catch(configError('--plugin (STELE_PLUGINS): '));
  if (plugins.some(({ everyRequest }) => everyRequest)) log.plugins();
  const server = await startServer({
    ...{ ...config, ...parts, archive, shared, plugins, auth, issuer, report, faults, trustedDocuments },
    playgroundToken: devnetToken,
    dashboard: dashboardDirectory,
    webhooks: webhookSecret === undefined ? undefined : { secret: webhookSecret, networks: config.webhookNetworks },
  });
  // Tokens name `localhost` in their issuer for a loopback address.
  url = server.url.replace(/\/\/(127\.|\[::1\])[^:]*(?=:\d+$)/, '//localhost');
  // Loads the descriptors early. Requests that need them wait for the same attempt.
  void client.descriptors.pool().catch(() => undefined);
  return { server, devnetToken, stop: (): void => stopFollowing?.() };
}
