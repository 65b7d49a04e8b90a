import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { onlyRead, sendError } from './errors.ts';

/** A file that is sent as it is, also compressed. */
export interface BundledFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

const compress = promisify(gzip);

/** Makes a file of its content; it is compressed here, once. */
export async function createFile(type: string, content: string | Buffer): Promise<BundledFile> {
  const bytes = Buffer.from(content);
  return { type, bytes, gzipped: await compress(bytes, { level: 6 }) };
}

/** Sends a file to a GET or HEAD, and 405 to all else. */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { type, bytes, gzipped }: BundledFile,
  headers: Readonly<Record<string, string>>,
): void {
  const { method } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    sendError(response, onlyRead);
    return;
  }
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\b)/.test(String(request.headers['accept-encoding'] ?? ''));
  const body = takesGzip ? gzipped : bytes;
  response.writeHead(200, {
    'content-type': type,
    'content-length': body.length,
    ...(takesGzip && { 'content-encoding': 'gzip' }),
    vary: 'Accept-Encoding, Origin',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(method === 'GET' ? body : undefined);
}
