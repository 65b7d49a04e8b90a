import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Limits } from '../limits/limits.ts';
import { type AuthConfig, authConfigOf, type DashboardLogin } from './authConfig.ts';
import {
  type ArchiveMode,
  type ArchiveSetting,
  dashboardLoginOf,
  defaultDataDir,
  type LogLevel,
  limitPrefix,
  printingFlags,
  readLimits,
  type Setting,
  settings,
} from './settings.ts';

/** The configuration of the server. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** RPC addresses of the nodes. Empty selects the embedded development chain. */
  readonly nodes: readonly string[];
  /** The chain id that every node must have. undefined accepts the id of the first node that answers. */
  readonly chainId: string | undefined;
  /** Whether `broadcastTxCommit` is enabled. */
  readonly broadcastCommit: boolean;
  /** The URL of the node for simulations; undefined if there is none. */
  readonly simulationNode: string | undefined;
  /** Whether every node simulates everything: with the embedded chain, and with `--dev`. */
  readonly simulatesEverywhere: boolean;
  /** The directory where the descriptors of a chain are kept between starts; undefined keeps none. */
  readonly cacheDir: string | undefined;
  /** Where the archive is kept. */
  readonly archive: ArchiveSetting;
  /** What a PostgreSQL database records. */
  readonly archiveMode: ArchiveMode;
  /** How long mode FULL keeps the contents of blocks, in ms; undefined for ever. */
  readonly archiveRetention: number | undefined;
  /** The height down to which the archive fills in older blocks; undefined fills in none. */
  readonly archiveFrom: bigint | undefined;
  /** The directory with the files of archives. */
  readonly dataDir: string;
  /** The number of processes that serve. */
  readonly workers: number;
  /** The URL of the store that replicas share, with its credentials. undefined if they share nothing. */
  readonly shared: string | undefined;
  /** What the signing keys are encrypted with in that store. undefined if they are not stored there. */
  readonly sharedSecret: string | undefined;
  /** The port of `/metrics` and of the probes with their reasons. 0 selects a free port. */
  readonly adminPort: number;
  readonly adminHost: string;
  /** How long, in ms, the server keeps accepting connections after a stop signal, so that a load balancer notices. */
  readonly drainDelay: number;
  readonly logLevel: LogLevel;
  /** Web origins, besides its own, whose pages may call the server. */
  readonly allowedOrigins: readonly string[];
  /** The file of trusted documents. undefined if there is none. */
  readonly trustedDocuments: string | undefined;
  /** Whether other documents need a token with the scope `introspect`. */
  readonly onlyTrustedDocuments: boolean;
  /** Whether shared caches may keep answers to trusted documents at a height that the URL names. */
  readonly allowSharedCaches: boolean;
  /** Networks of the proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Limits that differ from the defaults. */
  readonly limits: Partial<Limits>;
  /** Which tokens are accepted. */
  readonly auth: AuthConfig;
  /** How the pages of the dashboard get a token. undefined if visitors enter one. */
  readonly dashboardLogin: DashboardLogin | undefined;
}

/** An invalid configuration. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Every error, one line each. A line names the setting and what it must be, and never a value. */
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}

/** The public networks, with the chain ids and nodes that the chain's own repository names. */
export const networks = {
  mainnet: { chainId: 'pio-mainnet-1', node: 'https://rpc.provenance.io' },
  testnet: { chainId: 'pio-testnet-1', node: 'https://rpc.test.provenance.io' },
} as const;

const flags: readonly string[] = [...Object.values(settings).map(({ flag }) => flag), 'limit'];
const listed = [...flags, ...printingFlags].map((flag) => `--${flag}`).join(', ');
const switches: readonly string[] = Object.values(settings).flatMap((setting) => ('isSwitch' in setting ? [setting.flag] : []));
const variables: readonly string[] = Object.values(settings).map(({ variable }) => variable);

/**
 * Reads the configuration from command line flags and `STELE_…` variables. Flags override variables. Throws a {@link ConfigError} with every
 * error.
 */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config {
  const errors: string[] = [];
  const given = readFlags(argv, errors);
  for (const name of Object.keys(env)) {
    if (name.startsWith('STELE_') && !name.startsWith(limitPrefix) && !variables.includes(name))
      errors.push(`unknown variable ${name}; the variables are ${variables.join(', ')} and ${limitPrefix}…`);
  }

  const textOf = ({ flag, variable }: Setting<unknown>): string | undefined => given.get(flag)?.at(-1) ?? env[variable];
  /** Parses a text; undefined if it is invalid, which adds an error. */
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
  const all: Omit<Config, 'auth' | 'dashboardLogin'> = {
    port: read(settings.port),
    host,
    nodes: [
      ...nodes.flatMap((node) => parse(settings.node, node) ?? []),
      ...(named === undefined ? [] : [networks[named].node]),
    ],
    chainId: named && networks[named].chainId,
    broadcastCommit: read(settings.broadcastCommit),
    simulationNode: readIf(settings.simulationNode),
    simulatesEverywhere: auth.dev || (nodes.length === 0 && named === undefined),
    cacheDir: parse(settings.cacheDir, cacheDir),
    archive: readIf<ArchiveSetting>(settings.archive) ?? {
      kind: 'file',
      mode: nodes.length > 0 || named !== undefined ? 'GOVERNANCE' : 'FULL',
    },
    archiveMode: read<ArchiveMode>(settings.archiveMode),
    archiveRetention: readIf(settings.archiveRetention),
    archiveFrom: readIf(settings.archiveFrom),
    dataDir: readIf(settings.dataDir) ?? defaultDataDir(env),
    workers: read(settings.workers),
    shared: readIf(settings.shared),
    sharedSecret: readIf(settings.sharedSecret),
    adminPort: read(settings.adminPort),
    adminHost: read(settings.adminHost),
    drainDelay: read(settings.drainDelay),
    logLevel: read(settings.logLevel),
    allowedOrigins: origins.flatMap((text) => parse(settings.allowedOrigin, text) ?? []),
    trustedDocuments: readIf(settings.trustedDocuments),
    onlyTrustedDocuments: read(settings.onlyTrustedDocuments),
    allowSharedCaches: read(settings.allowSharedCaches),
    trustedProxies: proxies.flatMap((text) => parse(settings.trustedProxy, text) ?? []),
    limits: readLimits(given.get('limit') ?? [], env, errors),
  };
  const hasNodes = all.nodes.length > 0;
  const tokens = authConfigOf(
    auth,
    { host, hasNodes, namesClients, keysDirectory: all.shared === undefined ? all.dataDir : undefined },
    errors,
  );
  const dashboard = {
    dashboardClientId: readIf(settings.dashboardClientId),
    dashboardScope: readIf(settings.dashboardScope),
    dashboardLoginParameters: readIf(settings.dashboardLoginParameters),
  };
  const config: Config = { ...all, auth: tokens, dashboardLogin: dashboardLoginOf(dashboard, tokens, errors) };
  const { simulationNode } = config;
  if (simulationNode !== undefined && config.nodes.some((node) => new URL(node).host === new URL(simulationNode).host))
    errors.push(
      '--simulation-node (STELE_SIMULATION_NODE) must not be one of --node (STELE_NODES), because a simulation can stop it',
    );
  if (config.shared === undefined && config.sharedSecret !== undefined)
    errors.push('--shared-secret (STELE_SHARED_SECRET) needs --shared (STELE_SHARED)');
  if (config.shared !== undefined && config.sharedSecret === undefined && needsSharedKeys(config.auth))
    errors.push(
      '--shared (STELE_SHARED) with the embedded issuer needs --shared-secret (STELE_SHARED_SECRET) or --keys-file (STELE_KEYS_FILE)',
    );
  if (errors.length > 0) throw new ConfigError([...new Set(errors)]);
  return config;
}

/** Whether replicas must share the keys that sign their tokens, because they have no key file. */
function needsSharedKeys(auth: AuthConfig): boolean {
  return auth.kind === 'embedded' && auth.keysFile === undefined;
}

/** The values of each flag, in order. An error names the flag and never a value, which may be a secret. */
function readFlags(argv: readonly string[], errors: string[]): ReadonlyMap<string, readonly string[]> {
  const options = Object.fromEntries(
    flags.map((flag) => [flag, { type: switches.includes(flag) ? ('boolean' as const) : ('string' as const) }]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const values = new Map<string, string[]>();
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (token.kind === 'positional') {
      // After an unknown flag, it is the value of that flag.
      if (before?.kind === 'option' && !flags.includes(before.name)) continue;
      errors.push(`unexpected argument ${token.index + 1}; the flags are ${listed}`);
    } else if (token.kind === 'option') {
      const { name, rawName, value, inlineValue } = token;
      if (!flags.includes(name)) errors.push(`unknown flag ${rawName}; the flags are ${listed}`);
      else if (switches.includes(name)) {
        if (value === undefined) values.set(name, ['on']);
        else errors.push(`${rawName} must have no value`);
      } else if (value === undefined || (!inlineValue && value.startsWith('--'))) errors.push(`${rawName} needs a value`);
      else values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return values;
}
