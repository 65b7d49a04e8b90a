import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { closeWithError, type ErrorShape, errorResponse } from '../messages/errors.ts';

/** How long a client may take to confirm the close of a socket, in ms. */
const closeTimeout = 1_000;

/** The response to an upgrade while the server shuts down. */
export const stopping = errorResponse(503, 'SERVER_SHUTDOWN', 'The server is shutting down.');

/** The open WebSockets of one handler. */
export interface OpenSockets {
  /**
   * Completes the upgrade, with the id of its request. `opened` returns the function that retires the connection, or undefined
   * if it closed the socket.
   */
  accept(
    upgrade: { readonly request: IncomingMessage; readonly duplex: Duplex; readonly head: Buffer; readonly requestId: string },
    opened: (socket: WebSocket) => { retire(): void } | undefined,
  ): void;
  count(): number;
  isDraining(): boolean;
  /**
   * Retires every connection: each closes its socket once its running requests have responses. Resolves when all sockets are
   * closed.
   */
  drain(): Promise<void>;
  /**
   * Closes every socket with 1012 (service restart), and terminates those that do not confirm within a second. Resolves when
   * all are closed.
   */
  close(): Promise<void>;
}

/** Creates the set of open sockets, empty. */
export function createOpenSockets({
  shape,
  ...options
}: Pick<ServerOptions, 'maxPayload' | 'perMessageDeflate' | 'handleProtocols'> & {
  /** The error format of an invalid handshake. */
  readonly shape: ErrorShape;
}): OpenSockets {
  const server = new WebSocketServer({ ...options, noServer: true });
  server.on('wsClientError', ({ message }, duplex) => {
    closeWithError(duplex, errorResponse(400, 'BAD_USER_INPUT', message, {}, { 'sec-websocket-version': '13' }), shape);
  });
  const connections = new Map<WebSocket, { retire(): void }>();
  const ids = new WeakMap<IncomingMessage, string>();
  server.on('headers', (headers, request) => headers.push(`x-request-id: ${ids.get(request)}`));
  let draining = false;

  function retireAll(): void {
    draining = true;
    for (const connection of connections.values()) connection.retire();
  }

  return {
    accept({ request, duplex, head, requestId }, opened) {
      ids.set(request, requestId);
      server.handleUpgrade(request, duplex, head, (socket) => {
        const connection = opened(socket);
        if (connection === undefined) return;
        connections.set(socket, connection);
        socket.once('close', () => connections.delete(socket));
      });
    },
    count: () => connections.size,
    isDraining: () => draining,
    async drain() {
      const closed = [...connections.keys()].map((socket) => once(socket, 'close'));
      retireAll();
      await Promise.all(closed);
    },
    async close() {
      retireAll();
      for (const socket of server.clients) socket.close(1012, 'Service restart');
      const terminateTimer = setTimeout(() => {
        for (const socket of server.clients) socket.terminate();
      }, closeTimeout);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(terminateTimer);
    },
  };
}
