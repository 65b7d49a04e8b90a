import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connections of an HTTP server, as far as stopping it goes. */
export interface Connections {
  /** Has each answer from now on close its connection, so that its caller connects elsewhere. */
  retire(): void;
  /** Whether something that was asked on a connection has no answer yet. */
  isAnswering(socket: Duplex): boolean;
  /**
   * Accepts no more, and closes the connections on which nothing is asked. Resolves when the last is closed, each as soon as it
   * has its answer.
   */
  drain(): Promise<void>;
}

/**
 * Follows the connections of a server from its start. Node alone closes neither those that have asked for nothing yet nor, at once, those
 * that were kept alive behind their last answer.
 */
export function createConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  const answers = new Set<ServerResponse>();
  let retired = false;

  const closeAfter = (answer: ServerResponse): void => {
    if (!answer.headersSent) answer.shouldKeepAlive = false;
  };

  server.on('connection', (socket) => {
    // It is told of again where it was lent for an upgrade that did not take place.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.prependListener('request', (_request, answer) => {
    if (retired) closeAfter(answer);
    answers.add(answer);
    answer.once('close', () => {
      answers.delete(answer);
      // Its headers may have said that the connection is kept, when they were sent.
      if (retired && !server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });

  function retire(): void {
    retired = true;
    for (const answer of answers) closeAfter(answer);
  }

  return {
    retire,
    isAnswering: (socket) => [...answers].some(({ req }) => req.socket === socket),
    drain() {
      retire();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      });
    },
  };
}
