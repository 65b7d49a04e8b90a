import type { Server as Protocol } from 'graphql-ws';
import { jsonBoundsOf } from '../../answers/errors.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { Faults } from '../../server/observability/faults.ts';
import { createTurnQueues, type Turns } from '../../server/rateLimits/turns.ts';
import { createRounds } from '../../server/sockets/rounds.ts';
import { createConnection, type SharedByConnections } from './connection.ts';
import type { AcceptedSocket, ConnectedSocket, SocketConnection } from './socketConnection.ts';

/**
 * Creates the function that runs the protocol on a socket: passes it each message, pings the client, and terminates a socket
 * that has not responded by the next ping. A connection that retires closes its socket with 1012 (service restart) once every
 * query and mutation on it has its result.
 */
export function createConnect(options: {
  readonly protocol: Protocol<SocketConnection>;
  readonly turns: Turns;
  readonly limits: Limits;
  /** Notes faults of this server, never errors of a client. */
  readonly faults: Faults;
}): (accepted: AcceptedSocket) => ConnectedSocket {
  const { protocol, turns, limits, faults } = options;
  const shared: SharedByConnections = {
    ...{ protocol, limits, faults },
    jsonBounds: jsonBoundsOf(limits),
    pings: createRounds(limits['socket.ping'], (connection) => connection.contain(() => connection.ping())),
    inTurn: createTurnQueues({
      turns,
      socket: ({ socket }) => socket,
      caller: ({ admission }) => admission?.caller.name,
      handle: (connection, bytes, received) => connection.contain(() => connection.handle(bytes, received)),
    }),
  };
  return (accepted) => createConnection(accepted, shared);
}
