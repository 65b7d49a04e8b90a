import type { IncomingMessage, ServerResponse } from 'node:http';
import { timed } from '../../answers/caller.ts';
import { jsonBoundsOf } from '../../answers/errors.ts';
import {
  heightHeader,
  heightsOfUrl,
  minHeightHeader,
  type NamedHeights,
  noHeights,
  pickHeight,
  timeHeader,
} from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import { bufferBytes, objectBytes, ownBytes } from '../../chain/memory/memoryBudget.ts';
import {
  isRpcMethod,
  listPage,
  type RpcMethodName,
  rpcMethods,
  socketMethods,
  unsafeMethods,
} from '../../chain/rpc/methods.ts';
import { parseBody, type RpcRequest } from '../../chain/rpc/requests.ts';
import { invalidRequest, parseError, RpcError } from '../../chain/rpc/rpcErrors.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { type Awaitable, andThen } from '../../reads/pin.ts';
import type { Scope, Viewer } from '../../reads/viewer.ts';
import { Lifetime } from '../../server/lifetime.ts';
import { errorResponse, rateLimitResponse, sendError } from '../../server/messages/errors.ts';
import { heightsInHeaders, publicHost, varyByHeight } from '../../server/messages/requestHeaders.ts';
import type { Handler, RequestContext } from '../../server/router.ts';
import { type CallContext, isSending, missingScope, priceOf } from './call.ts';
import { codeOf, type Dialect, errorShapeOf, failureOf, statusOf, type Via } from './dialects.ts';
import type { CallAnswer, Dispatch } from './dispatch.ts';

interface HttpAnswer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type?: string;
  /** How long clients may cache it. undefined: the node does not state it, and the root paths forbid caching. */
  readonly caching?: 'day' | 'never' | undefined;
  readonly height?: bigint | undefined;
  readonly code?: string | undefined;
  readonly missingScope?: Scope | undefined;
  /** Whether to omit `x-server-time`. A node omits it in two errors, which precede the handler that sets it. */
  readonly timeless?: boolean;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: RequestContext;
}

/** Sends an answer with the headers of the dialect. Notes its error code in the record of the request. */
function send(
  { surface, namesHeight }: Dialect,
  { response, context }: Exchange,
  { status, body, type = 'application/json', caching, height, code, missingScope, timeless = false }: HttpAnswer,
): void {
  const isComet = surface === 'comet';
  if (code !== undefined) context.record.code = code;
  // Node writes a list faster than headers that are set one by one.
  const headers: string[] = [];
  if (isComet && !timeless) headers.push('x-server-time', String(Math.floor(Date.now() / 1000)));
  if (type !== '') headers.push('content-type', type);
  headers.push('vary', namesHeight ? varyByHeight : 'Authorization, Origin');
  if (caching === 'day') headers.push('cache-control', 'private, max-age=86400');
  else if (caching === 'never' || !isComet) headers.push('cache-control', 'no-store');
  if (namesHeight && height !== undefined) headers.push(heightHeader, height.toString());
  if (missingScope !== undefined) {
    headers.push('www-authenticate', `Bearer error="insufficient_scope", scope="${missingScope}"`);
  }
  headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers).end(body);
}

/**
 * Reads the arguments of the query string and of a form, and waits for the turn of the caller. Returns null if the form is larger than `max` bytes.
 */
async function readUriParams(request: IncomingMessage, context: RequestContext, max: number): Promise<URLSearchParams | null> {
  const params = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  if (request.method !== 'POST' || !isForm) {
    await context.turn();
    return params;
  }
  const body = await context.body(max);
  if (body === null) return null;
  for (const [name, value] of new URLSearchParams(body.toString())) if (!params.get(name)) params.set(name, value);
  return params;
}

/** An answer to a single call whose result never changes. */
interface RepeatedAnswer {
  readonly method: RpcMethodName;
  readonly answer: HttpAnswer & { readonly body: Buffer };
  /** The generation of the chain in which the request was answered. */
  readonly generation: number;
}

/** The largest request that is kept, in bytes. Calls that read a block are short. */
const largestRequest = 512;

const sizeOf = ({ answer: { body } }: RepeatedAnswer): number => 2 * objectBytes + bufferBytes + body.length;

/** Creates the answers of one dialect to requests that were sent again, by their bytes. They are within the memory for answers. */
export function createRepeatedAnswers({ head, memory }: Pick<Client, 'head' | 'memory'>, dialect: Dialect) {
  const cache = memory.cache('answers', `${dialect.surface}-requests`, sizeOf);
  head.onRewind(() => cache.clear());

  /** The name of a request. undefined if its answer is not kept. */
  function nameOf({ method, url = '/', headers }: IncomingMessage, body: Buffer | undefined): string | undefined {
    if (dialect.namesHeight && [heightHeader, timeHeader, minHeightHeader].some((name) => headers[name] !== undefined))
      return undefined;
    if (body === undefined) return method === 'GET' && url.length <= largestRequest ? url : undefined;
    // Each byte is one character. No URL begins with a space.
    return body.length <= largestRequest ? ` ${body.toString('latin1')}` : undefined;
  }

  return {
    /**
     * Finds the answer to a request. undefined if there is none, the token lacks the scope of the call, or headers name a height. `body` is
     * undefined for a call by URI.
     */
    find(request: IncomingMessage, body: Buffer | undefined, viewer: Viewer): RepeatedAnswer | undefined {
      const name = nameOf(request, body);
      const repeated = name === undefined ? undefined : cache.get(name);
      if (repeated?.generation !== head.generation()) return undefined;
      return missingScope(repeated.method, viewer) === undefined ? repeated : undefined;
    },
    /**
     * Keeps an answer until the chain is rewound. `generation` is that of the chain before the call was executed. Answers to large
     * requests and to requests whose headers name a height are not kept.
     */
    note(
      request: IncomingMessage,
      body: Buffer | undefined,
      { method, answer, generation }: { readonly method: string; readonly answer: HttpAnswer; readonly generation: number },
    ): void {
      const name = nameOf(request, body);
      if (name === undefined || !isRpcMethod(method)) return;
      const bytes = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
      cache.set(name, { method, answer: { ...answer, body: ownBytes(bytes) }, generation });
    },
  };
}

/** The methods of a node. Socket methods and unsafe methods are included: over HTTP, they are refused by name. */
const methodNames: ReadonlySet<string> = new Set([...Object.keys(rpcMethods), ...Object.keys(socketMethods), ...unsafeMethods]);

/** Path below the root that the socket handler serves after an upgrade. */
const socketName = 'websocket';

/** The response to a request for the path of the WebSocket that is not an upgrade. */
const upgradeHeaders = { connection: 'Upgrade', upgrade: 'websocket' };
const upgradeText = 'This path is a WebSocket. Send an upgrade request.';
const notUpgraded = errorResponse(426, 'BAD_USER_INPUT', upgradeText, {}, upgradeHeaders);

/** Returns how long clients may cache a batch: as long as the least cacheable of its responses. */
function cachingOf(answers: readonly CallAnswer[]): HttpAnswer['caching'] {
  if (answers.some(({ caching }) => caching === 'never')) return 'never';
  return answers.every(({ caching }) => caching === 'day') ? 'day' : undefined;
}

/**
 * Creates the handler of the node RPC over HTTP: JSON-RPC by POST at the root, calls by URI at `/{method}`
 * (docs/chain.md, "Transports of the node RPC").
 */
export function createNodeRpcHandler(options: {
  readonly client: Client;
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  readonly dialect: Dialect;
  /** The root path, without a trailing slash: '' or '/comet'. */
  readonly base: string;
}): Handler {
  const { client, dispatch, limits, dialect, base } = options;
  const shape = errorShapeOf(dialect);
  const jsonBounds = jsonBoundsOf(limits);
  const maxBatch = limits['rpc.batch'];
  const repeated = createRepeatedAnswers(client, dialect);

  function single(call: CallAnswer, via: Via): HttpAnswer {
    const { text, caching, height, kind } = call;
    const status = kind === undefined ? 200 : statusOf(dialect, kind, via);
    return { status, body: text, caching, height, code: codeOf(call), missingScope: call.missingScope };
  }

  /** An error of which no call was executed. */
  function refusal(status: number, error: RpcError, timeless = false): HttpAnswer {
    return { status, body: dialect.encodeFailure(undefined, error), caching: 'never', code: 'BAD_USER_INPUT', timeless };
  }

  function sendTooLarge(exchange: Exchange): void {
    const error = invalidRequest('error reading request body: http: request body too large');
    exchange.response.setHeader('connection', 'close');
    send(dialect, exchange, refusal(dialect.surface === 'comet' ? 400 : 413, error, true));
  }

  async function answerAll(requests: readonly RpcRequest[], context: CallContext): Promise<HttpAnswer> {
    const calls = requests.filter(({ id }) => id !== undefined);
    const answers: CallAnswer[] = [];
    if (calls.some(({ method }) => isSending(method))) {
      for (const call of calls) answers.push(await dispatch.answer(dialect, call, context, 'post'));
    } else {
      answers.push(...(await Promise.all(calls.map((call) => dispatch.answer(dialect, call, context, 'post')))));
    }
    const [first] = answers;
    if (first === undefined) return { status: 200, body: '', type: '' };
    const whole = answers.find(({ kind }) => kind === 'stopped');
    // A single response is sent without an array, as on a node (docs/chain.md, "JSON-RPC batches").
    if (whole !== undefined || answers.length === 1) return single(whole ?? first, 'post');
    const failure = answers.find(({ error }) => error !== undefined);
    const heights = new Set(answers.map(({ height }) => height));
    return {
      status: 200,
      body: `[${answers.map(({ text }) => text).join(',')}]`,
      caching: cachingOf(answers),
      height: heights.size === 1 ? first.height : undefined,
      code: failure && codeOf(failure),
    };
  }

  /** The heights that a request names in its headers, or a time in the URL of a call. */
  function heightsOf(request: IncomingMessage, via: Via): NamedHeights {
    const ofHeaders = heightsInHeaders(request);
    const { height = ofHeaders.height, time } = via === 'uri' ? heightsOfUrl(request.url ?? '') : noHeights;
    return time === undefined ? ofHeaders : { ...ofHeaders, height, time };
  }

  async function contextOf({ request, response, context }: Exchange, via: Via): Promise<CallContext | HttpAnswer> {
    const { session, record, arrived } = context;
    const lifetime = new Lifetime({
      response,
      milliseconds: limits['request.deadline'],
      startedAt: arrived,
      scope: record.span,
    });
    const call = { viewer: session.viewer, requestId: record.id, lifetime };
    if (!dialect.namesHeight) return call;
    const heights = heightsOf(request, via);
    const { height = heights.time } = heights;
    if (height === undefined && heights.minHeight === undefined) return call;
    const picked = await pickHeight(client, heights, limits, lifetime, context.caller);
    // `x-min-height` alone selects no height: the newest block is at least that high now.
    if ('height' in picked) return { ...call, ...(height !== undefined && { height: picked.height }) };
    const failure = failureOf(picked.error);
    if (failure === undefined) throw picked.error;
    return refusal(failure.kind === 'application' ? 400 : statusOf(dialect, failure.kind, 'post'), failure.error);
  }

  /** Charges the calls, less the point that the router has already charged. Returns false if it sent a refusal. */
  function charge(methods: readonly string[], { response, context }: Exchange): Awaitable<boolean> {
    const { points, broadcasts } = priceOf(methods);
    const paying = points > 1 || broadcasts > 0 ? context.caller.take(points - 1, broadcasts) : undefined;
    return andThen(paying, (chargeRefusal) => {
      if (chargeRefusal !== undefined) sendError(response, rateLimitResponse(chargeRefusal), context.record, shape);
      else context.record.cost = points + context.record.bytes;
      return chargeRefusal === undefined;
    });
  }

  /** Answers a request that was sent again. Returns false if it was not. */
  function sendAgain(exchange: Exchange, body: Buffer | undefined): Awaitable<boolean> {
    const { request, context } = exchange;
    const match = repeated.find(request, body, context.session.viewer);
    if (match === undefined) return false;
    context.record.operation = match.method;
    return andThen(charge([match.method], exchange), (isPaid) => {
      if (isPaid) send(dialect, exchange, match.answer);
      return true;
    });
  }

  /** Charges and executes the calls of a request, and sends their answer. `body` is undefined for a call by URI. */
  async function respond(
    exchange: Exchange,
    methods: readonly string[],
    body: Buffer | undefined,
    execute: (context: CallContext) => Promise<CallAnswer | HttpAnswer>,
  ): Promise<void> {
    const generation = client.head.generation();
    if (!(await charge(methods, exchange))) return;
    const via = body === undefined ? 'uri' : 'post';
    const context = await contextOf(exchange, via);
    if ('status' in context) return send(dialect, exchange, context);
    const executed = await execute(context);
    if ('status' in executed) return send(dialect, exchange, executed);
    const answer = single(executed, via);
    const [method = ''] = methods;
    if (executed.isRepeated === true) repeated.note(exchange.request, body, { method, answer, generation });
    return send(dialect, exchange, answer);
  }

  async function answerRoot(exchange: Exchange): Promise<void> {
    const { request, context } = exchange;
    const body = await context.body(limits['http.body']);
    if (body === null) return sendTooLarge(exchange);
    if (body.length === 0) {
      return send(dialect, exchange, { status: 200, body: listPage(`${publicHost(request)}${base}`), type: 'text/html' });
    }
    if (await sendAgain(exchange, body)) return;
    let requests: readonly RpcRequest[];
    try {
      requests = timed(context, () => parseBody(body, jsonBounds));
    } catch (error) {
      const problem = error instanceof RpcError ? error : parseError('error unmarshaling request: it cannot be read');
      return send(dialect, exchange, refusal(statusOf(dialect, 'parse', 'post'), problem));
    }
    if (requests.length > maxBatch) {
      const text = `batch request exceeds maximum (${maxBatch}) allowed number of requests`;
      return send(dialect, exchange, refusal(200, invalidRequest(text), true));
    }
    const methods = requests.map(({ method }) => method);
    const [first = ''] = methods;
    context.record.operation = methods.length > 1 ? 'batch' : methodNames.has(first) ? first : undefined;
    const [only] = requests;
    return respond(exchange, methods, body, (call) =>
      requests.length > 1 || only?.id === undefined ? answerAll(requests, call) : dispatch.answer(dialect, only, call, 'post'),
    );
  }

  async function answerUri(method: string, exchange: Exchange): Promise<void> {
    const { request, context } = exchange;
    if (!methodNames.has(method)) {
      const type = 'text/plain; charset=utf-8';
      return send(dialect, exchange, { status: 404, body: '404 page not found\n', type, caching: 'never' });
    }
    if (await sendAgain(exchange, undefined)) return;
    const params = await readUriParams(request, context, limits['http.otherBody']);
    if (params === null) return sendTooLarge(exchange);
    context.record.operation = method;
    return respond(exchange, [method], undefined, (call) => dispatch.answerUri(dialect, method, params, call));
  }

  return {
    surface: dialect.surface,
    shape,
    acceptsLargeBody: (path) => path === base || path === `${base}/`,
    paths: base === '' ? ['/', ...[socketName, ...methodNames].map((name) => `/${name}`)] : [base, `${base}/*`],
    async handle(request, response, context) {
      const method = context.path.slice(base.length + 1);
      if (method === socketName && request.method === 'GET') return sendError(response, notUpgraded, context.record, shape);
      if (!['GET', 'POST', 'HEAD'].includes(request.method ?? '')) {
        const allow = { allow: 'GET, HEAD, POST' };
        const methodRefusal = errorResponse(405, 'BAD_USER_INPUT', 'Use GET or POST.', {}, allow);
        return sendError(response, methodRefusal, context.record, shape);
      }
      const exchange = { request, response, context };
      return method === '' ? answerRoot(exchange) : answerUri(method, exchange);
    },
  };
}
