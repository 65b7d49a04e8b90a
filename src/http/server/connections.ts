import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Limits } from '../../config/limits/limits.ts';
import { clientAddress, peerAddress, type TrustedProxies } from '../messages/clientAddress.ts';
import { type ErrorResponse, rateLimitResponse } from '../messages/errors.ts';
import { isRefused } from '../messages/refusedConnection.ts';
import { createConnectionSlots } from '../rateLimits/connectionSlots.ts';
import type { Turns } from '../rateLimits/turns.ts';
import { createPipelines } from './pipelines.ts';

/** The connections of an HTTP server: how many each address has, which request of each is handled, and how they end. */
export interface Connections {
  /** Handles the request when it is the first of its connection without a complete response; never if the connection ends before that. */
  run(request: IncomingMessage, response: ServerResponse): void;
  /** Whether the next bytes on a connection must be those of a response to a request that came whole. */
  isAnswering(socket: Duplex): boolean;
  /** Reads nothing more of a connection, and closes it after the response under way, or at once if there is none or part of it is sent. */
  closeAfterResponse(socket: Duplex): void;
  /** No further request comes on a connection: it becomes a WebSocket. */
  leave(socket: Duplex): void;
  /**
   * Counts a request from a trusted proxy as a connection of its client until `work`, its response or WebSocket, closes. Returns an error answer over
   * the limit. Requests of other peers are not counted, because their connections are.
   */
  admit(request: IncomingMessage, work: ServerResponse | Duplex): ErrorResponse | undefined;
  /** Has each response from now on close its connection, so that clients connect elsewhere. */
  retire(): void;
  /** Accepts no more, and closes idle and refused connections. Resolves when the last is closed, each as soon as it has its response. */
  drain(): Promise<void>;
  /** Closes every connection at once. Resolves when all are closed. */
  close(): Promise<void>;
}

/**
 * Follows the connections of a server from its start. Node alone closes neither those that never sent a request, nor at once those that are kept
 * alive behind their last response, nor those whose upgrade was refused.
 */
export function createConnections(
  server: Server,
  {
    limits,
    trustedProxies,
    turns,
    handle,
  }: {
    readonly limits: Limits;
    readonly trustedProxies: TrustedProxies;
    readonly turns: Turns;
    /** Handles a request. Must not throw. */
    readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  },
): Connections {
  const sockets = new Set<Socket>();
  const answers = new Set<ServerResponse>();
  const places = createConnectionSlots(limits);
  const pipelines = createPipelines({ limits, trustedProxies, turns, handle: handleNext });
  let isRetired = false;
  let isDraining = false;

  const closeAfter = (answer: ServerResponse): void => {
    if (!answer.headersSent) answer.shouldKeepAlive = false;
  };

  server.on('connection', (socket) => {
    // Node emits it again for a connection that comes back from an upgrade that did not take place.
    if (sockets.has(socket)) return;
    const place = trustedProxies.includes(socket.remoteAddress) ? undefined : places.take(peerAddress(socket));
    if (place !== undefined && 'limit' in place) return void socket.destroy();
    sockets.add(socket);
    pipelines.accept(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      place?.end();
    });
    socket.once('finish', () => {
      if (isDraining && isRefused(socket)) socket.destroy();
    });
  });

  function retire(): void {
    isRetired = true;
    for (const answer of answers) closeAfter(answer);
  }

  function handleNext(request: IncomingMessage, response: ServerResponse): void {
    if (isRetired) closeAfter(response);
    answers.add(response);
    response.once('close', () => {
      answers.delete(response);
      // Its headers may have said that the connection is kept, when they were sent.
      if (isRetired && !server.listening) setImmediate(() => server.closeIdleConnections());
    });
    handle(request, response);
  }

  return {
    run: pipelines.run,
    isAnswering: pipelines.isAnswering,
    closeAfterResponse: pipelines.closeAfterResponse,
    leave: pipelines.leave,
    admit(request, work) {
      if (!trustedProxies.includes(request.socket.remoteAddress)) return undefined;
      const place = places.take(clientAddress(request));
      if ('limit' in place) return rateLimitResponse(place);
      work.once('close', place.end);
      return undefined;
    },
    retire,
    drain() {
      retire();
      isDraining = true;
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        for (const socket of sockets)
          if (socket.bytesRead === 0 || (isRefused(socket) && socket.writableFinished)) socket.destroy();
      });
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      });
    },
  };
}
