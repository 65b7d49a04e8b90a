import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { type AnswerBody, fillBody, placeTexts, type TextAt } from '../../answers/answer.ts';
import type { Found } from '../../answers/answerCache.ts';
import { type Compression, fillPacked, type PackedBody } from './compression.ts';

/**
 * Sends a response whose body is in pieces, in one write to the network. `headers` are names and values in turn, as Node writes them fastest. The
 * list belongs to the response from then on.
 */
function sendPieces(response: ServerResponse, status: number, headers: string[], pieces: readonly Buffer[]): void {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  headers.push('content-length', String(length));
  response.writeHead(status, headers);
  const last = pieces.length - 1;
  if (last > 0) response.cork();
  // Node omits the body of a response to HEAD.
  for (let index = 0; index < last; index += 1) response.write(pieces[index]);
  response.end(pieces[last]);
}

/**
 * Sends an answer with these headers, which belong to the response from then on, compressed if the client accepts it and it pays. Returns a promise only if a large answer is compressed first. Sends
 * nothing if the client has disconnected in the meantime.
 */
export function sendAnswer(
  response: ServerResponse,
  { answer, isKept }: Found,
  headers: string[],
  textAt: TextAt,
  compression: Compression,
): Promise<void> | undefined {
  const { status, body } = answer;
  const send = (packed: PackedBody | undefined): void => {
    if (response.closed) return;
    if (packed !== undefined) {
      headers.push('content-encoding', 'gzip');
      nameGzip(headers);
    }
    const pieces = packed === undefined ? fillBody(body, textAt) : fillPacked(packed, placeTexts(body, textAt));
    sendPieces(response, status, headers, pieces);
  };
  const packed = packOf(response, body, headers, isKept, compression);
  if (packed instanceof Promise) return packed.then(send);
  send(packed);
  return undefined;
}

/** The entity tag of the gzip of an answer, by that of its plain bytes. */
export function gzipTag(tag: string): string {
  return tag.replace(/"$/, '-gzip"');
}

/** Changes the entity tag, because two representations must not have the same strong tag (RFC 9110, 8.8.3). */
function nameGzip(headers: string[]): void {
  const place = headers.indexOf('etag') + 1;
  if (place > 0) headers[place] = gzipTag(headers[place] ?? '');
}

/** The compressed answer. undefined if it is sent as it is. */
function packOf(
  { req }: ServerResponse,
  body: AnswerBody,
  headers: readonly string[],
  isKept: boolean,
  compression: Compression,
): ReturnType<Compression['pack']> {
  const accepted = req.headers['accept-encoding'];
  // A response in the format of a stream names a coding, so that proxies do not buffer it.
  if (accepted === undefined || headers.includes('content-encoding')) return undefined;
  return compression.pack(body, accepted, { keep: isKept });
}

/**
 * Calls `sent` once, when a stream has sent all its buffered bytes or is closed. Call it with a stream that needs to drain or
 * is destroyed.
 */
export function onceSent(stream: Writable, sent: () => void): void {
  const done = (): void => {
    stream.off('drain', done);
    stream.off('close', done);
    sent();
  };
  if (stream.destroyed) {
    sent();
    return;
  }
  stream.once('drain', done);
  stream.once('close', done);
}
