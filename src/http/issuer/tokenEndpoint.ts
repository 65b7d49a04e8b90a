import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { rateHeaders } from '../../graphql/request/caller.ts';
import { type Scope, scopesAmong } from '../../reads/viewer.ts';
import { readBody } from '../messages/body.ts';
import { isLocalRequest } from '../messages/localRequest.ts';
import type { CountAttempt, RefusedSecret } from '../rateLimits/secretAttempts.ts';
import type { Clients, RegisteredClient } from './clients.ts';
import { readTokenRequest } from './tokenRequest.ts';

/** What a token is made of. */
export interface TokenGrant {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
}

/** What those who ask for tokens are held to. */
export interface TokenBounds {
  /** Bytes of a body. */
  readonly maxBody: number;
  /** Counts a secret before it is checked. */
  readonly countAttempt: CountAttempt;
}

/** Seconds after which a client is to ask again that came when too many did. */
const retryAfter = 2;

/** Headers of every answer: what is in it is for one client, once (RFC 6749, 5.1). */
const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' };

/** Why a token is not given, by the names of RFC 6749 (5.2) and RFC 8707 (2), with the status of each. */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  temporarily_unavailable: 503,
} as const;

type TokenError = keyof typeof statuses;

/** Answers requests for tokens. */
export type TokenEndpoint = (request: IncomingMessage, response: ServerResponse, bounds: TokenBounds) => Promise<void>;

function refuse(response: ServerResponse, error: TokenError, description: string, status: number = statuses[error]): void {
  // A client that came with HTTP Basic is told that it may come so again (RFC 6749, 5.2).
  if (error === 'invalid_client' && response.req.headers.authorization !== undefined)
    response.setHeader('www-authenticate', 'Basic realm="stele", charset="UTF-8"');
  if (error === 'temporarily_unavailable') response.setHeader('retry-after', retryAfter);
  response.writeHead(status, headers).end(JSON.stringify({ error, error_description: description }));
}

/** The answer to a wrong secret behind too many. The names of RFC 6749 have none of its own for it. */
function refuseForNow(response: ServerResponse, refused: RefusedSecret): void {
  const which = refused.by === 'address' ? 'came from this address' : 'were sent for this client';
  const description = `Too many wrong secrets ${which}: at most ${refused.max} a minute.`;
  const body = JSON.stringify({ error: 'temporarily_unavailable', error_description: description });
  response.writeHead(429, { ...headers, ...rateHeaders(refused) }).end(body);
}

/** The scopes that a client gets when it asks for these; undefined when it may not have one of them. */
function granted({ scopes }: RegisteredClient, asked: string | undefined): readonly Scope[] | undefined {
  if (asked === undefined) return scopes;
  const names = asked.split(' ').filter((name) => name !== '');
  const allowed = scopesAmong(names).filter((scope) => scopes.includes(scope));
  return names.length > 0 && allowed.length === new Set(names).size ? allowed : undefined;
}

/** Makes the token endpoint. */
export function createTokenEndpoint(options: {
  readonly clients: Clients;
  readonly sign: (grant: TokenGrant) => Promise<string>;
  readonly audience: string;
  readonly lifetime: number;
  readonly report: (error: unknown, requestId: string) => void;
}): TokenEndpoint {
  const { clients, sign, audience, lifetime, report } = options;

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    { countAttempt }: TokenBounds,
  ): Promise<void> {
    const asked = readTokenRequest(request, body);
    if ('error' in asked) return refuse(response, asked.error, asked.description);
    const client = await clients.authenticate(asked.clientId, asked.clientSecret, countAttempt);
    if (client === 'busy') return refuse(response, 'temporarily_unavailable', 'Too many ask at the moment.');
    if (client === 'wrong') return refuse(response, 'invalid_client', 'There is no such client with this secret.');
    if ('limit' in client) return refuseForNow(response, client);
    if (client.isLocal === true && !isLocalRequest(request))
      return refuse(response, 'invalid_client', 'This client is for requests to `localhost` that come through no proxy.');
    if (asked.grantType !== 'client_credentials')
      return refuse(response, 'unsupported_grant_type', '`grant_type` is to be client_credentials.');
    if (asked.audience !== undefined && asked.audience !== audience)
      return refuse(response, 'invalid_target', 'Tokens for this `audience` are not given here.');
    const scopes = granted(client, asked.scope);
    if (scopes === undefined) return refuse(response, 'invalid_scope', 'The client may not have all of this `scope`.');
    const token = await sign({ clientId: client.id, scopes });
    const grant = { access_token: token, token_type: 'Bearer', expires_in: lifetime, scope: scopes.join(' ') };
    response.writeHead(200, headers).end(JSON.stringify(grant));
  }

  return async (request, response, bounds) => {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      refuse(response, 'invalid_request', 'Tokens are asked for by POST.', 405);
      return;
    }
    const body = await readBody(request, bounds.maxBody);
    if (body === null) {
      response.setHeader('connection', 'close');
      refuse(response, 'invalid_request', `The body has more than ${bounds.maxBody} bytes.`, 413);
      return;
    }
    try {
      await answer(request, response, body, bounds);
    } catch (error) {
      // Clients or keys cannot be read: the operator is to see why.
      report(error, randomUUID());
      refuse(response, 'temporarily_unavailable', 'Tokens cannot be given at the moment.');
    }
  };
}
