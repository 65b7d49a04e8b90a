import type { IncomingMessage } from 'node:http';
import type { Scope } from '../../reads/viewer.ts';
import { type ErrorResponse, errorResponse, rateLimitResponse } from '../messages/errors.ts';
import { clientAddress } from '../messages/requestHeaders.ts';
import type { Rates } from '../rateLimits/rates.ts';

/** Why authentication refuses a request. */
export type Refusal =
  /** No token: 401. */
  | { readonly reason: 'noToken' }
  /** The token does not verify: 401, without a reason. */
  | { readonly reason: 'invalidToken' }
  /**
   * The token has expired: 401. It never counts towards `rate.failedAuthentications`, so that its client can get a new token.
   */
  | { readonly reason: 'expiredToken' }
  /** More than one token: 400. */
  | { readonly reason: 'twoTokens' }
  /** The token lacks the scope: 403. */
  | { readonly reason: 'noScope'; readonly scope: Scope }
  /** The keys to verify the token are unavailable: 503. `retryAfter` is in seconds. */
  | { readonly reason: 'noKeys'; readonly retryAfter: number };

const tokenRequired = 'A valid bearer token is required.';

/**
 * Creates the response to a refused request, and counts an invalid token. 429 after too many invalid tokens from the address.
 * Expired tokens do not count.
 */
export function countRefusal(refusal: Refusal, request: IncomingMessage, rates: Rates): ErrorResponse {
  const tooMany = refusal.reason === 'invalidToken' ? rates.failedAuthentication(clientAddress(request)) : undefined;
  return tooMany === undefined ? refusalResponse(refusal) : rateLimitResponse(tooMany);
}

/**
 * Creates the response to a refused request (RFC 6750, 3). All 401 responses have the same body, which reveals nothing about
 * the token.
 */
export function refusalResponse(refusal: Refusal): ErrorResponse {
  switch (refusal.reason) {
    case 'noToken':
      return errorResponse(401, 'UNAUTHENTICATED', tokenRequired, {}, { 'www-authenticate': 'Bearer' });
    case 'invalidToken':
    case 'expiredToken':
      return errorResponse(401, 'UNAUTHENTICATED', tokenRequired, {}, { 'www-authenticate': 'Bearer error="invalid_token"' });
    case 'twoTokens':
      return errorResponse(
        400,
        'BAD_USER_INPUT',
        'Send exactly one token, in the `Authorization` header.',
        {},
        { 'www-authenticate': 'Bearer error="invalid_request"' },
      );
    case 'noScope': {
      const { scope } = refusal;
      const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
      return errorResponse(403, 'FORBIDDEN', `A token with the scope \`${scope}\` is required.`, { scope }, headers);
    }
    case 'noKeys': {
      const { retryAfter } = refusal;
      const message = 'The keys to verify tokens are temporarily unavailable.';
      return errorResponse(503, 'UNAUTHENTICATED', message, { retryAfter }, { 'retry-after': `${retryAfter}` });
    }
  }
}

/** The same response, with the URL of the metadata that says where to get a token (RFC 9728, 5.1), if its status is 401. */
export function namingMetadata(response: ErrorResponse, url: string): ErrorResponse {
  const { 'www-authenticate': challenge = '' } = response.headers;
  if (response.status !== 401) return response;
  const separator = challenge.includes(' ') ? ',' : '';
  return {
    ...response,
    headers: { ...response.headers, 'www-authenticate': `${challenge}${separator} resource_metadata="${url}"` },
  };
}

/** Longest accepted token, in characters. Tokens of common issuers have fewer than 4,000. */
const maxToken = 8 * 1024;

/**
 * Paths whose upgrades accept the token as the password of HTTP Basic, because clients of the node RPC can only set credentials
 * in the URL (docs/security.md, T12).
 */
const basicPaths: readonly string[] = ['/websocket', '/comet/websocket'];

const headerName = 'authorization';

/**
 * Canonical base64url (RFC 7515, 2; RFC 4648, 3.5): not empty, no padding, and the unused bits of the last character are zero.
 */
const base64url = '(?:[\\w-]{4})*(?:[\\w-]{4}|[\\w-]{2}[AEIMQUYcgkosw048]|[\\w-][AQgw])';

const compactForm = new RegExp(`^${base64url}\\.${base64url}\\.${base64url}$`);

export function isCompactToken(token: string): boolean {
  return compactForm.test(token);
}

type PresentedToken =
  | { readonly token: string }
  | Extract<Refusal, { readonly reason: 'noToken' | 'invalidToken' | 'twoTokens' }>;

function fromHeader(value: string): PresentedToken {
  const [, scheme = '', credentials = ''] = /^(\S+) *(.*)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'bearer') return { reason: 'noToken' };
  if (credentials.length > maxToken || !/^[\w.~+/-]+=*$/.test(credentials)) return { reason: 'invalidToken' };
  return { token: credentials };
}

function fromBasic(value: string): PresentedToken {
  const [, base64 = ''] = /^basic +(\S+)$/i.exec(value) ?? [];
  const [, token] = /^token:(.+)$/.exec(Buffer.from(base64, 'base64').toString()) ?? [];
  return fromHeader(token === undefined ? value : `Bearer ${token}`);
}

/** Whether a request with an `Authorization` header has a second token, in another such header or in the query. */
export function hasSecondToken({ rawHeaders, url = '/' }: IncomingMessage): boolean {
  let headers = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === headerName.length && name.toLowerCase() === headerName) headers += 1;
  }
  if (headers > 1) return true;
  return url.includes('access_token=') && new URLSearchParams(url.slice(url.indexOf('?'))).has('access_token');
}

/**
 * Returns the token in the `Authorization` header of a request (RFC 6750, 2.1). A token in the query is not accepted, because
 * URLs are logged. Two tokens are refused, because a proxy may have checked the other one.
 */
export function tokenOf(request: IncomingMessage): PresentedToken {
  const { headers, url = '/' } = request;
  const { authorization } = headers;
  if (authorization === undefined) return { reason: 'noToken' };
  if (hasSecondToken(request)) return { reason: 'twoTokens' };
  const isBasic = headers.upgrade !== undefined && basicPaths.includes(url.split('?', 1)[0] ?? '');
  return isBasic ? fromBasic(authorization) : fromHeader(authorization);
}

/**
 * Returns the token in the connection parameters of a WebSocket: the member `authorization`, in any case, with the syntax of
 * the header.
 */
export function tokenIn(connectionParams: unknown): PresentedToken {
  if (typeof connectionParams !== 'object' || connectionParams === null) return { reason: 'noToken' };
  const members = Object.entries(connectionParams).filter(([name]) => name.toLowerCase() === 'authorization');
  const [first, ...others] = new Set<unknown>(members.map(([, value]) => value));
  if (first === undefined) return { reason: 'noToken' };
  if (others.length > 0) return { reason: 'twoTokens' };
  return typeof first === 'string' ? fromHeader(first) : { reason: 'invalidToken' };
}
