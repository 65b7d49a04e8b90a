import { followArchive } from '../archive/setup/open.ts';
import type { Client } from '../chain/client.ts';
import type { Config } from '../config/settings/config.ts';
import type { SharedStore } from '../shared/sharedStore.ts';
import { archiveModeOf, placeOf } from './archiveSetup.ts';
import { openShared, untilUsable } from './clientSetup.ts';
import { serve } from './server.ts';
import { closeFailed, ignoreSignals, type Opened, openClient, openProcess } from './starting.ts';
import {
  createLinkedBroadcaster,
  createLinkedStore,
  createLinkedTransport,
  createPrimaryLink,
  type PrimaryLink,
} from './workers/link.ts';
import { memoryOf, type ToWorker } from './workers/messages.ts';

/** How often a worker reports whether it is ready, in ms. */
const readyInterval = 500;

type Start = Extract<ToWorker, { kind: 'start' }>;

/** Serves the port of the server as one of several processes. `opened` gets what the process has to close. */
export async function runWorker(config: Config, opened: Opened): Promise<void> {
  ignoreSignals();
  const link = createPrimaryLink();
  // Nothing that this process began may outlive the primary.
  process.on('disconnect', () => void closeFailed(opened).finally(() => process.exit(1)));
  const started = new Promise<Start>((resolve) => link.on('start', resolve));
  // Before `loaded`, because the primary sends the state of the nodes and of its subscription in response, and then changes only.
  const transport = createLinkedTransport(link);
  link.tell({ kind: 'loaded' });
  const { secret, archiveDirectory } = await started;
  const { limits, log, tracer } = await openProcess(config, opened);
  let ownClient: Client | undefined;
  const shared: SharedStore =
    config.shared === undefined
      ? createLinkedStore(link)
      : await openShared(config.shared, { limits, log, client: () => ownClient });
  opened.add(() => shared.close());
  const client = openClient({
    ...{ config, limits, shared, tracer },
    bytes: memoryOf(limits['cache.bytes'], config.workers).process,
    transport,
    sender: createLinkedBroadcaster(link),
  });
  opened.add(() => client.close());
  ownClient = client;
  if (config.shared !== undefined) await untilUsable(shared, client);
  const archive = openArchive(config, client, link, archiveDirectory);
  opened.add(() => archive?.close());
  const { server, devnetToken, stop } = await serve({
    ...{ config, client, archive, shared, limits, log, tracer },
    secret: config.shared === undefined ? secret : config.sharedSecret,
    admin: undefined,
    isWorker: true,
  });
  opened.add(stop);
  link.on('readMetrics', ({ id }) => {
    server.metrics().then(
      (values) => link.tell({ kind: 'metrics', id, values }),
      (error: unknown) => log.error(error, 'metrics'),
    );
  });
  const report = (): void => link.tell({ kind: 'ready', failed: server.failed() });
  const timer = setInterval(report, readyInterval);
  report();
  link.tell({ kind: 'listening', url: server.url, token: await devnetToken?.() });

  link.on('stop', async (times) => {
    setTimeout(() => process.exit(1), limits['shutdown.exit']);
    clearInterval(timer);
    await server.drain(times);
    await opened.close();
    process.exit(0);
  });
}

/** Opens the archive that the primary writes. undefined if there is none. */
function openArchive(config: Config, client: Client, link: PrimaryLink, temporary: string | undefined) {
  const place = placeOf(config, config.nodes.length === 0, temporary);
  if (place === undefined) return undefined;
  const { archive, follow } = followArchive(place, archiveModeOf(config));
  link.on('archive', ({ state }) => follow(state));
  client.attach(archive);
  return archive;
}

/** Sends the primary the reasons why this process cannot start. */
export async function failStart(reasons: readonly string[]): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.send === undefined) resolve();
    else process.send([{ kind: 'failed', reasons }], undefined, undefined, () => resolve());
  });
}
