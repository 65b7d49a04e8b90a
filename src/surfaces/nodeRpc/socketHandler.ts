import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { RequestRecord } from '../../answers/caller.ts';
import { jsonBoundsOf, maskedMessage } from '../../answers/errors.ts';
import { ArgumentError, isRpcMethod, socketMethods } from '../../chain/rpc/methods.ts';
import { MissingParams, noRequestId, parseFrame, type RequestId, type RpcRequest } from '../../chain/rpc/requests.ts';
import { internalError, RpcError } from '../../chain/rpc/rpcErrors.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { Session } from '../../reads/viewer.ts';
import { Lifetime } from '../../server/lifetime.ts';
import { clientAddress } from '../../server/messages/clientAddress.ts';
import { closeWithError, rateLimitResponse } from '../../server/messages/errors.ts';
import { onceSent } from '../../server/messages/sendAnswer.ts';
import { contain, type Faults } from '../../server/observability/faults.ts';
import { type Requests, requestIdOf, type TrackedOperation } from '../../server/observability/requestLog.ts';
import type { ClientLimits } from '../../server/rateLimits/clientLimits.ts';
import type { Rates } from '../../server/rateLimits/rates.ts';
import { callerOf } from '../../server/rateLimits/rates.ts';
import { createTokenBucket } from '../../server/rateLimits/tokenBucket.ts';
import type { Turns } from '../../server/rateLimits/turns.ts';
import type { SocketHandler } from '../../server/router.ts';
import { bytesOf, createOpenSockets, stopping } from '../../server/sockets/openSockets.ts';
import { priceOf } from './call.ts';
import type { Dialect } from './dialects.ts';
import { badParams, type CallAnswer, type Dispatch } from './dispatch.ts';
import { codeOf, failureOf, forbidden, rpcErrorOf } from './failures.ts';
import type { NodeEvents } from './nodeEvents.ts';
import { createSocketQueue, createSocketSubscriptions, type SocketSubscriptions } from './socketSubscriptions.ts';

/** Executes the calls of one socket, one at a time. */
interface SocketCalls {
  /** Returns the response to a frame. undefined for a notification. Rejects with unexpected errors. */
  answer(frame: Buffer): Promise<string | undefined>;
  /** Refuses further calls, because the server stops. */
  refuse(): void;
  /** Aborts the reads of the running call, because the client has disconnected. */
  leave(): void;
}

/** Options of {@link createSocketCalls}. */
interface SocketCallsOptions {
  readonly dialect: Dialect;
  readonly dispatch: Dispatch;
  readonly subscriptions: SocketSubscriptions;
  readonly session: Session;
  readonly caller: ClientLimits;
  readonly limits: Limits;
  /** Starts the log record of a call. */
  readonly track: () => TrackedOperation;
  /** Receives errors of this server, never those of a client. */
  readonly report: (error: unknown) => void;
}

type Answered = Pick<CallAnswer, 'text' | 'error' | 'kind'>;

/** Creates the executor of a socket's calls. */
function createSocketCalls(options: SocketCallsOptions): SocketCalls {
  const { dialect, dispatch, subscriptions, session, caller, limits, track, report } = options;
  const { viewer } = session;
  const jsonBounds = jsonBoundsOf(limits);
  let lifetime: Lifetime | undefined;
  let refused: RpcError | undefined;

  /** Executes `subscribe`, `unsubscribe` or `unsubscribe_all`. Throws the error of the call. */
  function subscribe({ id, method, params }: RpcRequest & { readonly id: RequestId }): void {
    const query = dialect.readParams(socketMethods[method] ?? [], params).text('query');
    if (!viewer.scopes.includes('read')) throw forbidden('A token with the scope `read` is required.');
    if (method === 'subscribe') subscriptions.subscribe(id, query);
    else if (method === 'unsubscribe') subscriptions.unsubscribe(query);
    else subscriptions.unsubscribeAll();
  }

  function failed(id: RequestId, thrown: unknown): Answered {
    const fail = (error: RpcError, kind: CallAnswer['kind'], shown = id): Answered => ({
      text: dialect.encodeFailure(shown, error),
      error,
      kind,
    });
    if (thrown instanceof ArgumentError) return fail(badParams(dialect, thrown.message, 'socket'), 'params');
    if (thrown instanceof MissingParams) return fail(internalError(`WSJSONRPC: ${thrown.message}`), 'stopped', noRequestId);
    const failure = failureOf(thrown);
    if (failure !== undefined) return fail(failure.error, failure.kind);
    report(thrown);
    return fail(internalError(maskedMessage), 'application');
  }

  async function run(request: RpcRequest & { readonly id: RequestId }, record: RequestRecord): Promise<Answered> {
    const { id, method } = request;
    if (refused !== undefined) return failed(id, refused);
    const running = caller.enter();
    if (!('end' in running)) return failed(id, rpcErrorOf(rateLimitResponse(running)));
    try {
      const { points, broadcasts } = priceOf([method]);
      const tooFast = await caller.take(points, broadcasts);
      if (tooFast !== undefined) return failed(id, rpcErrorOf(rateLimitResponse(tooFast)));
      record.cost = points;
      if (Object.hasOwn(socketMethods, method)) {
        subscribe(request);
        return { text: dialect.encodeResult(id, '{}'), error: undefined, kind: undefined };
      }
      lifetime = new Lifetime(limits['request.deadline'], undefined, record.span);
      return await dispatch.answer(dialect, request, { viewer, requestId: record.id, lifetime }, 'socket');
    } catch (error) {
      return failed(id, error);
    } finally {
      lifetime?.end();
      lifetime = undefined;
      running.end();
    }
  }

  return {
    async answer(frame) {
      let request: RpcRequest;
      try {
        const begun = performance.now();
        try {
          request = parseFrame(frame, jsonBounds);
        } finally {
          caller.spend(performance.now() - begun);
        }
      } catch (error) {
        if (error instanceof RpcError) return dialect.encodeFailure(undefined, error);
        throw error;
      }
      const { id, method } = request;
      // Like a node, Stele does not execute notifications.
      if (id === undefined) return undefined;
      const { record, end } = track();
      if (isRpcMethod(method) || Object.hasOwn(socketMethods, method)) record.operation = method;
      const answered = await run({ ...request, id }, record);
      record.code = codeOf(answered);
      end();
      return answered.text;
    },
    refuse() {
      refused = internalError('The server is shutting down.');
    },
    leave: () => lifetime?.cancel(),
  };
}

/** How long a client may take to read the remaining data and to respond to the close frame, in ms. */
const closing = 5_000;

/** A WebSocket connection of the node RPC. */
interface RpcConnection {
  /** Cancels its subscriptions as a stopping node does, and closes it with 1012 once the running call has its response. */
  retire(): void;
}

/** Options of {@link connectRpc}. */
interface RpcConnectionOptions extends Omit<SocketCallsOptions, 'subscriptions'> {
  readonly socket: WebSocket;
  /** The connection under the socket. */
  readonly duplex: Duplex;
  readonly events: NodeEvents;
  readonly turns: Turns;
  /** Records errors of this server, never those of a client. */
  readonly faults: Faults;
  /** Request id of the upgrade. */
  readonly requestId: string;
}

/**
 * Serves JSON-RPC on a socket as a node does (docs/chain.md, "WebSocket of a node"). Calls are executed sequentially, and
 * events arrive between their responses. Closes the socket with 1008 if the token expires, or if the client sends too many
 * messages or reads its events too slowly.
 */
function connectRpc(options: RpcConnectionOptions): RpcConnection {
  const { socket, duplex, dialect, events, session, caller, turns, limits, faults, requestId } = options;
  const owner = { faults, requestId: () => requestId, abandon: () => socket.terminate() };
  const now = (): number => performance.now();
  const messages = createTokenBucket(limits['rpc.burst'], limits['rpc.messages'], now);
  const waiting: Buffer[] = [];
  /** Bytes of the waiting frames. If they exceed the largest frame, the socket stops reading. */
  let waitingSize = 0;
  let isWorking = false;
  /** Whether responses wait for the client to read them. */
  let isUnread = false;
  /** Whether the client has sent anything since the last ping. */
  let isAlive = true;
  let retired = false;
  let lastActive = now();

  const place = caller.backlog.open({ shed: () => subscriptions.shed(), destroy: () => socket.terminate() });
  const queue = createSocketQueue(socket, duplex, place, {
    maxEvents: limits['subscription.events'],
    maxBytes: limits['subscription.bytes'],
  });
  const send = (text: string): void => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text);
    if (duplex.writableNeedDrain) onceSent(duplex, place.send({}, text.length));
  };
  const subscriptions = createSocketSubscriptions({
    ...{ dialect, events, caller, limits, queue, send, owner },
    onSlow: () => close(1008, 'slow client'),
  });
  const calls = createSocketCalls({ ...options, subscriptions });

  function close(code: number, reason: string): void {
    subscriptions.drop();
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), closing).unref();
  }

  async function work(): Promise<void> {
    isWorking = true;
    for (let frame = waiting.shift(); frame !== undefined; frame = waiting.shift()) {
      waitingSize -= frame.length;
      const turn = turns.take(caller.name);
      if (turn !== undefined) {
        socket.once('close', turn.cancel);
        await turn.begun;
        socket.off('close', turn.cancel);
      }
      const answer = await calls.answer(frame);
      if (answer !== undefined) send(answer);
      // Execute the next call only when the client has read the responses.
      isUnread = true;
      await queue.ready();
      isUnread = false;
      if (socket.isPaused && waitingSize <= limits['rpc.message']) {
        isAlive = true;
        socket.resume();
      }
      lastActive = now();
    }
    isWorking = false;
    closeIfDone();
  }

  function closeIfDone(): void {
    if (retired && !isWorking) close(1012, 'Service restart');
  }

  const take = (frame: Buffer) => {
    // Messages that arrive after the close are ignored.
    if (socket.readyState !== socket.OPEN) return;
    if (messages.take(1) > 0) return close(1008, `Too many messages: at most ${limits['rpc.messages']} a minute`);
    waiting.push(frame);
    waitingSize += frame.length;
    if (waitingSize > limits['rpc.message']) socket.pause();
    if (isWorking) return;
    work().catch((error: unknown) => {
      faults.note('socket', error, requestId);
      close(1011, 'Internal error');
    });
  };
  socket.on('message', (data) => contain(owner, () => take(bytesOf(data))));

  let bytesRead = 0;
  const ping = () => {
    // A pong queues behind other data of the client, so any data counts as a sign of life, as on a node.
    if (duplex instanceof Socket && duplex.bytesRead > bytesRead) {
      bytesRead = duplex.bytesRead;
      isAlive = true;
    }
    // While reading is paused because earlier frames wait, a client cannot be heard.
    if (!isAlive && !(socket.isPaused && !isUnread)) return socket.terminate();
    isAlive = false;
    if (isWorking || subscriptions.count() > 0) lastActive = now();
    else if (now() - lastActive >= limits['rpc.idle']) return close(1000, 'Idle');
    if (socket.readyState === socket.OPEN) socket.ping();
  };
  const pings = setInterval(() => contain(owner, ping), limits['socket.ping']);
  socket.on('pong', () => {
    isAlive = true;
  });
  // On an invalid frame, the socket closes itself with the matching code.
  socket.on('error', () => undefined);
  const stopWaiting = session.onEnd(() => close(1008, 'The token has expired'));
  socket.once('close', () => {
    clearInterval(pings);
    stopWaiting();
    subscriptions.drop();
    waiting.length = 0;
    calls.leave();
  });

  return {
    retire() {
      if (retired) return;
      retired = true;
      calls.refuse();
      subscriptions.cancel('CometBFT exited');
      closeIfDone();
    },
  };
}

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
    path,
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
