import { createHead } from '../src/chain/blocks/head.ts';
import { createClient } from '../src/chain/client.ts';
import { createLightClient } from '../src/chain/lightClient/lightClient.ts';
import { verifiedNodes } from '../src/chain/lightClient/verifiedNodes.ts';
import { fallback } from '../src/chain/transports/fallback.ts';
import { http } from '../src/chain/transports/http.ts';
import { createLimits } from '../src/config/limits/limits.ts';
import { startServer } from '../src/start/server.ts';
import { tellParent } from './child.ts';
import { profiling } from './profiler.ts';

// A server over a node, whose URL is the argument. It is started again for each measurement.
const [node = ''] = process.argv.slice(2);

/** Starts a server that has read nothing yet. */
async function start() {
  const limits = createLimits({
    'rate.points': 0,
    'rate.computing': 0,
    'upstream.attempt': 60_000,
    'request.deadline': 120_000,
  });
  const light = createLightClient({});
  const connection = http(node, { timeout: 60_000 });
  const upstream = fallback(verifiedNodes(light, [connection]));
  const transport = { ...upstream, verification: { ...light, provesReads: false } };
  const client = createClient({ transport, light, head: createHead({ transport }) });
  const server = await startServer({ client, auth: 'open', port: 0, host: '127.0.0.1', limits, report: console.error });
  return {
    client,
    port: Number(new URL(server.url).port),
    async close() {
      await server.close();
      await client.close();
    },
  };
}

let running: Awaited<ReturnType<typeof start>> | undefined;

tellParent('', () => ({ calls: 0, batches: 0 }), {
  ...profiling,
  /** Starts a server that has read nothing but the newest block, and closes the one before. Returns its port. */
  async start() {
    await running?.close();
    running = await start();
    await running.client.descriptors.pool();
    return running.port;
  },
  /** Waits for a block. */
  async waitFor(height) {
    await running?.client.head.waitFor(BigInt(Number(height)), { milliseconds: 20_000 });
    return 0;
  },
});
