import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { closeWithError, type ErrorShape, errorResponse } from '../messages/errors.ts';

/** How long a client may take to confirm the close of a socket, in ms. */
const closeTimeout = 1_000;

/** The response to an upgrade while the server shuts down. */
export const stopping = errorResponse(503, 'SERVER_SHUTDOWN', 'The server is shutting down.');

/** The connection of an open WebSocket, as its handler knows it. */
export interface OpenSocket {
  /** Closes the socket once its running requests have responses. */
  retire(): void;
  /** Called once when the socket is closed, with the code and the reason of its close frame. */
  closed?(code: number, reason: Buffer): void;
}

/** The open WebSockets of one handler. */
interface OpenSockets<C extends OpenSocket> {
  /** Completes the upgrade, with the id of its request. `opened` returns the connection, or undefined if it closed the socket. */
  accept(
    upgrade: { readonly request: IncomingMessage; readonly duplex: Duplex; readonly head: Buffer; readonly requestId: string },
    opened: (socket: WebSocket) => C | undefined,
  ): void;
  /** Returns the connection of an open socket, so that one listener can serve all sockets. */
  of(socket: WebSocket): C | undefined;
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
export function createOpenSockets<C extends OpenSocket>({
  shape,
  ...options
}: Pick<ServerOptions, 'maxPayload' | 'perMessageDeflate' | 'handleProtocols'> & {
  /** The error format of an invalid handshake. */
  readonly shape: ErrorShape;
}): OpenSockets<C> {
  const server = new WebSocketServer({ ...options, noServer: true });
  server.on('wsClientError', ({ message }, duplex) => {
    closeWithError(duplex, errorResponse(400, 'BAD_USER_INPUT', message, {}, { 'sec-websocket-version': '13' }), shape);
  });
  const connections = new Map<WebSocket, C>();
  const ids = new WeakMap<IncomingMessage, string>();
  server.on('headers', (headers, request) => headers.push(`x-request-id: ${ids.get(request)}`));
  let draining = false;

  function retireAll(): void {
    draining = true;
    for (const connection of connections.values()) connection.retire();
  }

  function onClose(this: WebSocket, code: number, reason: Buffer): void {
    const connection = connections.get(this);
    connections.delete(this);
    connection?.closed?.(code, reason);
  }

  return {
    accept({ request, duplex, head, requestId }, opened) {
      ids.set(request, requestId);
      server.handleUpgrade(request, duplex, head, (socket) => {
        const connection = opened(socket);
        if (connection === undefined) return;
        connections.set(socket, connection);
        socket.on('close', onClose);
      });
    },
    of: (socket) => connections.get(socket),
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

/**
 * Payloads up to this size, in bytes, are copied into one frame. For larger ones, a copy for each client costs more than two
 * further frames.
 */
export const largestCopied = 16 * 1024;

/** Longest reason in a close frame, in bytes (RFC 6455, 5.5). */
const maxReason = 123;

/** Closes a socket. Cuts the reason to the size of a close frame, because it may contain text from the client. */
export function closeWith(socket: WebSocket, code?: number, reason = ''): void {
  const bytes = Buffer.from(reason);
  // Removes the rest of a character that was cut.
  const cut = bytes.length <= maxReason ? reason : bytes.toString('utf8', 0, maxReason).replace(/\ufffd+$/, '');
  socket.close(code, cut);
}

/** Sends a text message with a frame for each piece. `sent` is called when it was written to the network, or could not be. */
export function sendFrames(socket: WebSocket, pieces: readonly Buffer[], sent: () => void): void {
  const last = pieces.length - 1;
  pieces.forEach((piece, index) => {
    socket.send(piece, { binary: false, fin: index === last }, index === last ? sent : undefined);
  });
}

/**
 * Sends the text message `head` + `shared` + `tail`, in one frame or in three. `shared` is the same buffer for every socket.
 */
export function sendAround(socket: WebSocket, head: string, shared: Buffer, tail: string): void {
  if (shared.length > largestCopied) {
    socket.send(head, { fin: false });
    socket.send(shared, { binary: false, fin: false });
    socket.send(tail);
    return;
  }
  const [before, after] = [Buffer.byteLength(head), Buffer.byteLength(tail)];
  const message = Buffer.allocUnsafe(before + shared.length + after);
  message.write(head);
  shared.copy(message, before);
  message.write(tail, before + shared.length);
  socket.send(message, { binary: false });
}

/** Returns the bytes of a WebSocket message. */
export function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
