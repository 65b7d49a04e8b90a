import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { joinPacked, packPartLater } from '../../server/messages/compression.ts';
import { methodNotAllowed, sendError } from '../../server/messages/errors.ts';

/** A file in memory, plain and compressed. Its buffers are shared by all responses. */
export interface BundledFile {
  readonly type: string;
  readonly plain: readonly Buffer[];
  readonly gzipped: readonly Buffer[];
  /** The file compressed with brotli. Absent for files that are made at run time. */
  readonly brotli?: readonly Buffer[];
  /** Differs whenever the bytes do. */
  readonly hash: string;
}

/** A file with places for a text that differs between responses. */
export interface FileTemplate {
  /** The file with a text at each place. It compresses nothing. */
  fill(text: string): BundledFile;
}

const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/**
 * Creates a template of content in which a text replaces each `place`. The content between the places is compressed here, once.
 */
export async function createTemplate(type: string, content: string, place: string): Promise<FileTemplate> {
  return templateOf(
    type,
    content.split(place).map((part) => Buffer.from(part)),
  );
}

async function templateOf(type: string, parts: readonly Buffer[]): Promise<FileTemplate> {
  const last = parts.length - 1;
  const packed = await Promise.all(parts.map((part, index) => packPartLater(part, { level: 6, isLast: index === last })));
  const sums = createHash('sha256');
  for (const part of parts) sums.update(`${part.length}:`).update(part);
  const partsHash = sums.digest();

  return {
    fill(text) {
      const middle = Buffer.from(text);
      return {
        type,
        plain: parts.flatMap((part, index) => (index === 0 ? [part] : [middle, part])),
        gzipped: joinPacked(
          packed,
          Array.from({ length: last }, () => middle),
        ),
        hash: createHash('sha256').update(partsHash).update(middle).digest('base64url').slice(0, 22),
      };
    },
  };
}

/** Creates a file from its content, which is compressed here, once. */
export async function createFile(type: string, content: string | Buffer): Promise<BundledFile> {
  return (await templateOf(type, [Buffer.from(content)])).fill('');
}

/** Whether an `If-None-Match` header names an entity tag (RFC 9110, 13.1.2). */
function isKnown(condition: string, tag: string): boolean {
  return condition.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag);
}

/** The form of a file that a client accepts, the smallest first, with its content coding. */
function codingFor(
  { headers }: IncomingMessage,
  { plain, gzipped, brotli }: BundledFile,
): { readonly coding?: string; readonly body: readonly Buffer[] } {
  const accepted = String(headers['accept-encoding'] ?? '');
  const takes = (coding: string): boolean => new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\b)`).test(accepted);
  if (brotli !== undefined && takes('br')) return { coding: 'br', body: brotli };
  return takes('gzip') ? { coding: 'gzip', body: gzipped } : { body: plain };
}

/**
 * Sends a file as the response to GET or HEAD, and 405 to other methods. The response has a strong entity tag, unless the
 * headers contain `no-store`. A client with the current tag gets 304.
 */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: BundledFile,
  headers: Readonly<Record<string, string>> & { readonly 'cache-control': string },
): void {
  const { method } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    sendError(response, methodNotAllowed);
    return;
  }
  const { coding, body } = codingFor(request, file);
  const isStored = headers['cache-control'] !== 'no-store';
  const tag = `"${file.hash}${coding === undefined ? '' : `-${coding}`}"`;
  const common = {
    ...(isStored && { etag: tag }),
    vary: 'Accept-Encoding, Origin',
    'x-content-type-options': 'nosniff',
    ...headers,
  };
  const condition = request.headers['if-none-match'];
  if (isStored && condition !== undefined && isKnown(condition, tag)) {
    response.writeHead(304, common).end();
    return;
  }
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': sizeOf(body),
    ...(coding !== undefined && { 'content-encoding': coding }),
    ...common,
  });
  if (method === 'GET') for (const part of body) if (part.length > 0) response.write(part);
  response.end();
}
