import type { IncomingMessage } from 'node:http';

/** The whole body of a request; null as soon as it is known to be larger than `max` bytes. Rejects when the connection breaks. */
export async function readBody(request: IncomingMessage, max: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > max) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > max) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
