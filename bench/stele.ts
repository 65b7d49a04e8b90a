import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createAuth } from '../src/start/authSetup.ts';
import { startServer } from '../src/start/server.ts';
import { startBenchArchive } from './archive/serverArchive.ts';
import { now, tellParent } from './child.ts';
import { coverage } from './journeys/coverage.ts';
import { createLiveTimes } from './liveTimes.ts';
import { profiling } from './profiler.ts';
import { benchClient, benchLimits } from './steleParts.ts';
import { createTracers } from './tracers.ts';

// The server over the node on the command line. With the argument `tokens`, it requires tokens. With `governance` or `full` it has an archive of this
// mode in a directory, which it fills in from a height on.
const [node, mode, directory, from] = process.argv.slice(2);
if (node === undefined) throw new Error('usage: stele.ts NODE [tokens | (governance | full) DIRECTORY [FROM]]');
const report = (error: unknown): void => console.error(error);
const { tracer, commands: traces } = await createTracers(report);
// STELE_VERIFY, as of the server: `heads` or `reads`. Without it, nothing is verified.
const { STELE_VERIFY: verify = 'off' } = process.env;
const client = benchClient(node, verify, tracer);
await client.head.ready();
const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 3600 } as const;
const { auth, issuer } =
  mode === 'tokens'
    ? await createAuth(config, { address: () => 'http://localhost:4000', report })
    : { auth: 'open' as const, issuer: undefined };
const archive = directory === undefined ? undefined : await startBenchArchive({ client, mode, directory, from });
const server = await startServer({
  client,
  archive: archive?.archive,
  auth,
  issuer,
  port: 0,
  host: '127.0.0.1',
  report,
  tracer,
  limits: benchLimits,
});
const loopDelay = monitorEventLoopDelay({ resolution: 1 });
tellParent(server.url, () => ({ calls: 0, batches: 0, kinds: { ...server.subscriptions().live } }), {
  ...profiling,
  ...coverage,
  ...createLiveTimes(client),
  ...archive?.commands,
  ...traces,
  /** Starts to measure the delay of the event loop. */
  watchLoop() {
    loopDelay.enable();
    loopDelay.reset();
    return now();
  },
  /** Returns this percentile of the delay since then, in ms. */
  loopDelay: (percentile) => loopDelay.percentile(Number(percentile)) / 1e6,
  /** Resolves when there are this many listeners of live queries. */
  async listening(count) {
    while (server.subscriptions().live.listeners !== count) await new Promise((resolve) => setTimeout(resolve, 20));
    return now();
  },
  /** Resolves when the live queries have executed or found unchanged this many blocks, counted together. */
  async looked(total) {
    const looks = (): number => {
      const { executions, unchanged } = server.subscriptions().live;
      return executions + unchanged;
    };
    while (looks() < Number(total)) await new Promise((resolve) => setTimeout(resolve, 5));
    return now();
  },
  /** Resolves when the roots of the stores after a block are learnt. */
  async settled(height) {
    await client.head.waitFor(BigInt(Number(height)), { milliseconds: 10_000 });
    await client.roots.settled(BigInt(Number(height)));
    return now();
  },
  /** Resolves when the ranges of all reads that came again are proven. */
  async followed() {
    while ((client.roots.keptReads()?.pending ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    return now();
  },
  /** Resolves when there are this many subscribers. */
  async subscribed(count) {
    while (server.subscriptions().subscribers !== count) await new Promise((resolve) => setTimeout(resolve, 20));
    return now();
  },
});
