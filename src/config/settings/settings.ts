import { availableParallelism, homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  createLimits,
  isLimitName,
  type LimitName,
  type Limits,
  limitBounds,
  limitEntry,
  limitNames,
  limitValue,
  limitVariable,
} from '../limits/limits.ts';
import { isNetwork } from '../network.ts';
import {
  type AuthConfig,
  authSettings,
  type DashboardLogin,
  inGroup,
  matching,
  numberText,
  offByDefault,
  type Setting,
  type SettingTable,
  settingGroups,
  type ValuesOf,
} from './authConfig.ts';

/** Where the archive is kept: nowhere, in a file for each chain in the data directory, or in a PostgreSQL database. */
export type ArchiveSetting =
  | { readonly kind: 'off' }
  | { readonly kind: 'file'; readonly mode: ArchiveMode }
  | { readonly kind: 'postgres'; readonly url: string };

/** What is recorded: the records of group governance, or all contents of blocks too. */
export type ArchiveMode = 'GOVERNANCE' | 'FULL';

const postgresUrl = z
  .string()
  .refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text))
  .transform((url): ArchiveSetting => ({ kind: 'postgres', url }));

export const archiveSettings = inGroup('Archive', {
  archive: {
    summary:
      'Records groups, policies, proposals and votes (`governance`), or the contents of all blocks too (`full`), in a file for each chain or in a PostgreSQL database that servers share. With the embedded chain, the file is temporary.',
    expects: '`off`, `governance`, `full`, or a `postgres://` URL',
    schema: z.union([
      z.literal('off').transform((): ArchiveSetting => ({ kind: 'off' })),
      z.literal('governance').transform((): ArchiveSetting => ({ kind: 'file', mode: 'GOVERNANCE' })),
      z.literal('full').transform((): ArchiveSetting => ({ kind: 'file', mode: 'FULL' })),
      postgresUrl,
    ]),
    absent: '`governance`; with the embedded chain `full`',
  },
  archiveMode: {
    summary: 'What a PostgreSQL database records. All servers on one database need the same mode.',
    expects: '`governance` or `full`',
    schema: z.enum(['governance', 'full']).transform((text): ArchiveMode => (text === 'full' ? 'FULL' : 'GOVERNANCE')),
    defaultText: 'governance',
  },
  archiveRetention: {
    summary:
      'How long the contents of blocks are kept in mode `full`. Groups, policies, proposals and votes are kept for ever.',
    expects: 'a number of days or hours, such as `90d` or `12h`',
    schema: matching(/^[1-9]\d{0,4}[dh]$/).transform(
      (text) => Number.parseInt(text, 10) * (text.endsWith('d') ? 86_400_000 : 3_600_000),
    ),
    absent: 'for ever',
  },
  archiveFrom: {
    summary: 'Fills in older blocks down to this height in the background, newest first, as far as the nodes have their state.',
    expects: 'a height of at least 1',
    schema: matching(/^[1-9]\d{0,17}$/).transform(BigInt),
    absent: 'no older blocks',
  },
  dataDir: {
    summary: 'The directory with the files of archives and the signing keys of the embedded issuer.',
    expects: 'a directory',
    schema: z.string().min(1),
    absent: '~/.local/share/stele',
  },
});

/** The data directory if none is given, by the XDG Base Directory Specification. */
export function defaultDataDir(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'stele');
}

/** Settings of the dashboard: how its pages get a token on a server that is not for development. */
export const dashboardSettings = inGroup('Authentication', {
  dashboardClientId: {
    summary:
      'The public client of the dashboard. With --auth-issuer, visitors log in there (Authorization Code with PKCE). With --clients-file, its pages get tokens of this client.',
    expects: 'a client id of printable ASCII characters',
    schema: z.string().regex(/^[\x21-\x7e]{1,200}$/),
    absent: 'none; visitors enter a token',
  },
  dashboardScope: {
    summary: 'The scopes that a login of the dashboard asks for. Add `broadcast` if visitors may vote.',
    expects: 'scopes, separated by spaces',
    schema: z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/),
    absent: 'openid read',
  },
  dashboardLoginParameters: {
    summary:
      'Further parameters of a login of the dashboard, such as the `resource` or `audience` by which some issuers name the API.',
    expects: 'parameters in the form of a query string, such as audience=https://api.example',
    schema: matching(/^[^=&?#]+=[^&?#]*(&[^=&?#]+=[^&?#]*)*$/).transform((text) =>
      Object.fromEntries(new URLSearchParams(text)),
    ),
    absent: 'none',
  },
});

/** How the pages of the dashboard get a token. undefined if visitors enter one. Conflicts between settings are added to `errors`. */
export function dashboardLoginOf(
  givenValues: ValuesOf<typeof dashboardSettings>,
  auth: AuthConfig,
  errors: string[],
): DashboardLogin | undefined {
  const { dashboardClientId: clientId, dashboardScope: scope, dashboardLoginParameters: parameters } = givenValues;
  const isOutside = auth.kind === 'outside';
  if (!(isOutside && clientId !== undefined) && (scope !== undefined || parameters !== undefined))
    errors.push('--dashboard-scope and --dashboard-login-parameters need --auth-issuer and --dashboard-client-id');
  if (clientId === undefined) return undefined;
  if (isOutside)
    return { kind: 'openid', issuer: auth.issuer, clientId, scope: scope ?? 'openid read', parameters: parameters ?? {} };
  if (auth.clientsFile === undefined)
    errors.push('--dashboard-client-id (STELE_DASHBOARD_CLIENT_ID) needs --auth-issuer or --clients-file');
  return { kind: 'client', clientId };
}

const mostWorkers = 64;

/** The shortest secret that encrypts signing keys, in characters. */
const leastSecret = 32;

const replicaSettings = inGroup('Replicas', {
  workers: {
    summary:
      'The number of processes that serve the port. `auto`: one for each core. They share what replicas share, without a store.',
    expects: `\`auto\`, or a number from 1 to ${mostWorkers}`,
    schema: z.union([z.literal('auto').transform(() => availableParallelism()), numberText(/^\d{1,2}$/, 1, mostWorkers)]),
    defaultText: '1',
  },
  shared: {
    summary:
      'The Redis or Valkey server that replicas share: reads of the state, limits of callers, signing keys, persisted queries. `?cluster=true` connects to a cluster.',
    expects: 'a `redis://` or `rediss://` URL',
    schema: z.string().refine((text) => /^rediss?:\/\/[^/?]/.test(text) && URL.canParse(text)),
    absent: 'nothing is shared',
  },
  sharedSecret: {
    summary:
      'Encrypts the signing keys of the embedded issuer in the shared store. Use the variable, because other users of the machine can read flags.',
    expects: `at least ${leastSecret} characters`,
    schema: z.string().min(leastSecret),
    absent: 'the signing keys are not shared',
  },
});

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The least severe level that is logged. `silent` logs nothing. */
export type LogLevel = (typeof logLevels)[number];

/** The environment variable of a setting: `STELE_AUTH_ISSUER` for `--auth-issuer`. */
export function variableOf({ flag, variable }: Pick<Setting<unknown>, 'flag' | 'variable'>): string {
  return variable ?? `STELE_${flag.toUpperCase().replaceAll('-', '_')}`;
}

const address = z.string().min(1);
const nodeUrl = z.string().refine((text) => /^https?:/.test(text) && URL.canParse(text));
const origin = z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text);
const network = z.string().refine(isNetwork);
const pathOrOff = address.transform((text) => (text === 'off' ? undefined : text));
const port = numberText(/^\d{1,5}$/, 0, 65_535);
const upToTwentySeconds = numberText(/^\d{1,2}(\.\d{1,3})?$/, 0, 20).transform((seconds) => seconds * 1000);

const aPort = 'a port from 0 to 65535';
const anAddress = 'an address to listen on';

/** The settings of the server except the limits, authentication and the dashboard. */
export const serverSettings = {
  ...inGroup('Server', {
    port: {
      summary: 'The port of the API. 0 selects a free port.',
      expects: aPort,
      schema: port,
      defaultText: '4000',
    },
    host: {
      summary: 'The address that the API listens on.',
      expects: anAddress,
      schema: address,
      defaultText: '127.0.0.1',
    },
  }),
  ...inGroup('Nodes', {
    node: {
      variable: 'STELE_NODES',
      summary: 'The RPC address of a CometBFT 0.38 node, with credentials if the node needs them.',
      expects: 'http or https addresses of nodes',
      schema: nodeUrl,
      absent: 'the embedded chain',
      isList: true,
    },
  }),
  ...inGroup('Server', {
    allowedOrigin: {
      variable: 'STELE_ALLOWED_ORIGINS',
      summary: 'A web origin whose pages may call the API from a browser.',
      expects: 'origins of web pages, such as https://app.example',
      schema: origin,
      absent: 'none',
      isList: true,
    },
    trustedProxy: {
      variable: 'STELE_TRUSTED_PROXIES',
      summary:
        'The address or network of a proxy. The headers X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host and Forwarded are read only from these.',
      expects: 'addresses or networks of proxies, such as 10.0.0.0/8',
      schema: network,
      absent: 'none',
      isList: true,
    },
    trustedDocuments: {
      summary:
        'The file of trusted GraphQL documents by id: the manifest that the client preset of GraphQL Code Generator writes.',
      expects: 'a file of documents by id',
      schema: address,
      absent: 'none',
    },
    onlyTrustedDocuments: {
      summary: 'Refuses GraphQL documents that are not trusted, except for tokens with the scope `introspect`.',
      ...offByDefault,
    },
    allowSharedCaches: {
      summary:
        'Lets shared caches, such as a CDN, keep the answer to a GET of a trusted document at a height in its URL. A token then no longer protects it.',
      ...offByDefault,
    },
    plugin: {
      variable: 'STELE_PLUGINS',
      summary: 'The file of a plugin of GraphQL Yoga, through which every executed operation goes.',
      expects: 'JavaScript files',
      schema: address,
      absent: 'none',
      isList: true,
    },
  }),
  ...inGroup('Nodes', {
    network: {
      summary: 'Adds the public node of this network, and rejects nodes of another chain.',
      expects: '`mainnet` or `testnet`',
      schema: z.enum(['mainnet', 'testnet']),
      absent: 'none',
    },
    broadcastCommit: {
      summary: 'Whether `broadcastTxCommit` is enabled. It is meant for testing.',
      ...offByDefault,
      defaultText: 'on',
      isSwitch: false,
    },
    simulationNode: {
      summary:
        'The RPC or REST address of a node for simulations. It must carry nothing else and must not be a validator, because a simulation can stop it.',
      expects: 'the http or https address of a node',
      schema: nodeUrl,
      absent: 'none: only transactions that execute no contract are simulated, for the scopes `broadcast` and `simulate`',
    },
    cacheDir: {
      summary: 'The directory where the descriptors of a chain are kept between starts.',
      expects: 'a directory, or `off`',
      schema: pathOrOff,
      absent: '~/.cache/stele',
    },
  }),
  ...inGroup('Operation', {
    adminPort: {
      summary: 'The port of the metrics and of the probes with their reasons. 0 selects a free port.',
      expects: aPort,
      schema: port,
      defaultText: '0',
    },
    adminHost: {
      summary: 'The address of the admin port. It needs no token.',
      expects: anAddress,
      schema: address,
      defaultText: '127.0.0.1',
    },
    drainDelay: {
      summary: 'How long the server keeps serving after SIGTERM, so that a load balancer notices that it stops.',
      expects: 'seconds from 0 to 20',
      schema: upToTwentySeconds,
      defaultText: '5',
    },
    logLevel: {
      summary: 'The least severe level that is logged.',
      expects: '`debug`, `info`, `warn`, `error` or `silent`',
      schema: z.enum(logLevels),
      defaultText: 'info',
    },
  }),
  ...archiveSettings,
  ...replicaSettings,
} satisfies SettingTable;

/** Every setting of the server except the limits. `readConfig` parses this table and `--help` prints it. */
export const settings = { ...serverSettings, ...authSettings, ...dashboardSettings } satisfies SettingTable;

export const printingFlags = ['help', 'version'] as const;

export const limitPrefix = 'STELE_LIMIT_';

/** The limits that variables (`STELE_LIMIT_…`) and flags (`name=value`) set. Flags override variables. Each error is added to `errors` as a line. */
export function readLimits(
  flags: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  errors: string[],
): Partial<Limits> {
  const byVariable = new Map(limitNames.map((name) => [limitVariable(name), name]));
  const set = new Map<LimitName, number>();
  const take = (setting: string, name: LimitName | undefined, text: string): void => {
    if (name === undefined) {
      errors.push(`${setting} names no limit; the limits are ${limitNames.join(', ')}`);
      return;
    }
    const { fixed } = limitEntry(name);
    const value = limitValue(name, text);
    if (fixed !== undefined) errors.push(`${setting} cannot be set: ${fixed}`);
    else if (value === undefined) errors.push(`${setting} must be ${limitBounds(name)}`);
    else set.set(name, value);
  };
  for (const [variable, text] of Object.entries(env))
    if (variable.startsWith(limitPrefix) && text !== undefined) take(variable, byVariable.get(variable), text);
  for (const flag of flags) {
    const [name = '', ...text] = flag.split('=');
    take(`--limit ${name}`, isLimitName(name) ? name : undefined, text.join('='));
  }
  const values = createLimits(Object.fromEntries(set));
  for (const name of limitNames) {
    const { atMost } = limitEntry(name);
    if (atMost !== undefined && isLimitName(atMost) && values[name] > values[atMost])
      errors.push(`limit ${name} (${values[name]}) must not be above ${atMost} (${values[atMost]})`);
  }
  return Object.fromEntries(set);
}

export function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

function describe(setting: Setting<unknown>): readonly string[] {
  const { flag, summary, expects, isSwitch, isList, defaultText, absent = 'none' } = setting;
  const value = isSwitch ? `The flag has no value. The variable: ${expects}.` : `Value: ${expects}.`;
  const repeat = isList ? ' The flag may be repeated; the variable is a comma-separated list.' : '';
  return [
    `  --${flag}, ${variableOf(setting)} (default: ${defaultText ?? absent})`,
    `      ${summary}`,
    `      ${value}${repeat}`,
  ];
}

/** The text of `--help`: every setting in its group, printed from the table that `readConfig` reads. */
export function helpText(): string {
  const all: readonly Setting<unknown>[] = Object.values(settings);
  const groups = settingGroups.map((group) => [
    `${group}:`,
    ...all.filter((setting) => setting.group === group).flatMap(describe),
    '',
  ]);
  return [
    'Usage: npm start -- [flags], or: node dist/main.js [flags]',
    '',
    'Starts Stele, a GraphQL API over a Provenance / Cosmos SDK chain. Without --node and --network, it runs over an embedded development chain.',
    'Each flag has an environment variable. The flag overrides the variable.',
    '',
    ...groups.flat(),
    'Limits:',
    `  --limit NAME=VALUE, ${limitPrefix}… (default: docs/limits.md)`,
    '      Sets one limit, such as --limit graphql.depth=12 or STELE_LIMIT_GRAPHQL_DEPTH=12.',
    '      Value: a number in the unit of the limit. The flag may be repeated; each limit has its own variable.',
    '',
    'Other:',
    '  --help     Prints this text.',
    '  --version  Prints the version.',
    '',
  ].join('\n');
}
