import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { startArchive } from './archiveSetup.ts';
import { createAuth } from './authSetup.ts';
import { createClient } from './chain/client.ts';
import { createDescriptorCache } from './chain/descriptors/descriptorCache.ts';
import { createMemoryBudget } from './chain/memory/memoryBudget.ts';
import { createLimits } from './config/limits/limits.ts';
import { type Config, ConfigError, readConfig } from './config/settings/config.ts';
import { helpText } from './config/settings/help.ts';
import { version } from './config/version.ts';
import type { Devnet } from './devnet/devnet.ts';
import { createTrustedDocuments } from './graphql/documents/trustedDocuments.ts';
import { followTrustedFile } from './http/graphql/trustedFile.ts';
import { ListenError } from './http/messages/listen.ts';
import { createFaults, surviveFaults } from './http/observability/faults.ts';
import { createLog } from './http/observability/log.ts';
import { readDashboardDocuments } from './http/pages/builtFiles.ts';
import { watchNodes } from './nodeWatch.ts';
import { startServer } from './server.ts';
import { createTracing } from './tracing.ts';
import { createUpstream, nodeHosts } from './upstream.ts';

/** Starts the embedded development chain. Its code is loaded only if it is used. */
async function embeddedDevnet(): Promise<Devnet> {
  const { createDevnet } = await import('./devnet/devnet.ts');
  return createDevnet({ actors: true, admin: true });
}

/** The directory of the built dashboard: beside this file in a build, in `dist` when the sources run. */
const dashboardDirectory = ['dashboard/', '../dist/dashboard/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Prints the nodes and the accounts of the embedded chain. */
function printDevnet(devnet: Devnet): void {
  print([
    `Development chain ${devnet.chainId}, one block per second, nodes: ${devnet.nodes.map((node) => node.url).join(' ')}`,
    'Accounts of the public development mnemonic, for this chain only. Accounts 8 and 9 are free for your use:',
    ...devnet.accounts.map(({ address }, index) => `  ${index}  ${address}`),
  ]);
}

/** Prints a token and a first query that uses it. */
function printToken(token: string, url: string): void {
  print([
    'Token of the client `devnet`, with every scope:',
    `  ${token}`,
    'First query:',
    `  curl -s ${url}/graphql -H 'authorization: Bearer ${token}' -H 'content-type: application/json' -d '{"query":"{ head { height time } groups { nodes { id metadata policies { nodes { address } } } } }"}'`,
  ]);
}

async function run(config: Config): Promise<void> {
  const devnet = config.nodes.length === 0 ? await embeddedDevnet() : undefined;
  const nodes = devnet?.nodes.map(({ url }) => url) ?? config.nodes;
  const chainId = devnet?.chainId ?? config.chainId;
  const limits = createLimits({ ...config.limits, 'shutdown.delay': config.drainDelay });
  const memory = createMemoryBudget({ bytes: limits['cache.bytes'] });
  const log = createLog({ level: config.logLevel, out: process.stdout });
  const tracer = await createTracing(process.env, log.traces);
  const client = createClient({
    memory,
    tracer,
    transport: createUpstream({ nodes, chainId, limits }),
    broadcaster: { commitWait: limits['broadcast.wait'] },
    // The descriptors of the embedded chain change with this code, so they must not be cached.
    descriptorCache: devnet !== undefined || config.cacheDir === undefined ? undefined : createDescriptorCache(config.cacheDir),
  });
  const archive = await startArchive(config, { client, isEmbedded: devnet !== undefined, log });
  const stopWatching = watchNodes({ nodes: client.nodes, hosts: nodeHosts(nodes), log });
  const report = log.error;
  const faults = createFaults(report);
  surviveFaults(faults);
  let url = '';
  const { auth, issuer, devnetToken } = await createAuth(config.auth, { address: () => url, report, memory }).catch(
    (error: unknown) => {
      throw error instanceof Error ? new ConfigError([error.message]) : error;
    },
  );
  const trustedDocuments = createTrustedDocuments(await readDashboardDocuments(dashboardDirectory));
  const stopFollowing =
    config.trustedDocuments === undefined
      ? undefined
      : await followTrustedFile(config.trustedDocuments, trustedDocuments, report).catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : error;
          throw new ConfigError([`--trusted-documents (STELE_TRUSTED_DOCUMENTS): ${reason}`]);
        });
  const server = await startServer({
    client,
    archive,
    auth,
    issuer,
    playgroundToken: devnetToken,
    dashboard: dashboardDirectory,
    dashboardLogin: config.dashboardLogin,
    port: config.port,
    host: config.host,
    report,
    faults,
    log,
    tracer,
    broadcastCommit: config.broadcastCommit,
    admin: { host: config.adminHost, port: config.adminPort },
    allowedOrigins: config.allowedOrigins,
    trustedProxies: config.trustedProxies,
    trustedDocuments,
    onlyTrustedDocuments: config.onlyTrustedDocuments,
    allowSharedCaches: config.allowSharedCaches,
    limits,
  });
  print([
    `Stele is up in ${Math.round(performance.now())} ms: ${server.url}/graphql`,
    `For operators: ${server.adminUrl}/metrics and /readyz`,
  ]);
  url = server.url.replace(/\/\/(127\.|\[::1\])[^:]*(?=:\d+$)/, '//localhost');
  if (devnet !== undefined) printDevnet(devnet);
  if (devnetToken !== undefined) printToken(await devnetToken(), server.url);
  // Loads the descriptors early. Requests that need them wait for the same attempt.
  void client.descriptors.pool().catch(() => undefined);

  stopOnSignal(limits['shutdown.exit'], async (signal) => {
    stopWatching();
    stopFollowing?.();
    // On Ctrl-C, skip the drain delay.
    await server.drain({ delay: signal === 'SIGINT' ? 0 : limits['shutdown.delay'], limit: limits['shutdown.drain'] });
    await archive?.close();
    await client.close();
    await devnet?.close();
    await tracer.close(exportWait);
  });
}

/** The longest wait for a collector that receives the last spans, in ms. */
const exportWait = 2_000;

/** The signals that stop the server, with their numbers. */
const signals = { SIGINT: 2, SIGTERM: 15 } as const;

type StopSignal = keyof typeof signals;

/**
 * The same signal twice within this time, in ms, counts once: the terminal sends Ctrl-C to npm and to the server, and npm
 * forwards it.
 */
const duplicateSignalTime = 100;

/** On the first signal, exits once `stop` has resolved, or after `hardLimit` ms. On the second signal, exits at once. */
function stopOnSignal(hardLimit: number, stop: (signal: StopSignal) => Promise<void>): void {
  let first: { readonly signal: StopSignal; readonly at: number } | undefined;
  const onSignal = async (signal: StopSignal): Promise<void> => {
    if (first !== undefined) {
      if (signal === first.signal && performance.now() - first.at < duplicateSignalTime) return;
      // The exit status of shells for a signal.
      process.exit(128 + signals[signal]);
    }
    first = { signal, at: performance.now() };
    setTimeout(() => process.exit(1), hardLimit);
    await stop(signal);
    process.exit(0);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}

/** Returns the lines to print for an error that stops the start: one for each error of the configuration. */
function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.errors;
  if (error instanceof ListenError) {
    const [flag, variable] = error.audience === 'public' ? ['--', 'STELE_'] : ['--admin-', 'STELE_ADMIN_'];
    const { code } = error;
    if (code === 'EADDRINUSE') return [`${flag}port (${variable}PORT) is in use; 0 picks a free port`];
    if (code === 'EACCES') return [`${flag}port (${variable}PORT) requires more privileges`];
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      return [`${flag}host (${variable}HOST) is not an address of this machine`];
  }
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

// V8 lets a small heap grow to four times what is in use before it collects garbage. Twice keeps the resident memory of a
// flooded server within cache.bytes and 250 MiB.
setFlagsFromString('--heap-growing-percent=100');

// A closed stdout or stderr (EPIPE) must not stop the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  const argv = process.argv.slice(2);
  if (argv.includes('--help')) process.stdout.write(helpText());
  else if (argv.includes('--version')) process.stdout.write(`${version}\n`);
  else await run(readConfig(argv, process.env));
} catch (error) {
  process.stderr.write(
    reasonsOf(error)
      .map((reason) => `stele: ${reason}\n`)
      .join(''),
  );
  process.exit(1);
}
