import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Limits } from '../config/limits/limits.ts';
import { clientAddress, peerAddress, type TrustedProxies } from './messages/clientAddress.ts';
import { type ErrorResponse, rateLimitResponse } from './messages/errors.ts';
import { isRefused } from './messages/refusedConnection.ts';
import { createPipelines } from './pipelines.ts';
import { createConnectionSlots } from './rateLimits/connectionSlots.ts';
import type { Turns } from './rateLimits/turns.ts';

/** The connections of an HTTP server: their number for each address, the order of their requests, and their end. */
export interface Connections {
  /**
   * Handles the request once all earlier requests of its connection have complete responses. Never if the connection ends
   * before that.
   */
  run(request: IncomingMessage, response: ServerResponse): void;
  /** Whether the next bytes on a connection must be a response: the current request is complete, or its response has begun. */
  isAnswering(socket: Duplex): boolean;
  /**
   * Stops reading a connection, and closes it after the current response. Closes it at once if there is none, or if the
   * response is partly written.
   */
  closeAfterResponse(socket: Duplex): void;
  /** Notes that a connection becomes a WebSocket, so that no further request follows. */
  detach(socket: Duplex): void;
  /**
   * Counts a request from a trusted proxy as a connection of its client until `work`, its response or WebSocket, closes.
   * Returns an error over the limit. Requests from other peers are not counted, because their connections are.
   */
  admit(request: IncomingMessage, work: ServerResponse | Duplex): ErrorResponse | undefined;
  /** From now on, each response closes its connection, so that clients connect elsewhere. */
  retire(): void;
  /**
   * Accepts no more connections, and closes idle and refused ones. Closes the others after their current response. Resolves
   * when all are closed.
   */
  drain(): Promise<void>;
  /** Closes every connection at once. Resolves when all are closed. */
  close(): Promise<void>;
}

/**
 * Follows the connections of a server from its start. At a shutdown, Node itself does not close connections that never sent a
 * request or whose upgrade was refused, and keeps others open for the keep-alive time after their last response.
 */
export function createConnections(
  server: Server,
  {
    limits,
    trustedProxies,
    turns,
    handle,
    closed,
  }: {
    readonly limits: Limits;
    readonly trustedProxies: TrustedProxies;
    readonly turns: Turns;
    /** Handles a request. Must not throw. */
    readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
    /** Called when a response closes, before the next request of its connection begins. Must not throw. */
    readonly closed: (response: ServerResponse) => void;
  },
): Connections {
  /**
   * The open connections, each with the address whose slot of `http.connectionsPerAddress` it holds. Those of trusted proxies
   * hold none.
   */
  const sockets = new Map<Socket, string | undefined>();
  const slots = createConnectionSlots(limits);
  const pipelines = createPipelines({ limits, trustedProxies, turns, handle: handleNext, closed: onResponseClose });
  let isRetired = false;
  let isDraining = false;

  const closeAfter = (response: ServerResponse): void => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  };

  server.on('connection', (socket) => {
    // Node emits the event again for a connection that continues after an ignored upgrade.
    if (sockets.has(socket)) return;
    const address = trustedProxies.includes(socket.remoteAddress) ? undefined : peerAddress(socket);
    if (address !== undefined && slots.take(address) !== undefined) return void socket.destroy();
    sockets.set(socket, address);
    pipelines.accept(socket);
    socket.on('close', onClose).on('finish', onFinish);
  });

  // These functions serve all connections and responses. Functions of their own would take memory for as long as a stream or a
  // WebSocket is open.

  function onClose(this: Socket): void {
    const address = sockets.get(this);
    if (address !== undefined) slots.release(address);
    sockets.delete(this);
    pipelines.closed(this);
  }

  function onFinish(this: Socket): void {
    if (isDraining && isRefused(this)) this.destroy();
  }

  function onResponseClose(response: ServerResponse): void {
    closed(response);
    // Its headers may have been sent with keep-alive before `retire`.
    if (isRetired && !server.listening) setImmediate(() => server.closeIdleConnections());
  }

  function retire(): void {
    isRetired = true;
    for (const socket of sockets.keys()) {
      const response = pipelines.responseOn(socket);
      if (response !== undefined) closeAfter(response);
    }
  }

  function handleNext(request: IncomingMessage, response: ServerResponse): void {
    if (isRetired) closeAfter(response);
    handle(request, response);
  }

  return {
    run: pipelines.run,
    isAnswering: pipelines.isAnswering,
    closeAfterResponse: pipelines.closeAfterResponse,
    detach: pipelines.detach,
    admit(request, work) {
      if (!trustedProxies.includes(request.socket.remoteAddress)) return undefined;
      const address = clientAddress(request);
      const refused = slots.take(address);
      if (refused !== undefined) return rateLimitResponse(refused);
      work.once('close', () => slots.release(address));
      return undefined;
    },
    retire,
    drain() {
      retire();
      isDraining = true;
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        for (const socket of sockets.keys())
          if (socket.bytesRead === 0 || (isRefused(socket) && socket.writableFinished)) socket.destroy();
      });
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets.keys()) socket.destroy();
      });
    },
  };
}
