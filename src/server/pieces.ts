import { Socket } from 'node:net';

/** The reading of connections in pieces. */
export interface Pieces {
  /** Passes the bytes of a connection to the HTTP parser in pieces. Must be called when the connection is accepted. */
  start(socket: Socket): void;
  /** From now on, passes on each chunk of a connection as a whole, because its protocol is no longer HTTP. */
  stop(socket: Socket): void;
}

/**
 * Minimum size of a piece that is parsed at once, and of one that waits, in bytes. The shortest request has 18 bytes, so these
 * limit the requests parsed at once to about 15 and 120. Smaller pieces would cost more than they save.
 */
const least = 256;
const leastWaiting = 2 * 1024;

const endOfHeaders = Buffer.from('\r\n\r\n');

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
 * Creates the reading of connections in pieces. Node reads up to 64 KiB at once and parses all of it before a pause of the
 * connection takes effect, which can be 3,000 requests. A piece ends at the end of headers, so it rarely splits a request, and
 * a body stays whole. While a connection is paused, the remaining pieces wait in its buffer. All connections share the same
 * functions, because functions of their own would take memory for as long as a stream or a WebSocket is open.
 */
export function createPieces({
  received,
  isWaiting,
}: {
  /** Called with the length of each chunk before the chunk is parsed. */
  readonly received: (socket: Socket, bytes: number) => void;
  /** While it returns true, the connection stays paused, although Node resumes it after each request. */
  readonly isWaiting: (socket: Socket) => boolean;
}): Pieces {
  const { push, resume } = Socket.prototype;

  /** Passes bytes on. `push` would also make the stream read again after each chunk, which the connection does by itself. */
  function pass(socket: Socket, bytes: Buffer): boolean {
    if (socket.readableFlowing !== true || socket.readableLength > 0 || socket.listenerCount('data') === 0)
      return push.call(socket, bytes);
    socket.emit('data', bytes);
    return true;
  }

  function pushInPieces(this: Socket, chunk: Buffer | null): boolean {
    if (chunk === null) return push.call(this, chunk);
    received(this, chunk.length);
    // Most requests arrive in one chunk of their own.
    if (chunk.length <= least) return this.destroyed || pass(this, chunk);
    let acceptsMore = true;
    for (let begin = 0; begin < chunk.length && !this.destroyed; ) {
      const size = this.isPaused() ? leastWaiting : least;
      const isStopped = this.push !== pushInPieces;
      const end = isStopped ? chunk.length : endOfPiece(chunk, begin, size);
      acceptsMore = pass(this, begin === 0 && end === chunk.length ? chunk : chunk.subarray(begin, end));
      begin = end;
    }
    return acceptsMore;
  }

  function resumeUnlessWaiting(this: Socket): Socket {
    return isWaiting(this) ? this : resume.call(this);
  }

  return {
    start(socket) {
      // Node's parser reads the connection directly, without the methods of the socket, until a `data` listener is added.
      socket.on('data', ignore).off('data', ignore);
      socket.push = pushInPieces;
      socket.resume = resumeUnlessWaiting;
    },
    stop(socket) {
      socket.push = push;
      socket.resume = resume;
    },
  };
}
