import type { IncomingMessage } from 'node:http';

/** A body is copied if the memory that it was read into has more than this beside it, in bytes. Headers commonly have less. */
const mostUnused = 4 * 1024;

/**
 * Reads the whole body of a request. Resolves with the result of `received`, which is called with the body as soon as it is
 * complete. Resolves with null as soon as the body is known to be larger than `max` bytes, and keeps nothing of it. Rejects if
 * the connection breaks.
 */
export function readBody<T>(
  request: IncomingMessage,
  max: number,
  received: (body: Buffer) => T | Promise<T>,
): Promise<T | null> {
  if (Number(request.headers['content-length'] ?? 0) > max) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    // The request object lives until the response is sent, and its listeners must not keep the body in memory until then. The functions that settle the
    // promise keep its result.
    let waiting: { readonly chunks: Buffer[]; readonly resolve: typeof resolve; readonly reject: typeof reject } | undefined = {
      chunks: [],
      resolve,
      reject,
    };
    let size = 0;
    const onData = (chunk: Buffer): void => {
      if (waiting === undefined) return;
      size += chunk.length;
      if (size <= max) return void waiting.chunks.push(chunk);
      const { resolve } = waiting;
      waiting = undefined;
      // The connection stays paused until the response is sent.
      request.pause().off('data', onData);
      resolve(null);
    };
    const onEnd = (): void => {
      if (waiting === undefined) return;
      const { chunks, resolve } = waiting;
      waiting = undefined;
      const [first] = chunks;
      const isWhole = first !== undefined && chunks.length === 1 && first.buffer.byteLength <= size + mostUnused;
      resolve(received(isWhole ? first : Buffer.concat(chunks, size)));
    };
    // A request whose connection breaks emits an error only to listeners for it, and is closed in any case.
    const onClose = (): void => waiting?.reject(new Error('the connection broke'));
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
