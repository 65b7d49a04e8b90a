import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import type { Refused } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { knownScopes } from '../../reads/viewer.ts';
import { publicClientClaim } from '../auth/auth.ts';
import { type ErrorShape, methodNotAllowed, notFound, sendError } from '../messages/errors.ts';
import { clientAddress } from '../messages/requestHeaders.ts';
import type { CountAttempt, Rates } from '../rateLimits/rates.ts';
import type { PublicHandler } from '../router.ts';
import type { Clients } from './clients.ts';
import type { IssuerKeys } from './issuerKeys.ts';
import { createTokenEndpoint, type TokenBounds, type TokenGrant } from './tokenEndpoint.ts';

/** The embedded issuer. It supports the client credentials grant only (RFC 6749, 4.4). */
export type Issuer = ReturnType<typeof createIssuer>;

const tokenPath = '/oauth/token';

const keysPath = '/.well-known/jwks.json';

const metadataPath = '/.well-known/oauth-authorization-server';

export function createIssuer(options: {
  readonly keys: IssuerKeys;
  readonly clients: Clients;
  /** The URL of the issuer: the `iss` of its tokens and the base of its paths. */
  readonly address: () => string;
  /** The `aud` of its tokens. */
  readonly audience: string;
  /** Lifetime of a token, in seconds. */
  readonly lifetime: number;
  /** Logs each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
}) {
  const { keys, clients, address, audience, lifetime, report } = options;
  let issued = 0;

  /** Returns a signed token (RFC 9068). `validFor` is its lifetime in seconds, by default the one that is configured. */
  async function sign({ clientId, scopes, isPublic }: TokenGrant, validFor = lifetime): Promise<string> {
    const { kid, key } = await keys.signing();
    const issuedAt = Math.floor(Date.now() / 1000);
    issued += 1;
    return new SignJWT({ client_id: clientId, scope: scopes.join(' '), ...(isPublic && { [publicClientClaim]: true }) })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .setIssuer(address())
      .setSubject(clientId)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + validFor)
      .setJti(randomUUID())
      .sign(key);
  }

  const tokens = createTokenEndpoint({ clients, sign, audience, lifetime, report });

  /** Returns the origins of public clients. A token request reports if they cannot be read. */
  const pageOrigins = (): Promise<readonly string[]> => clients.origins().catch(() => []);

  /** Returns the metadata of the issuer (RFC 8414). */
  async function metadata(): Promise<object> {
    const issuer = address();
    const base = issuer.replace(/\/$/, '');
    return {
      issuer,
      token_endpoint: `${base}${tokenPath}`,
      jwks_uri: `${base}${keysPath}`,
      scopes_supported: knownScopes,
      response_types_supported: [],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        ...((await pageOrigins()).length > 0 ? ['none'] : []),
      ],
    };
  }

  function sendJson(response: ServerResponse, value: object): void {
    const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=60' };
    response.writeHead(200, headers).end(JSON.stringify(value));
  }

  return {
    audience,
    matches: (path: string): boolean => path === tokenPath || path === keysPath || path === metadataPath,
    async handle(request: IncomingMessage, response: ServerResponse, path: string, bounds: TokenBounds): Promise<void> {
      if (path === tokenPath) return tokens(request, response, bounds);
      if (request.method !== 'GET' && request.method !== 'HEAD') return sendError(response, methodNotAllowed);
      if (path === metadataPath) return sendJson(response, await metadata());
      // Creates the first key if there is none, so that it is published before the first token.
      await keys.signing();
      sendJson(response, { keys: (await keys.known())?.keys ?? [] });
    },
    sign,
    /** The scopes of a client now; null if it was deleted. Rejects if the clients cannot be read. */
    scopesOf: clients.scopesOf,
    /** Returns further origins whose pages may send requests to a path: those of public clients, at the token endpoint. */
    origins: async (path: string): Promise<readonly string[]> => (path === tokenPath ? pageOrigins() : []),
    /** Returns the number of signed tokens and of wrong secrets. */
    stats: () => ({ issued, failures: clients.failures() }),
  };
}

/** The error format of RFC 6749 (5.2), which has no error code for an exceeded rate. */
const oauthShape: ErrorShape = ({ status, message }) =>
  JSON.stringify({ error: status === 429 ? 'temporarily_unavailable' : 'invalid_request', error_description: message });

/** Creates the handler at `/oauth/token` and `/.well-known/`. Without an embedded issuer, it responds 404. */
export function createTokenHandler(options: {
  readonly issuer: Issuer | undefined;
  readonly rates: Rates;
  readonly limits: Limits;
}): PublicHandler {
  const { issuer, rates, limits } = options;
  return {
    surface: 'tokens',
    shape: oauthShape,
    isPublic: true,
    paths: [tokenPath, '/.well-known/*'],
    origins: async (path) => issuer?.origins(path) ?? [],
    async handle(request, response, path) {
      if (!issuer?.matches(path)) return sendError(response, notFound);
      await rates.freshFailures(clientAddress(request));
      const countAttempt: CountAttempt = (clientId) => rates.attemptSecret(clientAddress(request), clientId);
      const countPublicToken = (clientId: string): Refused | undefined =>
        rates.takePublicToken(clientId, clientAddress(request));
      return issuer.handle(request, response, path, { maxBody: limits['http.otherBody'], countAttempt, countPublicToken });
    },
  };
}
