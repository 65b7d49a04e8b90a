import type { Limits } from '../../../config/limits/limits.ts';
import { clientAddress } from '../../../server/messages/clientAddress.ts';
import { closeWithError } from '../../../server/messages/errors.ts';
import type { Faults } from '../../../server/observability/faults.ts';
import { type Requests, requestIdOf } from '../../../server/observability/requestLog.ts';
import { callerOf, type Rates } from '../../../server/rateLimits/rates.ts';
import type { Turns } from '../../../server/rateLimits/turns.ts';
import type { SocketHandler } from '../../../server/router.ts';
import { createOpenSockets, stopping } from '../../../server/sockets/openSockets.ts';
import type { Dialect } from '../dialect.ts';
import type { Dispatch } from '../dispatch.ts';
import type { NodeEvents } from '../nodeEvents.ts';
import { connectRpc, type RpcConnection } from './connection.ts';

/** Creates the handler of the node RPC over WebSocket, for one path and dialect. Handlers can share `events`. */
export function createSocketHandler(options: {
  readonly path: string;
  readonly dialect: Dialect;
  readonly dispatch: Dispatch;
  readonly events: NodeEvents;
  readonly rates: Rates;
  readonly turns: Turns;
  readonly requests: Requests;
  readonly limits: Limits;
  /** Logs errors that are masked in responses. */
  readonly report: (error: unknown, requestId: string) => void;
  /** Records errors of this server outside of calls. */
  readonly faults: Faults;
}): SocketHandler {
  const { path, dialect, dispatch, events, rates, turns, requests, limits, report, faults } = options;
  const sockets = createOpenSockets<RpcConnection>({
    maxPayload: limits['rpc.message'],
    perMessageDeflate: false,
    shape: dialect.shape,
  });

  return {
    shape: dialect.shape,
    matches: (requested) => requested === path,
    async upgrade(request, duplex, head, authenticate) {
      const session = await authenticate();
      if (session === undefined) return;
      if (sockets.isDraining()) return closeWithError(duplex, stopping, dialect.shape);
      const requestId = requestIdOf(request);
      const caller = callerOf(rates, clientAddress(request), session);
      sockets.accept({ request, duplex, head, requestId }, (socket) => {
        const place = caller.connect();
        if (!('end' in place)) {
          socket.on('error', () => undefined);
          socket.close(1008, `Too many connections: at most ${place.max}`);
          return undefined;
        }
        let calls = 0;
        const track = (): ReturnType<Requests['operation']> => {
          calls += 1;
          return requests.operation(`${requestId}-${calls}`, session.viewer, dialect.surface);
        };
        const reportCall = (error: unknown): void => report(error, requestId);
        const common = { dialect, dispatch, events, session, caller, turns, limits, track, faults, requestId };
        socket.once('close', place.end);
        return connectRpc({ socket, duplex, ...common, report: reportCall });
      });
    },
    open: sockets.count,
    drain: sockets.drain,
    close: sockets.close,
  };
}
