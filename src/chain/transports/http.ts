import { Pool } from 'undici';
import { ChainError } from '../base/errors.ts';
import { monotonicNow, onAbort } from '../base/waiting.ts';
import { rpcError } from '../rpc/rpcErrors.ts';
import { beginBatch, beginPost, type TracedCall } from '../tracing/tracer.ts';
import type { JsonValue } from '../wire/json.ts';
import { brokenRequest, closedError, type Failure, type Replies, readResponse, timeoutError } from './nodeReplies.ts';
import { isWrite, parseNodeUrl, type Transport } from './transport.ts';
import { webSocket } from './webSocket.ts';

/** Options of {@link http}. Times in milliseconds. */
export interface HttpOptions {
  /** The name of the node in logs and responses. It must not be the address. */
  readonly alias?: string;
  /**
   * Calls in one JSON-RPC batch: 10, the node's default limit (docs/chain.md, "JSON-RPC batches"). It decreases if a node
   * reports a lower limit.
   */
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

/** The transport to one node, with its alias. */
export interface HttpTransport extends Transport {
  readonly alias: string | undefined;
}

/** A call that has not settled yet. */
interface PendingCall extends TracedCall {
  readonly id: number;
  readonly body: string;
  settled: boolean;
  /** The HTTP request that carries the call now. */
  exchange: Exchange | undefined;
  succeed(result: JsonValue): void;
  fail(error: unknown): void;
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
 * Makes a transport to the node at `url` with JSON-RPC over HTTP. Calls of one tick are sent as batches, several at once;
 * writes are sent alone. Credentials in the URL are sent as Basic authorization and never shown. It does not retry, with one
 * exception: if the response to a batch is unusable, its reads are sent once more, one by one, within the same deadline. After
 * a 429 or 503 with `Retry-After`, calls fail at once until that time has passed. Throws a TypeError if `url` is not the URL of
 * a node.
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
  let queue: PendingCall[] = [];
  let closed = false;
  /** Calls fail until this time, because the node sent `Retry-After`. */
  let pausedUntil = 0;

  function flush(): void {
    const calls = queue.filter((call) => !call.settled);
    queue = [];
    for (const call of calls.filter((call) => isWrite(call.method))) {
      send([call], monotonicNow() + (call.method === 'broadcast_tx_commit' ? commitTimeout : timeout), false);
    }
    sendBatches(
      calls.filter((call) => !isWrite(call.method)),
      monotonicNow() + timeout,
      false,
    );
  }

  /**
   * Sends calls in as few batches as the limit allows. The batches have even sizes, because a node runs the calls of a batch
   * one after another.
   */
  function sendBatches(calls: readonly PendingCall[], deadline: number, again: boolean): void {
    const size = Math.ceil(calls.length / Math.ceil(calls.length / batchSize));
    for (let from = 0; from < calls.length; from += size) send(calls.slice(from, from + size), deadline, again);
  }

  function send(calls: readonly PendingCall[], deadline: number, again: boolean): void {
    const exchange: Exchange = { controller: new AbortController(), waiting: calls.length, hasResponse: false };
    for (const call of calls) call.exchange = exchange;
    beginBatch(calls);
    post(calls, exchange.controller, deadline).then((answer) => {
      exchange.hasResponse = true;
      if ('error' in answer) giveUp(calls, answer, deadline, again);
      else settle(calls, answer, deadline, again);
    });
  }

  /** Posts the calls and reads the response. Never rejects. */
  async function post(
    calls: readonly PendingCall[],
    controller: AbortController,
    deadline: number,
  ): Promise<Replies | Failure> {
    const now = monotonicNow();
    if (now < pausedUntil) return { error: pauseError(Math.ceil(pausedUntil - now)), divisible: false };
    const milliseconds = Math.max(Math.ceil(deadline - now), 0);
    const timer = setTimeout(() => controller.abort(timeoutError(milliseconds)), milliseconds);
    let status: number | undefined;
    const post = beginPost(calls, options.alias);
    const ended = (answer: Replies | Failure): Replies | Failure => {
      post?.end(status, 'error' in answer ? answer.error : undefined);
      return answer;
    };
    try {
      const response = await pool.request({
        method: 'POST',
        path: address.path,
        headers: post === undefined ? headers : { ...headers, ...post.headers },
        body: calls.length === 1 ? (calls[0]?.body ?? '') : `[${calls.map((call) => call.body).join(',')}]`,
        signal: controller.signal,
        headersTimeout: milliseconds,
        bodyTimeout: milliseconds,
      });
      status = response.statusCode;
      const bytes = await response.body.bytes();
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return ended(notePause(readResponse(body, status, response.headers['retry-after'])));
    } catch (cause) {
      if (cause instanceof ChainError) return ended({ error: cause, divisible: false });
      if (closed) return ended({ error: closedError(), divisible: false });
      return ended(brokenRequest(cause, status, { milliseconds, maxAnswerBytes }));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls fail until the time that the node asked for has passed. */
  function notePause(answer: Replies | Failure): Replies | Failure {
    if ('error' in answer && 'retryAfter' in answer.error.facts && answer.error.facts.retryAfter !== undefined)
      pausedUntil = monotonicNow() + answer.error.facts.retryAfter;
    return answer;
  }

  function giveUp(calls: readonly PendingCall[], failure: Failure, deadline: number, again: boolean): void {
    const left = calls.filter((call) => !call.settled);
    if (failure.divisible && !again && calls.length > 1) for (const call of left) send([call], deadline, true);
    else for (const call of left) call.fail(failure.error);
  }

  function settle(calls: readonly PendingCall[], { byId, whole }: Replies, deadline: number, again: boolean): void {
    const left: PendingCall[] = [];
    for (const call of calls) {
      const reply = byId.get(call.id);
      if (reply === undefined) left.push(call);
      else if ('result' in reply) call.succeed(reply.result);
      else call.fail('invalid' in reply ? reply.invalid : rpcError(reply.error, call.method));
    }
    const unsettled = left.filter((call) => !call.settled);
    if (whole?.code === -32600 && calls.length > 1 && !again) {
      // The node rejected the batch itself and ran none of its calls: too many calls, or too large a body.
      const cap = /maximum \((\d+)\)/.exec(whole.data ?? '')?.[1];
      if (cap !== undefined && Number(cap) < calls.length) {
        batchSize = Math.max(1, Number(cap));
        sendBatches(unsettled, deadline, true);
      } else for (const call of unsettled) send([call], deadline, true);
      return;
    }
    for (const call of unsettled) {
      if (whole !== undefined) call.fail(rpcError(whole, call.method));
      else call.fail(new ChainError('NODE_INVALID_RESPONSE', "The node's response contains no reply to the call.", {}));
    }
  }

  return {
    alias: options.alias,
    call(method, params, { decode, signal, span }) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (closed) return Promise.reject(closedError());
      return new Promise((resolve, reject) => {
        const id = nextId++;
        const removeListener = onAbort(signal, () => call.fail(signal?.reason));
        const done = (): boolean => {
          if (call.settled) return false;
          call.settled = true;
          call.batch?.settled();
          removeListener();
          if (call.exchange !== undefined) {
            call.exchange.waiting -= 1;
            if (call.exchange.waiting === 0 && !call.exchange.hasResponse) call.exchange.controller.abort(settledReason);
          }
          return true;
        };
        const call: PendingCall = {
          id,
          method,
          span,
          batch: undefined,
          body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
          settled: false,
          exchange: undefined,
          succeed(result) {
            if (!done()) return;
            try {
              resolve(decode(result));
            } catch (error) {
              reject(
                error instanceof ChainError
                  ? error
                  : new ChainError('NODE_INVALID_RESPONSE', "The node's result could not be decoded.", {}, error),
              );
            }
          },
          fail(error) {
            if (done()) reject(error);
          },
        };
        queue.push(call);
        // DataLoader dispatches after the same two steps, so all loaders of a tick have queued their calls before this flush.
        if (queue.length === 1) Promise.resolve().then(() => process.nextTick(flush));
      });
    },
    subscribe: sockets.subscribe,
    async close() {
      if (closed) return;
      closed = true;
      for (const call of queue) call.fail(closedError());
      await Promise.all([sockets.close(), pool.destroy()]);
    },
  };
}

function pauseError(retryAfter: number): ChainError {
  return new ChainError('NODE_UNREACHABLE', 'The node requested a pause (Retry-After).', { sent: false, retryAfter });
}
