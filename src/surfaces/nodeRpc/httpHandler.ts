import type { IncomingMessage, ServerResponse } from 'node:http';
import { timed } from '../../answers/caller.ts';
import { jsonBoundsOf } from '../../answers/errors.ts';
import { heightHeader, minHeightHeader, pickHeight } from '../../answers/pickHeight.ts';
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
import { type Awaitable, andThen } from '../../reads/loader.ts';
import type { Scope, Viewer } from '../../reads/viewer.ts';
import { lifetimeOf } from '../../server/lifetime.ts';
import { publicHost } from '../../server/messages/clientAddress.ts';
import { errorResponse, rateLimitResponse, sendError } from '../../server/messages/errors.ts';
import { headerOf, requestedHeight, varyByHeight } from '../../server/messages/headers.ts';
import type { Handler, RequestContext } from '../../server/router.ts';
import { type CallContext, isSending, missingScope, priceOf } from './call.ts';
import type { Dialect, Via } from './dialects.ts';
import type { CallAnswer, Dispatch } from './dispatch.ts';
import { codeOf, failureOf } from './failures.ts';

/** An HTTP response of the node RPC. */
interface Reply {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  /** How long clients may cache it. undefined: the node does not state it, and the root paths forbid caching. */
  readonly caching?: 'day' | 'never' | undefined;
  readonly height?: bigint | undefined;
  /** Code of the first error, for the log and the metrics. */
  readonly code?: string | undefined;
  /** The scope that the token lacks. */
  readonly missingScope?: Scope | undefined;
  /** Whether to omit `x-server-time`. A node omits it in two errors, which precede the handler that sets it. */
  readonly timeless?: boolean;
}

/** A reply whose body may be bytes from memory. */
interface SentReply extends Omit<Reply, 'body'> {
  readonly body: string | Buffer;
}

/** Sends a reply with the headers of its dialect. Notes its error code in the record of the request. */
function sendReply(
  response: ServerResponse,
  { status, body, type = 'application/json', caching, height, code, missingScope, timeless = false }: SentReply,
  { dialect, context }: { readonly dialect: Dialect; readonly context: RequestContext },
): void {
  const isComet = dialect.surface === 'comet';
  if (code !== undefined) context.record.code = code;
  // Node writes a list faster than headers that are set one by one.
  const headers: string[] = [];
  if (isComet && !timeless) headers.push('x-server-time', String(Math.floor(Date.now() / 1000)));
  if (type !== '') headers.push('content-type', type);
  headers.push('vary', dialect.namesHeight ? varyByHeight : 'Authorization, Origin');
  if (caching === 'day') headers.push('cache-control', 'private, max-age=86400');
  else if (caching === 'never' || !isComet) headers.push('cache-control', 'no-store');
  if (dialect.namesHeight && height !== undefined) headers.push(heightHeader, height.toString());
  if (missingScope !== undefined) {
    headers.push('www-authenticate', `Bearer error="insufficient_scope", scope="${missingScope}"`);
  }
  headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers).end(body);
}

/**
 * Reads the arguments of the query string and of a form, and waits for the turn of the caller. Returns null if the form is
 * larger than `max` bytes.
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

/** A reply to a single call whose result never changes. */
interface RepeatedReply {
  readonly method: RpcMethodName;
  readonly reply: SentReply & { readonly body: Buffer };
  /** The generation of the chain in which the request was answered. */
  readonly generation: number;
}

/** The replies of a handler to requests that were sent again, by their bytes. */
interface RepeatedReplies {
  /**
   * Finds the reply to a request. undefined if it is not known, the token lacks the scope of the call, or headers name a height. `body`
   * is undefined for a call by URI.
   */
  find(request: IncomingMessage, body: Buffer | undefined, viewer: Viewer): RepeatedReply | undefined;
  /**
   * Keeps a reply until the chain is rewound. `generation` is that of the chain before the call was executed. Replies to large
   * requests and to requests whose headers name a height are not kept.
   */
  note(
    request: IncomingMessage,
    body: Buffer | undefined,
    answered: { readonly method: string; readonly reply: Reply; readonly generation: number },
  ): void;
}

/** The largest request that is kept, in bytes. Calls that read a block are short. */
const largestRequest = 512;

const sizeOf = ({ reply: { body } }: RepeatedReply): number => 2 * objectBytes + bufferBytes + body.length;

/** Creates the replies of one dialect, within the memory for answers. */
export function createRepeatedReplies({ head, memory }: Pick<Client, 'head' | 'memory'>, dialect: Dialect): RepeatedReplies {
  const again = memory.cache('answers', `${dialect.surface}-requests`, sizeOf);
  head.onRewind(() => again.clear());

  /** The name of a request. undefined if its reply is not kept. */
  function nameOf({ method, url = '/', headers }: IncomingMessage, body: Buffer | undefined): string | undefined {
    if (dialect.namesHeight && (headers[heightHeader] !== undefined || headers[minHeightHeader] !== undefined))
      return undefined;
    if (body === undefined) return method === 'GET' && url.length <= largestRequest ? url : undefined;
    // Each byte is one character. No URL begins with a space.
    return body.length <= largestRequest ? ` ${body.toString('latin1')}` : undefined;
  }

  return {
    find(request, body, viewer) {
      const name = nameOf(request, body);
      const known = name === undefined ? undefined : again.get(name);
      if (known === undefined || known.generation !== head.generation()) return undefined;
      return missingScope(known.method, viewer) === undefined ? known : undefined;
    },
    note(request, body, { method, reply, generation }) {
      const name = nameOf(request, body);
      if (name === undefined || !isRpcMethod(method)) return;
      again.set(name, { method, reply: { ...reply, body: ownBytes(Buffer.from(reply.body)) }, generation });
    },
  };
}

/** Options of {@link createNodeRpcHandler}. */
interface NodeRpcHandlerOptions {
  readonly client: Client;
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  readonly dialect: Dialect;
  /** The root path, without a trailing slash: '' or '/comet'. */
  readonly base: string;
}

/**
 * The methods of a node. Socket methods and unsafe methods are included: over HTTP, they are refused by name.
 */
const methodNames: ReadonlySet<string> = new Set([...Object.keys(rpcMethods), ...Object.keys(socketMethods), ...unsafeMethods]);

/** Path below the root that the socket handler serves after an upgrade. */
const socketName = 'websocket';

/** The response to a request for the path of the WebSocket that is not an upgrade. */
const notUpgraded = errorResponse(
  426,
  'BAD_USER_INPUT',
  'This path is a WebSocket. Send an upgrade request.',
  {},
  {
    connection: 'Upgrade',
    upgrade: 'websocket',
  },
);

/** Returns how long clients may cache a batch: as long as the least cacheable of its responses. */
function cachingOf(answers: readonly CallAnswer[]): Reply['caching'] {
  if (answers.some(({ caching }) => caching === 'never')) return 'never';
  return answers.every(({ caching }) => caching === 'day') ? 'day' : undefined;
}

/**
 * Creates the handler of the node RPC over HTTP: JSON-RPC by POST at the root, calls by URI at `/{method}`
 * (docs/chain.md, "Transports of the node RPC").
 */
export function createNodeRpcHandler(options: NodeRpcHandlerOptions): Handler {
  const { client, dispatch, limits, dialect, base } = options;
  const isComet = dialect.surface === 'comet';
  const jsonBounds = jsonBoundsOf(limits);
  const maxBatch = limits['rpc.batch'];
  const replies = createRepeatedReplies(client, dialect);

  /** The reply with a single response, or with an error of the whole batch. */
  function single(answer: CallAnswer, via: Via): Reply {
    const { text, caching, height, kind } = answer;
    const status = kind === undefined ? 200 : dialect.status(kind, via);
    return { status, body: text, caching, height, code: codeOf(answer), missingScope: answer.missingScope };
  }

  /** The reply to a request of which no call was executed. */
  function refusal(status: number, error: RpcError, timeless = false): Reply {
    return { status, body: dialect.encodeFailure(undefined, error), caching: 'never', code: 'BAD_USER_INPUT', timeless };
  }

  const tooLarge = refusal(
    isComet ? 400 : 413,
    invalidRequest('error reading request body: http: request body too large'),
    true,
  );

  async function answerAll(requests: readonly RpcRequest[], context: CallContext): Promise<Reply> {
    const asked = requests.filter(({ id }) => id !== undefined);
    const answers: CallAnswer[] = [];
    if (asked.some(({ method }) => isSending(method))) {
      for (const request of asked) answers.push(await dispatch.answer(dialect, request, context, 'post'));
    } else {
      answers.push(...(await Promise.all(asked.map((request) => dispatch.answer(dialect, request, context, 'post')))));
    }
    const whole = answers.find(({ kind }) => kind === 'stopped');
    if (whole !== undefined) return single(whole, 'post');
    const [first] = answers;
    if (first === undefined) return { status: 200, body: '', type: '' };
    // A single response is sent without an array, as on a node (docs/chain.md, "JSON-RPC batches").
    if (answers.length === 1) return single(first, 'post');
    const failed = answers.find(({ error }) => error !== undefined);
    const heights = new Set(answers.map(({ height }) => height));
    return {
      status: 200,
      body: `[${answers.map(({ text }) => text).join(',')}]`,
      caching: cachingOf(answers),
      height: heights.size === 1 ? first.height : undefined,
      code: failed && codeOf(failed),
    };
  }

  async function contextOf(
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
  ): Promise<CallContext | Reply> {
    const { viewer } = context.session;
    const requestId = context.record.id;
    const lifetime = lifetimeOf(response, limits['request.deadline'], context.arrived, context.record.span);
    if (!dialect.namesHeight) return { viewer, requestId, lifetime };
    const [height, minHeight] = [requestedHeight(request), headerOf(request, minHeightHeader)];
    if (height === undefined && minHeight === undefined) return { viewer, requestId, lifetime };
    const picked = await pickHeight(client, { height, minHeight }, limits, lifetime);
    // `x-min-height` alone selects no height: the newest block is at least that high now.
    if ('height' in picked) return { viewer, requestId, lifetime, ...(height !== undefined && { height: picked.height }) };
    const failure = failureOf(picked.error);
    if (failure === undefined) throw picked.error;
    const status = failure.kind === 'application' ? 400 : dialect.status(failure.kind, 'post');
    return { status, body: dialect.encodeFailure(undefined, failure.error), caching: 'never', code: 'BAD_USER_INPUT' };
  }

  const send = (response: ServerResponse, reply: SentReply, context: RequestContext): void =>
    sendReply(response, reply, { dialect, context });

  /** Charges the calls, less the point that the router has already charged. Returns false if it sent a refusal. */
  function charge(methods: readonly string[], context: RequestContext, response: ServerResponse): Awaitable<boolean> {
    const { points, broadcasts } = priceOf(methods);
    const paying = points > 1 || broadcasts > 0 ? context.caller.take(points - 1, broadcasts) : undefined;
    return andThen(paying, (refused) => {
      if (refused !== undefined) sendError(response, rateLimitResponse(refused), context.record, dialect.shape);
      else context.record.cost = points + context.record.bytes;
      return refused === undefined;
    });
  }

  /** Sends the reply to a request that was sent again. Returns false if it is not known. */
  function sendAgain(
    request: IncomingMessage,
    body: Buffer | undefined,
    response: ServerResponse,
    context: RequestContext,
  ): Awaitable<boolean> {
    const known = replies.find(request, body, context.session.viewer);
    if (known === undefined) return false;
    context.record.operation = known.method;
    return andThen(charge([known.method], context, response), (isPaid) => {
      if (isPaid) send(response, known.reply, context);
      return true;
    });
  }

  async function answerRoot(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const body = await context.body(limits['http.body']);
    if (body === null) {
      response.setHeader('connection', 'close');
      return send(response, tooLarge, context);
    }
    if (body.length === 0) {
      return send(response, { status: 200, body: listPage(`${publicHost(request)}${base}`), type: 'text/html' }, context);
    }
    if (await sendAgain(request, body, response, context)) return;
    const generation = client.head.generation();
    let requests: readonly RpcRequest[];
    try {
      requests = timed(context, () => parseBody(body, jsonBounds));
    } catch (error) {
      const problem = error instanceof RpcError ? error : parseError('error unmarshaling request: it cannot be read');
      return send(response, refusal(dialect.status('parse', 'post'), problem), context);
    }
    if (requests.length > maxBatch) {
      const text = `batch request exceeds maximum (${maxBatch}) allowed number of requests`;
      return send(response, refusal(200, invalidRequest(text), true), context);
    }
    const methods = requests.map(({ method }) => method);
    const [first = ''] = methods;
    context.record.operation = methods.length > 1 ? 'batch' : methodNames.has(first) ? first : undefined;
    if (!(await charge(methods, context, response))) return;
    const call = await contextOf(request, response, context);
    if ('status' in call) return send(response, call, context);
    const [only] = requests;
    if (requests.length > 1 || only?.id === undefined) return send(response, await answerAll(requests, call), context);
    const answer = await dispatch.answer(dialect, only, call, 'post');
    const reply = single(answer, 'post');
    if (answer.isRepeated === true) replies.note(request, body, { method: only.method, reply, generation });
    return send(response, reply, context);
  }

  async function answerUri(
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
  ): Promise<void> {
    if (!methodNames.has(method)) {
      const type = 'text/plain; charset=utf-8';
      return send(response, { status: 404, body: '404 page not found\n', type, caching: 'never' }, context);
    }
    if (await sendAgain(request, undefined, response, context)) return;
    const generation = client.head.generation();
    const params = await readUriParams(request, context, limits['http.otherBody']);
    if (params === null) {
      response.setHeader('connection', 'close');
      return send(response, tooLarge, context);
    }
    context.record.operation = method;
    if (!(await charge([method], context, response))) return;
    const call = await contextOf(request, response, context);
    if ('status' in call) return send(response, call, context);
    const answer = await dispatch.answerUri(dialect, method, params, call);
    const reply = single(answer, 'uri');
    if (answer.isRepeated === true) replies.note(request, undefined, { method, reply, generation });
    return send(response, reply, context);
  }

  return {
    surface: dialect.surface,
    shape: dialect.shape,
    acceptsLargeBody: (path) => path === base || path === `${base}/`,
    paths: base === '' ? ['/', ...[socketName, ...methodNames].map((name) => `/${name}`)] : [base, `${base}/*`],
    handle(request, response, context) {
      const method = context.path.slice(base.length + 1);
      if (method === socketName && request.method === 'GET') {
        sendError(response, notUpgraded, context.record, dialect.shape);
        return Promise.resolve();
      }
      if (!['GET', 'POST', 'HEAD'].includes(request.method ?? '')) {
        const allow = { allow: 'GET, HEAD, POST' };
        const answer = errorResponse(405, 'BAD_USER_INPUT', 'Use GET or POST.', {}, allow);
        sendError(response, answer, context.record, dialect.shape);
        return Promise.resolve();
      }
      return method === '' ? answerRoot(request, response, context) : answerUri(method, request, response, context);
    },
  };
}
