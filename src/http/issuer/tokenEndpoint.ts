import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { rateHeaders } from '../../graphql/request/caller.ts';
import { type Scope, scopesAmong } from '../../reads/viewer.ts';
import { readBody } from '../messages/body.ts';
import { isLocalRequest } from '../messages/localRequest.ts';
import type { CountAttempt, RefusedSecret } from '../rateLimits/secretAttempts.ts';
import type { Clients, RegisteredClient } from './clients.ts';
import { readTokenRequest } from './tokenRequest.ts';

/** The content of a token. */
export interface TokenGrant {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
}

/** The limits of a token request. */
export interface TokenBounds {
  /** Largest body, in bytes. */
  readonly maxBody: number;
  /** Counts a secret before it is checked. */
  readonly countAttempt: CountAttempt;
}

/** `Retry-After` of 503 responses, in seconds. */
const retryAfter = 2;

/** Headers of every response. They forbid caching (RFC 6749, 5.1). */
const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' };

/** The status of each error code of RFC 6749 (5.2) and RFC 8707 (2). */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  temporarily_unavailable: 503,
} as const;

type TokenError = keyof typeof statuses;

/** Responds to token requests. */
export type TokenEndpoint = (request: IncomingMessage, response: ServerResponse, bounds: TokenBounds) => Promise<void>;

function refuse(response: ServerResponse, error: TokenError, description: string, status: number = statuses[error]): void {
  // A client that used HTTP Basic gets the matching challenge (RFC 6749, 5.2).
  if (error === 'invalid_client' && response.req.headers.authorization !== undefined)
    response.setHeader('www-authenticate', 'Basic realm="stele", charset="UTF-8"');
  if (error === 'temporarily_unavailable') response.setHeader('retry-after', retryAfter);
  response.writeHead(status, headers).end(JSON.stringify({ error, error_description: description }));
}

/** Sends the 429 response after too many wrong secrets. RFC 6749 has no error code for this case. */
function refuseRate(response: ServerResponse, refused: RefusedSecret): void {
  const which = refused.by === 'address' ? 'from this address' : 'for this client';
  const description = `Too many wrong secrets ${which}: at most ${refused.max} per minute.`;
  const body = JSON.stringify({ error: 'temporarily_unavailable', error_description: description });
  response.writeHead(429, { ...headers, ...rateHeaders(refused) }).end(body);
}

/** Returns the scopes for a requested `scope`. undefined if the client may not have one of them. */
function grantedScopes({ scopes }: RegisteredClient, requested: string | undefined): readonly Scope[] | undefined {
  if (requested === undefined) return scopes;
  const names = requested.split(' ').filter((name) => name !== '');
  const allowed = scopesAmong(names).filter((scope) => scopes.includes(scope));
  return names.length > 0 && allowed.length === new Set(names).size ? allowed : undefined;
}

/** Creates the token endpoint. */
export function createTokenEndpoint(options: {
  readonly clients: Clients;
  readonly sign: (grant: TokenGrant) => Promise<string>;
  readonly audience: string;
  readonly lifetime: number;
  readonly report: (error: unknown, requestId: string) => void;
}): TokenEndpoint {
  const { clients, sign, audience, lifetime, report } = options;

  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    { countAttempt }: TokenBounds,
  ): Promise<void> {
    const wanted = readTokenRequest(request, body);
    if ('error' in wanted) return refuse(response, wanted.error, wanted.description);
    const client = await clients.authenticate(wanted.clientId, wanted.clientSecret, countAttempt);
    if (client === 'busy') return refuse(response, 'temporarily_unavailable', 'Too many requests. Try again later.');
    if (client === 'wrong') return refuse(response, 'invalid_client', 'Unknown client or wrong secret.');
    if ('limit' in client) return refuseRate(response, client);
    if (client.isLocal === true && !isLocalRequest(request))
      return refuse(response, 'invalid_client', 'This client is limited to requests to `localhost` without a proxy.');
    if (wanted.grantType !== 'client_credentials')
      return refuse(response, 'unsupported_grant_type', '`grant_type` must be `client_credentials`.');
    if (wanted.audience !== undefined && wanted.audience !== audience)
      return refuse(response, 'invalid_target', 'This issuer grants no tokens for this `audience`.');
    const scopes = grantedScopes(client, wanted.scope);
    if (scopes === undefined) return refuse(response, 'invalid_scope', 'The client is not allowed this `scope`.');
    const token = await sign({ clientId: client.id, scopes });
    const grant = { access_token: token, token_type: 'Bearer', expires_in: lifetime, scope: scopes.join(' ') };
    response.writeHead(200, headers).end(JSON.stringify(grant));
  }

  return async (request, response, bounds) => {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      refuse(response, 'invalid_request', 'Use POST.', 405);
      return;
    }
    const body = await readBody(request, bounds.maxBody);
    if (body === null) {
      response.setHeader('connection', 'close');
      refuse(response, 'invalid_request', `The body has more than ${bounds.maxBody} bytes.`, 413);
      return;
    }
    try {
      await respond(request, response, body, bounds);
    } catch (error) {
      // The clients or keys cannot be read. The log contains the reason.
      report(error, randomUUID());
      refuse(response, 'temporarily_unavailable', 'The token service is temporarily unavailable.');
    }
  };
}
