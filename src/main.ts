import { createClient } from './chain/client.ts';
import { createDescriptorCache } from './chain/descriptorCache.ts';
import { fallback } from './chain/transports/fallback.ts';
import { http } from './chain/transports/http.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import type { Devnet } from './devnet/devnet.ts';
import { startServer } from './server.ts';

/** The devnet is loaded only where it is used. */
async function embeddedDevnet(): Promise<Devnet> {
  const { createDevnet } = await import('./devnet/devnet.ts');
  return createDevnet({ actors: true, admin: true });
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What the embedded chain is, for people: its accounts, and a query that has an answer. */
function introduce(devnet: Devnet, url: string): void {
  print([
    `Chain ${devnet.chainId} runs beside it, at ${devnet.nodes.map((node) => node.url).join(' ')}, a block each second.`,
    'Its accounts are those of the well-known development mnemonic, for this chain only; 8 and 9 are yours:',
    ...devnet.accounts.map(({ address }, index) => `  ${index}  ${address}`),
    'A first query:',
    `  curl -s ${url}/graphql -H 'content-type: application/json' -d '{"query":"{ head { height time } groups { nodes { id metadata policies { nodes { address } } } } }"}'`,
  ]);
}

async function run(config: Config): Promise<void> {
  const devnet = config.nodes.length === 0 ? await embeddedDevnet() : undefined;
  const nodes = devnet?.nodes.map(({ url }) => url) ?? config.nodes;
  const chainId = devnet?.chainId ?? config.chainId;
  const transports = nodes.map((node, index) => http(node, { alias: `node-${index + 1}` }));
  const client = createClient({
    transport: fallback(transports, chainId === undefined ? {} : { chainId }),
    // The embedded chain is beside us, and what it has changes as this code does.
    descriptorCache: devnet !== undefined || config.cacheDir === undefined ? undefined : createDescriptorCache(config.cacheDir),
  });
  const report = (error: unknown, requestId: string): void => {
    const stack = error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${JSON.stringify({ level: 'error', requestId, error: stack })}\n`);
  };
  const server = await startServer({
    client,
    port: config.port,
    host: config.host,
    report,
    broadcastCommit: config.broadcastCommit,
  });
  print([`Stele is up in ${Math.round(performance.now())} ms: ${server.url}/graphql`]);
  if (devnet !== undefined) introduce(devnet, server.url);
  // Nobody waits for it who does not need it.
  void client.descriptors.pool().catch(() => undefined);

  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await server.close();
    await client.close();
    await devnet?.close();
    process.exit(0);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}

/** What stops the start: one clear line for each mistake, where they are known. */
function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.mistakes;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return ['--port (STELE_PORT) is taken; 0 takes a free one'];
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return ['--host (STELE_HOST) is no address of this machine'];
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

// Whoever reads what we print may leave: that is no reason to stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await run(readConfig(process.argv.slice(2), process.env));
} catch (error) {
  process.stderr.write(
    reasonsOf(error)
      .map((reason) => `stele: ${reason}\n`)
      .join(''),
  );
  process.exit(1);
}
