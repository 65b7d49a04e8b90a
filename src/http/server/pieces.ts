import type { Socket } from 'node:net';

/** The reading of a connection in pieces. */
export interface Pieces {
  /** From now on, passes on each chunk as a whole, because the protocol is no longer HTTP. */
  stop(): void;
}

/**
 * Minimum size of a piece that is parsed at once, and of one that waits, in bytes. The shortest request has 18 bytes, so these
 * limit the requests parsed at once to about 15 and 120. Smaller pieces would cost more than they save.
 */
const least = 256;
const leastWaiting = 2 * 1024;

const endOfHeaders = '\r\n\r\n';

const ignore = (): void => undefined;

/**
 * Returns the end of a piece: after the first headers that end at least `size` bytes from its start, or the end of the chunk if
 * no later headers end in it.
 */
function endOfPiece(chunk: Buffer, begin: number, size: number): number {
  const found = chunk.indexOf(endOfHeaders, begin + size - endOfHeaders.length);
  const end = found + endOfHeaders.length;
  return found === -1 || chunk.indexOf(endOfHeaders, end) === -1 ? chunk.length : end;
}

/**
 * Passes the bytes of a connection to the HTTP parser in pieces. Node reads up to 64 KiB at once and parses all of it before a
 * pause of the connection takes effect, which can be 3,000 requests. A piece ends at the end of headers, so it rarely splits a
 * request, and a body stays whole. While the connection is paused, the remaining pieces wait in its buffer.
 *
 * Must be called when the connection is accepted. `received` is called with the length of each chunk before the chunk is
 * parsed. While `isWaiting` returns true, the connection stays paused, although Node resumes it after each request.
 */
export function readInPieces(
  socket: Socket,
  { received, isWaiting }: { readonly received: (bytes: number) => void; readonly isWaiting: () => boolean },
): Pieces {
  // Node's parser reads the connection directly, without the methods of the socket, until a `data` listener is added.
  socket.on('data', ignore).off('data', ignore);
  const { push, resume } = socket;
  let isStopped = false;

  socket.push = (chunk: Buffer | null) => {
    if (chunk === null || isStopped) return push.call(socket, chunk);
    received(chunk.length);
    let acceptsMore = true;
    for (let begin = 0; begin < chunk.length && !socket.destroyed; ) {
      const size = socket.isPaused() ? leastWaiting : least;
      const end = isStopped ? chunk.length : endOfPiece(chunk, begin, size);
      acceptsMore = push.call(socket, begin === 0 && end === chunk.length ? chunk : chunk.subarray(begin, end));
      begin = end;
    }
    return acceptsMore;
  };
  socket.resume = () => (isWaiting() ? socket : resume.call(socket));

  return {
    stop() {
      isStopped = true;
    },
  };
}
