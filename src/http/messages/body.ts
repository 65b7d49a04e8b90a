import type { IncomingMessage } from 'node:http';

/**
 * Reads the whole body of a request. Returns null as soon as the body is known to be larger than `max` bytes, and keeps nothing
 * of it. Rejects if the connection breaks.
 */
export function readBody(request: IncomingMessage, max: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > max) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= max) return void chunks.push(chunk);
      chunks = [];
      // The connection stays paused until the response is sent.
      request.pause().off('data', onData);
      resolve(null);
    };
    const onEnd = (): void => {
      // The request object lives until the response is sent, and its listeners would keep the body in memory until then.
      request.off('data', onData).off('error', reject).off('close', onClose);
      resolve(Buffer.concat(chunks, size));
      chunks = [];
    };
    const onClose = (): void => reject(new Error('the connection broke'));
    request.on('data', onData).once('end', onEnd).once('error', reject).once('close', onClose);
  });
}
