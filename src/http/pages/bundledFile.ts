import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { crc32, deflateRaw, constants as zlib } from 'node:zlib';
import { methodNotAllowed, sendError } from '../messages/errors.ts';

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
  /** The file with a text of at most 65,535 bytes at each place. It compresses nothing. */
  fill(text: string): BundledFile;
}

const compress = promisify(deflateRaw);

/** A gzip header without name or time (RFC 1952, 2.3). */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** Bytes as a stored block of deflate that is not the last one (RFC 1951, 3.2.4). */
function storedBlock(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([head, bytes]);
}

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
  // A full flush ends on a whole byte, so that the parts can be joined.
  const packed = await Promise.all(
    parts.map((part, index) => compress(part, { level: 6, ...(index < last && { finishFlush: zlib.Z_FULL_FLUSH }) })),
  );
  const sums = createHash('sha256');
  for (const part of parts) sums.update(`${part.length}:`).update(part);
  const partsHash = sums.digest();
  const [first = Buffer.alloc(0), ...others] = parts;
  const [packedFirst = Buffer.alloc(0), ...packedOthers] = packed;
  const firstSum = crc32(first);

  return {
    fill(text) {
      const middle = Buffer.from(text);
      const plain = [first, ...others.flatMap((part) => [middle, part])];
      const trailer = Buffer.alloc(8);
      // `crc32` of an empty buffer would start a new sum.
      const summed = plain.slice(1).filter(({ length }) => length > 0);
      trailer.writeUInt32LE(
        summed.reduce((sum, part) => crc32(part, sum), firstSum),
        0,
      );
      trailer.writeUInt32LE(sizeOf(plain) % 2 ** 32, 4);
      const stored = storedBlock(middle);
      return {
        type,
        plain,
        gzipped: [gzipHeader, packedFirst, ...packedOthers.flatMap((part) => [stored, part]), trailer],
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
