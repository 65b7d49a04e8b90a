import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, plainBody } from '../../answers/answer.ts';
import type { AnswerCache, Found, Made } from '../../answers/answerCache.ts';
import {
  agreementHeader,
  proofHeader,
  proofUrl,
  proofUrlHeader,
  quorumHeader,
  type RequestQuorum,
  requestQuorum,
} from '../../answers/assurance.ts';
import { noteOperation } from '../../answers/caller.ts';
import { heightHeader, pickHeight } from '../../answers/pickHeight.ts';
import { ChainError, isChainError } from '../../chain/base/errors.ts';
import type { Client } from '../../chain/client.ts';
import { bufferBytes, objectBytes, ownBytes, textBytes, valueBytes } from '../../chain/memory/memoryBudget.ts';
import { proofsOff, proofUnavailable } from '../../chain/proofs/answerProofs.ts';
import { Dependencies } from '../../chain/state/state.ts';
import type { Broadcast } from '../../chain/transactions/broadcaster.ts';
import { goBase64Error, goKindOf, goQuote, stringify } from '../../chain/wire/goText.ts';
import { type JsonObject, malformed } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { checkAccounts } from '../../modules/account/query.ts';
import { encodeRequest } from '../../modules/any/module.ts';
import { createPin } from '../../reads/pin.ts';
import { queryLatest } from '../../reads/query.ts';
import { maySimulate } from '../../reads/viewer.ts';
import { refusalResponse } from '../../server/auth/bearer.ts';
import { Lifetime, type ReadonlyLifetime, readShared } from '../../server/lifetime.ts';
import { type ErrorResponse, errorResponse, rateLimitResponse, sendError } from '../../server/messages/errors.ts';
import {
  assuranceInHeaders,
  cacheStatus,
  headerOf,
  heightsInHeaders,
  requestedHeight,
} from '../../server/messages/requestHeaders.ts';
import { type Compression, gzipTag, sendAnswer } from '../../server/messages/sendAnswer.ts';
import type { Handler, RequestContext } from '../../server/router.ts';
import { type Dialect, gatewayHeader, grpc, ParameterError, sendFailure, varyOfRest } from './dialect.ts';
import { boundPage, groupListPage, itemsIn, needsTotal, type PageAsked } from './listPages.ts';
import { createPrinter, type Printer } from './printer.ts';
import {
  bodyError,
  knownFields,
  type RequestText,
  readJsonBody,
  readRequestText,
  requestJson,
  takesTransaction,
} from './requestJson.ts';
import { accountsIn, checkOperation, factorOf, type RestRoute, type RouteTable, type RouteTables } from './routes.ts';

type TxSending = (response: ServerResponse, context: RequestContext) => Promise<void>;

/** The path of `BroadcastTx`, without the base of a dialect. */
export const broadcastPath = '/cosmos/tx/v1beta1/txs';

const service = 'cosmos.tx.v1beta1.Service';

/** The price of a GraphQL field that broadcasts. */
const points = 20;

/**
 * SDK codes of mempool errors (docs/chain.md, "Mempool refusals"): the transaction is already in the mempool, the mempool is
 * full, the transaction is too large.
 */
const knownTransaction = 19;
const refusals: Readonly<Record<string, number>> = { FULL: 20, RECHECKING: 20, TOO_LARGE: 21 };

/** Serializes a `BroadcastTxResponse`. Its format is from the source of the SDK, not recorded: most members are empty. */
function answerText(
  hash: string,
  { code, codespace, data, log }: { code: number; codespace: string; data: string; log: string },
): string {
  return stringify({
    tx_response: {
      height: '0',
      txhash: hash,
      codespace,
      code,
      data,
      raw_log: log,
      logs: [],
      info: '',
      gas_wanted: '0',
      gas_used: '0',
      tx: null,
      timestamp: '',
      events: [],
    },
  });
}

function mempoolText(hash: string, code: number): string {
  return answerText(hash, { code, codespace: 'sdk', data: '', log: '' });
}

function textOf({ hash, status, checkTx, duplicate }: Broadcast): string {
  if (duplicate) return mempoolText(hash, knownTransaction);
  if (status === 'UNKNOWN' && checkTx === null) {
    const text = `The response of the node was lost. It may have received transaction ${hash}. Send the same bytes again.`;
    throw new ChainError('NODE_UNREACHABLE', text, { sent: true });
  }
  const { code, codespace, log, data } = checkTx ?? { code: 0, codespace: '', log: '', data: '' };
  const hex = Buffer.from(data ?? '', 'base64').toString('hex');
  return answerText(hash, { code, codespace, data: hex.toUpperCase(), log });
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value !== 'string' || value === '') throw bodyError('an object whose `tx_bytes` is a transaction in base64');
  const standard = value
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={0,2}$/, '');
  const bytes = Buffer.from(standard, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== standard) throw bodyError('an object whose `tx_bytes` is in base64');
  return bytes;
}

const modes = ['UNSPECIFIED', 'BLOCK', 'SYNC', 'ASYNC'].map((name) => `BROADCAST_MODE_${name}`);

/** Throws the node's errors in its order. Guess from the source of the SDK and of its JSON decoder, not recorded. */
function checkAsNode(mode: unknown, givenTx: unknown): void {
  const supportedModes = 'BROADCAST_MODE_SYNC or BROADCAST_MODE_ASYNC';
  if (givenTx !== undefined && givenTx !== null) {
    const problem =
      typeof givenTx === 'string'
        ? goBase64Error(givenTx, 'standard')
        : `json: cannot unmarshal ${goKindOf(givenTx)} into Go value of type []uint8`;
    if (problem !== undefined) throw bodyError('an object whose `tx_bytes` is in base64', problem);
  }
  if (typeof mode === 'string' && !modes.includes(mode)) {
    throw bodyError(supportedModes, `unknown value ${goQuote(mode)} for enum cosmos.tx.v1beta1.BroadcastMode`);
  }
  if (typeof givenTx !== 'string' || givenTx === '') throw bodyError('an object with `tx_bytes`', 'invalid empty tx');
  const number = typeof mode === 'string' ? modes.indexOf(mode) : mode;
  if (number === 2 || number === 3) return;
  const facts = { parameter: 'mode', value: '', bound: supportedModes, where: 'body', nodeCode: grpc.UNKNOWN } as const;
  throw new ParameterError({ ...facts, nodeText: 'unsupported return type unspecified; supported types: sync, async' });
}

/**
 * Creates the handler that broadcasts transactions for tokens with the scope `broadcast`. It uses the same broadcaster as all other surfaces. A
 * rejection by CheckTx is data with status 200. Only the modes that do not wait for a block are accepted, as in the SDK since 0.47.
 */
function createTxSending({ broadcaster, head }: Client, limits: Limits, dialect: Dialect): TxSending {
  async function send(mode: unknown, tx: Uint8Array, signal: AbortSignal): Promise<string> {
    try {
      if (mode === 'BROADCAST_MODE_SYNC' || mode === 2) return textOf(await broadcaster.sync(tx, { signal }));
      if (mode === 'BROADCAST_MODE_ASYNC' || mode === 3) return textOf(await broadcaster.async(tx, { signal }));
    } catch (error) {
      const code = isChainError(error, 'MEMPOOL_REJECTED') ? refusals[error.facts.reason] : undefined;
      if (!isChainError(error, 'MEMPOOL_REJECTED') || code === undefined) throw error;
      return mempoolText(error.facts.hash, code);
    }
    throw bodyError('an object whose `mode` is BROADCAST_MODE_SYNC or BROADCAST_MODE_ASYNC');
  }

  return async (response, context) => {
    noteOperation(context.record, 'BroadcastTx');
    if (!context.session.viewer.scopes.includes('broadcast')) {
      return sendError(response, refusalResponse({ reason: 'noScope', scope: 'broadcast' }), context.record, dialect.shape);
    }
    const refusal = await context.caller.take(points, 1);
    if (refusal !== undefined) return sendError(response, rateLimitResponse(refusal), context.record, dialect.shape);
    context.record.cost = 1 + context.record.bytes + points;
    try {
      const { asGo } = dialect;
      const { tx_bytes: givenTx, txBytes = givenTx, mode } = await readJsonBody(context, broadcastPath, limits, asGo);
      if (asGo) checkAsNode(mode, txBytes);
      const milliseconds = limits['request.deadline'];
      const { signal } = new Lifetime({ response, milliseconds, startedAt: context.arrived, scope: context.record.span });
      const body = await send(mode, bytesOf(txBytes), signal);
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', vary: 'Authorization, Origin' };
      response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    } catch (error) {
      sendFailure(response, context, dialect, error, { service, height: undefined, latest: head.current()?.height });
    }
  };
}

interface DecodedRequest {
  readonly route: RestRoute;
  readonly table: RouteTable;
  readonly path: string;
  readonly json: JsonObject;
  readonly request: Buffer;
  readonly page: PageAsked | undefined;
  /** Price in points, in addition to the one point of every request, if the response is not cached. */
  readonly points: number;
}

/** Price of counting a list, as in GraphQL. */
const countPoints = 50;

const jsonType = 'application/json';
const timeHeader = 'x-server-time';

const timeNow = (): string => String(Math.floor(Date.now() / 1000));

/** The answers of REST have no places. */
const noTexts = (): string => '';

/** Returns the entity tag under which the client has this response cached, plain or compressed (RFC 9110, 13.1.2). undefined if it has not. */
function matchingTag(request: IncomingMessage, { status, headers }: Answer): string | undefined {
  const condition = request.headers['if-none-match'];
  const index = condition === undefined || status !== 200 ? -1 : headers.indexOf('etag');
  const etag = index === -1 ? undefined : headers[index + 1];
  if (condition === undefined || etag === undefined) return undefined;
  const tags = condition.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return [etag, gzipTag(etag)].find((tag) => tags.includes(tag));
}

/**
 * Returns the height in the header `x-cosmos-block-height` of a request, or in that of grpc-gateway. undefined for the newest block, which 0 stands
 * for as well. In the node's dialect, an invalid height gets the node's error; that of a negative height is a guess by analogy.
 */
function heightInHeaders(request: IncomingMessage, { asGo }: Dialect): string | undefined {
  const header = headerOf(request, heightHeader) === undefined ? gatewayHeader.toLowerCase() : heightHeader;
  const text = requestedHeight(request, header);
  if (text === undefined || !asGo || /^\d{1,19}$/.test(text)) return text;
  const problem = /^-\d{1,19}$/.test(text)
    ? 'cannot query with height < 0; please provide a valid height'
    : `Baseapp.RegisterGRPCServer: invalid height header "${heightHeader}": strconv.ParseInt: parsing ${goQuote(text.slice(0, 64))}: invalid syntax`;
  throw new ParameterError({
    parameter: heightHeader,
    value: text,
    where: 'header',
    bound: 'a height in decimal',
    nodeText: `codespace sdk code 18: invalid request: ${problem}`,
    nodeCode: grpc.UNKNOWN,
  });
}

/**
 * Creates the REST handler of one dialect. The height of a response is the one that a header names, or that of the last block at or before the time
 * that a header names, else the newest one (`pickHeight`). Responses at a height are cached as bytes. Reads share the state cache with GraphQL, so
 * equal reads reach a node once.
 */
export function createRestHandler(options: {
  readonly client: Client;
  readonly tables: RouteTables;
  readonly answers: AnswerCache;
  readonly compression: Compression;
  readonly limits: Limits;
  readonly dialect: Dialect;
}): Handler {
  const { client, tables, answers, compression, limits, dialect } = options;
  const sending = dialect.broadcasts ? createTxSending(client, limits, dialect) : undefined;
  const printers = new WeakMap<RouteTable, Printer>();
  /** The decoded requests of URLs that were requested again. Requests with a body are not kept. */
  const decodedRequests = client.memory.cache<DecodedRequest>(
    'answers',
    `${dialect.surface}-decoded`,
    ({ path, json, request }) => 2 * objectBytes + textBytes(path) + valueBytes(json) + bufferBytes + request.length,
  );
  /** The table of all requests in {@link decodedRequests}. */
  let decodedTable: RouteTable | undefined;
  /** Most items that are paid before they are read. Further ones are paid when they have been read, because most lists are shorter. */
  const paidMost = limits['rest.page.max'];
  const sendsTime = dialect.surface === 'rest-node';

  /** Sets the time on a response that is not an answer. Every response of a node's server contains its time in seconds. */
  function setTime(response: ServerResponse): void {
    if (sendsTime) response.setHeader(timeHeader, timeNow());
  }

  function refuse(response: ServerResponse, context: RequestContext, answer: ErrorResponse): void {
    setTime(response);
    sendError(response, { ...answer, headers: { ...answer.headers, 'content-type': jsonType } }, context.record, dialect.shape);
  }

  /** Finds the route of a request. Returns undefined if it has sent a response. */
  async function routeOf(
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
    lifetime: ReadonlyLifetime,
  ) {
    const { method = 'GET', url = '' } = request;
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
    const text = readRequestText(context.path.slice(dialect.base.length), query);
    const table = await tables.table(lifetime);
    const byMethod = table.find(text.segments);
    if (byMethod === undefined || ![...byMethod.values()].some(({ call }) => dialect.hasRoutes(call.parent.typeName))) {
      refuse(response, context, errorResponse(dialect.noRoute.status, 'BAD_USER_INPUT', dialect.noRoute.message));
      return undefined;
    }
    const route = byMethod.get(method === 'HEAD' ? 'GET' : method);
    if (method !== 'OPTIONS' && route !== undefined) return { route, text, table };
    const sends = sending !== undefined && context.path === dialect.base + broadcastPath;
    const allowed = [...byMethod.keys(), ...(byMethod.has('GET') ? ['HEAD'] : []), ...(sends ? ['POST'] : []), 'OPTIONS'];
    const allow = allowed.join(', ');
    if (method === 'OPTIONS') {
      setTime(response);
      response.writeHead(204, { allow, vary: varyOfRest }).end();
    } else refuse(response, context, errorResponse(405, 'BAD_USER_INPUT', 'Method Not Allowed', {}, { allow }));
    return undefined;
  }

  /** Decodes a request without querying a node. Throws a {@link ParameterError} or BAD_USER_INPUT if it is invalid. */
  async function decode(
    { route, table, text }: { readonly route: RestRoute; readonly table: RouteTable; readonly text: RequestText },
    context: RequestContext,
  ): Promise<DecodedRequest> {
    const { call, hasBody } = route;
    const { enforcesPageRules, asGo } = dialect;
    const fields = requestJson(route, text, asGo);
    const body = hasBody ? await readJsonBody(context, route.template.text, limits, asGo) : {};
    const json = { ...(asGo ? knownFields(table.registry, call.input, body) : body), ...fields };
    const bounded = hasBody ? undefined : boundPage(call.input, json, limits, enforcesPageRules);
    const page = bounded && { ...bounded, counts: bounded.counts || (enforcesPageRules && needsTotal(route, json)) };
    const checked = enforcesPageRules ? checkOperation(route, json) : json;
    const bytes = encodeRequest(table.registry, call.input, 'request', checked);
    const points = page === undefined ? 0 : Math.min(page.items, paidMost) * factorOf(route) + (page.counts ? countPoints : 0);
    const request = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { route, table, path: `/${call.parent.typeName}/${call.name}`, json: checked, request, page, points };
  }

  /** Executes a request at a height, or at the current state for a live route. Returns JSON text. */
  async function read(
    reading: Client,
    { route, table, path, json, request, page }: DecodedRequest,
    height: bigint,
    { caller, session, record }: RequestContext,
    signal: AbortSignal,
    dependencies: Dependencies,
  ): Promise<string> {
    const { call } = route;
    const query = (bytes: Uint8Array): Promise<Uint8Array> =>
      route.isLive
        ? queryLatest({ client: reading, signal, maySimulate: maySimulate(session.viewer) }, path, bytes)
        : reading.at(height, signal, dependencies).query(path, bytes);
    const queryJson = (part: JsonObject): Promise<Uint8Array> =>
      query(encodeRequest(table.registry, call.input, 'request', part));
    if (dialect.enforcesPageRules)
      await checkAccounts(createPin(reading, height, { signal, dependencies }), accountsIn(route, json));
    const endTurn = page?.counts === true ? await caller.counting(signal) : undefined;
    let bytes: Uint8Array;
    try {
      const rules = { enforcesPageRules: dialect.enforcesPageRules, isCut: page?.isCut === true };
      bytes = await (groupListPage(route, json, rules, queryJson) ?? query(request));
    } finally {
      endTurn?.();
    }
    try {
      if (page !== undefined && page.items > paidMost) {
        const points = Math.max(0, itemsIn(call.output, bytes) - paidMost) * factorOf(route);
        caller.charge(points);
        record.cost = (record.cost ?? 0) + points;
      }
      let printer = printers.get(table);
      if (printer === undefined) {
        printer = createPrinter(dialect.printing, table.registry);
        printers.set(table, printer);
      }
      return printer(call.output, bytes);
    } catch {
      throw malformed(`the response to ${path} is not the protobuf of its method`);
    }
  }

  async function make(
    decoded: DecodedRequest,
    height: bigint,
    wantsProof: boolean,
    context: RequestContext,
    signal: AbortSignal,
    quorum: RequestQuorum | undefined,
  ): Promise<Made> {
    const { caller, record } = context;
    const factor = quorum?.factor ?? 1;
    // The router has charged 1 point already.
    const points = decoded.points * factor + factor - 1;
    const chargeRefusal = points > 0 ? await caller.take(points) : undefined;
    if (chargeRefusal !== undefined) {
      const refusal = rateLimitResponse(chargeRefusal);
      record.code = refusal.code;
      const headers = Object.entries({ ...refusal.headers, 'content-type': jsonType, 'cache-control': 'no-store' }).flat();
      const body = plainBody(Buffer.from(dialect.shape(refusal)));
      return { answer: { status: 429, operation: undefined, headers, body }, keep: false, carried: undefined };
    }
    record.cost = 1 + record.bytes + points;
    const dependencies = new Dependencies({ collects: wantsProof });
    const body = Buffer.from(await read(quorum?.client ?? client, decoded, height, context, signal, dependencies));
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const headers = ['content-type', jsonType, 'etag', etag];
    if (quorum !== undefined) headers.push(agreementHeader, quorum.header());
    if (wantsProof) {
      // The URL names the height.
      dependencies.dependsOnHeight();
      headers.push(proofUrlHeader, proofUrl(height, dependencies.requests()));
    }
    const answer = { status: 200, operation: undefined, headers, body: plainBody(body) };
    return { answer, keep: !decoded.route.isLive, carried: dependencies.carried() };
  }

  /** Sends an answer. `cached` and `reuse` are the values of `cache-status` and `cache-control`. */
  function send(
    response: ServerResponse,
    foundRoute: Found,
    height: bigint | undefined,
    cached: string | undefined,
    reuse: string | undefined,
  ): Promise<void> | undefined {
    const { status } = foundRoute.answer;
    const headers = [...foundRoute.answer.headers, 'vary', varyOfRest];
    // `setHeader` would make Node write the whole head in a slower way.
    if (sendsTime) headers.push(timeHeader, timeNow());
    if (height !== undefined && status === 200) {
      const text = height.toString();
      for (const name of dialect.heightHeaders) headers.push(name, text);
    }
    if (cached !== undefined) headers.push('cache-status', cached);
    if (reuse !== undefined) headers.push('cache-control', reuse);
    const tag = matchingTag(response.req, foundRoute.answer);
    if (tag === undefined) return sendAnswer(response, foundRoute, headers, noTexts, compression);
    headers[headers.indexOf('etag') + 1] = tag;
    response.writeHead(304, headers).end();
    return undefined;
  }

  async function handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    if (sending !== undefined && request.method === 'POST' && context.path === dialect.base + broadcastPath) {
      setTime(response);
      return sending(response, context);
    }
    const { session, record } = context;
    const { method, url = '/' } = request;
    const milliseconds = limits['request.deadline'];
    const lifetime = new Lifetime({ response, milliseconds, startedAt: context.arrived, scope: record.span });
    let route: RestRoute | undefined;
    let height: bigint | undefined;
    try {
      if (!session.viewer.scopes.includes('read')) {
        return refuse(response, context, refusalResponse({ reason: 'noScope', scope: 'read' }));
      }
      const earlier = method === 'GET' ? decodedRequests.get(url) : undefined;
      let decoded = earlier !== undefined && earlier.table === tables.known() ? earlier : undefined;
      const isNew = decoded === undefined;
      if (decoded === undefined) {
        const match = await routeOf(request, response, context, lifetime);
        if (match === undefined) return;
        route = match.route;
        noteOperation(record, route.call.name);
        decoded = await decode(match, context);
      } else {
        route = decoded.route;
        noteOperation(record, route.call.name);
      }
      const complete = decoded;

      const headerHeight = heightInHeaders(request, dialect);
      const { proof, quorum: givenQuorum } = assuranceInHeaders(request.headers);
      const wantsProof = proof !== undefined;
      if (wantsProof && client.answerProofs === undefined) throw proofsOff();
      if (wantsProof && route.isLive) throw proofUnavailable('OPERATION', 'What is read at no height has no proof.');
      const heights = { ...heightsInHeaders(request), height: headerHeight, needsProof: wantsProof };
      const picking = pickHeight(client, heights, limits, lifetime, context.caller);
      const picked = picking instanceof Promise ? await picking : picking;
      if (response.closed) return;
      if ('error' in picked) throw picked.error;
      height = picked.height;
      const quorum = requestQuorum(client, quorumHeader, givenQuorum);

      if (route.isLive) {
        const { answer } = await make(complete, height, false, context, lifetime.signal, quorum);
        const liveHeight = dialect.sendsLiveHeight ? height : undefined;
        return await send(response, { answer, source: 'made', isKept: false }, liveHeight, undefined, 'no-store');
      }
      const key = {
        chain: picked.chain,
        height,
        scopes: [],
        method: route.httpMethod,
        url: complete.path,
        accept: `${wantsProof ? proofHeader : ''} ${givenQuorum ?? ''}`,
        contentType: '',
        body: complete.request,
      };
      const deadline = { milliseconds, startedAt: context.arrived, scope: record.span };
      const answering = answers.answer(key, lifetime, (making) =>
        readShared(new Lifetime(deadline), making, ({ signal }) =>
          make(complete, picked.height, wantsProof, context, signal, quorum),
        ),
      );
      const foundAnswer = answering instanceof Promise ? await answering : answering;
      if (foundAnswer === undefined) return;
      if (isNew && method === 'GET' && foundAnswer.source !== 'made') {
        // The descriptors of the earlier table would stay in memory.
        if (complete.table !== decodedTable) decodedRequests.clear();
        decodedTable = complete.table;
        decodedRequests.set(url, { ...complete, request: ownBytes(complete.request) });
      }
      const reuse = (headerHeight ?? heights.time) === undefined ? 'private, no-cache' : 'private, max-age=86400, immutable';
      await send(
        response,
        foundAnswer,
        height,
        cacheStatus[foundAnswer.source],
        foundAnswer.answer.status === 200 ? reuse : undefined,
      );
    } catch (error) {
      if (!response.headersSent) setTime(response);
      const sendsHeight = route?.isLive === false || dialect.sendsLiveHeight;
      sendFailure(response, context, dialect, error, {
        service: route?.call.parent.typeName ?? '',
        height: sendsHeight ? height : undefined,
        latest: client.head.current()?.height,
      });
    }
  }

  return {
    surface: dialect.surface,
    shape: dialect.shape,
    paths: dialect.base === '' ? ['/*'] : [dialect.base, `${dialect.base}/*`],
    // The roots are those of the chain's services, which are known once its descriptors are.
    accepts(_, path) {
      if (dialect.base !== '') return true;
      const end = path.indexOf('/', 1);
      return end !== -1 && tables.isRoot(path.slice(1, end));
    },
    acceptsLargeBody: (path) => takesTransaction(path.slice(dialect.base.length)),
    handle,
  };
}
