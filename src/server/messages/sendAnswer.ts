import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { crc32, deflateRaw, deflateRawSync, constants as zlib } from 'node:zlib';
import { type AnswerBody, areEqual, fillBody, placeTexts, type TextAt, TextBody } from '../../answers/answer.ts';
import type { Found } from '../../answers/answerCache.ts';
import { bufferBytes, compact, type MemoryBudget, objectBytes } from '../../chain/memory/memoryBudget.ts';

/** A gzip header without name or time (RFC 1952, 2.3). */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** Bytes that are compressed on their own and joined with others later. */
interface PackedPart {
  /** The bytes before compression. Not used of a part that no byte precedes. */
  readonly plain: Buffer;
  /** Their number. */
  readonly length: number;
  /** Blocks of deflate that end on a whole byte. The last one of the last part ends the stream. */
  readonly packed: Buffer;
  /** Its checksum. */
  readonly sum: number;
}

/** Shorter parts are stored: compressing them costs more than it saves. In bytes. */
const leastPacked = 512;

/** The most bytes in a stored block. */
const mostStored = 65_535;

/** Bytes as stored blocks of deflate (RFC 1951, 3.2.4). */
function storedBlocks(bytes: Buffer, isLast: boolean): Buffer {
  const blocks: Buffer[] = [];
  for (let begin = 0; begin < bytes.length || begin === 0; begin += mostStored) {
    const block = bytes.subarray(begin, begin + mostStored);
    const head = Buffer.alloc(5);
    head.writeUInt8(isLast && begin + mostStored >= bytes.length ? 1 : 0, 0);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(block.length ^ 0xffff, 3);
    blocks.push(head, block);
  }
  return Buffer.concat(blocks);
}

function packedAs(plain: Buffer, packed: Buffer): PackedPart {
  return { plain, length: plain.length, packed, sum: crc32(plain) };
}

// A full flush ends on a whole byte, so that the parts can be joined.
const optionsOf = (level: number, isLast: boolean) => ({ level, ...(!isLast && { finishFlush: zlib.Z_FULL_FLUSH }) });

/** Compresses a part of a text at once. `isLast` for the last one. */
function packPart(plain: Buffer, { level, isLast }: { readonly level: number; readonly isLast: boolean }): PackedPart {
  const isShort = plain.length < leastPacked;
  return packedAs(plain, isShort ? storedBlocks(plain, isLast) : deflateRawSync(plain, optionsOf(level, isLast)));
}

/** The same outside of the event loop. */
export async function packPartLater(
  plain: Buffer,
  { level, isLast }: { readonly level: number; readonly isLast: boolean },
): Promise<PackedPart> {
  if (plain.length < leastPacked) return packPart(plain, { level, isLast });
  const packed = await new Promise<Buffer>((resolve, reject) => {
    deflateRaw(plain, optionsOf(level, isLast), (error, result) => (error === null ? resolve(result) : reject(error)));
  });
  return packedAs(plain, packed);
}

/** The gzip of parts with a text between each two of them. One text less than there are parts. */
export function joinPacked(parts: readonly PackedPart[], texts: readonly Buffer[]): readonly Buffer[] {
  const pieces: Buffer[] = [gzipHeader];
  let [sum, length] = [0, 0];
  const add = ({ plain, length: ownLength, packed, sum: first }: PackedPart): void => {
    // `crc32` of an empty buffer would start a new sum.
    if (ownLength > 0) sum = length === 0 ? first : crc32(plain, sum);
    length += ownLength;
    pieces.push(packed);
  };
  for (const [index, part] of parts.entries()) {
    add(part);
    const text = texts[index];
    if (text !== undefined) add(packedAs(text, storedBlocks(text, false)));
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(sum, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  pieces.push(trailer);
  return pieces;
}

/** The compressed parts of an answer. */
interface PackedBody {
  readonly parts: readonly PackedPart[];
  /** The bytes to send with the texts that it was last sent with. */
  filled?: { readonly texts: readonly string[]; readonly pieces: readonly Buffer[] };
}

export type Compression = ReturnType<typeof createCompression>;

/** Shorter answers fit in one packet, in bytes. */
const leastCompressed = 1_400;

/**
 * Parts up to this size are compressed at once, in bytes: in 0.1 ms if they repeat as answers do, in 3 ms if they do not. A hand-over to
 * another thread alone costs 0.1 ms.
 */
const mostAtOnce = 128 * 1024;

/** The most large answers that are compressed at the same time. Each takes 256 kB of memory meanwhile. */
const mostConcurrent = 8;

/** Answers are compressed as they are sent, so the fastest level. Of 80 kB it leaves 7, in 0.06 ms. The default would leave 5, in 0.2 ms. */
const level = 1;

const nothing = Buffer.alloc(0);

/** Memory of the parts, and of the texts between them in the last response, in bytes. The plain bytes may live longer than the answer. */
function sizeOf({ parts }: PackedBody): number {
  let bytes = 2 * objectBytes + bufferBytes;
  for (const { packed, plain } of parts) bytes += 2 * bufferBytes + 2 * objectBytes + packed.length + plain.length;
  return bytes;
}

/** The weight of a coding in an `Accept-Encoding` header (RFC 9110, 12.5.3). undefined if the header does not name it. */
function weightOf(coding: RegExp, header: string): number | undefined {
  for (const element of header.split(',')) {
    const [name = '', ...parameters] = element.split(';');
    if (!coding.test(name.trim())) continue;
    const weight = parameters
      .map((parameter) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1])
      .find((text) => text !== undefined);
    return weight === undefined ? 1 : Number(weight);
  }
  return undefined;
}

/**
 * Whether an `Accept-Encoding` header accepts gzip: `allowed`, or `required` if it refuses bytes that are not compressed. A client that
 * prefers them gets them.
 */
export function gzipOf(header: string | undefined): 'refused' | 'allowed' | 'required' {
  if (header === undefined || header === '') return 'refused';
  const any = weightOf(/^\*$/, header);
  const gzip = weightOf(/^(x-)?gzip$/i, header) ?? any ?? 0;
  if (gzip === 0) return 'refused';
  const identity = weightOf(/^identity$/i, header) ?? (any === 0 ? 0 : undefined);
  if (identity === 0) return 'required';
  return identity !== undefined && identity > gzip ? 'refused' : 'allowed';
}

/** The bytes to send: gzip of the parts with the texts between them. */
export function fillPacked(packed: PackedBody, texts: readonly string[]): readonly Buffer[] {
  const { filled, parts } = packed;
  if (filled !== undefined && areEqual(filled.texts, texts)) return filled.pieces;
  const buffers = texts.map((text) => Buffer.from(text));
  packed.filled = { texts, pieces: joinPacked(parts, buffers).map(compact) };
  return packed.filled.pieces;
}

/** Creates the compression of a server, within the memory for answers. */
export function createCompression(memory: Pick<MemoryBudget, 'cache'>) {
  const cache = memory.cache<PackedBody>('answers', 'gzip', sizeOf);
  /** The keys of kept answers, which live as long as the answer. */
  const keys = new WeakMap<AnswerBody, string>();
  const underWay = new Map<AnswerBody, Promise<PackedBody>>();
  let count = 0;
  /** The last header, and what it accepts: most requests have the same one. */
  let lastHeader: string | undefined;
  let lastAccepted = gzipOf(lastHeader);

  function keep(body: AnswerBody, parts: readonly PackedPart[], isKept: boolean): PackedBody {
    if (!isKept) return { parts };
    // Of the first part, only its checksum and its length are needed.
    const packed: PackedBody = {
      parts: parts.map(({ plain, ...part }, index) => ({
        ...part,
        plain: index === 0 ? nothing : plain,
        packed: compact(part.packed),
      })),
    };
    count += 1;
    const key = keys.get(body) ?? String(count);
    keys.set(body, key);
    cache.set(key, packed);
    return packed;
  }

  return {
    /**
     * Returns the compressed parts of an answer that is sent to a client with this `Accept-Encoding` header. undefined if it must be sent
     * as it is: the client does not accept gzip, it would not be smaller, or too many answers are being compressed. Returns a promise only
     * for a large answer that is not compressed yet. With `keep`, the parts are kept within the memory for answers.
     */
    pack(
      body: AnswerBody,
      acceptEncoding: string | undefined,
      { keep: isKept }: { readonly keep: boolean },
    ): PackedBody | undefined | Promise<PackedBody | undefined> {
      if (acceptEncoding !== lastHeader) {
        lastAccepted = gzipOf(acceptEncoding);
        lastHeader = acceptEncoding;
      }
      const accepts = lastAccepted;
      // The parts of a small body are made of its text only if they are needed.
      if (accepts === 'refused' || (accepts === 'allowed' && body instanceof TextBody)) return undefined;
      const { parts } = body;
      let [length, largest] = [0, 0];
      for (const part of parts) {
        length += part.length;
        largest = Math.max(largest, part.length);
      }
      if (accepts === 'allowed' && length < leastCompressed) return undefined;
      const key = keys.get(body);
      const cached = key === undefined ? undefined : cache.get(key);
      if (cached !== undefined) return cached;
      const last = parts.length - 1;
      if (largest <= mostAtOnce) {
        const packed = parts.map((part, index) => packPart(part, { level, isLast: index === last }));
        return keep(body, packed, isKept);
      }
      const other = underWay.get(body);
      if (other !== undefined || (underWay.size >= mostConcurrent && accepts === 'allowed')) return other;
      const packing = Promise.all(parts.map((part, index) => packPartLater(part, { level, isLast: index === last })))
        .then((packed) => keep(body, packed, isKept))
        .finally(() => underWay.delete(body));
      underWay.set(body, packing);
      return packing;
    },
  };
}

/**
 * Sends an answer, compressed if the client accepts it and it pays, in one write to the network. `headers` are names and values in turn, as Node
 * writes them fastest. The list belongs to the response from then on. Returns a promise only if a large answer is compressed first. Sends nothing
 * if the client has disconnected in the meantime.
 */
export function sendAnswer(
  response: ServerResponse,
  answerFound: Found,
  headers: string[],
  textAt: TextAt,
  compression: Compression,
): Promise<void> | undefined {
  const accepted = response.req.headers['accept-encoding'];
  // A response in the format of a stream names a coding, so that proxies do not buffer it.
  const isSentPlain = accepted === undefined || headers.includes('content-encoding');
  const packed = isSentPlain ? undefined : compression.pack(answerFound.answer.body, accepted, { keep: answerFound.isKept });
  if (packed instanceof Promise) return packed.then((parts) => send(response, answerFound, headers, textAt, parts));
  send(response, answerFound, headers, textAt, packed);
  return undefined;
}

/** Sends the parts of an answer that is compressed, else the answer. It is not a function within another: one for each response would cost more. */
function send(
  response: ServerResponse,
  { answer: { status, body } }: Found,
  headers: string[],
  textAt: TextAt,
  packed: PackedBody | undefined,
): void {
  if (response.closed) return;
  if (packed !== undefined) {
    headers.push('content-encoding', 'gzip');
    const tagAt = headers.indexOf('etag') + 1;
    if (tagAt > 0) headers[tagAt] = gzipTag(headers[tagAt] ?? '');
  }
  let pieces: readonly (Buffer | string)[];
  if (packed !== undefined) pieces = fillPacked(packed, placeTexts(body, textAt));
  else pieces = body instanceof TextBody ? [body.filledWith(textAt)] : fillBody(body, textAt);
  let length = 0;
  for (const piece of pieces) length += piece.length;
  headers.push('content-length', String(length));
  response.writeHead(status, headers);
  const { socket } = response;
  // Node would wait for more pieces until the next tick.
  socket?.cork();
  // Otherwise Node puts the head and the body into a list of its own first. A text it joins with the head.
  if (typeof pieces[0] !== 'string') response.flushHeaders();
  // Node omits the body of a response to HEAD. A text has a character for each byte.
  for (const piece of pieces) response.write(piece, 'latin1');
  socket?.uncork();
  // A body that is passed to `end` is written in more pieces, with the end as one of them: that takes as long as a tenth of an answer.
  response.end();
}

/** The entity tag of the gzip of an answer. Two representations must not have the same strong tag (RFC 9110, 8.8.3). */
export function gzipTag(tag: string): string {
  return tag.replace(/"$/, '-gzip"');
}

/**
 * Calls `sent` once, when a stream has sent all its buffered bytes or is closed. Call it with a stream that needs to drain or
 * is destroyed.
 */
export function onceSent(stream: Writable, onSent: () => void): void {
  const done = (): void => {
    stream.off('drain', done);
    stream.off('close', done);
    onSent();
  };
  if (stream.destroyed) {
    onSent();
    return;
  }
  stream.once('drain', done);
  stream.once('close', done);
}
