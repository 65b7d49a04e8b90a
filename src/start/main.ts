#!/usr/bin/env node
import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import type { Client } from '../chain/client.ts';
import { type Config, ConfigError, readConfig } from '../config/settings/config.ts';
import { asksForHelp, helpText } from '../config/settings/settings.ts';
import { version } from '../config/version.ts';
import { ListenError } from '../server/messages/listen.ts';
import { serve } from './server.ts';
import {
  closeFailed,
  createOpened,
  type Opened,
  openClient,
  openProcessWithNodes,
  openShared,
  printStart,
  startArchive,
  stopOnSignal,
  untilUsable,
  watchNodes,
} from './starting.ts';
import { webhookSecretOf } from './webhookSecret.ts';

/** Starts the server in this process. `opened` gets what the process has to close. */
async function run(config: Config, opened: Opened): Promise<void> {
  const { limits, log, tracer, devnet, nodes, transport, light } = await openProcessWithNodes(config, opened);
  let ownClient: Client | undefined;
  const shared =
    config.shared === undefined ? undefined : await openShared(config.shared, { limits, log, client: () => ownClient });
  opened.add(() => shared?.close());
  const client = openClient({ config, limits, shared, tracer, log, bytes: limits['cache.bytes'], transport, light });
  opened.add(() => client.close());
  ownClient = client;
  if (shared !== undefined) await untilUsable(shared, client);
  const archive = await startArchive(config, { client, isEmbedded: devnet !== undefined, log });
  opened.add(() => archive?.close());
  opened.add(watchNodes(client, nodes, log));
  const { server, devnetToken, stop } = await serve({
    ...{ config, client, archive, shared, limits, log, tracer },
    secret: config.sharedSecret,
    webhookSecret: webhookSecretOf(config),
    admin: { host: config.adminHost, port: config.adminPort },
    isWorker: false,
  });
  opened.add(stop);
  printStart({ url: server.url, adminUrl: server.adminUrl, client, devnet, token: await devnetToken?.(), opened });

  stopOnSignal(limits, async (times) => {
    await server.drain(times);
    await opened.close();
  });
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

const opened = createOpened();
try {
  const argv = process.argv.slice(2);
  if (asksForHelp(argv)) process.stdout.write(helpText());
  else if (argv.includes('--version')) process.stdout.write(`${version}\n`);
  else {
    const config = readConfig(argv, process.env);
    if (cluster.isWorker) await (await import('./worker.ts')).runWorker(config, opened);
    else if (config.workers > 1) await (await import('./primary.ts')).runPrimary(config, opened);
    else await run(config, opened);
  }
} catch (error) {
  if (cluster.isWorker) await (await import('./worker.ts')).failStart(reasonsOf(error));
  // A worker's reasons are printed by its primary.
  else
    process.stderr.write(
      reasonsOf(error)
        .map((reason) => `stele: ${reason}\n`)
        .join(''),
    );
  await closeFailed(opened);
  process.exit(1);
}
