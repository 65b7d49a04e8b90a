import type { IncomingMessage } from 'node:http';
import DataLoader from 'dataloader';
import { type Dispatcher, Pool, errors as undiciErrors } from 'undici';
import { type RawData, WebSocket } from 'ws';
import { ChainError, isChainError } from '../base/errors.ts';
import { monotonicNow, onAbort } from '../base/time.ts';
import { type RpcErrorObject, rpcError } from '../rpc/rpcErrors.ts';
import { beginBatch, beginPost, type TracedCall } from '../tracing/tracer.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../wire/json.ts';
import { changesState, parseNodeUrl, type Subscription, type SubscriptionListener, type Transport } from './transport.ts';

/** Error codes of failed connections. Nothing was sent. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Upper bound for a wait that a node requests, in ms. */
const longestRetryAfter = 30_000;

/** The `code` of a system or library error; empty if there is none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether a call failed because its response exceeds the size limit of the transport. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && errorCode(error.cause) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
}

/** The error of a call without a response. */
export function connectionError(cause: unknown, milliseconds: number): ChainError {
  const code = errorCode(cause);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return timeoutError(milliseconds, cause);
  if (cause instanceof undiciErrors.HTTPParserError)
    return new ChainError('NODE_INVALID_RESPONSE', "The node's response is not HTTP.", {}, cause);
  const wasSent = !beforeSending.has(code);
  return new ChainError(
    'NODE_UNREACHABLE',
    wasSent ? 'The connection to the node failed.' : 'The node is unreachable.',
    { sent: wasSent },
    cause,
  );
}

/** The error of a call whose response did not arrive in time. */
export function timeoutError(milliseconds: number, cause?: unknown): ChainError<'NODE_TIMEOUT'> {
  return new ChainError('NODE_TIMEOUT', `The node did not respond within ${milliseconds} ms.`, { milliseconds }, cause);
}

/** The error of calls on a transport that is closed, or that closes before they end. */
export function closedError(): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', 'The connection to the node is closed.', {});
}

/** The error of a call when no node is left to try. Nothing was sent. */
export function noNodeError(cause?: unknown): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', 'No node of this chain is available.', { sent: false }, cause);
}

/** The error for an HTTP response without a JSON-RPC reply, by its status. */
function statusError(status: number, retryAfter: string | undefined): ChainError {
  if (status !== 429 && status !== 503) {
    return new ChainError('NODE_INVALID_RESPONSE', `The node returned HTTP status ${status} without a JSON-RPC reply.`, {
      status,
    });
  }
  const wait = parseRetryAfter(retryAfter);
  const message = status === 429 ? 'The node limits the rate of calls (429).' : 'The node is unavailable (503).';
  return new ChainError('NODE_UNREACHABLE', message, { sent: status === 503, ...(wait !== undefined && { retryAfter: wait }) });
}

/**
 * The wait in ms that a `Retry-After` header requests (seconds or a date, RFC 9110, section 10.2.3), at most 30 s; undefined without a valid header.
 */
function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestRetryAfter);
}

/** The response to one call. */
type Reply = { readonly result: JsonValue } | { readonly error: RpcErrorObject } | { readonly invalid: ChainError };

/** The responses in one HTTP body, by id, and the error without an id that applies to the whole request, if any. */
interface Replies {
  readonly byId: ReadonlyMap<number, Reply>;
  readonly whole: RpcErrorObject | undefined;
}

function invalid(what: string): { readonly invalid: ChainError } {
  return { invalid: new ChainError('NODE_INVALID_RESPONSE', `The node's reply is not JSON-RPC: ${what}.`, {}) };
}

/** Reads the `result` or `error` of a response. A response with both or neither is invalid. */
function readReply(object: JsonObject): Reply {
  const { result, error } = object;
  if (error === undefined || error === null) return result === undefined ? invalid('neither result nor error') : { result };
  if (result !== undefined && result !== null) return invalid('both result and error');
  const { code, message, data }: JsonObject = isJsonObject(error) ? error : {};
  if (typeof code !== 'number' || typeof message !== 'string') return invalid('error without code or message');
  return { error: { code, message, data: typeof data === 'string' ? data : undefined } };
}

/** A request without a usable response. `divisible`: its calls may succeed one by one. */
interface Failure {
  readonly error: ChainError;
  readonly divisible: boolean;
}

/**
 * The replies in the body of a response, which is an object or an array; a node responds to a batch of one with an object (docs/chain.md, "JSON-RPC
 * batches"). Two replies with the same id are invalid. An error without an id, or with id -1 (the handler of a call panicked), applies to the whole
 * request. A 429 or 503 is a failure whose error has the `retryAfter` of the node, in ms, if it sent one.
 */
function readResponse(bytes: Buffer, status: number, retryAfter: string | string[] | undefined): Replies | Failure {
  if (status === 429 || status === 503) {
    const error = statusError(status, typeof retryAfter === 'string' ? retryAfter : undefined);
    return { error, divisible: false };
  }
  const byId = new Map<number, Reply>();
  let whole: RpcErrorObject | undefined;
  let isJsonRpc = true;
  let cause: unknown;
  try {
    // A byte order mark is not JSON (RFC 8259, section 8.1). It stays in the text, and the parser rejects it.
    const body = parseJson(bytes.toString('utf8'));
    for (const item of Array.isArray(body) ? body : [body]) {
      if (typeof item !== 'object' || item === null || Array.isArray(item)) {
        isJsonRpc = false;
        break;
      }
      const reply = readReply(item);
      if (typeof item.id === 'number' && item.id !== -1) {
        byId.set(item.id, byId.has(item.id) ? invalid('two replies with the same id') : reply);
      } else if ('error' in reply) whole ??= reply.error;
    }
  } catch (error) {
    cause = error;
  }
  if (isJsonRpc && (byId.size > 0 || whole !== undefined)) return { byId, whole };
  if (status >= 300) return { error: statusError(status, undefined), divisible: false };
  return {
    error: new ChainError('NODE_INVALID_RESPONSE', "The node's response is not JSON-RPC.", { status }, cause),
    divisible: true,
  };
}

/**
 * The failure of a request that ended without its whole response. `status` is undefined if no response began. The timeout was
 * `milliseconds`, and the largest response is `maxAnswerBytes`.
 */
function brokenRequest(
  cause: unknown,
  status: number | undefined,
  { milliseconds, maxAnswerBytes }: { readonly milliseconds: number; readonly maxAnswerBytes: number },
): Failure {
  if (errorCode(cause) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    const message = `The node's response is larger than ${maxAnswerBytes} bytes.`;
    return {
      error: new ChainError('NODE_INVALID_RESPONSE', message, status === undefined ? {} : { status }, cause),
      divisible: true,
    };
  }
  const error = connectionError(cause, milliseconds);
  if (status === undefined || error.code === 'NODE_TIMEOUT') return { error, divisible: false };
  return {
    error: new ChainError('NODE_INVALID_RESPONSE', "The node's response was cut short.", { status }, cause),
    divisible: true,
  };
}

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

    const readMessage = (message: RawData): void => {
      let reply: JsonObject;
      try {
        const value = parseJson(message.toString());
        if (!isJsonObject(value)) throw new TypeError('not an object');
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
        // The first event may arrive before the node's confirmation (docs/chain.md, "WebSocket of a node"). Either one shows that the
        // subscription is open.
        if (!isConfirmed) {
          isConfirmed = true;
          clearTimeout(confirmationTimer);
          listener.open?.();
        }
        if (!isEnded && isJsonObject(result) && 'query' in result) listener.event(result);
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

/** Times in milliseconds. */
export interface HttpOptions {
  /** The name of the node in logs and responses. It must not be the address. */
  readonly alias?: string;
  /** Calls in one JSON-RPC batch: 10, the node's default limit (docs/chain.md, "JSON-RPC batches"). It decreases if a node reports a lower limit. */
  readonly batchSize?: number;
  /** Concurrent connections: 8. */
  readonly connections?: number;
  /** Timeout of an attempt, from sending to the last byte: 5,000. */
  readonly timeout?: number;
  /** Timeout of `broadcast_tx_commit`, which waits up to 10 s for a block: 12,000. */
  readonly commitTimeout?: number;
  /** Timeout for a connection: 2,000. */
  readonly connectTimeout?: number;
  /** Largest response or event, in bytes: 32 MiB. */
  readonly maxAnswerBytes?: number;
  /** Interval of the pings that detect a dead subscription: 10,000. */
  readonly pingInterval?: number;
}

export type HttpTransport = Transport & { readonly alias: string | undefined };

interface PendingCall extends TracedCall {
  readonly id: number;
  readonly body: string;
  isSettled: boolean;
  exchange: Exchange | undefined;
  removeListener(): void;
  resolve(result: JsonValue): void;
  reject(error: unknown): void;
}

/** One HTTP request and the calls in it. */
interface Exchange {
  readonly calls: readonly PendingCall[];
  /** Ends the request, which may still wait for a connection. Undefined until it is sent. */
  abort: ((reason: Error) => void) | undefined;
  /** Whether a call in it belongs to a span. */
  isTraced: boolean;
  /** Calls that are still waiting. When it reaches 0 before the response has arrived, the request is aborted. */
  waiting: number;
  hasResponse: boolean;
}

/** Why a request is aborted after all of its calls are settled. It is made once, because its stack costs more than the rest of a call. */
const settledReason = new DOMException('All calls of the request are settled', 'AbortError');

/** The node closes connections that are idle for 10 s (docs/chain.md, "Limits of a node"), so these close earlier. */
const keepAlive = 8_000;

/**
 * Makes a transport to the node at `url` with JSON-RPC over HTTP. Calls of one tick are sent as batches, several at once; writes are sent alone.
 * Credentials in the URL are sent as Basic authorization and never shown. It does not retry, with one exception: if the response to a batch is
 * unusable, its reads are sent once more, one by one, within the same deadline. After a 429 or 503 with `Retry-After`, calls fail at once until that
 * time has passed. Throws a TypeError if `url` is not the URL of a node.
 */
export function http(url: string, options: HttpOptions = {}): HttpTransport {
  const { timeout = 5_000, commitTimeout = 12_000, connectTimeout = 2_000, maxAnswerBytes = 32 * 1024 * 1024 } = options;
  const address = parseNodeUrl(url);
  const headers = { ...address.headers, 'content-type': 'application/json' };
  const pool = new Pool(address.origin, {
    connections: options.connections ?? 8,
    pipelining: 1,
    keepAliveTimeout: keepAlive,
    keepAliveMaxTimeout: keepAlive,
    connect: { timeout: connectTimeout },
    maxResponseSize: maxAnswerBytes,
  });
  const sockets = webSocket(url, {
    timeout,
    maxMessageBytes: maxAnswerBytes,
    ...(options.pingInterval && { pingInterval: options.pingInterval }),
  });

  let batchSize = options.batchSize ?? 10;
  let nextId = 1;
  let isClosed = false;
  /** Calls fail until this time, because the node sent `Retry-After`. */
  let pausedUntil = 0;

  /**
   * Collects the calls of one tick. Each call settles by itself, so a slow request does not delay the calls of another. The limit of a batch is
   * not the loader's `maxBatchSize`: it can decrease, and the loader fills one batch after the other instead of making them even. The loaders of pins
   * dispatch after the same steps, so all of them have made their calls before these are sent.
   */
  const sender = new DataLoader<PendingCall, undefined>(sendAll, { cache: false });

  /**
   * Sends the calls of one tick: each write alone, and the reads in as few batches as the limit allows. The batches have even sizes, because a node runs the calls of
   * a batch one after another. Reads are `repeated` until a deadline if the node has refused their batch.
   */
  async function sendAll(calls: readonly PendingCall[], repeated?: number): Promise<undefined[]> {
    const reads: PendingCall[] = [];
    for (const call of calls) {
      if (call.isSettled) continue;
      if (isClosed) settle(call, { error: closedError() });
      else if (!changesState.test(call.method)) reads.push(call);
      else send([call], monotonicNow() + (call.method === 'broadcast_tx_commit' ? commitTimeout : timeout), false);
    }
    const size = Math.ceil(reads.length / Math.ceil(reads.length / batchSize));
    for (let start = 0; start < reads.length; start += size)
      send(reads.slice(start, start + size), repeated ?? monotonicNow() + timeout, repeated !== undefined);
    return new Array(calls.length).fill(undefined);
  }

  /** Sends calls in one HTTP request, and settles them by their replies. After an unusable response, they are sent once more, one by one. */
  async function send(calls: readonly PendingCall[], deadline: number, isRepeated: boolean): Promise<void> {
    const exchange: Exchange = { calls, abort: undefined, isTraced: false, waiting: calls.length, hasResponse: false };
    let body = '';
    for (const call of calls) {
      call.exchange = exchange;
      exchange.isTraced ||= call.span !== undefined || call.batch !== undefined;
      body += body === '' ? call.body : `,${call.body}`;
    }
    if (exchange.isTraced) beginBatch(calls);
    const replies = await post(exchange, calls.length === 1 ? body : `[${body}]`, deadline);
    exchange.hasResponse = true;
    if ('error' in replies) {
      const isDivided = replies.divisible && !isRepeated && calls.length > 1;
      for (const call of calls) {
        if (call.isSettled) continue;
        if (isDivided) send([call], deadline, true);
        else settle(call, { error: replies.error });
      }
      return;
    }
    const { byId, whole } = replies;
    const unsettled: PendingCall[] = [];
    for (const call of calls) {
      const reply = byId.get(call.id);
      if (reply === undefined) {
        if (!call.isSettled) unsettled.push(call);
      } else if ('invalid' in reply) settle(call, { error: reply.invalid });
      else settle(call, 'result' in reply ? reply : { error: rpcError(reply.error, call.method) });
    }
    if (whole?.code === -32600 && calls.length > 1 && !isRepeated) {
      // The node rejected the batch itself and ran none of its calls: too many calls, or too large a body. They are sent once more.
      const cap = Number(/maximum \((\d+)\)/.exec(whole.data ?? '')?.[1] ?? calls.length);
      if (cap < calls.length) {
        batchSize = Math.max(1, cap);
        sendAll(unsettled, deadline);
      } else for (const call of unsettled) send([call], deadline, true);
      return;
    }
    for (const call of unsettled) {
      const missing = "The node's response contains no reply to the call.";
      settle(call, { error: whole ? rpcError(whole, call.method) : new ChainError('NODE_INVALID_RESPONSE', missing, {}) });
    }
  }

  /** Posts the calls and reads the response. Never rejects. */
  async function post(exchange: Exchange, body: string, deadline: number): Promise<Replies | Failure> {
    const now = monotonicNow();
    if (now < pausedUntil) {
      const facts = { sent: false, retryAfter: Math.ceil(pausedUntil - now) };
      return {
        error: new ChainError('NODE_UNREACHABLE', 'The node requested a pause (Retry-After).', facts),
        divisible: false,
      };
    }
    const milliseconds = Math.max(Math.ceil(deadline - now), 0);
    const timer = setTimeout(() => exchange.abort?.(timeoutError(milliseconds)), milliseconds);
    const span = exchange.isTraced ? beginPost(exchange.calls, options.alias) : undefined;
    const request = {
      method: 'POST',
      path: address.path,
      headers: span === undefined ? headers : { ...headers, ...span.headers },
      body,
      headersTimeout: milliseconds,
      bodyTimeout: milliseconds,
    } as const;
    let status: number | undefined;
    let replies: Replies | Failure;
    try {
      let retryAfter: string | string[] | undefined;
      // It is read as it arrives. A stream for the body, and a signal that aborts it, would be half of the CPU time of a request.
      const content = await new Promise<Buffer>((resolve, reject) => {
        const chunks: Buffer[] = [];
        let reason: Error | undefined;
        let controller: Dispatcher.DispatchController | undefined;
        exchange.abort = (error) => {
          reason = error;
          controller?.abort(reason);
          reject(reason);
        };
        pool.dispatch(request, {
          onRequestStart(started) {
            controller = started;
            if (reason !== undefined) controller.abort(reason);
          },
          onResponseStart(_, responseStatus, responseHeaders) {
            // An interim response may come before it (RFC 9110, section 15.2).
            if (responseStatus < 200) return;
            status = responseStatus;
            retryAfter = responseHeaders['retry-after'];
          },
          onResponseData: (_, chunk) => void chunks.push(chunk),
          onResponseEnd: () => resolve(Buffer.concat(chunks)),
          onResponseError: (_, error) => reject(error),
        });
      });
      replies = readResponse(content, status ?? 0, retryAfter);
    } catch (cause) {
      if (cause instanceof ChainError) replies = { error: cause, divisible: false };
      else if (isClosed) replies = { error: closedError(), divisible: false };
      else replies = brokenRequest(cause, status, { milliseconds, maxAnswerBytes });
    }
    clearTimeout(timer);
    const error = 'error' in replies ? replies.error : undefined;
    span?.end(status, error);
    if (error !== undefined && isChainError(error, 'NODE_UNREACHABLE') && error.facts.retryAfter !== undefined)
      pausedUntil = monotonicNow() + error.facts.retryAfter;
    return replies;
  }

  /** Settles a call. Its request is aborted if no other call waits for it. */
  function settle(call: PendingCall, outcome: { readonly result: JsonValue } | { readonly error: unknown }): void {
    if (call.isSettled) return;
    call.isSettled = true;
    call.batch?.settled();
    call.removeListener();
    if (call.exchange !== undefined) {
      call.exchange.waiting -= 1;
      if (call.exchange.waiting === 0 && !call.exchange.hasResponse) call.exchange.abort?.(settledReason);
    }
    if ('result' in outcome) call.resolve(outcome.result);
    else call.reject(outcome.error);
  }

  return {
    alias: options.alias,
    async call(method, params, { decode, signal, span }) {
      signal?.throwIfAborted();
      if (isClosed) throw closedError();
      const id = nextId++;
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const result = await new Promise<JsonValue>((resolve, reject) => {
        const removeListener = onAbort(signal, () => settle(call, { error: signal?.reason }));
        const call: PendingCall = {
          id,
          body,
          method,
          span,
          resolve,
          reject,
          removeListener,
          batch: undefined,
          isSettled: false,
          exchange: undefined,
        };
        sender.load(call).catch(reject);
      });
      try {
        return decode(result);
      } catch (error) {
        if (error instanceof ChainError) throw error;
        throw new ChainError('NODE_INVALID_RESPONSE', "The node's result could not be decoded.", {}, error);
      }
    },
    subscribe: sockets.subscribe,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.all([sockets.close(), pool.destroy()]);
    },
  };
}
