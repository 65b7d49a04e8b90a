import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from '../../chain/client.ts';
import { listPage } from '../../chain/rpc/listPage.ts';
import { isRpcMethod, socketMethods, unsafeMethods } from '../../chain/rpc/methods.ts';
import { parseBody, type RpcRequest } from '../../chain/rpc/requests.ts';
import { invalidRequest, parseError, RpcError } from '../../chain/rpc/rpcError.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { jsonBoundsOf } from '../../graphql/limits/jsonBounds.ts';
import { minHeightHeader, pickHeight } from '../../graphql/operation/pickHeight.ts';
import { timed } from '../../graphql/request/caller.ts';
import type { Handler, RequestContext } from '../handlers/handler.ts';
import { lifetimeOf } from '../handlers/lifetime.ts';
import { errorResponse, rateLimitResponse, sendError } from '../messages/errors.ts';
import { headerOf, requestedHeight } from '../messages/headers.ts';
import type { CallContext } from './call.ts';
import type { Dialect, Via } from './dialect.ts';
import type { CallAnswer, Dispatch } from './dispatch.ts';
import { codeOf, failureOf } from './failures.ts';
import { readUriParams, type Sent, sendReply } from './httpReply.ts';
import { isSending, priceOf } from './prices.ts';

/** Where the node RPC answers in one dialect. */
export interface NodeRpcDoorOptions {
  readonly client: Client;
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  readonly dialect: Dialect;
  /** Path of its root, without a slash at its end: '' or '/comet'. */
  readonly base: string;
}

/** Whether a path below the root is one of a method: those without a call over HTTP too, which are refused by name. */
function isKnown(method: string): boolean {
  return isRpcMethod(method) || Object.hasOwn(socketMethods, method) || unsafeMethods.includes(method);
}

/** Path below the root that another handler takes, once a connection is upgraded. */
const socketName = 'websocket';

/** The answer to a request for a WebSocket's path that asks for none. */
const notUpgraded = errorResponse(
  426,
  'BAD_USER_INPUT',
  'This path is a WebSocket: a request asks to be upgraded to one.',
  {},
  {
    connection: 'Upgrade',
    upgrade: 'websocket',
  },
);

/** How long a batch may be kept: as its answer that may be kept the least. */
function keepingOf(answers: readonly CallAnswer[]): Sent['keeping'] {
  if (answers.some(({ keeping }) => keeping === 'never')) return 'never';
  return answers.every(({ keeping }) => keeping === 'day') ? 'day' : undefined;
}

/** Makes the handler of the node RPC over HTTP: JSON-RPC by POST at its root, URI at `/{method}` (chain.md 1.3). */
export function createNodeRpcHandler(options: NodeRpcDoorOptions): Handler {
  const { client, dispatch, limits, dialect, base } = options;
  const isComet = dialect.surface === 'comet';
  const jsonBounds = jsonBoundsOf(limits);
  const maxBatch = limits['rpc.batch'];

  /** A single answer, or one for a request as a whole. */
  function alone(answer: CallAnswer, via: Via): Sent {
    const { text, keeping, height, kind } = answer;
    const status = kind === undefined ? 200 : dialect.status(kind, via);
    return { status, body: text, keeping, height, code: codeOf(answer), lacks: answer.lacks };
  }

  /** What refuses a request of which no call was made. */
  function refusal(status: number, error: RpcError, timeless = false): Sent {
    return { status, body: dialect.encodeFailure(undefined, error), keeping: 'never', code: 'BAD_USER_INPUT', timeless };
  }

  const tooLarge = refusal(
    isComet ? 400 : 413,
    invalidRequest('error reading request body: http: request body too large'),
    true,
  );

  async function answerAll(requests: readonly RpcRequest[], context: CallContext): Promise<Sent> {
    const [only] = requests;
    if (requests.length === 1 && only?.id !== undefined)
      return alone(await dispatch.answer(dialect, only, context, 'post'), 'post');
    const asked = requests.filter(({ id }) => id !== undefined);
    const answers: CallAnswer[] = [];
    if (asked.some(({ method }) => isSending(method))) {
      for (const request of asked) answers.push(await dispatch.answer(dialect, request, context, 'post'));
    } else {
      answers.push(...(await Promise.all(asked.map((request) => dispatch.answer(dialect, request, context, 'post')))));
    }
    const whole = answers.find(({ kind }) => kind === 'stopped');
    if (whole !== undefined) return alone(whole, 'post');
    const [first] = answers;
    if (first === undefined) return { status: 200, body: '', type: '' };
    // A batch that leaves one answer is answered without the array (chain.md finding 3).
    if (answers.length === 1) return alone(first, 'post');
    const failed = answers.find(({ error }) => error !== undefined);
    const heights = new Set(answers.map(({ height }) => height));
    return {
      status: 200,
      body: `[${answers.map(({ text }) => text).join(',')}]`,
      keeping: keepingOf(answers),
      height: heights.size === 1 ? first.height : undefined,
      code: failed && codeOf(failed),
    };
  }

  async function contextOf(
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
  ): Promise<CallContext | Sent> {
    const { viewer } = context.session;
    const requestId = context.record.id;
    const lifetime = lifetimeOf(response, limits['request.deadline'], context.arrived);
    if (!dialect.namesHeight) return { viewer, requestId, lifetime };
    const [height, minHeight] = [requestedHeight(request), headerOf(request, minHeightHeader)];
    if (height === undefined && minHeight === undefined) return { viewer, requestId, lifetime };
    const picked = await pickHeight(client, { height, minHeight }, limits, lifetime);
    // A block that was waited for pins nothing: the newest is at least that.
    if ('height' in picked) return { viewer, requestId, lifetime, ...(height !== undefined && { height: picked.height }) };
    const failure = failureOf(picked.error);
    if (failure === undefined) throw picked.error;
    const status = failure.kind === 'application' ? 400 : dialect.status(failure.kind, 'post');
    return { status, body: dialect.encodeFailure(undefined, failure.error), keeping: 'never', code: 'BAD_USER_INPUT' };
  }

  const send = (response: ServerResponse, sent: Sent, context: RequestContext): void =>
    sendReply(response, sent, { dialect, context });

  /** Charges what the calls cost beyond the point that the request was charged already. Whether it went on. */
  function charge(methods: readonly string[], context: RequestContext, response: ServerResponse): boolean {
    const { points, broadcasts } = priceOf(methods);
    if (points > 1 || broadcasts > 0) {
      const refused = context.caller.take(points - 1, broadcasts);
      if (refused !== undefined) {
        sendError(response, rateLimitResponse(refused), context.record, dialect.shape);
        return false;
      }
    }
    context.record.cost = points + context.record.bytes;
    return true;
  }

  async function answerRoot(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const body = await context.body(limits['http.body']);
    if (body === null) {
      response.setHeader('connection', 'close');
      return send(response, tooLarge, context);
    }
    if (body.length === 0) {
      return send(
        response,
        { status: 200, body: listPage(`${request.headers.host ?? ''}${base}`), type: 'text/html' },
        context,
      );
    }
    let requests: readonly RpcRequest[];
    try {
      requests = timed(context, () => parseBody(body, jsonBounds));
    } catch (error) {
      const told = error instanceof RpcError ? error : parseError('error unmarshaling request: it cannot be read');
      return send(response, refusal(dialect.status('parse', 'post'), told), context);
    }
    if (requests.length > maxBatch) {
      const text = `batch request exceeds maximum (${maxBatch}) allowed number of requests`;
      return send(response, refusal(200, invalidRequest(text), true), context);
    }
    const methods = requests.map(({ method }) => method);
    const [first = ''] = methods;
    context.record.operation = methods.length > 1 ? 'batch' : isKnown(first) ? first : undefined;
    if (!charge(methods, context, response)) return;
    const call = await contextOf(request, response, context);
    if ('status' in call) return send(response, call, context);
    return send(response, await answerAll(requests, call), context);
  }

  async function answerUri(
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
  ): Promise<void> {
    if (!isKnown(method)) {
      const type = 'text/plain; charset=utf-8';
      return send(response, { status: 404, body: '404 page not found\n', type, keeping: 'never' }, context);
    }
    const params = await readUriParams(request, context, limits['http.otherBody']);
    if (params === null) {
      response.setHeader('connection', 'close');
      return send(response, tooLarge, context);
    }
    context.record.operation = method;
    if (!charge([method], context, response)) return;
    const call = await contextOf(request, response, context);
    if ('status' in call) return send(response, call, context);
    return send(response, alone(await dispatch.answerUri(dialect, method, params, call), 'uri'), context);
  }

  return {
    surface: dialect.surface,
    shape: dialect.shape,
    acceptsLargeBody: (path) => path === base || path === `${base}/`,
    matches(path) {
      if (isComet) return path === base || path.startsWith(`${base}/`);
      return path === '/' || path === `/${socketName}` || isKnown(path.slice(1));
    },
    handle(request, response, context) {
      const method = context.path.slice(base.length + 1);
      if (method === socketName && request.method === 'GET') {
        sendError(response, notUpgraded, context.record, dialect.shape);
        return Promise.resolve();
      }
      if (!['GET', 'POST', 'HEAD'].includes(request.method ?? '')) {
        const allow = { allow: 'GET, HEAD, POST' };
        const answer = errorResponse(405, 'BAD_USER_INPUT', 'Calls come by GET or POST.', {}, allow);
        sendError(response, answer, context.record, dialect.shape);
        return Promise.resolve();
      }
      return method === '' ? answerRoot(request, response, context) : answerUri(method, request, response, context);
    },
  };
}
