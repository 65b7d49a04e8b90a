import type { IncomingMessage } from 'node:http';
import type { Refusal } from './authRefusal.ts';

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

/** Whether a text can be a signed token: three parts of canonical base64url. */
export function isCompactToken(token: string): boolean {
  return compactForm.test(token);
}

/** The token of a request, or the reason why it has no usable one. */
export type PresentedToken =
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
  const named = Object.entries(connectionParams).filter(([name]) => name.toLowerCase() === 'authorization');
  const [first, ...others] = new Set<unknown>(named.map(([, value]) => value));
  if (first === undefined) return { reason: 'noToken' };
  if (others.length > 0) return { reason: 'twoTokens' };
  return typeof first === 'string' ? fromHeader(first) : { reason: 'invalidToken' };
}
