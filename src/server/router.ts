import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pointsOf, type Refused, type RequestRecord } from '../answers/caller.ts';
import { maskedMessage } from '../answers/errors.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { Session } from '../reads/viewer.ts';
import type { Authenticator } from './auth/auth.ts';
import { countRefusal } from './auth/bearer.ts';
import type { Connections } from './connections.ts';
import { readBody } from './messages/body.ts';
import { type ErrorShape, errorResponse, graphqlShape, notFound, rateLimitResponse, sendError } from './messages/errors.ts';
import { clientAddress, pathOf } from './messages/requestHeaders.ts';
import type { Surface, TrackedRequest } from './observability/requestLog.ts';
import type { ClientLimits } from './rateLimits/clientLimits.ts';
import { callerOf, type PublicRate, type Rates } from './rateLimits/rates.ts';
import type { Turns } from './rateLimits/turns.ts';
import { checkBody, checkHost, checkSize, type Origins } from './requestChecks.ts';

/** A request whose token was verified, as a handler gets it. */
export interface RequestContext {
  /** The path without its query. */
  readonly path: string;
  readonly session: Session;
  /** The limits of the caller. The request holds a slot of `rate.concurrent`, and its first points are taken. */
  readonly caller: ClientLimits;
  /**
   * Reads the body and waits for the turn of the caller. null if the body has more than `max` bytes. Large bodies of one caller
   * are read a few at a time (`rate.bodies`). Never resolves if the client disconnects.
   */
  body(max: number): Promise<Buffer | null>;
  /**
   * Waits for the turn of the caller, once for each request. The router has done so for all methods but POST. undefined if the
   * turn begins at once. Never resolves if the client disconnects.
   */
  turn(): Promise<void> | undefined;
  /** Time at which the request was complete, by the clock of `performance`. Its deadline counts from there. */
  readonly arrived: number;
  /** Releases the slot of `rate.concurrent`, because the request has become a stream, which has its own limits. */
  releaseSlot(): void;
  /** Collects what the log and the metrics report of the request. */
  readonly record: RequestRecord;
}

/** The requests that a handler responds to. */
interface Route {
  /**
   * The paths of the handler. One that ends with `/*` stands for every path that begins with what is before the star: `/v1/*` for
   * those below `/v1`, and `/*` for all that no other handler has. Below the root, one segment comes before the star.
   */
  readonly paths: readonly string[];
  /** Whether a request at one of the paths is for this handler. If not, the next handler of the same path is asked. Default: always. */
  accepts?(request: IncomingMessage, path: string): boolean;
}

/** A surface of the server: one protocol at its own paths. Requests need a token. */
export interface Handler extends Route {
  readonly isPublic?: false;
  readonly surface: Surface;
  /** The format of its errors. */
  readonly shape: ErrorShape;
  /**
   * Whether a body at this path may be as large as `http.body`. The handler then enforces that limit itself. If absent, the
   * limit is `http.otherBody`.
   */
  acceptsLargeBody?(path: string): boolean;
  /** Responds to a request whose token was verified. Rejects with unexpected errors, which the router masks. */
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void>;
}

/** A handler whose paths need no token. Its responses contain no data of the chain. */
export interface PublicHandler extends Route {
  readonly isPublic: true;
  readonly surface: Surface;
  /** Whether it is a page that links on any site may open. */
  readonly isPage?: true;
  /** The format of its errors. That of GraphQL if absent. */
  readonly shape?: ErrorShape;
  /** Returns origins whose pages may send requests to a path, in addition to those of `--allowed-origin`. Never rejects. */
  origins?(path: string): Promise<readonly string[]>;
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
}

/** A surface of the server over WebSocket, at its own paths. */
export interface SocketHandler {
  readonly path: string;
  readonly shape: ErrorShape;
  /**
   * Takes over a connection. `authenticate` verifies the token of the upgrade: undefined if it is invalid, and the connection is closed. Rejects with
   * unexpected errors.
   */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    authenticate: () => Promise<Session | undefined>,
  ): Promise<void>;
  /** Returns the number of open sockets. */
  open(): number;
  /**
   * Refuses new calls, and closes each socket with 1012 once its running calls have responses. Resolves when all sockets are
   * closed.
   */
  drain(): Promise<void>;
  /** Closes every socket with 1012 (service restart). Resolves when all are closed. */
  close(): Promise<void>;
}

/** Bodies larger than this, in bytes, count towards `rate.bodies`. */
const largeBody = 64 * 1024;

interface RequestContextOptions extends Pick<RequestContext, 'path' | 'session' | 'caller' | 'record' | 'releaseSlot'> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly turns: Turns;
  readonly limits: Limits;
}

/** It is a class because every request has one: functions of its own would cost more than everything else here. */
class HttpRequestContext implements RequestContext {
  readonly path: string;
  readonly session: Session;
  readonly caller: ClientLimits;
  readonly record: RequestRecord;
  readonly releaseSlot: () => void;
  arrived = performance.now();
  readonly #options: RequestContextOptions;
  #hasTurn = false;

  constructor(options: RequestContextOptions) {
    this.path = options.path;
    this.session = options.session;
    this.caller = options.caller;
    this.record = options.record;
    this.releaseSlot = options.releaseSlot;
    this.#options = options;
  }

  turn(): Promise<void> | undefined {
    if (this.#hasTurn) return undefined;
    this.#hasTurn = true;
    const { response, turns } = this.#options;
    const waiting = turns.take(this.caller.name);
    if (waiting === undefined) return undefined;
    response.once('close', waiting.cancel);
    return waiting.begun.then(() => void response.off('close', waiting.cancel));
  }

  body(max: number): Promise<Buffer | null> {
    const { request } = this.#options;
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    return length <= largeBody
      ? readBody(request, max, (bytes) => this.#received(bytes, false))
      : this.#largeBody(max, Number.isNaN(length));
  }

  async #largeBody(max: number, isUnknown: boolean): Promise<Buffer | null> {
    const { request, response } = this.#options;
    // `close` releases the slot as well, because nothing that is awaited below resolves after the client has disconnected.
    const release = await this.caller.readingBody();
    if (response.closed) release();
    else response.once('close', release);
    const bytes = await readBody(request, max, (read) => this.#received(read, isUnknown));
    if (bytes !== null) release();
    return bytes;
  }

  /** Charges for a body whose length was not known, and waits for the turn. Returns a promise only if it waits. */
  #received(bytes: Buffer, isUnknown: boolean): Buffer | Promise<Buffer> {
    this.arrived = performance.now();
    if (isUnknown) {
      const points = pointsOf(bytes.length, this.#options.limits) - 1;
      this.caller.charge(points);
      this.record.bytes = points;
      this.record.cost = 1 + points;
    }
    return this.turn()?.then(() => bytes) ?? bytes;
  }
}

/**
 * Returns the function that finds the handler of a request. A whole path comes before one with a star. Of the handlers of the same
 * path, the first one in the list that accepts the request.
 */
export function createRoutes<T extends Route>(
  handlers: readonly T[],
): (request: IncomingMessage, path: string) => T | undefined {
  const routes = new Map<string, T[]>();
  for (const handler of handlers)
    for (const path of handler.paths) {
      const others = routes.get(path);
      if (others === undefined) routes.set(path, [handler]);
      else others.push(handler);
    }
  return (request, path) => {
    const candidates = routes.get(path) ?? routes.get(`${path.slice(0, path.indexOf('/', 1) + 1)}*`) ?? routes.get('/*');
    return candidates?.find((handler) => handler.accepts?.(request, path) !== false);
  };
}

/** Passes a request to the handler of its path. Responds to failures itself. */
type Router = (request: IncomingMessage, response: ServerResponse, tracked: TrackedRequest) => void;

export interface RouterOptions {
  readonly handlers: readonly (Handler | PublicHandler)[];
  readonly auth: Authenticator;
  readonly rates: Rates;
  readonly publicRate: PublicRate;
  readonly connections: Pick<Connections, 'admit'>;
  readonly turns: Turns;
  readonly origins: Origins;
  readonly limits: Limits;
  /** Logs each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
}

interface Admitted {
  readonly path: string;
  readonly handler: Handler;
  readonly session: Session;
  readonly caller: ClientLimits;
}

function refuse(...error: Parameters<typeof sendError>): undefined {
  sendError(...error);
}

/**
 * Creates the router. It checks each request in this order:
 *
 * 1. Host, size, connections of its address, and origin.
 * 2. For a public handler: the rate of its address.
 * 3. For others: the token, then the limits of the caller. Then it waits for the turn of the caller. A POST waits when its body
 *    is read.
 *
 * Errors have the format of the handler's surface.
 */
export function createRouter(options: RouterOptions): Router {
  const { handlers, auth, rates, turns, publicRate, connections, origins, limits, report } = options;
  const handlerOf = createRoutes(handlers);

  /** Undefined if the response is sent. */
  function route(request: IncomingMessage, response: ServerResponse, tracked: TrackedRequest): Promise<void> | undefined {
    const path = pathOf(request);
    const handler = handlerOf(request, path);
    tracked.surface = handler?.surface ?? 'none';
    return request.headers.origin && handler?.isPublic && handler.origins
      ? handler.origins(path).then((pageOrigins) => check(request, response, tracked, path, handler, pageOrigins))
      : check(request, response, tracked, path, handler, []);
  }

  /** Checks a request, and passes it on. Undefined if the response is sent. */
  function check(
    request: IncomingMessage,
    response: ServerResponse,
    tracked: TrackedRequest,
    path: string,
    handler: Handler | PublicHandler | undefined,
    pageOrigins: readonly string[],
  ): Promise<void> | undefined {
    const { record } = tracked;
    const { shape = graphqlShape } = handler ?? {};
    const large = checkBody(request, limits);
    const limitsOwnBody = large !== undefined && (handler?.isPublic || handler?.acceptsLargeBody?.(path));
    const refusal =
      checkHost(request) ??
      checkSize(request, limits) ??
      (limitsOwnBody ? undefined : large) ??
      connections.admit(request, response) ??
      (handler?.isPublic && handler.isPage ? undefined : origins.check(request, response, pageOrigins));
    if (refusal === 'answered') return undefined;
    if (refusal !== undefined) return refuse(response, refusal, record, shape);
    if (handler?.isPublic) {
      const tooMany = publicRate(clientAddress(request));
      if (tooMany !== undefined) return refuse(response, rateLimitResponse(tooMany), record, shape);
      return handler.handle(request, response, path);
    }

    const session = auth.authenticate(request);
    return session instanceof Promise
      ? session.then((verified) => admit(request, response, tracked, path, handler, verified))
      : admit(request, response, tracked, path, handler, session);
  }

  /** Finds the caller of a request, and what it has used at other processes. Undefined if the response is sent. */
  function admit(
    request: IncomingMessage,
    response: ServerResponse,
    tracked: TrackedRequest,
    path: string,
    handler: Handler | undefined,
    session: Awaited<ReturnType<Authenticator['authenticate']>>,
  ): Promise<void> | undefined {
    const { record } = tracked;
    const shape = handler?.shape;
    if ('reason' in session) {
      const failures = rates.freshFailures(clientAddress(request));
      const send = (): undefined => refuse(response, countRefusal(session, request, rates), record, shape);
      return failures === undefined ? send() : failures.then(send);
    }
    tracked.viewer = session.viewer;
    if (handler === undefined) return refuse(response, notFound, record);
    const caller = callerOf(rates, clientAddress(request), session);
    const admitted = { path, handler, session, caller };
    const asking = caller.fresh();
    return asking === undefined
      ? charge(request, response, tracked, admitted)
      : asking.then(() => charge(request, response, tracked, admitted));
  }

  /** Applies the limits of the caller, and passes the request to its handler. Undefined if the response is sent. */
  function charge(
    request: IncomingMessage,
    response: ServerResponse,
    tracked: TrackedRequest,
    { path, handler, session, caller }: Admitted,
  ): Promise<void> | undefined {
    const { record } = tracked;
    const { shape } = handler;
    // The client may have left during the wait.
    if (response.closed) return undefined;
    const running = caller.enter();
    if (!('end' in running)) return refuse(response, rateLimitResponse(running), record, shape);
    tracked.slot = running;
    // A body of unknown length is charged when it is read.
    const points = pointsOf(Number(request.headers['content-length'] ?? 0), limits);
    const begin = (tooFast: Refused | undefined): Promise<void> | undefined => {
      if (tooFast !== undefined) return refuse(response, rateLimitResponse(tooFast), record, shape);
      // The client may have left while other processes were asked.
      if (response.closed) return undefined;
      record.cost = points;
      record.bytes = points - 1;
      const releaseSlot = running.end;
      const context = new HttpRequestContext({ request, response, path, session, caller, record, turns, limits, releaseSlot });
      const waiting = request.method === 'POST' ? undefined : context.turn();
      return waiting === undefined
        ? handler.handle(request, response, context)
        : waiting.then(() => handler.handle(request, response, context));
    };
    const paying = caller.take(points);
    return paying instanceof Promise ? paying.then(begin) : begin(paying);
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse, { record, surface }: TrackedRequest): void {
    // A client that disconnects while it sends its request is not a failure of the server.
    if (!request.destroyed || request.complete) report(error, record.id);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const shape = handlers.find((handler) => !handler.isPublic && handler.surface === surface)?.shape;
    sendError(response, errorResponse(500, 'INTERNAL_SERVER_ERROR', maskedMessage, { requestId: record.id }), record, shape);
  }

  return (request, response, tracked) => {
    try {
      route(request, response, tracked)?.catch((error: unknown) => fail(error, request, response, tracked));
    } catch (error) {
      fail(error, request, response, tracked);
    }
  };
}
