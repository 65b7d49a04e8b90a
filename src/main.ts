import { createClient } from './chain/client.ts';
import { fallback } from './chain/transports/fallback.ts';
import { http } from './chain/transports/http.ts';
import { ConfigError, readConfig } from './config.ts';
import { startServer } from './server.ts';

/** The devnet is loaded only where it is used. */
async function embeddedDevnet(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { createDevnet } = await import('./devnet/devnet.ts');
  const devnet = await createDevnet({ keepHeights: 5_000, keepBlocks: 20_000 });
  const url = devnet.nodes[0]?.url;
  if (url === undefined) throw new Error('the devnet has no node');
  return { url, close: () => devnet.close() };
}

async function main(): Promise<void> {
  const config = readConfig(process.argv.slice(2), process.env);
  const devnet = config.nodes.length === 0 ? await embeddedDevnet() : undefined;
  const nodes = devnet === undefined ? config.nodes : [devnet.url];
  const client = createClient({ transport: fallback(nodes.map((node, index) => http(node, { alias: `node-${index + 1}` }))) });
  const server = await startServer({
    client,
    port: config.port,
    host: config.host,
    report: (error, requestId) => console.error(JSON.stringify({ level: 'error', requestId, error: String(error) })),
  });

  const source =
    devnet === undefined ? `${nodes.length} node${nodes.length === 1 ? '' : 's'}` : `the embedded devnet (${devnet.url})`;
  console.log(`Stele is up in ${Math.round(performance.now())} ms: ${server.url}/graphql over ${source}`);

  const stop = async (): Promise<void> => {
    await server.close();
    await client.close();
    await devnet?.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().then(() => process.exit(0)));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof ConfigError ? `stele: ${error.message}` : error);
  process.exitCode = 1;
}
