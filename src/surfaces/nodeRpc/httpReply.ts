import type { IncomingMessage, ServerResponse } from 'node:http';
import { heightHeader } from '../../answers/pickHeight.ts';
import type { Scope } from '../../reads/viewer.ts';
import { varyByHeight } from '../../server/messages/headers.ts';
import type { RequestContext } from '../../server/router.ts';
import type { Dialect } from './dialect.ts';

/** An HTTP response of the node RPC. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  /** How long clients may cache it. undefined: the node does not state it, and the root paths forbid caching. */
  readonly caching?: 'day' | 'never' | undefined;
  readonly height?: bigint | undefined;
  /** Code of the first error, for the log and the metrics. */
  readonly code?: string | undefined;
  /** The scope that the token lacks. */
  readonly missingScope?: Scope | undefined;
  /** Whether to omit `x-server-time`. A node omits it in two errors, which precede the handler that sets it. */
  readonly timeless?: boolean;
}

/** A reply whose body may be bytes from memory. */
export interface SentReply extends Omit<Reply, 'body'> {
  readonly body: string | Buffer;
}

/** Sends a reply with the headers of its dialect. Notes its error code in the record of the request. */
export function sendReply(
  response: ServerResponse,
  { status, body, type = 'application/json', caching, height, code, missingScope, timeless = false }: SentReply,
  { dialect, context }: { readonly dialect: Dialect; readonly context: RequestContext },
): void {
  const isComet = dialect.surface === 'comet';
  if (code !== undefined) context.record.code = code;
  // Node writes a list faster than headers that are set one by one.
  const headers: string[] = [];
  if (isComet && !timeless) headers.push('x-server-time', String(Math.floor(Date.now() / 1000)));
  if (type !== '') headers.push('content-type', type);
  headers.push('vary', dialect.namesHeight ? varyByHeight : 'Authorization, Origin');
  if (caching === 'day') headers.push('cache-control', 'private, max-age=86400');
  else if (caching === 'never' || !isComet) headers.push('cache-control', 'no-store');
  if (dialect.namesHeight && height !== undefined) headers.push(heightHeader, height.toString());
  if (missingScope !== undefined) {
    headers.push('www-authenticate', `Bearer error="insufficient_scope", scope="${missingScope}"`);
  }
  headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers).end(body);
}

/**
 * Reads the arguments of the query string and of a form, and waits for the turn of the caller. Returns null if the form is
 * larger than `max` bytes.
 */
export async function readUriParams(
  request: IncomingMessage,
  context: RequestContext,
  max: number,
): Promise<URLSearchParams | null> {
  const params = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  if (request.method !== 'POST' || !isForm) {
    await context.turn();
    return params;
  }
  const body = await context.body(max);
  if (body === null) return null;
  for (const [name, value] of new URLSearchParams(body.toString())) if (!params.get(name)) params.set(name, value);
  return params;
}
