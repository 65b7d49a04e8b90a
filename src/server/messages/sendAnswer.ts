import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { fillBody, placeTexts, type TextAt } from '../../answers/answer.ts';
import type { Found } from '../../answers/answerCache.ts';
import { type Compression, fillPacked, type PackedBody } from './compression.ts';

/**
 * Sends an answer, compressed if the client accepts it and it pays, in one write to the network. `headers` are names and values in turn, as Node
 * writes them fastest. The list belongs to the response from then on. Returns a promise only if a large answer is compressed first. Sends nothing
 * if the client has disconnected in the meantime.
 */
export function sendAnswer(
  response: ServerResponse,
  { answer: { status, body }, isKept }: Found,
  headers: string[],
  textAt: TextAt,
  compression: Compression,
): Promise<void> | undefined {
  const send = (packed: PackedBody | undefined): void => {
    if (response.closed) return;
    if (packed !== undefined) {
      headers.push('content-encoding', 'gzip');
      const tagAt = headers.indexOf('etag') + 1;
      if (tagAt > 0) headers[tagAt] = gzipTag(headers[tagAt] ?? '');
    }
    const pieces = packed === undefined ? fillBody(body, textAt) : fillPacked(packed, placeTexts(body, textAt));
    let length = 0;
    for (const piece of pieces) length += piece.length;
    headers.push('content-length', String(length));
    response.writeHead(status, headers);
    const last = pieces.length - 1;
    if (last > 0) response.cork();
    // Node omits the body of a response to HEAD.
    for (let index = 0; index < last; index += 1) response.write(pieces[index]);
    response.end(pieces[last]);
  };
  const accepted = response.req.headers['accept-encoding'];
  // A response in the format of a stream names a coding, so that proxies do not buffer it.
  const isSentPlain = accepted === undefined || headers.includes('content-encoding');
  const packed = isSentPlain ? undefined : compression.pack(body, accepted, { keep: isKept });
  if (packed instanceof Promise) return packed.then(send);
  send(packed);
  return undefined;
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
