import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

/** What the server runs with. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** RPC addresses of the nodes; empty means the embedded devnet. */
  readonly nodes: readonly string[];
  /** The chain that every node must be of; undefined takes that of the first node that answers. */
  readonly chainId: string | undefined;
  /** Whether broadcastTxCommit may be used. */
  readonly broadcastCommit: boolean;
  /** Where what a chain says of its types is kept between starts; undefined for nowhere. */
  readonly cacheDir: string | undefined;
}

/** A configuration that cannot be run with: one line that names what is wrong and what it takes. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The two networks: their chain and their public node, as the chain's own repository names them. */
const networks = {
  mainnet: { chainId: 'pio-mainnet-1', node: 'https://rpc.provenance.io' },
  testnet: { chainId: 'pio-testnet-1', node: 'https://rpc.test.provenance.io' },
} as const;

const nodeUrl = z.string().refine((text) => /^https?:/.test(text) && URL.canParse(text));

/** Each setting: its flag, its variable, what it takes, and how its text is read. */
const settings = {
  port: {
    variable: 'STELE_PORT',
    takes: 'a port from 0 to 65535',
    schema: z
      .string()
      .regex(/^\d{1,5}$/)
      .transform(Number)
      .pipe(z.number().max(65535)),
  },
  host: { variable: 'STELE_HOST', takes: 'an address to listen on', schema: z.string().min(1) },
  node: { variable: 'STELE_NODES', takes: 'http or https addresses of nodes', schema: nodeUrl },
  network: { variable: 'STELE_NETWORK', takes: '`mainnet` or `testnet`', schema: z.enum(['mainnet', 'testnet']) },
  broadcastCommit: {
    variable: 'STELE_BROADCAST_COMMIT',
    takes: '`on` or `off`',
    schema: z.enum(['on', 'off']).transform((text) => text === 'on'),
  },
  cacheDir: {
    variable: 'STELE_CACHE_DIR',
    takes: 'a directory, or `off`',
    schema: z
      .string()
      .min(1)
      .transform((text) => (text === 'off' ? undefined : text)),
  },
} as const;

function read<T>(name: string, text: string, setting: { readonly takes: string; readonly schema: z.ZodType<T> }): T {
  const parsed = setting.schema.safeParse(text);
  // The value itself is not shown: an address may carry a credential.
  if (!parsed.success) throw new ConfigError(`${name} must be ${setting.takes}`);
  return parsed.data;
}

/** Reads the configuration from command line flags and `STELE_…` variables; flags win. Throws a {@link ConfigError}. */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config {
  const known: readonly string[] = Object.values(settings).map(({ variable }) => variable);
  const unknown = Object.keys(env).find((name) => name.startsWith('STELE_') && !known.includes(name));
  if (unknown !== undefined) throw new ConfigError(`${unknown} is no setting; there are ${known.join(', ')}`);
  const flags = readFlags(argv);

  const port = flags.port ?? env.STELE_PORT ?? '4000';
  const host = flags.host ?? env.STELE_HOST ?? '127.0.0.1';
  const commit = flags['broadcast-commit'] ?? env.STELE_BROADCAST_COMMIT ?? 'on';
  const cacheDir = flags['cache-dir'] ?? env.STELE_CACHE_DIR ?? join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'stele');
  const network = flags.network ?? env.STELE_NETWORK;
  const nodes = flags.node ?? env.STELE_NODES?.split(',').map((text) => text.trim()) ?? [];
  const named = network === undefined ? undefined : networks[read('--network (STELE_NETWORK)', network, settings.network)];
  return {
    port: read('--port (STELE_PORT)', port, settings.port),
    host: read('--host (STELE_HOST)', host, settings.host),
    nodes: [...nodes.map((node) => read('--node (STELE_NODES)', node, settings.node)), ...(named ? [named.node] : [])],
    chainId: named?.chainId,
    broadcastCommit: read('--broadcast-commit (STELE_BROADCAST_COMMIT)', commit, settings.broadcastCommit),
    cacheDir: read('--cache-dir (STELE_CACHE_DIR)', cacheDir, settings.cacheDir),
  };
}

function readFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        node: { type: 'string', multiple: true },
        network: { type: 'string' },
        'broadcast-commit': { type: 'string' },
        'cache-dir': { type: 'string' },
      },
    }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new ConfigError(`${reason}; there are --port, --host, --node, --network, --broadcast-commit and --cache-dir`);
  }
}
