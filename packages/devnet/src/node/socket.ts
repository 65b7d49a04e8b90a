import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { ArgumentError, decodeJsonParams, socketMethods } from '../../../../src/chain/rpc/methods.ts';
import {
  encodeFailure,
  encodeResult,
  MissingParams,
  nodeJson,
  noRequestId,
  parseFrame,
  type RequestId,
  type RpcRequest,
} from '../../../../src/chain/rpc/requests.ts';
import { internalError, RpcError, serverError } from '../../../../src/chain/rpc/rpcErrors.ts';
import { answer, type Dispatch } from './dispatch.ts';
import { maxBodyBytes } from './http.ts';
import { type NodeEvent, SubscriptionError } from './ledger/events.ts';

/** Timing of sockets in milliseconds, and the buffer of events. The defaults are CometBFT's. */
export interface SocketLimits {
  readonly pingPeriod: number;
  /** A socket that sends nothing for this long is disconnected. */
  readonly silence: number;
  /** Largest number of events of one subscription that wait for the socket. Above it, the subscription is cancelled. */
  readonly buffer: number;
}

export const defaultSocketLimits: SocketLimits = { pingPeriod: 27_000, silence: 30_000, buffer: 200 };

/** The node's `/websocket`. */
export interface SocketServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Disconnects every client. With a reason, cancels the subscriptions with it first. */
  close(reason?: string): void;
  readonly connections: number;
}

interface Connection {
  /** Cancels every subscription with this reason. */
  cancel(reason: string): void;
  terminate(): void;
}

function createConnection(socket: WebSocket, dispatch: Dispatch, limits: SocketLimits): Connection {
  const { view, faults } = dispatch;
  const { bus } = view;
  /** Functions that cancel a subscription, by query text. */
  const cancels = new Map<string, (reason: string) => void>();
  let work = Promise.resolve();

  const silence = setTimeout(() => socket.terminate(), limits.silence);
  const heard = () => silence.refresh();
  const pings = setInterval(() => {
    if (!faults.silentSockets) socket.ping();
  }, limits.pingPeriod);
  silence.unref();
  pings.unref();

  function send(text: string, onSent?: () => void): void {
    if (faults.silentSockets || socket.readyState !== socket.OPEN) return;
    socket.send(text, () => onSent?.());
  }

  function subscribe(id: RequestId, query: string, acknowledge: () => void): void {
    let waiting = 0;
    let ended = false;
    let acknowledged = !faults.lateAck;

    const cancel = (reason: string) => {
      if (ended) return;
      ended = true;
      send(encodeFailure(id, serverError(`subscription was canceled (reason: ${reason})`)));
    };
    const listener = (event: NodeEvent) => {
      if (ended) return;
      if (waiting >= limits.buffer) {
        // The subscription stays registered: subscribing again fails with "already subscribed" until the client unsubscribes
        // (docs/chain.md, "Slow clients of a node").
        cancel('internal subscription event buffer is out of capacity');
        return;
      }
      waiting++;
      send(encodeEvent(id, query, event), () => {
        waiting--;
      });
      if (!acknowledged) {
        acknowledged = true;
        acknowledge();
      }
    };
    bus.subscribe(socket, query, listener);
    cancels.set(query, cancel);
    if (acknowledged) acknowledge();
  }

  function socketCall(request: RpcRequest & { readonly id: RequestId }): void {
    const acknowledge = () => send(encodeResult(request.id, '{}'));
    const params = socketMethods[request.method] ?? [];
    if (request.params === undefined && params.length > 0) throw new MissingParams();
    const query = decodeJsonParams(params, request.params ?? null).text('query');
    switch (request.method) {
      case 'subscribe':
        subscribe(request.id, query, acknowledge);
        return;
      case 'unsubscribe':
        bus.unsubscribe(socket, query);
        cancels.delete(query);
        break;
      default:
        bus.unsubscribeAll(socket);
        cancels.clear();
    }
    acknowledge();
  }

  async function receive(text: string): Promise<void> {
    let request: RpcRequest;
    try {
      request = parseFrame(Buffer.from(text), nodeJson);
    } catch (error) {
      if (error instanceof RpcError) send(encodeFailure(undefined, error));
      return;
    }
    const { id, method, params } = request;
    if (id === undefined) return;
    const call = { method, params, via: 'socket', batch: dispatch.nextBatch() } as const;
    await dispatch.received(call);
    try {
      if (!Object.hasOwn(socketMethods, method)) {
        send((await answer(dispatch, request, call)).text);
        return;
      }
      const fault = faults.call?.(call);
      if (fault !== undefined && 'rpc' in fault) throw new RpcError(fault.rpc.code, fault.rpc.message, fault.rpc.data);
      socketCall({ ...request, id });
    } catch (error) {
      if (error instanceof MissingParams) send(encodeFailure(noRequestId, internalError(`WSJSONRPC: ${error.message}`)));
      else if (error instanceof ArgumentError) {
        send(encodeFailure(id, internalError(`error converting json params to arguments: ${error.message}`)));
      } else if (error instanceof SubscriptionError) send(encodeFailure(id, internalError(error.message)));
      else if (error instanceof RpcError) send(encodeFailure(id, error));
      else throw error;
    }
  }

  socket.on('message', (data) => {
    heard();
    const text = data.toString();
    // Sequentially, as on a node.
    work = work.then(() => receive(text)).catch(() => socket.terminate());
  });
  socket.on('pong', heard);
  socket.on('ping', heard);
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    clearTimeout(silence);
    clearInterval(pings);
    bus.remove(socket);
  });

  return {
    cancel(reason) {
      for (const cancel of cancels.values()) cancel(reason);
    },
    terminate: () => socket.terminate(),
  };
}

/** Encodes an event message. Its id is that of the subscribe request. */
function encodeEvent(id: RequestId, query: string, { type, value, events }: NodeEvent): string {
  const data = `{"type":${JSON.stringify(type)},"value":${value()}}`;
  return encodeResult(
    id,
    `{"query":${JSON.stringify(query)},"data":${data},"events":${JSON.stringify(Object.fromEntries(events))}}`,
  );
}

export function createSocketServer(dispatch: Dispatch, limits: SocketLimits = defaultSocketLimits): SocketServer {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes, perMessageDeflate: false });
  const connections = new Set<Connection>();
  return {
    get connections() {
      return connections.size;
    },
    upgrade(request, socket, head) {
      if (new URL(request.url ?? '/', 'http://node').pathname !== '/websocket') {
        socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const connection = createConnection(webSocket, dispatch, limits);
        connections.add(connection);
        webSocket.on('close', () => connections.delete(connection));
      });
    },
    close(reason) {
      for (const connection of connections) {
        if (reason !== undefined) connection.cancel(reason);
        // Disconnects after the cancellations were sent.
        setImmediate(connection.terminate);
      }
    },
  };
}
