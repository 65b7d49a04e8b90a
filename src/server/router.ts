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
import { clientAddress } from './messages/clientAddress.ts';
import { type ErrorShape, errorResponse, graphqlShape, notFound, rateLimitResponse, sendError } from './messages/errors.ts';
import { pathOf } from './messages/headers.ts';
import type { Surface, TrackedRequest } from './observability/requestLog.ts';
import type { PublicRate } from './rateLimits/addressLimits.ts';
import type { ClientLimits } from './rateLimits/clientLimits.ts';
import { callerOf, type Rates } from './rateLimits/rates.ts';
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

/** A surface of the server: one protocol at its own paths. Requests need a token. */
export interface Handler {
  readonly surface: Surface;
  /** The format of its errors. */
  readonly shape: ErrorShape;
  /** Whether a path belongs to this handler. */
  matches(path: string): boolean;
  /**
   * Whether a body at this path may be as large as `http.body`. The handler then enforces that limit itself. If absent, the
   * limit is `http.otherBody`.
   */
  acceptsLargeBody?(path: string): boolean;
  /** Responds to a request whose token was verified. Rejects with unexpected errors, which the router masks. */
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void>;
}

/** A handler whose paths need no token. Its responses contain no data of the chain. */
export interface PublicHandler {
  readonly surface: Surface;
  /** Whether it is a page that links on any site may open. */
  readonly isPage?: true;
  /** The format of its errors. That of GraphQL if absent. */
  readonly shape?: ErrorShape;
  matches(path: string, request: IncomingMessage): boolean;
  /** Returns origins whose pages may send requests to a path, in addition to those of `--allowed-origin`. Never rejects. */
  origins?(path: string): Promise<readonly string[]>;
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
}

/** A surface of the server over WebSocket, at its own paths. */
export interface SocketHandler {
  readonly shape: ErrorShape;
  matches(path: string): boolean;
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

/** What {@link createRequestContext} needs. */
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

/** Creates the context of a request whose first points are taken. */
function createRequestContext(options: RequestContextOptions): RequestContext {
  return new HttpRequestContext(options);
}

/** Passes a request to the handler of its path. Responds to failures itself. */
type Router = (request: IncomingMessage, response: ServerResponse, tracked: TrackedRequest) => void;

/** Options of {@link createRouter}. */
export interface RouterOptions {
  readonly publicHandlers: readonly PublicHandler[];
  readonly handlers: readonly Handler[];
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

/** The handler of the path of a request, public or not. */
interface FoundHandler {
  readonly path: string;
  readonly publicHandler: PublicHandler | undefined;
  readonly handler: Handler | undefined;
}

/** A request whose token was checked. */
interface Authenticated {
  readonly path: string;
  /** The handler of its path. undefined if there is none. */
  readonly handler: Handler | undefined;
  readonly session: Awaited<ReturnType<Authenticator['authenticate']>>;
}

/** A request whose caller is known. */
interface Admitted {
  readonly path: string;
  readonly handler: Handler;
  readonly session: Session;
  readonly caller: ClientLimits;
}

/** Sends an error response. */
function refuse(...error: Parameters<typeof sendError>): undefined {
  sendError(...error);
}

/**
 * Creates the router. It checks each request in this order:
 *
 * 1. Host, size, connections of its address, and origin.
 * 2. For `publicHandlers`, which come first: the rate of its address.
 * 3. For `handlers`: the token, then the limits of the caller. Then it waits for the turn of the caller. A POST waits when its
 *    body is read.
 *
 * Errors have the format of the handler's surface.
 */
export function createRouter(options: RouterOptions): Router {
  const { publicHandlers, handlers, auth, rates, turns, publicRate, connections, origins, limits, report } = options;

  /** Undefined if the response is sent. */
  function route(request: IncomingMessage, response: ServerResponse, tracked: TrackedRequest): Promise<void> | undefined {
    const path = pathOf(request);
    const publicHandler = publicHandlers.find((handler) => handler.matches(path, request));
    const handler = publicHandler === undefined ? handlers.find((each) => each.matches(path)) : undefined;
    tracked.surface = (publicHandler ?? handler)?.surface ?? 'none';
    const found = { path, publicHandler, handler };
    return request.headers.origin && publicHandler?.origins
      ? publicHandler.origins(path).then((pageOrigins) => check(request, response, tracked, found, pageOrigins))
      : check(request, response, tracked, found, []);
  }

  /** Checks a request, and passes it on. Undefined if the response is sent. */
  function check(
    request: IncomingMessage,
    response: ServerResponse,
    tracked: TrackedRequest,
    { path, publicHandler, handler }: FoundHandler,
    pageOrigins: readonly string[],
  ): Promise<void> | undefined {
    const { record } = tracked;
    const shape = (publicHandler ?? handler)?.shape ?? graphqlShape;
    const large = checkBody(request, limits);
    const limitsOwnBody = large !== undefined && (publicHandler !== undefined || handler?.acceptsLargeBody?.(path) === true);
    const tooLarge = limitsOwnBody ? undefined : large;
    const refused =
      checkHost(request) ??
      checkSize(request, limits) ??
      tooLarge ??
      connections.admit(request, response) ??
      (publicHandler?.isPage === true ? undefined : origins.check(request, response, pageOrigins));
    if (refused === 'answered') return undefined;
    if (refused !== undefined) return refuse(response, refused, record, shape);
    if (publicHandler !== undefined) {
      const tooMany = publicRate(clientAddress(request));
      if (tooMany !== undefined) return refuse(response, rateLimitResponse(tooMany), record, shape);
      return publicHandler.handle(request, response, path);
    }

    const session = auth.authenticate(request);
    return session instanceof Promise
      ? session.then((found) => admit(request, response, tracked, { path, handler, session: found }))
      : admit(request, response, tracked, { path, handler, session });
  }

  /** Finds the caller of a request, and what it has used at other processes. Undefined if the response is sent. */
  function admit(
    request: IncomingMessage,
    response: ServerResponse,
    tracked: TrackedRequest,
    { path, handler, session }: Authenticated,
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
    const known = caller.fresh();
    return known === undefined
      ? charge(request, response, tracked, admitted)
      : known.then(() => charge(request, response, tracked, admitted));
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
    const paying = caller.take(points);
    const admitted = (tooFast: Refused | undefined): Promise<void> | undefined =>
      tooFast === undefined
        ? begin(request, response, tracked, { path, handler, session, caller }, points, running.end)
        : refuse(response, rateLimitResponse(tooFast), record, shape);
    return paying instanceof Promise ? paying.then(admitted) : admitted(paying);
  }

  /** Passes a request that is paid for to its handler. `releaseSlot` frees its slot of `rate.concurrent`. */
  function begin(
    request: IncomingMessage,
    response: ServerResponse,
    { record }: TrackedRequest,
    { path, handler, session, caller }: Admitted,
    points: number,
    releaseSlot: () => void,
  ): Promise<void> | undefined {
    // The client may have left while other processes were asked.
    if (response.closed) return undefined;
    record.cost = points;
    record.bytes = points - 1;
    const context = createRequestContext({
      request,
      response,
      path,
      session,
      caller,
      record,
      turns,
      limits,
      releaseSlot,
    });
    const waiting = request.method === 'POST' ? undefined : context.turn();
    return waiting === undefined
      ? handler.handle(request, response, context)
      : waiting.then(() => handler.handle(request, response, context));
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse, { record, surface }: TrackedRequest): void {
    // A client that disconnects while it sends its request is not a failure of the server.
    if (!request.destroyed || request.complete) report(error, record.id);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const shape = handlers.find((handler) => handler.surface === surface)?.shape;
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
