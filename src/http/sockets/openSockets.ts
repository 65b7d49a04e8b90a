import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { closeWithError, type ErrorShape, errorResponse } from '../messages/errors.ts';

/** How long a socket may take to answer that the server closes it, ms. */
const closing = 1_000;

/** What refuses a connection that comes while the server stops. */
export const stopping = errorResponse(503, 'SERVER_SHUTDOWN', 'The server stops.');

/** The WebSockets that are open at one handler. */
export interface OpenSockets {
  /** Answers the upgrade, under the id of its request. `opened` tells how its connection is retired; undefined when it is closed at once. */
  accept(
    upgrade: { readonly request: IncomingMessage; readonly duplex: Duplex; readonly head: Buffer; readonly requestId: string },
    opened: (socket: WebSocket) => { retire(): void } | undefined,
  ): void;
  count(): number;
  isDraining(): boolean;
  /** Retires every connection, which closes its socket when what was asked is answered. Resolves when all are closed. */
  drain(): Promise<void>;
  /** Closes every socket: 1012, the service restarts. Resolves when all are closed; those that do not answer are cut off after a second. */
  close(): Promise<void>;
}

/** Makes the place where they are kept. */
export function createOpenSockets({
  shape,
  ...options
}: Pick<ServerOptions, 'maxPayload' | 'perMessageDeflate' | 'handleProtocols'> & {
  /** How those are told whose handshake is none. */
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
      const cutOff = setTimeout(() => {
        for (const socket of server.clients) socket.terminate();
      }, closing);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(cutOff);
    },
  };
}
