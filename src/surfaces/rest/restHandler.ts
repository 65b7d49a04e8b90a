import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, plainBody } from '../../answers/answer.ts';
import type { AnswerCache, Found, Made } from '../../answers/answerCache.ts';
import { type Caller, noteOperation } from '../../answers/caller.ts';
import { minHeightHeader, pickHeight } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import {
  bufferBytes,
  type MemoryBudget,
  objectBytes,
  ownBytes,
  textBytes,
  valueBytes,
} from '../../chain/memory/memoryBudget.ts';
import { createDependencies, type Dependencies } from '../../chain/state/dependencies.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import { malformed } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { checkAccounts } from '../../modules/account/query.ts';
import { encodeRequest } from '../../modules/any/module.ts';
import { createPin } from '../../reads/pin.ts';
import { queryLatest } from '../../reads/query.ts';
import { maySimulate, type Viewer } from '../../reads/viewer.ts';
import { refusalResponse } from '../../server/auth/bearer.ts';
import { Lifetime, lifetimeOf, type ReadonlyLifetime, readShared } from '../../server/lifetime.ts';
import type { Compression } from '../../server/messages/compression.ts';
import { type ErrorResponse, rateLimitResponse, sendError } from '../../server/messages/errors.ts';
import { cacheStatus, headerOf } from '../../server/messages/headers.ts';
import { gzipTag, sendAnswer } from '../../server/messages/sendAnswer.ts';
import type { Handler, RequestContext } from '../../server/router.ts';
import { type Dialect, sendFailure, varyOfRest } from './dialect.ts';
import { noRoute } from './failures.ts';
import { boundPage, cutGroupsPage, groupListPage, itemsIn, needsTotal, type PageAsked } from './listPages.ts';
import { createPrinter, type Printer } from './printer.ts';
import { knownFields, type RequestText, readJsonBody, readRequestText, requestJson, takesTransaction } from './requestJson.ts';
import { accountsIn, checkOperation, factorOf, type RestRoute, type RouteTable, type RouteTables } from './routes.ts';
import { broadcastPath, type TxSending } from './txSending.ts';

/** A decoded request that was checked against the limits. */
interface ReadRequest {
  readonly route: RestRoute;
  readonly table: RouteTable;
  /** Path of the method in `abci_query`. */
  readonly path: string;
  readonly json: JsonObject;
  /** The request in protobuf. */
  readonly request: Buffer;
  readonly page: PageAsked | undefined;
  /** Price in points, in addition to the one point of every request, if the response is not cached. */
  readonly points: number;
}

/** What the execution of a request needs. */
interface ReadingOptions {
  readonly signal: AbortSignal;
  readonly caller: Caller;
  /** Charges points for items that were read beyond those that the price contains. */
  charge(points: number): void;
  /** Notes what is read. */
  readonly dependencies: Dependencies;
  readonly viewer: Viewer;
}

/** Decodes and executes the requests of routes. */
interface Reading {
  /** Decodes a request without querying a node. Throws a {@link ParameterError} or BAD_USER_INPUT if it is invalid. */
  decode(
    found: { readonly route: RestRoute; readonly table: RouteTable; readonly text: RequestText },
    context: RequestContext,
  ): Promise<ReadRequest>;
  /** Executes a request at a height, or at the current state for a live route. Returns JSON text. */
  answer(request: ReadRequest, height: bigint, options: ReadingOptions): Promise<string>;
}

/** Price of counting a list, as in GraphQL. */
const countPoints = 50;

/** Creates the reader of one dialect. */
function createReading({
  client,
  limits,
  dialect,
}: {
  readonly client: Client;
  readonly limits: Limits;
  readonly dialect: Dialect;
}): Reading {
  const printers = new WeakMap<RouteTable, Printer>();
  /** Most items that are paid before they are read. Further ones are paid when they have been read, because most lists are shorter. */
  const paidMost = limits['rest.page.max'];

  function printerOf(table: RouteTable): Printer {
    const known = printers.get(table);
    if (known !== undefined) return known;
    const created = createPrinter(dialect.printing, table.registry);
    printers.set(table, created);
    return created;
  }

  return {
    async decode({ route, table, text }, context) {
      const { call, hasBody } = route;
      const parameters = requestJson(route, text, dialect.parameters);
      const { asGo } = dialect.parameters;
      const body = hasBody ? await readJsonBody(context, route.template.text, limits, asGo) : {};
      const json = { ...(asGo ? knownFields(table.registry, call.input, body) : body), ...parameters };
      const bounded = hasBody ? undefined : boundPage(call.input, json, limits, dialect.enforcesPageRules);
      const page = bounded && { ...bounded, counts: bounded.counts || (dialect.enforcesPageRules && needsTotal(route, json)) };
      const checked = dialect.enforcesPageRules ? checkOperation(route, json) : json;
      const bytes = encodeRequest(table.registry, call.input, 'request', checked);
      const items = page === undefined ? 0 : Math.min(page.items, paidMost) * factorOf(route) + (page.counts ? countPoints : 0);
      const path = `/${call.parent.typeName}/${call.name}`;
      const request = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return { route, table, path, json: checked, request, page, points: items };
    },

    async answer({ route, table, path, json, request, page }, height, { signal, caller, charge, dependencies, viewer }) {
      const { call } = route;
      const query = (bytes: Uint8Array): Promise<Uint8Array> =>
        route.isLive
          ? queryLatest({ client, signal, maySimulate: maySimulate(viewer) }, path, bytes)
          : client.at(height, signal, dependencies).query(path, bytes);
      const queryJson = (part: JsonObject): Promise<Uint8Array> =>
        query(encodeRequest(table.registry, call.input, 'request', part));
      if (dialect.enforcesPageRules)
        await checkAccounts(createPin(client, height, { signal, dependencies }), accountsIn(route, json));
      const endTurn = page?.counts === true ? await caller.counting(signal) : undefined;
      let bytes: Uint8Array;
      try {
        const own = dialect.enforcesPageRules
          ? groupListPage(route, json, queryJson)
          : cutGroupsPage(route, json, page?.isCut === true, queryJson);
        bytes = await (own ?? query(request));
      } finally {
        endTurn?.();
      }
      try {
        if (page !== undefined && page.items > paidMost)
          charge(Math.max(0, itemsIn(call.output, bytes) - paidMost) * factorOf(route));
        return printerOf(table)(call.output, bytes);
      } catch {
        throw malformed(`the response to ${path} is not the protobuf of its method`);
      }
    },
  };
}

/** The decoded requests of URLs that were requested again. */
interface DecodedRequests {
  /** Returns the decoded request of a URL by the current table. undefined if it is not known. */
  find(request: IncomingMessage, tables: Pick<RouteTables, 'known'>): ReadRequest | undefined;
  /** Keeps a decoded request. Requests with a body are not kept. */
  note(request: IncomingMessage, read: ReadRequest): void;
}

function sizeOf({ path, json, request }: ReadRequest): number {
  return 2 * objectBytes + textBytes(path) + valueBytes(json) + bufferBytes + request.length;
}

/** Creates the decoded requests of one surface, within the memory for answers. */
function createDecodedRequests(memory: Pick<MemoryBudget, 'cache'>, surface: string): DecodedRequests {
  const again = memory.cache('answers', `${surface}-decoded`, sizeOf);
  /** The table of all requests in the cache. */
  let table: RouteTable | undefined;
  return {
    find({ method, url = '/' }, tables) {
      const known = method === 'GET' ? again.get(url) : undefined;
      return known !== undefined && known.table === tables.known() ? known : undefined;
    },
    note({ method, url = '/' }, read) {
      if (method !== 'GET') return;
      // The descriptors of the earlier table would stay in memory.
      if (read.table !== table) again.clear();
      table = read.table;
      again.set(url, { ...read, request: ownBytes(read.request) });
    },
  };
}

/** Options of {@link createRestHandler}. */
interface RestHandlerOptions {
  readonly client: Client;
  readonly tables: RouteTables;
  readonly answers: AnswerCache;
  readonly compression: Compression;
  readonly limits: Limits;
  readonly dialect: Dialect;
  /** Handles the POST that broadcasts a transaction. If absent, there is no such route. */
  readonly sending?: TxSending;
}

/** Headers of a response that are not cached with it. */
interface ResponseHeaders {
  readonly height: bigint | undefined;
  /** Value of `cache-status`. */
  readonly cached: string | undefined;
  /** Value of `cache-control`. */
  readonly reuse: string | undefined;
}

const json = 'application/json';
const timeHeader = 'x-server-time';

/** The time in seconds. */
const timeNow = (): string => String(Math.floor(Date.now() / 1000));

/** The answers of REST have no places. */
const noTexts = (): string => '';

function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

function etagIn(headers: readonly string[]): string | undefined {
  const index = headers.indexOf('etag');
  return index === -1 ? undefined : headers[index + 1];
}

/** The entity tag under which the client has this response cached, plain or compressed (RFC 9110, 13.1.2). undefined if it has not. */
function knownTag(request: IncomingMessage, { status, headers }: Answer): string | undefined {
  const known = request.headers['if-none-match'];
  const etag = known === undefined || status !== 200 ? undefined : etagIn(headers);
  if (known === undefined || etag === undefined) return undefined;
  const tags = [etag, gzipTag(etag)];
  const named = known.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.find((tag) => named.includes(tag));
}

/**
 * Creates the REST handler of one dialect. Responses at a height are cached as bytes. Reads share the state cache with GraphQL,
 * so equal reads reach a node once.
 */
export function createRestHandler(options: RestHandlerOptions): Handler {
  const { client, tables, answers, compression, limits, dialect, sending } = options;
  const reading: Reading = createReading(options);
  const decoded = createDecodedRequests(client.memory, dialect.surface);
  const sendsTime = dialect.surface === 'rest-node';

  /** Sets the time on a response that is not an answer. Every response of a node's server contains its time in seconds. */
  function setTime(response: ServerResponse): void {
    if (sendsTime) response.setHeader(timeHeader, timeNow());
  }

  function refuse(response: ServerResponse, context: RequestContext, answer: ErrorResponse): void {
    setTime(response);
    sendError(response, { ...answer, headers: { ...answer.headers, 'content-type': json } }, context.record, dialect.shape);
  }

  function send(response: ServerResponse, found: Found, { height, cached, reuse }: ResponseHeaders): Promise<void> | undefined {
    const { req: request } = response;
    const { status, headers } = found.answer;
    const all = [...headers, 'vary', varyOfRest];
    // `setHeader` would make Node write the whole head in a slower way.
    if (sendsTime) all.push(timeHeader, timeNow());
    if (height !== undefined && status === 200) {
      const text = height.toString();
      for (const name of dialect.heightHeaders) all.push(name, text);
    }
    if (cached !== undefined) all.push('cache-status', cached);
    if (reuse !== undefined) all.push('cache-control', reuse);
    const known = knownTag(request, found.answer);
    if (known !== undefined) {
      all[all.indexOf('etag') + 1] = known;
      response.writeHead(304, all).end();
      return undefined;
    }
    return sendAnswer(response, found, all, noTexts, compression);
  }

  /** Finds the route of a request. Returns undefined if it has sent a response. */
  async function find(request: IncomingMessage, response: ServerResponse, context: RequestContext, lifetime: ReadonlyLifetime) {
    const { method = 'GET', url = '' } = request;
    const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
    const text = readRequestText(context.path.slice(dialect.base.length), query);
    const table = await tables.table(lifetime);
    const byMethod = table.find(text.segments);
    const services = [...(byMethod?.values() ?? [])].map(({ call }) => call.parent.typeName);
    if (byMethod === undefined || !services.some(dialect.hasRoutes)) {
      refuse(response, context, noRoute(dialect.noRoute.status, dialect.noRoute.message));
      return undefined;
    }
    const route = byMethod.get(method === 'HEAD' ? 'GET' : method);
    const sends = sending !== undefined && context.path === dialect.base + broadcastPath;
    const allow = [...byMethod.keys(), ...(byMethod.has('GET') ? ['HEAD'] : []), ...(sends ? ['POST'] : []), 'OPTIONS'].join(
      ', ',
    );
    if (method === 'OPTIONS') {
      setTime(response);
      response.writeHead(204, { allow, vary: varyOfRest }).end();
      return undefined;
    }
    if (route === undefined) {
      refuse(response, context, noRoute(405, 'Method Not Allowed', { allow }));
      return undefined;
    }
    return { route, text, table };
  }

  async function handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    if (sending !== undefined && request.method === 'POST' && context.path === dialect.base + broadcastPath) {
      setTime(response);
      return sending(response, context);
    }
    const { session, caller, record } = context;
    const lifetime = lifetimeOf(response, limits['request.deadline'], context.arrived, context.record.span);
    let route: RestRoute | undefined;
    let height: bigint | undefined;
    try {
      if (!session.viewer.scopes.includes('read')) {
        return refuse(response, context, refusalResponse({ reason: 'noScope', scope: 'read' }));
      }
      const known = decoded.find(request, tables);
      let read: ReadRequest;
      if (known === undefined) {
        const found = await find(request, response, context, lifetime);
        if (found === undefined) return;
        route = found.route;
        noteOperation(record, route.call.name);
        read = await reading.decode(found, context);
      } else {
        read = known;
        route = known.route;
        noteOperation(record, route.call.name);
      }
      const named = dialect.requestedHeight(request);
      const heights = { height: named, minHeight: headerOf(request, minHeightHeader) };
      const pick = pickHeight(client, heights, limits, lifetime);
      const picked = pick instanceof Promise ? await pick : pick;
      if (response.closed) return;
      if ('error' in picked) throw picked.error;
      height = picked.height;

      const make = async (signal: AbortSignal): Promise<Made> => {
        const refused = read.points > 0 ? await caller.take(read.points) : undefined;
        if (refused !== undefined) {
          const answer = rateLimitResponse(refused);
          record.code = answer.code;
          const body = plainBody(Buffer.from(dialect.shape(answer)));
          const headers = Object.entries({ ...answer.headers, 'content-type': json, 'cache-control': 'no-store' }).flat();
          return { answer: { status: 429, operation: undefined, headers, body }, keep: false, carried: undefined };
        }
        record.cost = 1 + record.bytes + read.points;
        const dependencies = createDependencies();
        const charge = (points: number): void => {
          caller.charge(points);
          record.cost = (record.cost ?? 0) + points;
        };
        const body = Buffer.from(
          await reading.answer(read, picked.height, { signal, caller, charge, dependencies, viewer: session.viewer }),
        );
        const headers = ['content-type', json, 'etag', etagOf(body)];
        const answer = { status: 200, operation: undefined, headers, body: plainBody(body) };
        return { answer, keep: !read.route.isLive, carried: dependencies.carried() };
      };
      if (route.isLive) {
        const liveHeight = dialect.sendsLiveHeight ? height : undefined;
        const { answer } = await make(lifetime.signal);
        const found: Found = { answer, source: 'made', isKept: false };
        return await send(response, found, { height: liveHeight, cached: undefined, reuse: 'no-store' });
      }
      const answering = answers.answer(
        {
          chain: picked.chain,
          height,
          scopes: [],
          method: route.httpMethod,
          url: read.path,
          accept: '',
          contentType: '',
          body: read.request,
        },
        lifetime,
        (making) =>
          readShared(new Lifetime(limits['request.deadline'], context.arrived, context.record.span), making, ({ signal }) =>
            make(signal),
          ),
      );
      const made = answering instanceof Promise ? await answering : answering;
      if (made === undefined) return;
      const { answer, source } = made;
      if (known === undefined && source !== 'made') decoded.note(request, read);
      const reuse = named === undefined ? 'private, no-cache' : 'private, max-age=86400, immutable';
      await send(response, made, {
        height,
        cached: cacheStatus[source],
        reuse: answer.status === 200 ? reuse : undefined,
      });
    } catch (error) {
      if (!response.headersSent) setTime(response);
      const service = route?.call.parent.typeName ?? '';
      const sendsHeight = height !== undefined && (route?.isLive === false || dialect.sendsLiveHeight);
      sendFailure(response, context, dialect, error, {
        service,
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
