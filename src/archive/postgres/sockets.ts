import { Socket } from 'node:net';
import { pause } from '../../chain/base/waiting.ts';

/** How long the database has to close connections, in ms. */
const endTimeout = 1_000;

/** The sockets of connections to a database, which are closed also if its host is gone. */
export interface Sockets {
  /** Makes the socket of a connection. */
  readonly stream: () => Socket;
  /** Waits for the end of the connections, but no longer than {@link endTimeout}, and closes the sockets that are left. */
  closeAfter(end: Promise<unknown>): Promise<void>;
}

/** Makes the set of sockets. */
export function createSockets(): Sockets {
  const open = new Set<Socket>();
  return {
    stream() {
      const socket = new Socket();
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return socket;
    },
    async closeAfter(end) {
      const controller = new AbortController();
      const limit = pause(endTimeout, controller.signal).catch(() => undefined);
      await Promise.race([end.catch(() => undefined), limit]);
      controller.abort();
      for (const socket of open) socket.destroy();
    },
  };
}
