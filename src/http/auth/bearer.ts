import type { IncomingMessage } from 'node:http';
import type { Refusal } from './authRefusal.ts';

/** Largest token that is looked at, in characters; real ones have under 4,000. */
const largestToken = 8 * 1024;

/** Paths whose upgrades may carry their token as the password of Basic: their clients can set no header but by a URL (reliability.md T12). */
const basicPaths: readonly string[] = ['/websocket', '/comet/websocket'];

const headerName = 'authorization';

/** Base64url in its one spelling (RFC 7515, 2; RFC 4648, 3.5): not empty, no padding, and the unused bits of the last character are zero. */
const base64url = '(?:[\\w-]{4})*(?:[\\w-]{4}|[\\w-]{2}[AEIMQUYcgkosw048]|[\\w-][AQgw])';

const compactForm = new RegExp(`^${base64url}\\.${base64url}\\.${base64url}$`);

/** Whether a text can be a signed token: three parts of base64url, each in its one spelling. */
export function isCompactToken(token: string): boolean {
  return compactForm.test(token);
}

/** A token, or why there is none to look at. */
export type Sent = { readonly token: string } | Extract<Refusal, { readonly reason: 'noToken' | 'invalidToken' | 'twoTokens' }>;

function fromHeader(value: string): Sent {
  const [, scheme = '', credentials = ''] = /^(\S+) *(.*)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'bearer') return { reason: 'noToken' };
  if (credentials.length > largestToken || !/^[\w.~+/-]+=*$/.test(credentials)) return { reason: 'invalidToken' };
  return { token: credentials };
}

function fromBasic(value: string): Sent {
  const [, base64 = ''] = /^basic +(\S+)$/i.exec(value) ?? [];
  const [, token] = /^token:(.+)$/.exec(Buffer.from(base64, 'base64').toString()) ?? [];
  return fromHeader(token === undefined ? value : `Bearer ${token}`);
}

/** Whether a request with a header `Authorization` carries another token: in a second such header, or in the query. */
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
 * The token that a request carries, in its header `Authorization` and nowhere else (RFC 6750, 2.1). One in the query is not taken,
 * since addresses are logged; two are refused, since others on the way may have looked at the other one.
 */
export function tokenOf(request: IncomingMessage): Sent {
  const { headers, url = '/' } = request;
  const { authorization } = headers;
  if (authorization === undefined) return { reason: 'noToken' };
  if (hasSecondToken(request)) return { reason: 'twoTokens' };
  const isBasic = headers.upgrade !== undefined && basicPaths.includes(url.split('?', 1)[0] ?? '');
  return isBasic ? fromBasic(authorization) : fromHeader(authorization);
}

/** The token in what a WebSocket's client says at its start: `authorization`, in any case, as the header has it. */
export function tokenIn(connectionParams: unknown): Sent {
  if (typeof connectionParams !== 'object' || connectionParams === null) return { reason: 'noToken' };
  const named = Object.entries(connectionParams).filter(([name]) => name.toLowerCase() === 'authorization');
  const [first, ...others] = new Set<unknown>(named.map(([, value]) => value));
  if (first === undefined) return { reason: 'noToken' };
  if (others.length > 0) return { reason: 'twoTokens' };
  return typeof first === 'string' ? fromHeader(first) : { reason: 'invalidToken' };
}
