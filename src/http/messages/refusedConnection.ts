import type { Duplex } from 'node:stream';

/** How long, ms, and for how many bytes a refused connection is read, so that its client can read the answer before the connection closes. */
const lingering = { time: 2_000, bytes: 1024 * 1024 } as const;

const refusedConnections = new WeakSet<Duplex>();

/** Whether a connection has got its last answer from {@link closeRefused}. */
export function isRefused(socket: Duplex): boolean {
  return refusedConnections.has(socket);
}

/**
 * Sends the last bytes of a connection and closes it when its client does, at the latest after {@link lingering}. What the client still sends is read
 * and discarded: a connection that is not read never ends, and one that is closed with unread bytes is reset, which can cost the client the answer.
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
