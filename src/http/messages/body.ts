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
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= max) return void chunks.push(chunk);
      chunks = [];
      // The connection stays as it is until the answer has gone.
      request.pause().off('data', take);
      resolve(null);
    };
    const end = (): void => {
      // The request lives as long as its answer takes, and what listens to it would keep the body for as long.
      request.off('data', take).off('error', reject).off('close', broken);
      resolve(Buffer.concat(chunks, size));
      chunks = [];
    };
    const broken = (): void => reject(new Error('the connection broke'));
    request.on('data', take).once('end', end).once('error', reject).once('close', broken);
  });
}
