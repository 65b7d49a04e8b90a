import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { boundsOf } from '../../graphql/operation/context.ts';
import { heightHeader, minHeightHeader, pickHeight } from '../../graphql/operation/pickHeight.ts';
import { createAnswerCache, type KeptAnswer } from '../../graphql/request/answerCache.ts';

import { createPin } from '../../reads/pin.ts';
import { refusalResponse } from '../auth/authRefusal.ts';

import type { Handler, RequestContext } from '../handlers/handler.ts';
import { Lifetime, lifetimeOf, readShared } from '../handlers/lifetime.ts';
import {
  type ErrorResponse,
  errorResponse,
  methodNotAllowed,
  notFound,
  rateLimitResponse,
  sendError,
} from '../messages/errors.ts';
import { failureResponse } from '../messages/failureResponse.ts';
import { headerOf, requestedHeight, varyByHeight } from '../messages/headers.ts';
import { aggregatesShape } from './errorShape.ts';
import { matchRoute, parameterTexts } from './match.ts';
import type { Asked, Route } from './route.ts';
import { createRouteTable } from './routeTable.ts';
import { blockTime } from './views.ts';

/** A request that is answered with a failure of which nothing more is to be told than this. */
class AnsweredError extends Error {
  override readonly name = 'AnsweredError';
  readonly answer: ErrorResponse;

  constructor(answer: ErrorResponse) {
    super(answer.message);
    this.answer = answer;
  }
}

function missing({ present }: Route): AnsweredError {
  const { field, bound } = present ?? { field: 'path', bound: 'of something' };
  const facts = { argument: field, bound };
  return new AnsweredError(errorResponse(404, 'BAD_USER_INPUT', `\`${field}\` must be ${bound}.`, facts));
}

/** `Cache-Control` of an answer with status 200. The node writes its index after the block: an entry that is missing at a height may be added later. */
function cacheControl({ live }: Asked, namedHeight: string | undefined): string {
  if (live) return 'no-store';
  return namedHeight === undefined ? 'no-cache' : 'private, max-age=86400, immutable';
}

/**
 * Makes the handler of `/v1`: aggregates that clients can show as they are, each read at one height. A client may keep an answer at a height that its request
 * names for a day; answers from the node's index and errors are `no-store`; all others are revalidated. An answer that this server still has costs its caller 1
 * point.
 */
export function createAggregatesHandler({ client, limits }: { readonly client: Client; readonly limits: Limits }): Handler {
  const bounds = boundsOf(limits);
  const routes = createRouteTable(bounds);
  const answers = createAnswerCache(client.memory, 'aggregates');
  client.head.onRewind(answers.clear);

  async function make(route: Route, asked: Asked, height: bigint, { caller, record }: RequestContext, signal: AbortSignal) {
    record.cost = asked.points + record.bytes;
    // One was taken when the request came.
    const refused = caller.take(asked.points - 1);
    if (refused !== undefined) throw new AnsweredError(rateLimitResponse(refused));
    const pin = createPin(client, height, signal, bounds);
    const [found, time] = await Promise.all([asked.answer(pin), blockTime(pin, height)]);
    if (found === null) throw missing(route);
    const body = Buffer.from(JSON.stringify({ blockHeight: height.toString(), blockTime: time, ...found }));
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const answer: KeptAnswer = { status: 200, operation: route.operationId, headers, body };
    return { answer, keep: !asked.live };
  }

  async function answer(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const { url = '/' } = request;
    const { session, record } = context;
    const match = matchRoute(routes, context.path);
    if (match === undefined) throw new AnsweredError(notFound);
    const { route } = match;
    record.operation = route.operationId;
    const asked = route.ask(parameterTexts(match, new URL(url, 'http://localhost').searchParams));
    const named = { height: requestedHeight(request), minHeight: headerOf(request, minHeightHeader) };
    const lifetime = lifetimeOf(response, limits['request.deadline']);
    const picked = await pickHeight(client, named, limits, lifetime);
    if (response.closed) return;
    if ('error' in picked) throw picked.error;
    const { height, chain } = picked;
    response.setHeader(heightHeader, height.toString());
    const key = {
      chain,
      height,
      scopes: session.viewer.scopes,
      method: 'GET',
      url,
      accept: '',
      contentType: '',
      body: undefined,
    };
    const reads = new Lifetime(limits['request.deadline'], context.arrived);
    const made = await answers.answer(key, lifetime, ({ onAbandoned }) =>
      readShared(reads, onAbandoned, (signal) => make(route, asked, height, context, signal)),
    );
    if (made === undefined) return;
    response.writeHead(made.answer.status, {
      ...made.answer.headers,
      'cache-control': cacheControl(asked, named.height),
      'cache-status': made.hit ? 'stele; hit' : 'stele; fwd=miss',
      'content-length': made.answer.body.length,
    });
    // To HEAD goes none of it.
    response.end(made.answer.body);
  }

  async function handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const { method = '' } = request;
    const { session, record } = context;
    response.setHeader('vary', varyByHeight);
    const refuse = (refused: ErrorResponse): void => sendError(response, refused, record, aggregatesShape);
    if (method !== 'GET' && method !== 'HEAD') return refuse(methodNotAllowed);
    if (!session.viewer.scopes.includes('read')) return refuse(refusalResponse({ reason: 'noScope', scope: 'read' }));
    try {
      await answer(request, response, context);
    } catch (error) {
      const told = error instanceof AnsweredError ? error.answer : failureResponse(error);
      if (told === undefined) throw error;
      refuse(told);
    }
  }

  return {
    surface: 'aggregates',
    shape: aggregatesShape,
    matches: (path) => path === '/v1' || path.startsWith('/v1/'),
    handle,
  };
}
