import { createClient, type Client as WsClient } from 'graphql-ws/client';
import { connectionError, errorOf, type ResultError, SteleError } from './errors.ts';
import { membersOf } from './members.ts';
import type { RawResult } from './result.ts';
import type { Tokens } from './tokens.ts';

/** The body of an operation. */
export interface Operation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** What is done with the results of an operation. */
export interface Receiver {
  /** Takes a result. Returns false to end the operation. */
  next(result: RawResult): boolean;
  /** The server has sent every event up to this height, and ends the connection. */
  position?(height: bigint): void;
}

/** The WebSocket of a client. It is open while an operation runs on it. */
export interface Socket {
  /**
   * Runs an operation. Resolves when it is complete or its receiver has ended it. Rejects with a {@link SteleError} if it failed or the connection was
   * lost, and with the reason of the signal if that is aborted.
   */
  run(operation: Operation, receiver: Receiver, signal: AbortSignal): Promise<void>;
  /** Identifies the chain of the server that the WebSocket is, or was last, connected to. undefined if it is not known. */
  chain(): string | undefined;
  /** Closes the WebSocket. */
  close(): void;
}

/** Options of {@link createSocket}. */
export interface SocketOptions {
  readonly url: string;
  readonly tokens: Tokens;
  /** The constructor of WebSockets, if the platform has none. */
  readonly webSocket: unknown;
  /** Called when the WebSocket is connected. */
  readonly onConnected: () => void;
  /** A ping is sent each time this long has passed, in ms. Default: 10,000. */
  readonly pingInterval?: number;
  /** The connection is given up if its answer to a ping, or its start, takes longer, in ms. Default: 15,000. */
  readonly patience?: number;
}

/** How long the WebSocket is kept after its last operation, in ms. */
const idle = 1_000;

/** The reason of the close frame if the token of an open socket has expired. */
const expired = 'SUBSCRIPTION_JWT_EXPIRED';

function isErrorList(reason: unknown): reason is readonly [ResultError] {
  return Array.isArray(reason) && reason.length > 0;
}

/** Converts what graphql-ws reports: errors of the operation, a close frame, or an event of the platform. */
function failureOf(cause: unknown): SteleError {
  if (isErrorList(cause)) return errorOf(cause[0]);
  const { code: closeCode, reason, message } = membersOf(cause);
  if (closeCode === 4403)
    return reason === expired
      ? new SteleError('SUBSCRIPTION_JWT_EXPIRED', 'The token has expired.')
      : new SteleError('UNAUTHENTICATED', 'The server refused the token.');
  if (typeof closeCode === 'number')
    return connectionError(`The connection was closed with code ${closeCode}${reason ? `: ${reason}` : ''}.`, { closeCode });
  return connectionError(`The connection failed${message ? `: ${message}` : ''}.`, {}, cause);
}

/** The error of a result that reports that the operation was not begun. Results of executions have `data`, which can be null. */
function refusalOf({ data, patch, errors: [error] = [] }: RawResult): SteleError | undefined {
  return data === undefined && patch === undefined && error !== undefined ? errorOf(error) : undefined;
}

/** The value if it is a text. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Where the server has ended the streams of a connection, by the ids of their operations. */
function positionsIn(payload: unknown): [string, unknown][] {
  return Object.entries(membersOf(membersOf(payload).resume)).map(([id, position]) => [id, membersOf(position).after]);
}

interface PlatformSocket {
  addEventListener(type: 'error', listener: () => void): void;
}

function isConstructor(value: unknown): value is new (url: string, protocol: string) => PlatformSocket {
  return typeof value === 'function';
}

/**
 * The constructor of WebSockets whose failures are always heard. graphql-ws does not listen to a socket that it gives up while it connects, and `ws`
 * would end the process.
 */
function quiet(Platform: unknown): unknown {
  if (!isConstructor(Platform)) throw new TypeError('This platform has no WebSocket. Pass one as the option `webSocket`.');
  return class extends Platform {
    constructor(url: string, protocol: string) {
      super(url, protocol);
      this.addEventListener('error', () => undefined);
    }
  };
}

/** Creates the socket of a client. It connects with the first operation. */
export function createSocket(options: SocketOptions): Socket {
  const { url, tokens, webSocket, onConnected, pingInterval = 10_000, patience = 15_000 } = options;
  const receivers = new Map<string, Receiver>();
  let client: WsClient | undefined;
  let count = 0;
  /** The token of the current connection. */
  let usedToken: string | undefined;
  let chain: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Gives the connection up if nothing is heard in time. */
  function expect(): void {
    clearTimeout(timer);
    timer = setTimeout(() => client?.terminate(), patience);
  }
  const heard = (): void => clearTimeout(timer);

  function createWs(): WsClient {
    return createClient({
      url,
      webSocketImpl: quiet(webSocket ?? membersOf(globalThis).WebSocket),
      // The streams of this package subscribe again themselves, each at its own place.
      retryAttempts: 0,
      lazyCloseTimeout: idle,
      keepAlive: pingInterval,
      generateID: () => String(count),
      async connectionParams() {
        usedToken = await tokens.get();
        return usedToken === undefined ? {} : { authorization: `Bearer ${usedToken}` };
      },
      on: {
        connecting: expect,
        connected(_socket, payload) {
          heard();
          chain = textIn(payload?.chain);
          onConnected();
        },
        closed: heard,
        error: heard,
        ping(isReceived, payload) {
          if (!isReceived) return expect();
          for (const [id, after] of positionsIn(payload))
            if (typeof after === 'string') receivers.get(id)?.position?.(BigInt(after));
        },
        pong: (isReceived) => isReceived && heard(),
      },
    });
  }

  return {
    async run(operation, receiver, signal) {
      // Before the socket is opened: the server waits for it only for a short time.
      await tokens.get();
      signal.throwIfAborted();
      client ??= createWs();
      const { subscribe } = client;
      await new Promise<void>((resolve, reject) => {
        count += 1;
        const id = String(count);
        let isOver = false;
        const settle = (end: () => void): void => {
          if (isOver) return;
          isOver = true;
          signal.removeEventListener('abort', leave);
          receivers.delete(id);
          end();
        };
        const leave = (): void => {
          settle(() => reject(signal.reason));
          unsubscribe();
        };
        receivers.set(id, receiver);
        const unsubscribe = subscribe<Record<string, unknown>, Record<string, unknown>>(
          { ...operation },
          {
            next(result) {
              const refusal = refusalOf(result);
              if (isOver || (refusal === undefined && receiver.next(result))) return;
              settle(() => (refusal === undefined ? resolve() : reject(refusal)));
              unsubscribe();
            },
            error(cause) {
              const failure = failureOf(cause);
              if (failure.code === 'UNAUTHENTICATED' || failure.code === 'SUBSCRIPTION_JWT_EXPIRED') tokens.refuse(usedToken);
              settle(() => reject(failure));
            },
            complete: () => settle(resolve),
          },
        );
        signal.addEventListener('abort', leave);
      });
    },
    chain: () => chain,
    close() {
      heard();
      void client?.dispose();
    },
  };
}
