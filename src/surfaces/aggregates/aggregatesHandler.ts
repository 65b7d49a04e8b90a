import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, AnswerBody } from '../../answers/answer.ts';
import type { AnswerCache, Made } from '../../answers/answerCache.ts';
import {
  agreementHeader,
  proofHeader,
  proofUrl,
  proofUrlHeader,
  quorumHeader,
  type RequestQuorum,
  requestQuorum,
} from '../../answers/assurance.ts';
import { heightHeader, noHeights, pickHeight } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import { objectBytes } from '../../chain/memory/memoryBudget.ts';
import { proofsOff, proofUnavailable } from '../../chain/proofs/answerProofs.ts';
import { Dependencies } from '../../chain/state/state.ts';
import { boundsOf, type Limits, proofBoundsOf } from '../../config/limits/limits.ts';
import type { ListFormat } from '../../modules/records/export.ts';
import { readForRequest } from '../../modules/records/loaders.ts';
import { badInput } from '../../reads/errors.ts';
import { createPin, type Pin } from '../../reads/pin.ts';
import { refusalResponse } from '../../server/auth/bearer.ts';
import { Lifetime, readShared } from '../../server/lifetime.ts';
import {
  type ErrorResponse,
  errorResponse,
  failureResponse,
  methodNotAllowed,
  notFound,
  rateLimitResponse,
  sendError,
} from '../../server/messages/errors.ts';
import { assuranceInHeaders, cacheStatus, heightsInHeaders, varyOfAnswers } from '../../server/messages/requestHeaders.ts';
import { type Compression, sendAnswer } from '../../server/messages/sendAnswer.ts';
import type { Handler, RequestContext } from '../../server/router.ts';
import { aggregatesShape, createRouteMatcher, parameterTexts, type Route, type RouteRequest } from './route.ts';
import { createRouteTable } from './routeTable.ts';
import { blockTime } from './schemas.ts';

const contentTypes: Readonly<Record<ListFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

class ResponseError extends Error {
  override readonly name = 'ResponseError';
  readonly response: ErrorResponse;

  constructor(response: ErrorResponse) {
    super(response.message);
    this.response = response;
  }
}

/**
 * Sends a whole list. Only the page that is being read is in memory, and the next one is read when the client has taken it. Each page is charged before
 * it is read; a caller without points waits for them. Nothing is sent before the first page has been read: rejects if that fails. Returns false if the
 * list does not exist. A failure after the headers destroys the connection, so that the client notices that the list is cut off. Ends without an error
 * if the client disconnects. Rejects with unexpected errors.
 */
async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  list: {
    readonly stream: NonNullable<RouteRequest['stream']>;
    readonly format: ListFormat;
    readonly fileName: string;
    pin(signal: AbortSignal): Pin;
  },
  { caller, record }: Pick<RequestContext, 'caller' | 'record'>,
): Promise<boolean> {
  const { stream, format, fileName } = list;
  const { signal } = new Lifetime({ response, scope: record.span });
  // The router has charged 1 point already.
  let paid = 1;

  async function charge(): Promise<void> {
    const points = stream.points - paid;
    for (let refusal = await caller.take(points); refusal !== undefined; refusal = await caller.take(points)) {
      if (!response.headersSent) throw new ResponseError(rateLimitResponse(refusal));
      await pause(refusal.retryAfter * 1_000, undefined, { signal });
    }
    record.cost = (record.cost ?? 0) + points;
    paid = 0;
  }

  let texts: AsyncGenerator<string, void> | null = null;
  try {
    texts = await stream.texts(list.pin(signal), format, charge);
    if (texts === null) return false;
    let step = await readForRequest(texts.next());
    if (response.destroyed) return true;
    response.writeHead(200, {
      'content-type': contentTypes[format],
      'cache-control': 'no-store',
      ...(format === 'csv' && { 'content-disposition': `attachment; filename="${fileName}.csv"` }),
    });
    while (step.done !== true && request.method !== 'HEAD') {
      if (!response.write(step.value)) await once(response, 'drain', { signal });
      step = await readForRequest(texts.next());
      if (response.destroyed) return true;
    }
    response.end();
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    const failure = error instanceof ResponseError ? error.response : failureResponse(error);
    if (failure !== undefined && !response.headersSent) throw error;
    record.code = failure?.code ?? 'INTERNAL_SERVER_ERROR';
    // The router reports the error and destroys the connection.
    if (failure === undefined) throw error;
    response.destroy();
    return true;
  } finally {
    await texts?.return();
  }
}

const types: readonly (readonly [type: string, format: ListFormat | undefined])[] = [
  ['application/json', undefined],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv', 'csv'],
];

/** The quality that the most specific range of an `Accept` header gives to a media type; 0 if none matches. */
function qualityOf(accept: string, type: string): number {
  const ranges = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  let best = { rank: ranges.length, quality: 0 };
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const rank = ranges.indexOf(name);
    if (rank === -1 || rank > best.rank) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    best = { rank, quality: quality >= 0 && quality <= 1 ? quality : 0 };
  }
  return best.quality;
}

/**
 * The format of the stream that a request for a list asks for in its `Accept` header (RFC 9110, 12.5.1). undefined for JSON, which is also the response
 * if no type is acceptable.
 */
function streamFormatOf(accept: string | undefined): ListFormat | undefined {
  if (accept === undefined) return undefined;
  let best: { readonly format: ListFormat | undefined; readonly quality: number } = { format: undefined, quality: 0 };
  for (const [type, format] of types) {
    const quality = qualityOf(accept, type);
    if (quality > best.quality) best = { format, quality };
  }
  return best.format;
}

interface DecodedUrl {
  readonly route: Route;
  readonly decoded: RouteRequest;
  /** Whether it asks for the URL of a proof. */
  readonly wantsProof: boolean;
}

/** The parameter of every path that asks for the URL of a proof, as the header does. */
const proofParameter = 'proof';

/** Takes the parameter that asks for a proof out of a query. Returns whether it asks for one. */
function takeProof(query: URLSearchParams): boolean {
  const texts = query.getAll(proofParameter);
  for (const text of texts) if (text !== '1') throw badInput(proofParameter, text, '`1`, or absent');
  query.delete(proofParameter);
  return texts.length > 0;
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
function cacheControl({ readsArchive }: Route, { live }: RouteRequest, namedPlace: string | undefined): string {
  if (live) return 'no-store';
  return namedPlace === undefined || readsArchive ? 'no-cache' : 'private, max-age=86400, immutable';
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
  const matchRoute = createRouteMatcher(createRouteTable(bounds, limits['request.freshness'], proofBoundsOf(limits)));
  /** The decoded requests of URLs that were requested again. */
  const decodedUrls = client.memory.cache<DecodedUrl>('answers', 'aggregates-decoded', () => decodedBytes);

  async function make(
    route: Route,
    decoded: RouteRequest,
    height: bigint,
    wantsProof: boolean,
    { caller, record }: RequestContext,
    signal: AbortSignal,
    quorum: RequestQuorum | undefined,
  ): Promise<Made> {
    const points = decoded.points * (quorum?.factor ?? 1);
    record.cost = points + record.bytes;
    // The router has charged 1 point already.
    const refusal = await caller.take(points - 1);
    if (refusal !== undefined) throw new ResponseError(rateLimitResponse(refusal));
    const dependencies = new Dependencies({ collects: wantsProof });
    const pin = createPin(quorum?.client ?? client, height, { signal, caller: caller.name, bounds, dependencies });
    const content = await decoded.answer(pin, (points) => {
      caller.charge(points);
      record.cost = (record.cost ?? 0) + points;
    });
    if (content === null) throw notFoundError(route);
    const headers = ['content-type', 'application/json; charset=utf-8'];
    if (quorum !== undefined) headers.push(agreementHeader, quorum.header());
    if (wantsProof) {
      // The URL names the height.
      dependencies.dependsOnHeight();
      headers.push(proofUrlHeader, proofUrl(height, dependencies.requests()));
    }
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
    const { searchParams } = new URL(url, 'http://localhost');
    const wantsProof = takeProof(searchParams);
    return { route, decoded: route.decode(parameterTexts(match, searchParams)), wantsProof };
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
    const { proof, quorum: givenQuorum } = assuranceInHeaders(request.headers);
    const wantsProof = decodedUrl.wantsProof || proof !== undefined;
    if (wantsProof && client.answerProofs === undefined) throw proofsOff();
    if (wantsProof && route.readsArchive)
      throw proofUnavailable(
        'OPERATION',
        'Records are no state of the chain. A closed proposal has a proof of its own, `ProposalRecord.proof`.',
      );
    context.record.operation = route.operationId;
    const vary = route.streamName === undefined ? varyOfAnswers : `Accept, ${varyOfAnswers}`;
    const inHeaders = heightsInHeaders(request);
    const heights = {
      ...(decoded.height === undefined ? inHeaders : { ...noHeights, height: decoded.height }),
      needsProof: wantsProof || decoded.height !== undefined,
    };
    const lifetime = new Lifetime({ response, milliseconds: limits['request.deadline'], scope: context.record.span });
    const picking = pickHeight(client, heights, limits, lifetime, context.caller);
    const picked = picking instanceof Promise ? await picking : picking;
    if (response.closed) return;
    if ('error' in picked) throw picked.error;
    const { height, chain } = picked;
    const heightText = height.toString();
    noteHeight(heightText);
    const quorum = requestQuorum(client, quorumHeader, givenQuorum);
    const format = streamFormatOf(request.headers.accept);
    if (decoded.stream !== undefined && route.streamName !== undefined && format !== undefined) {
      // Its headers are sent before it is read.
      if (quorum !== undefined) throw badInput(quorumHeader, givenQuorum ?? '', 'absent for NDJSON and CSV');
      if (wantsProof) throw proofUnavailable('OPERATION', 'A whole list has no proof. Ask for its pages.');
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
      accept: `${wantsProof ? proofHeader : ''} ${givenQuorum ?? ''}`,
      contentType: '',
      body: undefined,
    };
    const deadline = { milliseconds: limits['request.deadline'], startedAt: context.arrived, scope: context.record.span };
    const answering = answers.answer(key, lifetime, (making) =>
      readShared(new Lifetime(deadline), making, ({ signal }) =>
        make(route, decoded, height, wantsProof, context, signal, quorum),
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
      cacheControl(route, decoded, heights.height ?? heights.time),
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
