import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { closeWithError, type ErrorShape, errorResponse } from '../messages/errors.ts';
import { requestIdOf } from '../observability/requestLog.ts';
import type { AcceptedSocket, ClientSocket } from './clientSocket.ts';

/** How long a client may take to read the last messages and to confirm the close of its socket, in ms. */
const closeTimeout = 5_000;

/** The same when the whole server closes at once. */
const lastCloseTimeout = 1_000;

/** The response to an upgrade while the server shuts down. */
export const stopping = errorResponse(503, 'SERVER_SHUTDOWN', 'The server is shutting down.');

/** Invalid frames: the socket closes itself with the code for the error. */
function ignore(): void {}

/** Creates the set of the open WebSockets of one handler, empty. `open`, `drain` and `close` are those of a `SocketHandler`. */
export function createOpenSockets({
  shape,
  ...options
}: Pick<ServerOptions, 'maxPayload' | 'perMessageDeflate' | 'handleProtocols'> & {
  /** The error format of an invalid handshake. */
  readonly shape: ErrorShape;
}) {
  // The types of the library do not have `closeTimeout`.
  const serverOptions: ServerOptions & { readonly closeTimeout: number } = { ...options, noServer: true, closeTimeout };
  const server = new WebSocketServer(serverOptions);
  server.on('wsClientError', ({ message }, duplex) => {
    closeWithError(duplex, errorResponse(400, 'BAD_USER_INPUT', message, {}, { 'sec-websocket-version': '13' }), shape);
  });
  const requestIds = new WeakMap<IncomingMessage, string>();
  server.on('headers', (headers, request) => headers.push(`x-request-id: ${requestIds.get(request)}`));
  const clients = new Map<WebSocket, ClientSocket>();
  let draining = false;

  // The same listeners serve all sockets, because listeners of its own would take memory of each.

  function onMessage(this: WebSocket, data: RawData): void {
    clients.get(this)?.message(data);
  }

  function onPong(this: WebSocket): void {
    clients.get(this)?.pong();
  }

  function onClose(this: WebSocket): void {
    const client = clients.get(this);
    clients.delete(this);
    client?.closed();
  }

  function retireAll(): void {
    draining = true;
    for (const client of clients.values()) client.retire();
  }

  return {
    /** Completes an upgrade. Refuses it while the server shuts down. `opened` returns undefined if it closed the socket. */
    accept(
      request: IncomingMessage,
      duplex: Duplex,
      head: Buffer,
      opened: (accepted: AcceptedSocket) => ClientSocket | undefined,
    ): void {
      if (draining) {
        closeWithError(duplex, stopping, shape);
        return;
      }
      const requestId = requestIdOf(request);
      requestIds.set(request, requestId);
      server.handleUpgrade(request, duplex, head, (socket) => {
        socket.on('error', ignore);
        const client = opened({ socket, duplex, requestId });
        if (client === undefined) return;
        clients.set(socket, client);
        socket.on('message', onMessage).on('pong', onPong).on('close', onClose);
      });
    },
    open: (): number => clients.size,
    isDraining: (): boolean => draining,
    async drain(): Promise<void> {
      const closed = [...clients.keys()].map((socket) => once(socket, 'close'));
      retireAll();
      await Promise.all(closed);
    },
    async close(): Promise<void> {
      retireAll();
      for (const socket of server.clients) socket.close(1012, 'Service restart');
      const terminateTimer = setTimeout(() => {
        for (const socket of server.clients) socket.terminate();
      }, lastCloseTimeout);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(terminateTimer);
    },
  };
}
