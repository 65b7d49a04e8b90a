import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Archive } from '../archive/setup/archive.ts';
import type { Client } from '../chain/client.ts';
import type { Limits } from '../config/limits/limits.ts';
import { type Config, ConfigError } from '../config/settings/config.ts';
import { createTrustedDocuments } from '../graphql/documents/namedDocuments.ts';
import { createFaults, type Faults, surviveFaults } from '../server/observability/faults.ts';
import type { Log } from '../server/observability/log.ts';
import type { SharedStore } from '../shared/sharedStore.ts';
import { followTrustedFile } from '../surfaces/graphql/trustedFile.ts';
import { readDashboardDocuments } from '../surfaces/pages/bundledFile.ts';
import { type Auth, type AuthOptions, createAuth } from './authSetup.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';

/** A server that runs as configured. */
export interface Serving {
  readonly server: Server;
  /** Returns a token of the client `devnet`. undefined if there is no such client. */
  readonly devnetToken: Auth['devnetToken'];
  /** Ends what follows files. The server is drained or closed by the caller. */
  stop(): void;
}

/** The directory of the built dashboard: beside this file in a build, in `dist` when the sources run. */
const dashboardDirectory = ['dashboard/', '../../dist/dashboard/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

/** The URL that tokens name as their issuer: with `localhost` for a loopback address. */
function issuerUrl(url: string): string {
  return url.replace(/\/\/(127\.|\[::1\])[^:]*(?=:\d+$)/, '//localhost');
}

/** Authentication as configured. Rejects with a {@link ConfigError} if a file is invalid. */
export function openAuth(config: Config, options: AuthOptions): Promise<Auth> {
  return createAuth(config.auth, options).catch((error: unknown) => {
    throw error instanceof Error ? new ConfigError([error.message]) : error;
  });
}

/** Counts and logs the faults of this process, and survives them. */
export function openFaults(log: Pick<Log, 'error'>): Faults {
  const faults = createFaults(log.error);
  surviveFaults(faults);
  return faults;
}

/** Starts the server of this process as configured. */
export async function serve(options: {
  readonly config: Config;
  readonly client: Client;
  readonly archive: Archive | undefined;
  readonly shared: SharedStore | undefined;
  /** Encrypts the signing keys in the shared store. undefined if they are not stored there. */
  readonly secret: string | undefined;
  readonly limits: Limits;
  readonly log: Log;
  readonly tracer: ServerOptions['tracer'];
  readonly admin: ServerOptions['admin'];
  readonly isWorker: boolean;
}): Promise<Serving> {
  const { config, client, archive, shared, secret, limits, log, tracer, admin, isWorker } = options;
  const report = log.error;
  const faults = openFaults(log);
  let url = '';
  const { auth, issuer, devnetToken } = await openAuth(config, {
    address: () => url,
    report,
    memory: client.memory,
    sharedKeys: shared === undefined || secret === undefined ? undefined : { store: shared, secret },
    onLostKeys: log.keys,
  });
  const trustedDocuments = createTrustedDocuments(await readDashboardDocuments(dashboardDirectory));
  const stopFollowing =
    config.trustedDocuments === undefined
      ? undefined
      : await followTrustedFile(config.trustedDocuments, trustedDocuments, report).catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : error;
          throw new ConfigError([`--trusted-documents (STELE_TRUSTED_DOCUMENTS): ${reason}`]);
        });
  const server = await startServer({
    ...{ client, archive, shared, auth, issuer, report, faults, log, tracer, admin, limits, isWorker },
    playgroundToken: devnetToken,
    dashboard: dashboardDirectory,
    dashboardLogin: config.dashboardLogin,
    port: config.port,
    host: config.host,
    broadcastCommit: config.broadcastCommit,
    allowedOrigins: config.allowedOrigins,
    trustedProxies: config.trustedProxies,
    trustedDocuments,
    onlyTrustedDocuments: config.onlyTrustedDocuments,
    allowSharedCaches: config.allowSharedCaches,
  });
  url = issuerUrl(server.url);
  // Loads the descriptors early. Requests that need them wait for the same attempt.
  void client.descriptors.pool().catch(() => undefined);
  return { server, devnetToken, stop: () => stopFollowing?.() };
}
