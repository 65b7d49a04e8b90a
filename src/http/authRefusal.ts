import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Scope } from '../graphql/viewer.ts';

/** Why a request is not served, by what stands in its headers. */
export type Refusal =
  /** No token: 401. */
  | { readonly reason: 'noToken' }
  /** One that does not verify: 401, and nothing that says why. */
  | { readonly reason: 'invalidToken' }
  /** Tokens in two places: 400. */
  | { readonly reason: 'twoTokens' }
  /** One that does not allow this: 403. */
  | { readonly reason: 'noScope'; readonly scope: Scope }
  /** It cannot be known whether it verifies, as the issuer's keys cannot be had now: 503. `retryAfter` is in seconds. */
  | { readonly reason: 'noKeys'; readonly retryAfter: number };

/** An answer to a request that is refused. The one body of all 401 tells nothing of the token. */
interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function bodyOf(code: string, message: string, facts: object = {}): string {
  return JSON.stringify({ errors: [{ message, extensions: { code, ...facts } }] });
}

const unauthenticated = bodyOf('UNAUTHENTICATED', 'A bearer token is needed, and one that verifies.');

const twoTokens = bodyOf('BAD_USER_INPUT', 'A token is sent once, in the header `Authorization`.');

/** The answer to a refused request (RFC 6750, 3). */
export function answerTo(refusal: Refusal): RefusalAnswer {
  switch (refusal.reason) {
    case 'noToken':
      return { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: unauthenticated };
    case 'invalidToken':
      return { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' }, body: unauthenticated };
    case 'twoTokens':
      return { status: 400, headers: { 'www-authenticate': 'Bearer error="invalid_request"' }, body: twoTokens };
    case 'noScope': {
      const { scope } = refusal;
      const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
      return { status: 403, headers, body: bodyOf('FORBIDDEN', `This needs a token with the scope \`${scope}\`.`, { scope }) };
    }
    case 'noKeys': {
      const { retryAfter } = refusal;
      const body = bodyOf('UNAUTHENTICATED', 'The keys that tokens are checked with cannot be had now.', { retryAfter });
      return { status: 503, headers: { 'retry-after': `${retryAfter}` }, body };
    }
  }
}

const common = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Authorization, Accept',
};

/** Bodies up to this that nobody reads are let pass, so that the connection can be used again. */
const smallBody = 64 * 1024;

/** Refuses a request whose body was not read, and is not going to be. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, headers, body } = answerTo(refusal);
  const { 'content-length': length = 0, 'transfer-encoding': encoding } = response.req.headers;
  if (encoding !== undefined || !(Number(length) <= smallBody)) response.setHeader('connection', 'close');
  response.writeHead(status, { ...common, ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Refuses a connection that asked to be a WebSocket. */
export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const { status, headers, body } = answerTo(refusal);
  const lines = Object.entries({ ...common, ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}
