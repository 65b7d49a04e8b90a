import type { Duplex } from 'node:stream';

/**
 * A refused connection is read for so long, in ms, and for so many bytes, so that the client can read the response before the
 * connection closes.
 */
const lingering = { time: 2_000, bytes: 1024 * 1024 } as const;

const refusedConnections = new WeakSet<Duplex>();

/** Whether {@link closeRefused} was called for a connection. */
export function isRefused(socket: Duplex): boolean {
  return refusedConnections.has(socket);
}

/**
 * Sends the last bytes of a connection and closes it when its client does, at the latest after {@link lingering}. Bytes that
 * still arrive are read and discarded: an unread connection never ends, and closing one with unread bytes resets it, so that
 * the client may lose the response.
 */
export function closeRefused(socket: Duplex, bytes: string): void {
  refusedConnections.add(socket);
  const timer = setTimeout(() => socket.destroy(), lingering.time);
  let left: number = lingering.bytes;
  socket
    .on('error', () => undefined)
    .once('close', () => clearTimeout(timer))
    .on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) socket.destroy();
    })
    .resume();
  socket.end(bytes);
}
