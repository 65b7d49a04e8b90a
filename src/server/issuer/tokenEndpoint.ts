import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refused, rateHeaders } from '../../answers/caller.ts';
import { type JsonBounds, parseBoundedJson } from '../../chain/wire/json.ts';
import { type Scope, scopesAmong } from '../../reads/viewer.ts';
import { readBody } from '../messages/body.ts';
import { forwardedOrigin, isLocalRequest } from '../messages/requestHeaders.ts';
import type { CountAttempt } from '../rateLimits/rates.ts';
import { type Clients, type ConfidentialClient, isPublicClient, type PublicClient, type RegisteredClient } from './clients.ts';

interface TokenRequest {
  readonly clientId: string;
  /** undefined if the request has no secret, as that of a public client. */
  readonly clientSecret: string | undefined;
  readonly grantType: string;
  readonly audience: string | undefined;
  readonly scope: string | undefined;
}

/** An invalid token request, with its error code of RFC 6749 (5.2). */
interface MalformedRequest {
  readonly error: 'invalid_request' | 'invalid_client';
  readonly description: string;
}

const names = ['client_id', 'client_secret', 'grant_type', 'audience', 'scope'] as const;

/** The bounds of a JSON body, which is a flat object of strings. */
const jsonBounds: JsonBounds = { depth: 8, values: 100, number: 128 };

type Parameters = Partial<Record<(typeof names)[number], string>>;

const malformed = (description: string): MalformedRequest => ({ error: 'invalid_request', description });

function fromForm(text: string): Parameters | MalformedRequest {
  const form = new URLSearchParams(text);
  const parameters: Parameters = {};
  for (const name of names) {
    const [value, ...others] = form.getAll(name);
    if (others.length > 0) return malformed('A parameter is repeated.');
    // A parameter without a value counts as absent (RFC 6749, 3.2).
    if (value) parameters[name] = value;
  }
  return parameters;
}

function fromJson(bytes: Buffer): Parameters | MalformedRequest {
  let body: unknown;
  try {
    body = parseBoundedJson(bytes, jsonBounds);
  } catch {
    return malformed('The body is not valid JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return malformed('The body is not a JSON object.');
  const members = new Map(Object.entries(body));
  const parameters: Parameters = {};
  for (const name of names) {
    const value: unknown = members.get(name);
    if (value === undefined || value === null || value === '') continue;
    if (typeof value !== 'string') return malformed('A parameter is not a string.');
    parameters[name] = value;
  }
  return parameters;
}

/** The id and secret of HTTP Basic are form-encoded (RFC 6749, 2.3.1). undefined if the header has another form. */
function fromBasic(header: string): { readonly id: string; readonly secret: string } | undefined {
  const [, base64 = ''] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header) ?? [];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(base64, 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    const plain = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
    return { id: plain(id), secret: plain(secret) };
  } catch {
    return undefined;
  }
}

/** The request is JSON or a form, with the client's credentials in the body or in the header of HTTP Basic. */
function readTokenRequest({ headers, headersDistinct }: IncomingMessage, body: Buffer): TokenRequest | MalformedRequest {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded')
    return malformed('The content type must be `application/json` or `application/x-www-form-urlencoded`.');
  const parameters = type === 'application/json' ? fromJson(body) : fromForm(body.toString());
  if ('error' in parameters) return parameters;
  const { client_id: id, client_secret: secret, grant_type: grantType, audience, scope } = parameters;
  if (grantType === undefined) return malformed('`grant_type` is missing.');

  const [header, ...others] = headersDistinct.authorization ?? [];
  if (header === undefined) {
    if (id === undefined) return { error: 'invalid_client', description: '`client_id` is missing.' };
    return { clientId: id, clientSecret: secret, grantType, audience, scope };
  }
  const basic = fromBasic(header);
  if (basic === undefined)
    return { error: 'invalid_client', description: 'The `Authorization` header contains no valid client credentials.' };
  if (others.length > 0 || secret !== undefined || (id !== undefined && id !== basic.id))
    return malformed('Send the client credentials in one place only.');
  return { clientId: basic.id, clientSecret: basic.secret, grantType, audience, scope };
}

export interface TokenGrant {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** Whether the client is public. */
  readonly isPublic: boolean;
}

export interface TokenBounds {
  /** Largest body, in bytes. */
  readonly maxBody: number;
  /** Counts a secret before it is checked. */
  readonly countAttempt: CountAttempt;
  /** Counts a token of a public client. Returns a refusal if the client is over a limit of tokens. */
  readonly countPublicToken: (clientId: string) => Refused | undefined;
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

function refuse(response: ServerResponse, error: TokenError, description: string, status: number = statuses[error]): void {
  // A client that used HTTP Basic gets the matching challenge (RFC 6749, 5.2).
  if (error === 'invalid_client' && response.req.headers.authorization !== undefined)
    response.setHeader('www-authenticate', 'Basic realm="stele", charset="UTF-8"');
  if (error === 'temporarily_unavailable') response.setHeader('retry-after', retryAfter);
  response.writeHead(status, headers).end(JSON.stringify({ error, error_description: description }));
}

/** Sends the 429 response over a limit. RFC 6749 has no error code for this case. */
function refuseRate(response: ServerResponse, refusal: Refused, description: string): void {
  const body = JSON.stringify({ error: 'temporarily_unavailable', error_description: description });
  response.writeHead(429, { ...headers, ...rateHeaders(refusal) }).end(body);
}

/** Returns the scopes for a requested `scope`. undefined if the client may not have one of them. */
function grantedScopes(
  { scopes }: Pick<RegisteredClient, 'scopes'>,
  requested: string | undefined,
): readonly Scope[] | undefined {
  if (requested === undefined) return scopes;
  const names = requested.split(' ').filter((name) => name !== '');
  const allowed = scopesAmong(names).filter((scope) => scopes.includes(scope));
  return names.length > 0 && allowed.length === new Set(names).size ? allowed : undefined;
}

/** Lifetime of a token of a public client, in seconds, unless that of other tokens is shorter. */
const publicLifetime = 600;

export function createTokenEndpoint(options: {
  readonly clients: Clients;
  readonly sign: (grant: TokenGrant, lifetime: number) => Promise<string>;
  readonly audience: string;
  /** Lifetime of a token, in seconds. */
  readonly lifetime: number;
  readonly report: (error: unknown, requestId: string) => void;
}) {
  const { clients, sign, audience, lifetime, report } = options;

  /** Returns the client that sent a request with a secret. Refuses the request and returns undefined if it is not authenticated. */
  async function confidentialClient(
    { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
    response: ServerResponse,
    countAttempt: CountAttempt,
  ): Promise<ConfidentialClient | undefined> {
    const client = await clients.authenticate(clientId, clientSecret, countAttempt);
    if (client === 'busy') refuse(response, 'temporarily_unavailable', 'Too many requests. Try again later.');
    else if (client === 'wrong') refuse(response, 'invalid_client', 'Unknown client or wrong secret.');
    else if ('limit' in client) {
      const whose = client.by === 'address' ? 'from this address' : 'for this client';
      refuseRate(response, client, `Too many wrong secrets ${whose}: at most ${client.max} per minute.`);
    } else if (client.isLocal === true && !isLocalRequest(response.req))
      refuse(response, 'invalid_client', 'This client is limited to requests to `localhost` without a proxy.');
    else return client;
    return undefined;
  }

  /** Returns the public client that a page names in a request without a secret. Refuses other requests and returns undefined. */
  async function pageClient(id: string, response: ServerResponse): Promise<PublicClient | undefined> {
    const client = await clients.publicClient(id);
    const { origin } = response.req.headers;
    if (client === undefined) refuse(response, 'invalid_client', '`client_secret` is missing, and this is no public client.');
    else if (origin === undefined || !client.origins.includes(origin))
      refuse(response, 'invalid_client', 'This client is limited to pages of its origins.');
    else return client;
    return undefined;
  }

  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    { countAttempt, countPublicToken }: TokenBounds,
  ): Promise<void> {
    const tokenRequest = readTokenRequest(request, body);
    if ('error' in tokenRequest) return refuse(response, tokenRequest.error, tokenRequest.description);
    const { clientId, clientSecret } = tokenRequest;
    const client =
      clientSecret === undefined
        ? await pageClient(clientId, response)
        : await confidentialClient({ clientId, clientSecret }, response, countAttempt);
    if (client === undefined) return;
    if (tokenRequest.grantType !== 'client_credentials')
      return refuse(response, 'unsupported_grant_type', '`grant_type` must be `client_credentials`.');
    // A client behind a proxy may name this API as the proxy does. The token has the configured audience.
    if (tokenRequest.audience !== undefined && ![audience, forwardedOrigin(request)].includes(tokenRequest.audience))
      return refuse(response, 'invalid_target', 'This issuer grants no tokens for this `audience`.');
    const scopes = grantedScopes(client, tokenRequest.scope);
    if (scopes === undefined) return refuse(response, 'invalid_scope', 'The client is not allowed this `scope`.');
    const isPublic = isPublicClient(client);
    const tooMany = isPublic ? countPublicToken(client.id) : undefined;
    if (tooMany !== undefined) {
      const { limit, max } = tooMany;
      return refuseRate(response, tooMany, `Too many tokens of this client: at most ${max} per minute (${limit}).`);
    }
    const validFor = isPublic ? Math.min(publicLifetime, lifetime) : lifetime;
    const token = await sign({ clientId: client.id, scopes, isPublic }, validFor);
    const grant = { access_token: token, token_type: 'Bearer', expires_in: validFor, scope: scopes.join(' ') };
    response.writeHead(200, headers).end(JSON.stringify(grant));
  }

  return async (request: IncomingMessage, response: ServerResponse, bounds: TokenBounds): Promise<void> => {
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
