import DataLoader from 'dataloader';
import { Pool } from 'undici';
import { ChainError, isChainError } from '../base/errors.ts';
import { monotonicNow, onAbort } from '../base/waiting.ts';
import { rpcError } from '../rpc/rpcErrors.ts';
import { beginBatch, beginPost, type TracedCall } from '../tracing/tracer.ts';
import type { JsonValue } from '../wire/json.ts';
import { brokenRequest, closedError, type Failure, type Replies, readResponse, timeoutError } from './nodeReplies.ts';
import { isWrite, parseNodeUrl, type Transport } from './transport.ts';
import { webSocket } from './webSocket.ts';

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
  readonly controller: AbortController;
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
   * not the loader's `maxBatchSize`: it can decrease, and the loader fills one batch after the other instead of making them even.
   */
  const sender = new DataLoader<PendingCall, undefined>(
    async (calls) => {
      sendAll(calls);
      return calls.map(() => undefined);
    },
    // Loaders of pins dispatch after the same two steps, so all of them have made their calls before these are sent.
    { cache: false, batchScheduleFn: (dispatch) => void Promise.resolve().then(() => process.nextTick(dispatch)) },
  );

  /** Sends the calls of one tick: each write alone, and the reads in batches. */
  function sendAll(calls: readonly PendingCall[]): void {
    const reads: PendingCall[] = [];
    for (const call of calls) {
      if (call.isSettled) continue;
      if (isClosed) settle(call, { error: closedError() });
      else if (!isWrite(call.method)) reads.push(call);
      else send([call], monotonicNow() + (call.method === 'broadcast_tx_commit' ? commitTimeout : timeout), false);
    }
    sendBatches(reads, monotonicNow() + timeout, false);
  }

  /** Sends calls in as few batches as the limit allows. The batches have even sizes, because a node runs the calls of a batch one after another. */
  function sendBatches(calls: readonly PendingCall[], deadline: number, isRepeated: boolean): void {
    const size = Math.ceil(calls.length / Math.ceil(calls.length / batchSize));
    for (let start = 0; start < calls.length; start += size) send(calls.slice(start, start + size), deadline, isRepeated);
  }

  async function send(calls: readonly PendingCall[], deadline: number, isRepeated: boolean): Promise<void> {
    const exchange: Exchange = { controller: new AbortController(), waiting: calls.length, hasResponse: false };
    for (const call of calls) call.exchange = exchange;
    beginBatch(calls);
    const replies = await post(calls, exchange.controller, deadline);
    exchange.hasResponse = true;
    if (!('error' in replies)) return settleAll(calls, replies, deadline, isRepeated);
    const isDivided = replies.divisible && !isRepeated && calls.length > 1;
    for (const call of calls.filter((each) => !each.isSettled)) {
      if (isDivided) send([call], deadline, true);
      else settle(call, { error: replies.error });
    }
  }

  /** Posts the calls and reads the response. Never rejects. */
  async function post(
    calls: readonly PendingCall[],
    controller: AbortController,
    deadline: number,
  ): Promise<Replies | Failure> {
    const now = monotonicNow();
    if (now < pausedUntil) {
      const facts = { sent: false, retryAfter: Math.ceil(pausedUntil - now) };
      return {
        error: new ChainError('NODE_UNREACHABLE', 'The node requested a pause (Retry-After).', facts),
        divisible: false,
      };
    }
    const milliseconds = Math.max(Math.ceil(deadline - now), 0);
    const timer = setTimeout(() => controller.abort(timeoutError(milliseconds)), milliseconds);
    const span = beginPost(calls, options.alias);
    let status: number | undefined;
    let replies: Replies | Failure;
    try {
      const response = await pool.request({
        method: 'POST',
        path: address.path,
        headers: span === undefined ? headers : { ...headers, ...span.headers },
        body: calls.length === 1 ? (calls[0]?.body ?? '') : `[${calls.map((call) => call.body).join(',')}]`,
        signal: controller.signal,
        headersTimeout: milliseconds,
        bodyTimeout: milliseconds,
      });
      status = response.statusCode;
      const bytes = await response.body.bytes();
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      replies = readResponse(body, status, response.headers['retry-after']);
    } catch (cause) {
      if (cause instanceof ChainError) replies = { error: cause, divisible: false };
      else if (isClosed) replies = { error: closedError(), divisible: false };
      else replies = brokenRequest(cause, status, { milliseconds, maxAnswerBytes });
    }
    clearTimeout(timer);
    const error = 'error' in replies ? replies.error : undefined;
    span?.end(status, error);
    if (isChainError(error, 'NODE_UNREACHABLE') && error.facts.retryAfter !== undefined)
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
      if (call.exchange.waiting === 0 && !call.exchange.hasResponse) call.exchange.controller.abort(settledReason);
    }
    if ('result' in outcome) call.resolve(outcome.result);
    else call.reject(outcome.error);
  }

  /** Settles calls by their replies. Calls that the node did not run because it rejected the batch are sent once more. */
  function settleAll(calls: readonly PendingCall[], { byId, whole }: Replies, deadline: number, isRepeated: boolean): void {
    for (const call of calls) {
      const reply = byId.get(call.id);
      if (reply === undefined) continue;
      if ('invalid' in reply) settle(call, { error: reply.invalid });
      else settle(call, 'result' in reply ? reply : { error: rpcError(reply.error, call.method) });
    }
    const unsettled = calls.filter(({ isSettled }) => !isSettled);
    if (whole?.code === -32600 && calls.length > 1 && !isRepeated) {
      // The node rejected the batch itself and ran none of its calls: too many calls, or too large a body.
      const cap = Number(/maximum \((\d+)\)/.exec(whole.data ?? '')?.[1] ?? calls.length);
      if (cap < calls.length) {
        batchSize = Math.max(1, cap);
        sendBatches(unsettled, deadline, true);
      } else for (const call of unsettled) send([call], deadline, true);
      return;
    }
    for (const call of unsettled) {
      const missing = "The node's response contains no reply to the call.";
      settle(call, { error: whole ? rpcError(whole, call.method) : new ChainError('NODE_INVALID_RESPONSE', missing, {}) });
    }
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
