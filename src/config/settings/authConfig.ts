import { join } from 'node:path';
import { z } from 'zod';
import { isLoopback } from '../network.ts';

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
      /** The scopes that are asked for, separated by spaces. */
      readonly scope: string;
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'client'; readonly clientId: string };

export const settingGroups = ['Server', 'Nodes', 'Archive', 'Replicas', 'Authentication', 'Operation'] as const;

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
export const numberText = (pattern: RegExp, min: number, max: number) =>
  matching(pattern).transform(Number).pipe(z.number().min(min).max(max));

export const matching = (pattern: RegExp) => z.string().regex(pattern);

export const offByDefault = {
  expects: '`on` or `off`',
  schema: z.enum(['on', 'off']).transform((text) => text === 'on'),
  defaultText: 'off',
  isSwitch: true,
} as const;

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

type GroupedMembers = Pick<Setting<unknown>, 'flag' | 'group'>;

/** Creates the settings of one group. The flag of a setting is its name in lower case with hyphens: `--auth-issuer` for `authIssuer`. */
export function inGroup<const S extends Readonly<Record<string, Omit<Setting<unknown>, keyof GroupedMembers>>>>(
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

const anHttpsAddress = 'an https URL (http on a loopback address)';
const text = z.string().min(1);

export const authSettings = inGroup('Authentication', {
  dev: {
    summary:
      'Enables the client `devnet` with the secret `devnet`, and tokens in the pages, also over real nodes. Only on a loopback address.',
    ...offByDefault,
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

/** Other settings that decide which tokens are accepted. */
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
  if (dev && !isLoopback(host)) errors.push('--dev (STELE_DEV) needs a loopback address as --host (STELE_HOST)');
  if (hasNodes && !dev && !namesClients)
    errors.push(
      '--node (STELE_NODES) and --network (STELE_NETWORK) need --dev (STELE_DEV), --clients-file (STELE_CLIENTS_FILE) or --auth-issuer (STELE_AUTH_ISSUER)',
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
    if (clientsFile === undefined)
      errors.push(
        '--clients-file (STELE_CLIENTS_FILE) or --auth-issuer (STELE_AUTH_ISSUER) is needed with a --host that is not a loopback address',
      );
    else if (audience === undefined)
      errors.push(
        '--auth-audience (STELE_AUTH_AUDIENCE), the address of this API, is needed with a --host that is not a loopback address',
      );
  }
  const hasDevnetClient = dev || clientsFile === undefined;
  // Keys of their own: a token of the client `devnet` must not be valid when the server is started without that client.
  const keptKeys = keysDirectory && join(keysDirectory, hasDevnetClient ? 'devnet-keys.json' : 'keys.json');
  return { kind: 'embedded', audience, clientsFile, hasDevnetClient, keysFile, keptKeys, lifetime: givenValues.tokenLifetime };
}
