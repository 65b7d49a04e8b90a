import type { IncomingMessage, ServerResponse } from 'node:http';
import { heightHeader } from '../../graphql/operation/pickHeight.ts';
import type { Scope } from '../../reads/viewer.ts';
import type { RequestContext } from '../handlers/handler.ts';
import { varyByHeight } from '../messages/headers.ts';
import type { Dialect } from './dialect.ts';

/** What is sent of an answer. */
export interface Sent {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  /** How long the caller may keep it. undefined: the node says nothing of it; the root paths then forbid it. */
  readonly keeping?: 'day' | 'never' | undefined;
  readonly height?: bigint | undefined;
  /** Code of the first error, for those who run the server. */
  readonly code?: string | undefined;
  /** The scope that the token lacks. */
  readonly lacks?: Scope | undefined;
  /** Two refusals come from the node without its time: both are made before its outer handler sets that. */
  readonly timeless?: boolean;
}

/** Sends an answer with the headers that its dialect has; its code goes to the record of the request. */
export function sendReply(
  response: ServerResponse,
  { status, body, type = 'application/json', keeping, height, code, lacks, timeless = false }: Sent,
  { dialect, context }: { readonly dialect: Dialect; readonly context: RequestContext },
): void {
  const isComet = dialect.surface === 'comet';
  if (code !== undefined) context.record.code = code;
  if (isComet && !timeless) response.setHeader('x-server-time', Math.floor(Date.now() / 1000));
  if (type !== '') response.setHeader('content-type', type);
  response.setHeader('vary', dialect.namesHeight ? varyByHeight : 'Authorization, Origin');
  if (keeping === 'day') response.setHeader('cache-control', 'private, max-age=86400');
  else if (keeping === 'never' || !isComet) response.setHeader('cache-control', 'no-store');
  if (dialect.namesHeight && height !== undefined) response.setHeader(heightHeader, height.toString());
  if (lacks !== undefined) response.setHeader('www-authenticate', `Bearer error="insufficient_scope", scope="${lacks}"`);
  response.writeHead(status, { 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Arguments of the query, and of a form that was sent, once the turn of the caller has come; null when the form has more than `max` bytes. */
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
