import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Limits } from '../limits/limits.ts';
import type { DashboardLook } from './look.ts';
import {
  type ArchiveSetting,
  type AuthConfig,
  authConfigOf,
  authSettings,
  type DashboardLogin,
  dashboardLoginOf,
  dashboardLookOf,
  dashboardSettings,
  defaultDataDir,
  limitPrefix,
  lookSettings,
  type PublicScope,
  printingFlags,
  readLimits,
  type Setting,
  type SettingTable,
  serverSettings,
  settings,
  type ValuesOf,
  variableOf,
} from './settings.ts';

/** The configuration of the server. Members without a description here are settings of the same name. */
export interface Config
  extends Omit<
    ValuesOf<typeof serverSettings>,
    'network' | 'node' | 'allowedOrigin' | 'webhookNetwork' | 'trustedProxy' | 'plugin' | 'archive' | 'dataDir'
  > {
  /** RPC addresses of the nodes. Empty selects the embedded development chain. */
  readonly nodes: readonly string[];
  /** The chain id that every node must have. undefined accepts the id of the first node that answers. */
  readonly chainId: string | undefined;
  /** Whether blocks that cannot be verified are refused: the operator has asked for the verification. */
  readonly requiresVerification: boolean;
  /** Whether every node simulates everything: with the embedded chain, and with `--dev`. */
  readonly simulatesEverywhere: boolean;
  readonly archive: ArchiveSetting;
  readonly dataDir: string;
  /** Web origins, besides its own, whose pages may call the server. */
  readonly allowedOrigins: readonly string[];
  /** Networks besides the public ones to which webhooks may be sent. */
  readonly webhookNetworks: readonly string[];
  /** Networks of the proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  readonly plugins: readonly string[];
  readonly invalidate: readonly string[];
  readonly limits: Partial<Limits>;
  readonly auth: AuthConfig;
  /** The scopes of requests without a token. Empty if these are refused. */
  readonly public: readonly PublicScope[];
  /** How the pages of the dashboard get a token. undefined if visitors enter one. */
  readonly dashboardLogin: DashboardLogin | undefined;
  readonly dashboardLook: DashboardLook;
}

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
const flagList = [...flags, ...printingFlags].map((flag) => `--${flag}`).join(', ');
const switches: readonly string[] = Object.values<Setting<unknown>>(settings).flatMap(({ flag, isSwitch }) =>
  isSwitch ? [flag] : [],
);
const variables: readonly string[] = Object.values(settings).map(variableOf);

/**
 * Reads the configuration from command line flags and `STELE_…` variables. Flags override variables. Throws a {@link ConfigError} with every error.
 */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config {
  const errors: string[] = [];
  const flagValues = readFlags(argv, errors);
  for (const name of Object.keys(env)) {
    if (name.startsWith('STELE_') && !name.startsWith(limitPrefix) && !variables.includes(name))
      errors.push(`unknown variable ${name}; the variables are ${variables.join(', ')} and ${limitPrefix}…`);
  }

  const textOf = (setting: Setting<unknown>): string | undefined =>
    flagValues.get(setting.flag)?.at(-1) ?? env[variableOf(setting)];

  /** Parses a text; undefined if it is invalid, which adds an error. */
  function parse<T>(setting: Setting<T>, text: string): T | undefined {
    const parsed = setting.schema.safeParse(text);
    if (parsed.success) return parsed.data;
    // The value itself is not shown: an address may carry a credential.
    errors.push(`--${setting.flag} (${variableOf(setting)}) must be ${setting.expects}`);
    return undefined;
  }

  function readSetting(setting: Setting<unknown>): unknown {
    if (setting.isList) {
      const texts = flagValues.get(setting.flag) ?? env[variableOf(setting)]?.split(',').map((text) => text.trim()) ?? [];
      return texts.flatMap((text) => parse(setting, text) ?? []);
    }
    const text = textOf(setting);
    const value = text === undefined ? undefined : parse(setting, text);
    return value === undefined && setting.defaultText !== undefined ? setting.schema.parse(setting.defaultText) : value;
  }

  function readTable<S extends SettingTable>(table: S): ValuesOf<S> {
    // The type of Object.fromEntries does not keep the names.
    return Object.fromEntries(Object.entries(table).map(([name, setting]) => [name, readSetting(setting)])) as ValuesOf<S>;
  }

  const {
    network: networkName,
    node,
    allowedOrigin,
    webhookNetwork,
    trustedProxy,
    plugin,
    ...values
  } = readTable(serverSettings);
  const isGiven = (setting: Setting<unknown>): boolean => textOf(setting) !== undefined;
  const network = networkName && networks[networkName];
  const nodes = [...node, ...(network === undefined ? [] : [network.node])];
  const hasNodes = isGiven(settings.node) || network !== undefined;
  const dataDir = values.dataDir ?? defaultDataDir(env);
  const authValues = readTable(authSettings);
  const auth = authConfigOf(
    authValues,
    {
      host: values.host,
      hasNodes: nodes.length > 0,
      namesClients: isGiven(settings.clientsFile) || isGiven(settings.authIssuer),
      keysDirectory: values.shared === undefined ? dataDir : undefined,
    },
    errors,
  );
  const config: Config = {
    ...values,
    nodes,
    chainId: network?.chainId,
    simulatesEverywhere: authValues.dev || !hasNodes,
    requiresVerification: isGiven(settings.verify) || values.trust !== undefined,
    cacheDir: isGiven(settings.cacheDir) ? values.cacheDir : join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'stele'),
    archive: values.archive ?? { kind: 'file', mode: hasNodes ? 'GOVERNANCE' : 'FULL' },
    dataDir,
    allowedOrigins: allowedOrigin,
    webhookNetworks: webhookNetwork,
    trustedProxies: trustedProxy,
    plugins: plugin,
    limits: readLimits(flagValues.get('limit') ?? [], env, errors),
    auth,
    public: authValues.public ?? [],
    dashboardLogin: dashboardLoginOf(readTable(dashboardSettings), auth, errors),
    dashboardLook: dashboardLookOf(readTable(lookSettings)),
  };
  if (config.public.includes('introspect') && config.onlyTrustedDocuments)
    errors.push(
      '--public introspect (STELE_PUBLIC) cannot be combined with --only-trusted-documents, because that scope allows any document',
    );
  if (config.trust !== undefined && config.verify === 'off')
    errors.push('--trust (STELE_TRUST) needs --verify heads (STELE_VERIFY)');
  if (config.quorum > Math.max(config.nodes.length, 1))
    errors.push('--quorum (STELE_QUORUM) must be at most the number of nodes (--node, STELE_NODES)');
  const { simulationNode } = config;
  if (simulationNode !== undefined && config.nodes.some((node) => new URL(node).host === new URL(simulationNode).host))
    errors.push(
      '--simulation-node (STELE_SIMULATION_NODE) must not be one of --node (STELE_NODES), because a simulation can stop it',
    );
  if (config.shared === undefined && config.archive.kind === 'off' && config.sharedSecret !== undefined)
    errors.push('--shared-secret (STELE_SHARED_SECRET) needs --shared (STELE_SHARED) or an archive');
  // Replicas without a key file share the keys that sign their tokens.
  const sharesKeys = auth.kind === 'embedded' && auth.keysFile === undefined;
  if (config.shared !== undefined && config.sharedSecret === undefined && sharesKeys)
    errors.push(
      '--shared (STELE_SHARED) with the embedded issuer needs --shared-secret (STELE_SHARED_SECRET) or --keys-file (STELE_KEYS_FILE)',
    );
  if (errors.length > 0) throw new ConfigError([...new Set(errors)]);
  return config;
}

/** The values of each flag, in order. An error names the flag and never a value, which may be a secret. */
function readFlags(argv: readonly string[], errors: string[]): ReadonlyMap<string, readonly string[]> {
  const options = Object.fromEntries(
    flags.map((flag) => [flag, { type: switches.includes(flag) ? ('boolean' as const) : ('string' as const) }]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const values = new Map<string, string[]>();
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1];
    if (token.kind === 'positional') {
      // After an unknown flag, it is the value of that flag.
      if (previous?.kind === 'option' && !flags.includes(previous.name)) continue;
      errors.push(`unexpected argument ${token.index + 1}; the flags are ${flagList}`);
    } else if (token.kind === 'option') {
      const { name, rawName, value, inlineValue } = token;
      if (!flags.includes(name)) errors.push(`unknown flag ${rawName}; the flags are ${flagList}`);
      else if (switches.includes(name)) {
        if (value === undefined) values.set(name, ['on']);
        else errors.push(`${rawName} must have no value`);
      } else if (value === undefined || (!inlineValue && value.startsWith('--'))) errors.push(`${rawName} needs a value`);
      else values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return values;
}
