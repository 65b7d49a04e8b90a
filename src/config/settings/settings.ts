import { existsSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { devnetModules } from '../devnetModules.ts';
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
import { isLoopback, isNetwork } from '../network.ts';
import { type Colours, type DashboardLook, readColours, sections } from './look.ts';

/** Supported signature algorithms. The configuration selects among them; the token never does (RFC 8725, 3.1). */
export const algorithms = ['ES256', 'RS256', 'PS256', 'EdDSA'] as const;

export type Algorithm = (typeof algorithms)[number];

/** Which tokens are accepted: those of an outside issuer or of the embedded one. */
export type AuthConfig = OutsideIssuer | EmbeddedIssuer;

interface OutsideIssuer {
  readonly kind: 'outside';
  readonly issuer: string;
  readonly audience: string;
  /** The URL of its key set; undefined discovers it from the issuer's metadata. */
  readonly jwksUrl: string | undefined;
  readonly algorithms: readonly Algorithm[];
  /** Whether the `typ` header of a token must be `at+jwt` (RFC 9068). */
  readonly strictType: boolean;
}

interface EmbeddedIssuer {
  readonly kind: 'embedded';
  /** The address of this API: the `iss` and `aud` of tokens. undefined uses the address that the server listens on. */
  readonly audience: string | undefined;
  /** The file of clients. undefined has one client, `devnet`, with every scope: only with the embedded chain or `--dev`. */
  readonly clientsFile: string | undefined;
  /** Whether `devnet` exists beside the clients of the file. */
  readonly hasDevnetClient?: boolean;
  /** The file of the signing keys. undefined keeps them in `keptKeys`, or where replicas share them. */
  readonly keysFile: string | undefined;
  /** The file in the data directory that keeps the signing keys without `keysFile`. undefined creates new keys at each start. */
  readonly keptKeys?: string | undefined;
  readonly lifetime: number;
}

/** How the pages of the dashboard get a token: by a login of the visitor at an OpenID provider, or as a public client of the embedded issuer. */
export type DashboardLogin =
  | {
      readonly kind: 'openid';
      readonly issuer: string;
      readonly clientId: string;
      readonly scope: string;
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'client'; readonly clientId: string };

const settingGroups = ['Server', 'Nodes', 'Archive', 'Replicas', 'Authentication', 'Dashboard', 'Operation'] as const;

/** One setting: its flag, its environment variable, and how its text is parsed. */
export interface Setting<T> {
  readonly flag: string;
  /** If absent, the name of the flag after `STELE_`: see {@link variableOf}. */
  readonly variable?: string;
  readonly summary: string;
  readonly group: (typeof settingGroups)[number];
  /** What the text must be. Completes the sentence "--flag must be …". */
  readonly expects: string;
  readonly schema: z.ZodType<T>;
  /** The text that is parsed if none is given. */
  readonly defaultText?: string;
  /** What applies if no text is given, as `--help` shows it. For settings without `defaultText`. */
  readonly absent?: string;
  /** Whether the flag has no value. It stands for the text `on`. */
  readonly isSwitch?: boolean;
  /** Whether the flag may be repeated. The variable is then a comma-separated list. */
  readonly isList?: boolean;
}

/** A URL to which a secret may be sent: https, or http on a loopback address. */
const secretUrl = z.string().refine((text) => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
});

/** The text of a number. */
const numberText = (pattern: RegExp, min: number, max: number) =>
  matching(pattern).transform(Number).pipe(z.number().min(min).max(max));

const matching = (pattern: RegExp) => z.string().regex(pattern);

const offByDefault = {
  expects: '`on` or `off`',
  schema: z.enum(['on', 'off']).transform((text) => text === 'on'),
  defaultText: 'off',
  isSwitch: true,
} as const;

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

type GroupedMembers = Pick<Setting<unknown>, 'flag' | 'group'>;

/** Creates the settings of one group. The flag of a setting is its name in lower case with hyphens: `--auth-issuer` for `authIssuer`. */
function inGroup<const S extends Readonly<Record<string, Omit<Setting<unknown>, keyof GroupedMembers>>>>(
  group: GroupedMembers['group'],
  table: S,
) {
  const settings = Object.entries(table).map(([name, setting]) => {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [name, { ...setting, flag, group }] as const;
  });
  // The type of Object.fromEntries does not keep the names.
  return Object.fromEntries(settings) as { readonly [N in keyof S]: S[N] & GroupedMembers };
}

/** The parsed values of the settings of a table. A setting without a default may have none. */
export type ValuesOf<S extends SettingTable> = {
  readonly [N in keyof S]: S[N] extends { readonly isList: true }
    ? readonly z.infer<S[N]['schema']>[]
    : z.infer<S[N]['schema']> | (S[N] extends { readonly defaultText: string } ? never : undefined);
};

const webOrigin = z.string().refine((one) => URL.canParse(one) && new URL(one).origin === one);
const anHttpsAddress = 'an https URL (http on a loopback address)';
const text = z.string().min(1);

/** The scopes that callers without a token may have: no others are without harm in the hands of everybody. */
const publicScopes = ['read', 'introspect'] as const;

/** A scope that `--public` may name. */
export type PublicScope = (typeof publicScopes)[number];

export const authSettings = inGroup('Authentication', {
  dev: {
    summary:
      'Enables the client `devnet` with the secret `devnet`, and tokens in the pages, also over real nodes. Only on a loopback address.',
    ...offByDefault,
  },
  public: {
    summary:
      'The scopes of requests without a token, such as `read`. Everybody may then read, from pages of every origin, within the limits `anonymous.…`.',
    expects: `some of ${publicScopes.join(', ')}, comma separated`,
    schema: text.transform((list) => list.split(',').map((name) => name.trim())).pipe(z.array(z.enum(publicScopes))),
    absent: 'none; every request needs a token',
  },
  authIssuer: {
    summary: 'The issuer of accepted tokens: their `iss`.',
    expects: anHttpsAddress,
    schema: secretUrl,
    absent: 'the embedded issuer',
  },
  authAudience: {
    summary: 'The `aud` of accepted tokens: the address of this API.',
    expects: 'the `aud` of tokens',
    schema: text,
    absent: 'http://localhost:4000',
  },
  authJwksUrl: {
    summary: 'The URL of the key set (JWKS) of the issuer.',
    expects: anHttpsAddress,
    schema: secretUrl,
    absent: 'discovered from the metadata of the issuer',
  },
  authAlgorithms: {
    summary: 'The accepted signature algorithms.',
    expects: `some of ${algorithms.join(', ')}, comma separated`,
    schema: text.transform((list) => list.split(',').map((name) => name.trim())).pipe(z.array(z.enum(algorithms))),
    defaultText: algorithms.join(','),
  },
  authTokenType: {
    summary: 'The accepted `typ` of tokens. Use `any` for an issuer that does not set `at+jwt` (RFC 9068).',
    expects: '`at+jwt` or `any`',
    schema: z.enum(['at+jwt', 'any']),
    defaultText: 'at+jwt',
  },
  clientsFile: {
    summary: 'The file with the clients of the embedded issuer. `npm run client` creates it.',
    expects: 'a file of clients',
    schema: text,
    absent: 'the client `devnet`, with the embedded chain or --dev',
  },
  keysFile: {
    summary: 'The file that keeps the signing keys of the embedded issuer.',
    expects: 'a file',
    schema: text,
    absent: 'keys.json in the data directory; devnet-keys.json with the client `devnet`',
  },
  tokenLifetime: {
    summary: 'How long a token of the embedded issuer is valid.',
    expects: 'seconds from 60 to 86400',
    schema: numberText(/^\d{2,5}$/, 60, 86_400),
    defaultText: '3600',
  },
});

interface AuthSurroundings {
  readonly host: string;
  /** Whether nodes are configured, instead of the embedded chain. */
  readonly hasNodes: boolean;
  /** Whether `--clients-file` or `--auth-issuer` was given, also with an invalid value. */
  readonly namesClients: boolean;
  /** The directory of what is kept between starts. undefined if replicas share their keys. */
  readonly keysDirectory: string | undefined;
}

/** The configuration of authentication, from settings that are valid by themselves. Conflicts between settings are added to `errors`. */
export function authConfigOf(
  givenValues: ValuesOf<typeof authSettings>,
  { host, hasNodes, namesClients, keysDirectory }: AuthSurroundings,
  errors: string[],
): AuthConfig {
  const { dev, authIssuer: issuer, authAudience: audience, authJwksUrl: jwksUrl, clientsFile, keysFile } = givenValues;
  const isPublic = givenValues.public !== undefined;
  if (dev && !isLoopback(host)) errors.push('--dev (STELE_DEV) needs a loopback address as --host (STELE_HOST)');
  if (hasNodes && !dev && !namesClients && !isPublic)
    errors.push(
      '--node (STELE_NODES) and --network (STELE_NETWORK) need --dev (STELE_DEV), --clients-file (STELE_CLIENTS_FILE), --auth-issuer (STELE_AUTH_ISSUER) or --public (STELE_PUBLIC)',
    );
  if (issuer !== undefined) {
    if (dev) errors.push('--dev (STELE_DEV) cannot be combined with --auth-issuer');
    if (audience === undefined) errors.push('--auth-issuer needs --auth-audience (STELE_AUTH_AUDIENCE)');
    if (clientsFile !== undefined || keysFile !== undefined)
      errors.push('--auth-issuer cannot be combined with --clients-file or --keys-file, which belong to the embedded issuer');
    const strictType = givenValues.authTokenType === 'at+jwt';
    return { kind: 'outside', issuer, audience: audience ?? '', jwksUrl, algorithms: givenValues.authAlgorithms, strictType };
  }
  if (jwksUrl !== undefined) errors.push('--auth-jwks-url (STELE_AUTH_JWKS_URL) needs --auth-issuer');
  if (audience !== undefined && !URL.canParse(audience))
    errors.push('--auth-audience (STELE_AUTH_AUDIENCE) must be the address of this API');
  if (!isLoopback(host)) {
    if (clientsFile === undefined && !isPublic)
      errors.push(
        '--clients-file (STELE_CLIENTS_FILE), --auth-issuer (STELE_AUTH_ISSUER) or --public (STELE_PUBLIC) is needed with a --host that is not a loopback address',
      );
    else if (clientsFile !== undefined && audience === undefined)
      errors.push(
        '--auth-audience (STELE_AUTH_AUDIENCE), the address of this API, is needed with a --host that is not a loopback address',
      );
  }
  // A public server without clients has none at all: everybody knows the secret of the client `devnet`.
  const hasDevnetClient = dev || (clientsFile === undefined && !(isPublic && (hasNodes || !isLoopback(host))));
  // Keys of their own: a token of the client `devnet` must not be valid when the server is started without that client.
  const keptKeys = keysDirectory && join(keysDirectory, hasDevnetClient ? 'devnet-keys.json' : 'keys.json');
  return { kind: 'embedded', audience, clientsFile, hasDevnetClient, keysFile, keptKeys, lifetime: givenValues.tokenLifetime };
}

/** Where the archive is kept: nowhere, in a file for each chain in the data directory, or in a PostgreSQL database. */
export type ArchiveSetting =
  | { readonly kind: 'off' }
  | { readonly kind: 'file'; readonly mode: ArchiveMode }
  | { readonly kind: 'postgres'; readonly url: string };

/** What is recorded: the records of group governance, or all contents of blocks too. */
type ArchiveMode = 'GOVERNANCE' | 'FULL';

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
    summary:
      'The directory with the files of archives, the signing keys of the embedded issuer, the trusted blocks, and the evidence against nodes.',
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

/** Settings of the look of the dashboard: its name, its colours, and what of it there is. */
export const lookSettings = inGroup('Dashboard', {
  dashboardName: {
    summary: 'The name in the header and in the titles of the dashboard.',
    expects: '1 to 40 printable characters',
    schema: matching(/^[^\p{C}]{1,40}$/u),
    absent: 'Stele',
  },
  dashboardLogo: {
    summary: 'The file with the logo of the dashboard, in the header and as the icon of its pages.',
    expects: 'the path of an SVG or PNG file that exists',
    schema: z.string().refine((path) => /\.(svg|png)$/i.test(path) && existsSync(path)),
    absent: 'the logo of Stele',
  },
  dashboardColours: {
    summary: 'The colour of links and buttons of the dashboard, and after a comma the one of the dark theme.',
    expects: 'one or two colours, such as #2457c5,#86abff, with a contrast of at least 5.5 to white and to #171c25',
    schema: z
      .string()
      .transform(readColours)
      .pipe(z.custom<Colours>((colours) => colours !== undefined)),
    absent: 'those of Stele',
  },
  dashboardStart: {
    summary: 'The first page of the dashboard, such as `/groups/1`.',
    expects: 'the path of a page below /dashboard, such as /groups/1',
    schema: matching(/^(\/[\w.~%-]+)+$/),
    absent: '/',
  },
  dashboardOff: {
    summary: 'Sections that the dashboard leaves out. The API still has what they show.',
    expects: `some of ${sections.join(', ')}, comma separated`,
    schema: text.transform((list) => list.split(',').map((name) => name.trim())).pipe(z.array(z.enum(sections))),
    absent: 'none',
  },
  dashboardAncestors: {
    summary: 'Origins whose pages may embed the dashboard in a frame.',
    expects: 'origins, comma separated, such as https://www.example.org',
    schema: text.transform((list) => list.split(',').map((one) => one.trim())).pipe(z.array(webOrigin)),
    absent: 'none',
  },
});

/** How the dashboard looks, from its settings. */
export function dashboardLookOf(values: ValuesOf<typeof lookSettings>): DashboardLook {
  return {
    name: values.dashboardName,
    logo: values.dashboardLogo,
    colours: values.dashboardColours,
    start: values.dashboardStart,
    off: values.dashboardOff ?? [],
    ancestors: values.dashboardAncestors ?? [],
  };
}

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
      'Encrypts the signing keys of the embedded issuer in the shared store, and the keys of webhooks in the archive. Use the variable, because other users of the machine can read flags.',
    expects: `at least ${leastSecret} characters`,
    schema: z.string().min(leastSecret),
    absent: 'the signing keys are not shared, and a file of the data directory has the secret of the keys of webhooks',
  },
});

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The environment variable of a setting: `STELE_AUTH_ISSUER` for `--auth-issuer`. */
export function variableOf({ flag, variable }: Pick<Setting<unknown>, 'flag' | 'variable'>): string {
  return variable ?? `STELE_${flag.toUpperCase().replaceAll('-', '_')}`;
}

const address = z.string().min(1);
const nodeUrl = z.string().refine((text) => /^https?:/.test(text) && URL.canParse(text));
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
    devnetWithout: {
      summary:
        'The modules that the embedded chain does not have, such as `group,marker`, for tries with other chains than Provenance. Modules that need one of them are absent too.',
      expects: `some of ${devnetModules.join(', ')}, comma separated`,
      schema: text.transform((list) => list.split(',').map((name) => name.trim())).pipe(z.array(z.enum(devnetModules))),
      absent: 'none',
    },
  }),
  ...inGroup('Server', {
    allowedOrigin: {
      variable: 'STELE_ALLOWED_ORIGINS',
      summary: 'A web origin whose pages may call the API from a browser.',
      expects: 'origins of web pages, such as https://app.example',
      schema: webOrigin,
      absent: 'none',
      isList: true,
    },
    webhookNetwork: {
      variable: 'STELE_WEBHOOK_NETWORKS',
      summary:
        'An address or network that is not public, to which webhooks may be sent. There, `http` and any port are allowed. Public addresses are always allowed over `https` at port 443.',
      expects: 'addresses or networks of receivers, such as 10.1.0.0/16',
      schema: network,
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
    cacheTags: {
      summary:
        'Sends the tags of answers that stay valid until what they read changes (`Surrogate-Key`, `Cache-Tag`), and lets caches keep them until then.',
      ...offByDefault,
    },
    invalidate: {
      summary:
        'A cache that is sent the tags of what has changed, after each block. A password in the address becomes the header `Authorization`. Turns --cache-tags on.',
      expects: 'http or https addresses',
      schema: nodeUrl,
      absent: 'none',
      isList: true,
    },
    invalidateFormat: {
      summary: 'The form of these requests: `apollo` for Apollo Router, or `surrogate-key`.',
      expects: '`apollo` or `surrogate-key`',
      schema: z.enum(['apollo', 'surrogate-key']),
      defaultText: 'surrogate-key',
    },
    federation: {
      summary:
        'The version of Apollo Federation of the schema. `2.12` adds `@cacheTag`, `@cost` and `@listSize`, for the cache and the prices of a router.',
      expects: '`2.6` or `2.12`',
      schema: z.enum(['2.6', '2.12']),
      defaultText: '2.6',
    },
    typed: {
      summary:
        'The packages of the chain whose query methods and messages are typed in the schema, such as `cosmos.gov,provenance.exchange`; `all` or `none`.',
      expects: '`all`, `none`, or packages separated by commas, such as cosmos.gov,provenance.exchange',
      schema: matching(/^\w+(\.\w+)*(,\w+(\.\w+)*)*$/).transform((text) =>
        text === 'all' || text === 'none' ? text : text.split(','),
      ),
      defaultText: 'all',
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
    rehearseContracts: {
      summary:
        'Also rehearses proposals whose messages may execute a contract. A contract that loops stops the node of `--simulation-node`, or the only nodes of `--dev`, until it is restarted.',
      ...offByDefault,
    },
    verify: {
      summary:
        'What is verified with the signatures of the validators: each newest block (`heads`); also every read of the state that has a proof, with a head that is one block behind the chain (`reads`); or nothing (`off`).',
      expects: '`heads`, `reads` or `off`',
      schema: z.enum(['heads', 'reads', 'off']),
      defaultText: 'heads',
    },
    trust: {
      summary:
        'The block that the verification begins with, as `HEIGHT:HASH`, from a source that you trust. It must not be older than the trusting period.',
      expects: 'a height and the hash of its block, such as 1204551:5DB5…290C',
      schema: matching(/^[1-9]\d{0,17}:[0-9A-Fa-f]{64}$/).transform((text) => {
        const [height = '', hash = ''] = text.split(':');
        return { height: BigInt(height), hash: hash.toUpperCase() };
      }),
      absent: 'the block of the last start, or the first one on which the nodes agree',
    },
    trustingPeriod: {
      summary:
        'The age from which a verified block is too old to verify others with. It must be shorter than the unbonding time of the chain.',
      expects: 'a number of days or hours, such as `14d` or `12h`',
      schema: matching(/^[1-9]\d{0,3}[dh]$/).transform(
        (text) => BigInt(Number.parseInt(text, 10)) * (text.endsWith('d') ? 86_400n : 3_600n) * 1_000_000_000n,
      ),
      absent: 'two thirds of the unbonding time of the chain',
    },
    quorum: {
      summary:
        'How many nodes must give the same answer to a read that is not proven. At most the number of nodes. A request may name a larger number.',
      expects: 'a number from 1 to 9',
      schema: matching(/^[1-9]$/).transform(Number),
      defaultText: '1',
    },
    stores: {
      summary:
        'The table of stores by method of an application that Stele has no table for: a file that `npm run stores` prints, or `provenance-1.29` for an application that you know to match it.',
      expects: '`provenance-1.29`, or a file',
      schema: address,
      absent: 'answers of other applications are kept by height',
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
export const settings = { ...serverSettings, ...authSettings, ...dashboardSettings, ...lookSettings } satisfies SettingTable;

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
    'Starts Stele, a GraphQL API over a Cosmos SDK chain, such as Provenance. Without --node and --network, it runs over an embedded development chain.',
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
