import type { IncomingMessage } from 'node:http';
import { type RawData, WebSocket } from 'ws';
import { ChainError } from '../base/errors.ts';
import { rpcError } from '../rpc/rpcErrors.ts';
import { type JsonObject, parseJson } from '../wire/json.ts';
import { closedError, connectionError, readReply, statusError, timeoutError } from './nodeReplies.ts';
import { parseNodeUrl, type Subscription, type SubscriptionListener, type Transport } from './transport.ts';

/** Times in milliseconds. */
export interface WebSocketOptions {
  /** Timeout for the connection, and for the confirmation of the subscription: 5,000. */
  readonly timeout?: number;
  /** Interval of pings: 10,000. A socket without a message between two pings is dead. */
  readonly pingInterval?: number;
  /** Largest message, in bytes: 32 MiB. */
  readonly maxMessageBytes?: number;
}

/** The id of the only call on a socket. Events reuse it (docs/chain.md, "WebSocket of a node"). */
const subscribeId = 1;

/**
 * Makes subscriptions to the node at `url`, which has the same form as for `http`. Each subscription has its own socket, because a node counts
 * subscriptions by socket, and keeps rejecting a query whose subscription it has cancelled. Throws a TypeError if `url` is not the URL of a node.
 */
export function webSocket(url: string, options: WebSocketOptions = {}): Pick<Transport, 'subscribe' | 'close'> {
  const { timeout = 5_000, pingInterval = 10_000, maxMessageBytes = 32 * 1024 * 1024 } = options;
  const address = parseNodeUrl(url);
  const openSubscriptions = new Map<Subscription, (error: Error | undefined) => void>();
  let isClosed = false;

  function subscribe(query: string, listener: SubscriptionListener): Subscription {
    const socket = new WebSocket(address.webSocket, {
      headers: { ...address.headers },
      handshakeTimeout: timeout,
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
    });
    let isEnded = false;
    let isConfirmed = false;
    let isAlive = true;
    let confirmationTimer: NodeJS.Timeout | undefined;
    let pings: NodeJS.Timeout | undefined;

    const finish = (error: Error | undefined): void => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(confirmationTimer);
      clearInterval(pings);
      openSubscriptions.delete(subscription);
      socket.terminate();
      listener.end(error);
    };
    const subscription: Subscription = { close: () => finish(undefined) };

    /**
     * The first event may arrive before the node's confirmation (docs/chain.md, "WebSocket of a node"). Either one shows that
     * the subscription is open.
     */
    const confirm = (): void => {
      if (isConfirmed) return;
      isConfirmed = true;
      clearTimeout(confirmationTimer);
      listener.open?.();
    };

    const readMessage = (message: RawData): void => {
      let reply: JsonObject;
      try {
        const value = parseJson(message.toString());
        if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
        reply = value;
      } catch (cause) {
        finish(new ChainError('NODE_INVALID_RESPONSE', 'The node sent a message that is not JSON-RPC.', {}, cause));
        return;
      }
      const answer = readReply(reply);
      if ('invalid' in answer) finish(answer.invalid);
      else if ('error' in answer) finish(rpcError(answer.error, 'subscribe'));
      else if (reply.id !== subscribeId)
        finish(new ChainError('NODE_INVALID_RESPONSE', 'The node sent a message with an unexpected id.', {}));
      else {
        const { result } = answer;
        confirm();
        if (!isEnded && typeof result === 'object' && result !== null && !Array.isArray(result) && 'query' in result)
          listener.event(result);
      }
    };

    socket.on('open', () => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: subscribeId, method: 'subscribe', params: { query } }));
      confirmationTimer = setTimeout(() => finish(timeoutError(timeout)), timeout);
      pings = setInterval(() => {
        if (!isAlive) return finish(timeoutError(pingInterval));
        isAlive = false;
        socket.ping();
      }, pingInterval);
    });
    socket.on('message', (message) => {
      isAlive = true;
      if (isEnded) return;
      try {
        readMessage(message);
      } catch (fault) {
        // A bug in this process: it ends this subscription and is reported as an uncaught exception.
        finish(new ChainError('NODE_INVALID_RESPONSE', "The node's message could not be processed.", {}, fault));
        throw fault;
      }
    });
    socket.on('pong', () => {
      isAlive = true;
    });
    socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      finish(statusError(response.statusCode ?? 0, response.headers['retry-after']));
    });
    socket.on('error', (cause) => finish(socketError(cause, timeout)));
    socket.on('close', (code) => {
      finish(new ChainError('NODE_UNREACHABLE', `The node closed the subscription (${code}).`, { sent: true }));
    });
    openSubscriptions.set(subscription, finish);
    return subscription;
  }

  return {
    subscribe(query, listener) {
      if (!isClosed) return subscribe(query, listener);
      queueMicrotask(() => listener.end(closedError()));
      return { close: () => undefined };
    },
    async close() {
      isClosed = true;
      for (const finish of [...openSubscriptions.values()]) finish(closedError());
    },
  };
}

function socketError(cause: unknown, milliseconds: number): ChainError {
  if (cause instanceof Error && cause.message === 'Opening handshake has timed out') return timeoutError(milliseconds, cause);
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string' && cause.code.startsWith('WS_ERR_')) {
    return new ChainError('NODE_INVALID_RESPONSE', 'The node sent a message that is invalid or too large.', {}, cause);
  }
  return connectionError(cause, milliseconds);
}
