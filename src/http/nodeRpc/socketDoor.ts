import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Limits } from '../../graphql/limits.ts';
import { callerName } from '../callerName.ts';
import type { SocketDoor } from '../door.ts';
import { endWith, errorAnswer } from '../errors.ts';
import type { Rates } from '../rates.ts';
import { type Requests, requestIdOf } from '../requests.ts';
import type { Dialect } from './dialect.ts';
import type { Dispatch } from './dispatch.ts';
import type { NodeEvents } from './nodeEvents.ts';
import { connectRpc, type RpcConnection } from './socketConnection.ts';

/** How long a socket may take to answer that the server closes it, ms. */
const closing = 1_000;

const stopping = errorAnswer(503, 'SERVER_SHUTDOWN', 'The server stops.');

/** Makes the node RPC over WebSocket at a path, in a dialect. `events` may be shared with other doors. */
export function createSocketDoor(options: {
  readonly path: string;
  readonly dialect: Dialect;
  readonly dispatch: Dispatch;
  readonly events: NodeEvents;
  readonly rates: Rates;
  readonly requests: Requests;
  readonly limits: Limits;
  /** Told of what is wrong in this server. */
  readonly report: (error: unknown, requestId: string) => void;
}): SocketDoor {
  const { path, dialect, dispatch, events, rates, requests, limits, report } = options;
  const server = new WebSocketServer({ noServer: true, maxPayload: limits['rpc.message'], perMessageDeflate: false });
  const connections = new Map<WebSocket, RpcConnection>();
  const ids = new WeakMap<IncomingMessage, string>();
  server.on('headers', (headers, request) => headers.push(`x-request-id: ${ids.get(request)}`));
  let draining = false;

  return {
    shape: dialect.shape,
    answers: (asked) => asked === path,
    upgrade(request, duplex, head, session) {
      if (draining) return endWith(duplex, stopping, dialect.shape);
      const requestId = requestIdOf(request);
      ids.set(request, requestId);
      const caller = rates.of(callerName(request, session));
      server.handleUpgrade(request, duplex, head, (socket) => {
        const place = caller.connect();
        if (!('end' in place)) {
          socket.on('error', () => undefined);
          socket.close(1008, `Too many connections: at most ${place.max}`);
          return;
        }
        let calls = 0;
        const track = (): ReturnType<Requests['operation']> => {
          calls += 1;
          return requests.operation(`${requestId}-${calls}`, session.viewer, dialect.surface);
        };
        const told = (error: unknown): void => report(error, requestId);
        const common = { dialect, dispatch, events, session, caller, limits, track, report: told };
        connections.set(socket, connectRpc({ socket, duplex, ...common }));
        socket.once('close', () => {
          connections.delete(socket);
          place.end();
        });
      });
    },
    open: () => connections.size,
    async drain() {
      draining = true;
      const closed = [...connections.keys()].map((socket) => once(socket, 'close'));
      for (const connection of connections.values()) connection.retire();
      await Promise.all(closed);
    },
    async close() {
      draining = true;
      for (const connection of connections.values()) connection.retire();
      for (const socket of server.clients) socket.close(1012, 'Service restart');
      const cutOff = setTimeout(() => {
        for (const socket of server.clients) socket.terminate();
      }, closing);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(cutOff);
    },
  };
}
