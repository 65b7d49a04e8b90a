import { startServer } from '../src/start/server.ts';
import { tellParent } from './child.ts';
import { benchClient, benchLimits } from './steleParts.ts';

// One process with a server that is started again, with another value of `--verify`, so that all of them run the same compiled code. The argument is the URL of the node.
const [node = ''] = process.argv.slice(2);

async function start(verify: string) {
  const client = benchClient(node, verify);
  await client.head.ready();
  const server = await startServer({
    ...{ client, auth: 'open', port: 0, host: '127.0.0.1', report: console.error },
    limits: benchLimits,
  });
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
  /** Waits for a block. */
  async waitFor(height) {
    await running?.client.head.waitFor(BigInt(Number(height)), { milliseconds: 20_000 });
    return 0;
  },
  /** Closes the server before, and starts one. Returns its port. */
  async start(verify) {
    await running?.close();
    global.gc?.();
    running = await start(String(verify));
    return running.port;
  },
});
