import { z } from 'zod';
import type { AuthConfig } from '../authTypes.ts';
import { algorithms } from '../authTypes.ts';
import { isLoopback } from '../network.ts';

/** An address that what is sent to stays secret. */
const secretUrl = z.string().refine((text) => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
});

const anHttpsAddress = 'an https address (http on this machine)';
const text = z.string().min(1);

/** The settings of who is let in. */
export const authSettings = {
  dev: {
    flag: 'dev',
    variable: 'STELE_DEV',
    group: 'Authentication',
    summary:
      'The client `devnet` with the secret `devnet`, and tokens in the pages, also over real nodes. Only on a loopback address.',
    expects: '`on` or `off`',
    schema: z.enum(['on', 'off']).transform((text) => text === 'on'),
    defaultText: 'off',
    isSwitch: true,
  },
  authIssuer: {
    flag: 'auth-issuer',
    variable: 'STELE_AUTH_ISSUER',
    group: 'Authentication',
    summary: 'The issuer of the tokens, as their `iss` names it.',
    expects: anHttpsAddress,
    schema: secretUrl,
    absent: 'the embedded issuer',
  },
  authAudience: {
    flag: 'auth-audience',
    variable: 'STELE_AUTH_AUDIENCE',
    group: 'Authentication',
    summary: 'The `aud` of the tokens: the address of this API.',
    expects: 'the `aud` of tokens',
    schema: text,
    absent: 'http://localhost:4000',
  },
  authJwksUrl: {
    flag: 'auth-jwks-url',
    variable: 'STELE_AUTH_JWKS_URL',
    group: 'Authentication',
    summary: 'Where the keys of the issuer are.',
    expects: anHttpsAddress,
    schema: secretUrl,
    absent: 'named by the metadata of the issuer',
  },
  authAlgorithms: {
    flag: 'auth-algorithms',
    variable: 'STELE_AUTH_ALGORITHMS',
    group: 'Authentication',
    summary: 'The algorithms that the issuer signs with.',
    expects: `some of ${algorithms.join(', ')}, comma separated`,
    schema: text.transform((list) => list.split(',').map((name) => name.trim())).pipe(z.array(z.enum(algorithms))),
    defaultText: algorithms.join(','),
  },
  authTokenType: {
    flag: 'auth-token-type',
    variable: 'STELE_AUTH_TOKEN_TYPE',
    group: 'Authentication',
    summary: '`any` for an issuer that does not name the type of its access tokens (RFC 9068).',
    expects: '`at+jwt` or `any`',
    schema: z.enum(['at+jwt', 'any']),
    defaultText: 'at+jwt',
  },
  clientsFile: {
    flag: 'clients-file',
    variable: 'STELE_CLIENTS_FILE',
    group: 'Authentication',
    summary: 'The clients of the embedded issuer, made by `npm run client`.',
    expects: 'a file of clients',
    schema: text,
    absent: 'the client `devnet`, with the embedded chain or --dev',
  },
  keysFile: {
    flag: 'keys-file',
    variable: 'STELE_KEYS_FILE',
    group: 'Authentication',
    summary: 'Where the signing keys of the embedded issuer are kept.',
    expects: 'a file',
    schema: text,
    absent: 'new keys at each start',
  },
  tokenLifetime: {
    flag: 'token-lifetime',
    variable: 'STELE_TOKEN_LIFETIME',
    group: 'Authentication',
    summary: 'How long a token of the embedded issuer is valid.',
    expects: 'seconds from 60 to 86400',
    schema: z
      .string()
      .regex(/^\d{2,5}$/)
      .transform(Number)
      .pipe(z.number().min(60).max(86_400)),
    defaultText: '3600',
  },
} as const;

/** What of {@link authSettings} was given, read. */
export interface AuthGiven {
  /** Whether the client `devnet` was asked for. */
  readonly dev: boolean;
  readonly authIssuer: string | undefined;
  readonly authAudience: string | undefined;
  readonly authJwksUrl: string | undefined;
  readonly authAlgorithms: readonly (typeof algorithms)[number][];
  readonly authTokenType: 'at+jwt' | 'any';
  readonly clientsFile: string | undefined;
  readonly keysFile: string | undefined;
  readonly tokenLifetime: number;
}

/** What else was given, as far as it bears on who is let in. */
export interface AuthSurroundings {
  readonly host: string;
  /** Whether the chain is another than the embedded one. */
  readonly hasNodes: boolean;
  /** Whether `--clients-file` or `--auth-issuer` was given, also with a value that is wrong. */
  readonly namesClients: boolean;
}

/** Who is let in, of settings that are each right; what does not fit together is added to `errors`. */
export function authConfigOf(
  given: AuthGiven,
  { host, hasNodes, namesClients }: AuthSurroundings,
  errors: string[],
): AuthConfig {
  const { dev, authIssuer: issuer, authAudience: audience, authJwksUrl: jwksUrl, clientsFile, keysFile } = given;
  if (dev && !isLoopback(host))
    errors.push('--dev (STELE_DEV) is for this machine alone: --host (STELE_HOST) must be a loopback address');
  if (dev && namesClients)
    errors.push('--dev (STELE_DEV) lets in the client `devnet` alone: it cannot be used with --clients-file or --auth-issuer');
  if (hasNodes && !dev && !namesClients)
    errors.push(
      '--node (STELE_NODES) and --network (STELE_NETWORK) need --dev (STELE_DEV), --clients-file (STELE_CLIENTS_FILE) or --auth-issuer (STELE_AUTH_ISSUER)',
    );
  if (issuer !== undefined) {
    if (audience === undefined)
      errors.push('--auth-audience (STELE_AUTH_AUDIENCE) is needed with --auth-issuer: tokens for others are not taken');
    if (clientsFile !== undefined || keysFile !== undefined)
      errors.push('--clients-file and --keys-file are of the embedded issuer, and --auth-issuer names another');
    const strictType = given.authTokenType === 'at+jwt';
    return { kind: 'outside', issuer, audience: audience ?? '', jwksUrl, algorithms: given.authAlgorithms, strictType };
  }
  if (jwksUrl !== undefined) errors.push('--auth-jwks-url (STELE_AUTH_JWKS_URL) is of no use without --auth-issuer');
  if (audience !== undefined && !URL.canParse(audience))
    errors.push('--auth-audience (STELE_AUTH_AUDIENCE) must be the address of this API');
  if (!isLoopback(host)) {
    if (clientsFile === undefined)
      errors.push(
        '--clients-file (STELE_CLIENTS_FILE) or --auth-issuer (STELE_AUTH_ISSUER) is needed to listen on more than this machine',
      );
    else if (audience === undefined)
      errors.push('--auth-audience (STELE_AUTH_AUDIENCE) must be the address of this API to listen on more than this machine');
  }
  return { kind: 'embedded', audience, clientsFile, keysFile, lifetime: given.tokenLifetime };
}
