import type { IncomingMessage } from 'node:http';

/**
 * The whole body of a request; null as soon as it is known to be larger than `max` bytes: nothing more of it is kept. Rejects when the
 * connection breaks.
 */
export function readBody(request: IncomingMessage, max: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > max) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= max) return void chunks.push(chunk);
      chunks = [];
      // The connection stays as it is until the answer has gone.
      request.pause().removeAllListeners('data');
      resolve(null);
    });
    request.once('end', () => resolve(Buffer.concat(chunks, size)));
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('the connection broke'));
    });
  });
}
