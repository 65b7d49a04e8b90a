import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AuthConfig } from '../authTypes.ts';
import type { Limits } from '../limits/limits.ts';
import { authConfigOf } from './authConfig.ts';
import { limitPrefix, readLimits } from './limitSettings.ts';
import { type LogLevel, printingFlags, type Setting, settings } from './settings.ts';

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
  /** Where `/metrics` is, and the probes with their reasons; port 0 takes a free one. */
  readonly adminPort: number;
  readonly adminHost: string;
  /** How long, ms, a load balancer is given to notice that the server is stopping, before it stops to accept. */
  readonly drainDelay: number;
  readonly logLevel: LogLevel;
  /** Origins of the web whose pages may talk to the server, beside its own. */
  readonly allowedOrigins: readonly string[];
  /** Networks of the proxies that name the clients of their requests. */
  readonly trustedProxies: readonly string[];
  /** Limits other than the usual ones. */
  readonly limits: Partial<Limits>;
  /** Who is let in. */
  readonly auth: AuthConfig;
}

/** A configuration that cannot be run with. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Everything that is wrong: one line each, which names what is wrong and what it takes. */
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}

/** The two networks: their chain and their public node, as the chain's own repository names them. */
const networks = {
  mainnet: { chainId: 'pio-mainnet-1', node: 'https://rpc.provenance.io' },
  testnet: { chainId: 'pio-testnet-1', node: 'https://rpc.test.provenance.io' },
} as const;

const flags: readonly string[] = [...Object.values(settings).map(({ flag }) => flag), 'limit'];
const listed = [...flags, ...printingFlags].map((flag) => `--${flag}`).join(', ');
const switches: readonly string[] = Object.values(settings).flatMap((setting) => ('isSwitch' in setting ? [setting.flag] : []));
const variables: readonly string[] = Object.values(settings).map(({ variable }) => variable);

/**
 * Reads the configuration from command line flags and `STELE_…` variables; flags win. Throws a {@link ConfigError} that tells
 * everything that is wrong.
 */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config {
  const errors: string[] = [];
  const given = readFlags(argv, errors);
  for (const name of Object.keys(env)) {
    if (name.startsWith('STELE_') && !name.startsWith(limitPrefix) && !variables.includes(name))
      errors.push(`${name} is no setting; there are ${variables.join(', ')} and ${limitPrefix}…`);
  }

  const textOf = ({ flag, variable }: Setting<unknown>): string | undefined => given.get(flag)?.at(-1) ?? env[variable];
  /** Reads a text; undefined when it is a mistake, which is told when all has been read. */
  function parse<T>({ flag, variable, expects, schema }: Setting<T>, text: string): T | undefined {
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    // The value itself is not shown: an address may carry a credential.
    errors.push(`--${flag} (${variable}) must be ${expects}`);
    return undefined;
  }
  function read<T>(setting: Setting<T> & { readonly defaultText: string }): T {
    return parse(setting, textOf(setting) ?? setting.defaultText) ?? setting.schema.parse(setting.defaultText);
  }

  function readIf<T>(setting: Setting<T>): T | undefined {
    const text = textOf(setting);
    return text === undefined ? undefined : parse(setting, text);
  }

  const cacheDir = textOf(settings.cacheDir) ?? join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'stele');
  const named = readIf(settings.network);
  const nodes = given.get('node') ?? env.STELE_NODES?.split(',').map((text) => text.trim()) ?? [];
  const host = read(settings.host);
  const auth = {
    dev: read(settings.dev),
    authIssuer: readIf(settings.authIssuer),
    authAudience: readIf(settings.authAudience),
    authJwksUrl: readIf(settings.authJwksUrl),
    authAlgorithms: read(settings.authAlgorithms),
    authTokenType: read(settings.authTokenType),
    clientsFile: readIf(settings.clientsFile),
    keysFile: readIf(settings.keysFile),
    tokenLifetime: read(settings.tokenLifetime),
  };
  const isGiven = (setting: Setting<unknown>): boolean => textOf(setting) !== undefined;
  const namesClients = isGiven(settings.clientsFile) || isGiven(settings.authIssuer);
  const origins = given.get('allowed-origin') ?? env.STELE_ALLOWED_ORIGINS?.split(',').map((text) => text.trim()) ?? [];
  const proxies = given.get('trusted-proxy') ?? env.STELE_TRUSTED_PROXIES?.split(',').map((text) => text.trim()) ?? [];
  const all: Omit<Config, 'auth'> = {
    port: read(settings.port),
    host,
    nodes: [
      ...nodes.flatMap((node) => parse(settings.node, node) ?? []),
      ...(named === undefined ? [] : [networks[named].node]),
    ],
    chainId: named && networks[named].chainId,
    broadcastCommit: read(settings.broadcastCommit),
    cacheDir: parse(settings.cacheDir, cacheDir),
    adminPort: read(settings.adminPort),
    adminHost: read(settings.adminHost),
    drainDelay: read(settings.drainDelay),
    logLevel: read(settings.logLevel),
    allowedOrigins: origins.flatMap((text) => parse(settings.allowedOrigin, text) ?? []),
    trustedProxies: proxies.flatMap((text) => parse(settings.trustedProxy, text) ?? []),
    limits: readLimits(given.get('limit') ?? [], env, errors),
  };
  const hasNodes = all.nodes.length > 0;
  const config: Config = { ...all, auth: authConfigOf(auth, { host, hasNodes, namesClients }, errors) };
  if (errors.length > 0) throw new ConfigError([...new Set(errors)]);
  return config;
}

/** The values of each flag in their order. A mistake names the flag and never a value, which may be a secret. */
function readFlags(argv: readonly string[], errors: string[]): ReadonlyMap<string, readonly string[]> {
  const options = Object.fromEntries(
    flags.map((flag) => [flag, { type: switches.includes(flag) ? ('boolean' as const) : ('string' as const) }]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const values = new Map<string, string[]>();
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (token.kind === 'positional') {
      // Behind an unknown flag it is that one's value.
      if (before?.kind === 'option' && !flags.includes(before.name)) continue;
      errors.push(`argument ${token.index + 1} belongs to no flag; there are ${listed}`);
    } else if (token.kind === 'option') {
      const { name, rawName, value, inlineValue } = token;
      if (!flags.includes(name)) errors.push(`${rawName} is no flag; there are ${listed}`);
      else if (switches.includes(name)) {
        if (value === undefined) values.set(name, ['on']);
        else errors.push(`${rawName} takes no value`);
      } else if (value === undefined || (!inlineValue && value.startsWith('--'))) errors.push(`${rawName} takes a value`);
      else values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return values;
}
