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

// A server over the node on the command line. It has read nothing but the newest block.
const [node = ''] = process.argv.slice(2);
const limits = createLimits({
  'rate.points': 0,
  'rate.computing': 0,
  'upstream.attempt': 60_000,
  'request.deadline': 120_000,
});
const light = createLightClient({});
const upstream = fallback(verifiedNodes(light, [http(node, { timeout: 60_000 })]));
const transport = { ...upstream, verification: { ...light, provesReads: false } };
const client = createClient({ transport, light, head: createHead({ transport }) });
const server = await startServer({ client, auth: 'open', port: 0, host: '127.0.0.1', limits, report: console.error });
await client.descriptors.pool();

tellParent(server.url, () => ({ calls: 0, batches: 0 }), {
  ...profiling,
  /** Waits for a block. */
  async waitFor(height) {
    await client.head.waitFor(BigInt(Number(height)), { milliseconds: 20_000 });
    return 0;
  },
});
