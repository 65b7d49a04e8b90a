import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, AnswerBody } from '../../answers/answer.ts';
import type { AnswerCache, Made } from '../../answers/answerCache.ts';
import { heightHeader, minHeightHeader, pickHeight } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import { objectBytes } from '../../chain/memory/memoryBudget.ts';
import { Dependencies } from '../../chain/state/state.ts';
import { boundsOf, type Limits } from '../../config/limits/limits.ts';
import { createPin, type Pin } from '../../reads/pin.ts';
import { refusalResponse } from '../../server/auth/bearer.ts';
import { Lifetime, lifetimeOf, readShared } from '../../server/lifetime.ts';
import {
  type ErrorResponse,
  type ErrorShape,
  errorResponse,
  failureResponse,
  methodNotAllowed,
  notFound,
  rateLimitResponse,
  sendError,
} from '../../server/messages/errors.ts';
import { cacheStatus, headerOf, requestedHeight, varyOfAnswers } from '../../server/messages/requestHeaders.ts';
import { type Compression, sendAnswer } from '../../server/messages/sendAnswer.ts';
import type { Handler, RequestContext } from '../../server/router.ts';
import { createRouteMatcher, parameterTexts, type Route, type RouteRequest } from './route.ts';
import { createRouteTable } from './routeTable.ts';
import { blockTime } from './schemas.ts';
import { ResponseError, sendStream, streamFormatOf } from './sendStream.ts';

/** Serializes an error as one object. The GraphQL fact `argument` is the member `field`. */
const aggregatesShape: ErrorShape = ({ code, message, facts }) => {
  const members = Object.entries(facts).map(([name, value]) => [name === 'argument' ? 'field' : name, value]);
  return JSON.stringify({ code, message, ...Object.fromEntries(members) });
};

interface DecodedUrl {
  readonly route: Route;
  readonly decoded: RouteRequest;
}

/** The longest URL whose decoded request is kept, in characters, and the estimated memory of it: its functions and parameters. */
const longestUrl = 512;
const decodedBytes = 20 * objectBytes + longestUrl;

function notFoundError({ present }: Route): ResponseError {
  const { field, bound } = present ?? { field: 'path', bound: 'that of an existing object' };
  const facts = { argument: field, bound };
  return new ResponseError(errorResponse(404, 'NOT_FOUND', `Nothing was found: \`${field}\` must be ${bound}.`, facts));
}

/**
 * Returns the `Cache-Control` header of a successful response. A node updates its index after the block, so an entry at a
 * height can be added later. The archive may fill in older blocks, which changes its records at a height.
 */
function cacheControl({ readsArchive }: Route, { live }: RouteRequest, namedHeight: string | undefined): string {
  if (live) return 'no-store';
  return namedHeight === undefined || readsArchive ? 'no-cache' : 'private, max-age=86400, immutable';
}

/**
 * Creates the handler of `/v1`: aggregates that clients can display as they are, each read at one height. Clients may cache a
 * response for a day if the request specifies the height. Responses from the node's index and errors are `no-store`. All others
 * must be revalidated. A response that this server has cached costs 1 point.
 */
export function createAggregatesHandler(options: {
  readonly client: Client;
  readonly answers: AnswerCache;
  readonly compression: Compression;
  readonly limits: Limits;
}): Handler {
  const { client, answers, compression, limits } = options;
  const bounds = boundsOf(limits);
  const matchRoute = createRouteMatcher(createRouteTable(bounds, limits['request.freshness']));
  /** The decoded requests of URLs that were requested again. */
  const decodedUrls = client.memory.cache<DecodedUrl>('answers', 'aggregates-decoded', () => decodedBytes);

  async function make(
    route: Route,
    decoded: RouteRequest,
    height: bigint,
    { caller, record }: RequestContext,
    signal: AbortSignal,
  ): Promise<Made> {
    record.cost = decoded.points + record.bytes;
    // The router has charged 1 point already.
    const refusal = await caller.take(decoded.points - 1);
    if (refusal !== undefined) throw new ResponseError(rateLimitResponse(refusal));
    const dependencies = new Dependencies();
    const content = await decoded.answer(createPin(client, height, { signal, caller: caller.name, bounds, dependencies }));
    if (content === null) throw notFoundError(route);
    const headers = ['content-type', 'application/json; charset=utf-8'];
    // The members that every response begins with are written when it is sent.
    const body: AnswerBody = { parts: [Buffer.alloc(0), Buffer.from(JSON.stringify(content).slice(1))], places: ['start'] };
    const answer: Answer = { status: 200, operation: route.operationId, headers, body };
    return { answer, keep: !decoded.live, carried: dependencies.carried() };
  }

  /** Whether this server has a route: it may have no archive. */
  const has = ({ readsArchive }: Route): boolean => !readsArchive || client.archive() !== undefined;

  /** Finds the route of a request and decodes its parameters. Throws for a path without a route and for invalid parameters. */
  function decode(url: string, { path, record }: RequestContext): DecodedUrl {
    const match = matchRoute(path);
    if (match === undefined || !has(match.route)) throw new ResponseError(notFound);
    const { route } = match;
    record.operation = route.operationId;
    return { route, decoded: route.decode(parameterTexts(match, new URL(url, 'http://localhost').searchParams)) };
  }

  /** Sends the answer to a request. Calls `noteHeight` when the height is picked. */
  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
    noteHeight: (height: string) => void,
  ): Promise<void> {
    const { url = '/' } = request;
    const earlier = decodedUrls.get(url);
    const decodedUrl = earlier !== undefined && has(earlier.route) ? earlier : decode(url, context);
    const { route, decoded } = decodedUrl;
    context.record.operation = route.operationId;
    const vary = route.streamName === undefined ? varyOfAnswers : `Accept, ${varyOfAnswers}`;
    const heights = { height: requestedHeight(request), minHeight: headerOf(request, minHeightHeader) };
    const lifetime = lifetimeOf(response, limits['request.deadline'], undefined, context.record.span);
    const picking = pickHeight(client, heights, limits, lifetime);
    const picked = picking instanceof Promise ? await picking : picking;
    if (response.closed) return;
    if ('error' in picked) throw picked.error;
    const { height, chain } = picked;
    const heightText = height.toString();
    noteHeight(heightText);
    const format = streamFormatOf(request.headers.accept);
    if (decoded.stream !== undefined && route.streamName !== undefined && format !== undefined) {
      const pin = (signal: AbortSignal): Pin => createPin(client, height, { signal, caller: context.caller.name, bounds });
      const list = { stream: decoded.stream, format, fileName: route.streamName, pin };
      lifetime.end();
      response.setHeader('vary', vary);
      response.setHeader(heightHeader, heightText);
      if (!(await sendStream(request, response, list, context))) throw notFoundError(route);
      return;
    }
    const key = {
      chain,
      height,
      scopes: context.session.viewer.scopes,
      method: 'GET',
      url,
      accept: '',
      contentType: '',
      body: undefined,
    };
    const answering = answers.answer(key, lifetime, (making) =>
      readShared(new Lifetime(limits['request.deadline'], context.arrived, context.record.span), making, ({ signal }) =>
        make(route, decoded, height, context, signal),
      ),
    );
    const foundAnswer = answering instanceof Promise ? await answering : answering;
    if (foundAnswer === undefined) return;
    if (foundAnswer.source !== 'made' && earlier === undefined && url.length <= longestUrl) decodedUrls.set(url, decodedUrl);
    const head = client.head.current();
    const time =
      head?.height === height ? head.time : await blockTime(createPin(client, height, { signal: lifetime.signal }), height);
    if (response.closed) return;
    const start = `{"blockHeight":"${height}","blockTime":${JSON.stringify(time)},`;
    const headers = [
      ...foundAnswer.answer.headers,
      'vary',
      vary,
      heightHeader,
      heightText,
      'cache-control',
      cacheControl(route, decoded, heights.height),
      'cache-status',
      cacheStatus[foundAnswer.source],
    ];
    await sendAnswer(response, foundAnswer, headers, () => start, compression);
  }

  async function handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const { method = '' } = request;
    const { session, record } = context;
    const refuse = (refusal: ErrorResponse): void => sendError(response, refusal, record, aggregatesShape);
    if (method !== 'GET' && method !== 'HEAD') return refuse(methodNotAllowed);
    if (!session.viewer.scopes.includes('read')) return refuse(refusalResponse({ reason: 'noScope', scope: 'read' }));
    let height: string | undefined;
    try {
      await answer(request, response, context, (picked) => {
        height = picked;
      });
    } catch (error) {
      if (height !== undefined && !response.headersSent) response.setHeader(heightHeader, height);
      const failure = error instanceof ResponseError ? error.response : failureResponse(error);
      if (failure === undefined) throw error;
      refuse(failure);
    }
  }

  return {
    surface: 'aggregates',
    shape: aggregatesShape,
    paths: ['/v1', '/v1/*'],
    handle,
  };
}
