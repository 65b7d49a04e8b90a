import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config/settings/config.ts';
import { version } from '../config/version.ts';
import { createHealth, startAdmin } from '../server/observability/health.ts';
import { createLocalStore } from '../shared/localStore.ts';
import { addPrimaryMetrics } from '../surfaces/metrics/metricList.ts';
import { createMetrics } from '../surfaces/metrics/metrics.ts';
import { startArchive } from './archiveSetup.ts';
import { createUpstream, nodeHosts, watchNodes } from './clientSetup.ts';
import { openFaults } from './server.ts';
import { embeddedDevnet, nodesOf, type Opened, openClient, openProcess, printStart, stopOnSignal } from './starting.ts';
import { memoryOf } from './workers/messages.ts';
import { startWorkers, WorkerStartError } from './workers/startWorkers.ts';

/** The directory of a temporary archive, which all processes open. It is removed when this process exits. */
function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stele-archive-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * Starts the primary process and its workers. The primary follows the nodes, sends transactions, writes the archive, and serves the
 * operators' endpoints. The workers serve everything else. `opened` gets what the process has to close.
 */
export async function runPrimary(config: Config, opened: Opened): Promise<void> {
  const devnet = config.nodes.length === 0 ? await embeddedDevnet() : undefined;
  opened.add(() => devnet?.close());
  const nodes = nodesOf(config, devnet);
  const { limits, log, tracer } = await openProcess(config, opened);
  const faults = openFaults(log);
  const memory = memoryOf(limits['cache.bytes'], config.workers);
  const transport = createUpstream({ nodes, chainId: devnet?.chainId ?? config.chainId, limits });
  const client = openClient({ config, limits, shared: undefined, tracer, log, bytes: memory.process, transport });
  opened.add(() => client.close());
  const archiveDirectory = devnet !== undefined && config.archive.kind === 'file' ? temporaryDirectory() : undefined;
  const archive = await startArchive(config, { client, isEmbedded: devnet !== undefined, log, temporary: archiveDirectory });
  opened.add(() => archive?.close());
  opened.add(watchNodes({ nodes: client.nodes, hosts: nodeHosts(nodes), log }));
  const workers = startWorkers({
    count: config.workers,
    client,
    archive,
    store: createLocalStore({ maxBytes: memory.store, maxValue: limits['shared.value'] }),
    secret: randomBytes(32).toString('base64url'),
    archiveDirectory,
    tracer,
    onRestart: log.worker,
  });
  opened.add(() => workers.stop({ delay: 0, limit: 0 }));
  const { url, token } = await workers.listening.catch((error: unknown) => {
    throw error instanceof WorkerStartError ? new ConfigError(error.reasons) : error;
  });
  const health = createHealth({ client, archive, hasWorker: workers.hasReady });
  const metrics = createMetrics((kinds) =>
    addPrimaryMetrics(kinds, {
      client,
      archive,
      faults: faults.counts,
      droppedLines: log.dropped,
      spans: tracer.spans,
      version,
      workers: workers.stats,
    }),
  );
  const admin = await startAdmin({
    host: config.adminHost,
    port: config.adminPort,
    health,
    metrics: async () => metrics.text(await workers.metrics()),
    limits,
    report: log.error,
  });
  opened.add(() => admin.close());
  printStart({ url, adminUrl: admin.url, client, devnet, token, opened });

  stopOnSignal(limits, async (times) => {
    health.shutDown();
    await workers.stop(times);
    await opened.close();
  });
}
