import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pointsOf, quotaHeaders, type Refused, type RequestRecord } from '../answers/caller.ts';
import { maskedMessage } from '../answers/errors.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { Awaitable } from '../reads/pin.ts';
import type { Session } from '../reads/viewer.ts';
import type { Authenticator } from './auth/auth.ts';
import { countRefusal, namingMetadata, type Refusal } from './auth/bearer.ts';
import type { Connections } from './connections.ts';
import { Lifetime } from './lifetime.ts';
import { type BodyReader, passBody } from './messages/body.ts';
import {
  type ErrorResponse,
  type ErrorShape,
  errorResponse,
  notFound,
  rateLimitResponse,
  sendError,
} from './messages/errors.ts';
import { clientAddress, publicOrigin } from './messages/requestHeaders.ts';
import { IdentifiedResponse, type Surface, type TrackedRequest } from './observability/requestLog.ts';
import { BothSlots, type ClientLimits, type Slot } from './rateLimits/clientLimits.ts';
import { callerOf, type PublicRate, type Rates } from './rateLimits/rates.ts';
import type { Turns } from './rateLimits/turns.ts';
import { bodyTooLarge, checkHead, type Origins } from './requestChecks.ts';

/** The requests that a handler responds to. */
interface Route {
  /**
   * The paths of the handler. One that ends with `/*` stands for every path that begins with what is before the star: `/v1/*` for
   * those below `/v1`, and `/*` for all that no other handler has. Below the root, one segment comes before the star.
   */
  readonly paths: readonly string[];
  /** The method of its requests. Default: any. */
  readonly method?: 'GET';
  /** Whether a request at one of the paths, with this method, is for this handler. If not, the next handler of the same path is asked. Default: always. */
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
  /** The path of its metadata as a protected resource (RFC 9728), which responses with status 401 name. Default: none. */
  readonly metadataPath?: string;
  /** Responds to a request whose token was verified. Rejects with unexpected errors, which the router masks. */
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Awaitable<void>;
}

/** A handler whose paths need no token. Its responses contain no data of the chain, unless anyone may read it. */
export interface PublicHandler extends Route {
  readonly isPublic: true;
  readonly surface: Surface;
  /** Whether it is a page that links on any site may open. */
  readonly isPage?: true;
  /** Whether pages of every origin may read it where callers need no token. */
  readonly isOpen?: true;
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

/** A request whose head is complete. */
interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly tracked: TrackedRequest;
  /** The path without its query. */
  readonly path: string;
  /** The length of the body that the head names, in bytes. NaN if it names none. */
  readonly length: number;
}

/** What the requests of one router share. */
interface RouterParts extends Pick<RouterOptions, 'turns' | 'limits'> {
  /** Responds to a failure of a handler. */
  fail(error: unknown, arrival: Arrival): void;
}

/** Bodies larger than this, in bytes, count towards `rate.bodies`. */
const largeBody = 64 * 1024;

/**
 * A request whose token was verified, as a handler gets it. It is a class because every request has one: functions of its own
 * would cost more than everything else here.
 */
export class RequestContext implements BodyReader {
  /** The path without its query. */
  readonly path: string;
  /** The length of the body that the head names, in bytes. NaN if it names none. */
  readonly length: number;
  readonly session: Session;
  /** The limits of the caller. The request holds a slot of `rate.concurrent`, and its first points are taken. */
  readonly caller: ClientLimits;
  /** Collects what the log and the metrics report of the request. */
  readonly record: RequestRecord;
  /** The slot of `rate.concurrent`. It is released when the request becomes a stream, which has its own limits, else when the response closes. */
  readonly slot: Slot;
  /** Time at which the request was complete, by the clock of `performance`. Its deadline counts from there. */
  arrived = performance.now();
  readonly #arrival: Arrival;
  readonly #router: RouterParts;
  #hasTurn = false;
  #use: ((bytes: Buffer | null) => Awaitable<void>) | undefined;
  /** Called with what `#use` throws, in place of the router. */
  #failed: ((error: unknown) => void) | undefined;
  /** Releases the slot of a large body. */
  #release: (() => void) | undefined;

  constructor(
    arrival: Arrival,
    { session, caller, slot }: Pick<RequestContext, 'session' | 'caller' | 'slot'>,
    router: RouterParts,
  ) {
    this.path = arrival.path;
    this.length = arrival.length;
    this.session = session;
    this.caller = caller;
    this.record = arrival.tracked.record;
    this.slot = slot;
    this.#arrival = arrival;
    this.#router = router;
  }

  /**
   * Waits for the turn of the caller, once for each request. The router has done so for all methods but POST. undefined if the
   * turn begins at once. Never resolves if the client disconnects.
   */
  turn(): Promise<void> | undefined {
    if (this.#hasTurn) return undefined;
    this.#hasTurn = true;
    const waiting = this.#router.turns.take(this.caller.name);
    if (waiting === undefined) return undefined;
    this.#arrival.response.once('close', waiting.cancel);
    return waiting.begun.then(() => void this.#arrival.response.off('close', waiting.cancel));
  }

  /**
   * Reads the body and waits for the turn of the caller. null if the body has more than `max` bytes. Large bodies of one caller
   * are read a few at a time (`rate.bodies`). Rejects if the client disconnects before the body is complete, and never resolves if it does so later.
   */
  body(max: number): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      this.#failed = reject;
      this.withBody(max, resolve);
    });
  }

  /** The same for a body that is passed to `use`, without a promise. What `use` throws or rejects with is a failure of the handler. */
  withBody(max: number, use: (bytes: Buffer | null) => Awaitable<void>): void {
    this.#use = use;
    if (this.length <= largeBody) passBody(this.#arrival.request, max, this);
    else void this.#readLarge(max);
  }

  async #readLarge(max: number): Promise<void> {
    // `close` releases the slot as well, because nothing that is awaited below resolves after the client has disconnected.
    const release = await this.caller.readingBody();
    if (this.#arrival.response.closed) release();
    else this.#arrival.response.once('close', release);
    this.#release = release;
    passBody(this.#arrival.request, max, this);
  }

  /** Called when the body is complete. See {@link BodyReader}. */
  end(bytes: Buffer | null): void {
    if (bytes === null) {
      this.#pass(null);
      return;
    }
    this.arrived = performance.now();
    if (Number.isNaN(this.length)) {
      const points = pointsOf(bytes.length, this.#router.limits) - 1;
      this.caller.charge(points);
      this.record.bytes = points;
      this.record.cost = 1 + points;
    }
    const waiting = this.turn();
    if (waiting === undefined) this.#pass(bytes);
    else void waiting.then(() => this.#pass(bytes));
  }

  /** Called when the request cannot be answered. See {@link BodyReader}. */
  fail(error: unknown): void {
    if (this.#failed !== undefined) this.#failed(error);
    else this.#router.fail(error, this.#arrival);
  }

  #pass(bytes: Buffer | null): void {
    if (bytes !== null) this.#release?.();
    try {
      const using = this.#use?.(bytes);
      if (using instanceof Promise) using.catch((error: unknown) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }
}

/**
 * Waits until a request of the caller may begin. Returns the slot that the request then holds, if any. Resolves to undefined if the client
 * disconnects.
 */
async function begin(caller: ClientLimits, response: ServerResponse): Promise<Slot | undefined> {
  const lifetime = new Lifetime({ response });
  const slot = await caller.begin(lifetime).catch(() => undefined);
  lifetime.end();
  return slot;
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
    for (const handler of candidates ?? []) {
      if (handler.method !== undefined && handler.method !== request.method) continue;
      if (handler.accepts?.(request, path) !== false) return handler;
    }
    return undefined;
  };
}

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

/**
 * Creates the router. It checks each request in this order:
 *
 * 1. Host, size, connections of its address, and origin.
 * 2. For a public handler: the rate of its address.
 * 3. For others: the token, then the limits of the caller, whose request waits if they have refused too many. Then it waits for the turn of the caller. A POST waits when its body
 *    is read.
 *
 * Errors have the format of the handler's surface.
 */
export function createRouter(options: RouterOptions) {
  const { handlers, auth, rates, publicRate, connections, origins, limits, report } = options;
  const handlerOf = createRoutes(handlers);

  /** The checks that need no token. 'answered' if they have sent the response to a preflight request. */
  function check(
    { request, response, path, length }: Arrival,
    handler: Handler | PublicHandler | undefined,
    pageOrigins: readonly string[],
  ): 'answered' | ErrorResponse | undefined {
    const isLarge = length > limits['http.otherBody'];
    return (
      checkHead(request, limits) ??
      (!isLarge || handler?.isPublic || handler?.acceptsLargeBody?.(path) ? undefined : bodyTooLarge(limits)) ??
      connections.admit(request, response) ??
      (handler?.isPublic && handler.isPage
        ? undefined
        : origins.check(request, response, pageOrigins, !handler?.isPublic || handler.isOpen === true))
    );
  }

  function fail(error: unknown, { request, response, tracked: { record, surface } }: Arrival): void {
    // A client that disconnects while it sends its request is not a failure of the server.
    if (!request.destroyed || request.complete) report(error, record.id);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const shape = handlers.find((handler) => !handler.isPublic && handler.surface === surface)?.shape;
    sendError(response, errorResponse(500, 'INTERNAL_SERVER_ERROR', maskedMessage, { requestId: record.id }), record, shape);
  }

  const routerParts: RouterParts = { turns: options.turns, limits, fail };

  /** Refuses a request without a valid token. One that a limit refuses waits if too many from its address were refused. */
  async function refuseSender(
    { request, response, tracked }: Arrival,
    error: ErrorResponse,
    shape: ErrorShape | undefined,
  ): Promise<void> {
    if (error.status === 429) {
      const sender = rates.ofAnonymous(clientAddress(request));
      tracked.caller = sender;
      tracked.slot = await begin(sender, response);
    }
    if (response.closed) tracked.slot?.end();
    else sendError(response, error, tracked.record, shape);
  }

  // A request passes these steps. Each waits only where something has to be waited for, because most requests wait for nothing: an async function for
  // all of them would take longer than they do.

  async function answerPublic(arrival: Arrival, handler: PublicHandler): Promise<void> {
    const { request, response, path } = arrival;
    const pageOrigins = request.headers.origin && handler.origins ? await handler.origins(path) : [];
    if (isOver(arrival, handler, pageOrigins)) return;
    const tooMany = publicRate(clientAddress(request));
    if (tooMany !== undefined) await refuseSender(arrival, rateLimitResponse(tooMany), handler.shape);
    else await handler.handle(request, response, path);
  }

  function answerCaller(arrival: Arrival, handler: Handler | undefined): Awaitable<void> {
    if (isOver(arrival, handler, [])) return undefined;
    const outcome = auth.authenticate(arrival.request);
    return outcome instanceof Promise
      ? outcome.then((session) => admit(arrival, handler, session))
      : admit(arrival, handler, outcome);
  }

  /** Makes the checks that need no token. Whether the response is sent. */
  function isOver(arrival: Arrival, handler: Handler | PublicHandler | undefined, pageOrigins: readonly string[]): boolean {
    const refusal = check(arrival, handler, pageOrigins);
    if (refusal === undefined) return false;
    if (refusal !== 'answered') sendError(arrival.response, refusal, arrival.tracked.record, handler?.shape);
    return true;
  }

  /** Refuses a request without a valid token. */
  async function refuseToken(arrival: Arrival, handler: Handler | undefined, reason: Refusal): Promise<void> {
    const { request } = arrival;
    const failures = rates.freshFailures(clientAddress(request));
    if (failures !== undefined) await failures;
    const { metadataPath } = handler ?? {};
    const refusal = countRefusal(reason, request, rates);
    const answer = metadataPath === undefined ? refusal : namingMetadata(refusal, publicOrigin(request) + metadataPath);
    await refuseSender(arrival, answer, handler?.shape);
  }

  /** Waits until the request of a caller may begin. */
  function admit(arrival: Arrival, handler: Handler | undefined, session: Session | Refusal): Awaitable<void> {
    if ('reason' in session) return refuseToken(arrival, handler, session);
    const { request, response, tracked } = arrival;
    const { viewer } = session;
    tracked.viewer = viewer;
    if (handler === undefined) return sendError(response, notFound, tracked.record);
    const caller = callerOf(rates, clientAddress(request), session);
    if (response instanceof IdentifiedResponse && (viewer.isAnonymous === true || viewer.isPublic === true))
      response.lateHeaders = () => quotaHeaders(caller.quota());
    tracked.caller = caller;
    const isSlow = viewer.isAnonymous === true || caller.pause() > 0;
    const waiting = isSlow ? waitSlowly(caller, response, tracked) : caller.fresh();
    return waiting === undefined
      ? enter(arrival, handler, session, caller)
      : waiting.then(() => enter(arrival, handler, session, caller));
  }

  async function waitSlowly(caller: ClientLimits, response: ServerResponse, tracked: TrackedRequest): Promise<void> {
    tracked.slot = await begin(caller, response);
    await caller.fresh();
  }

  /** Takes a slot and the points of the head and the body. */
  function enter(arrival: Arrival, handler: Handler, session: Session, caller: ClientLimits): Awaitable<void> {
    const { response, tracked, length } = arrival;
    const { slot: ownSlot } = tracked;
    // The client may have left during the wait.
    if (response.closed) return ownSlot?.end();
    const entered = caller.enter();
    if (!('end' in entered)) return sendError(response, rateLimitResponse(entered), tracked.record, handler.shape);
    const slot = ownSlot === undefined ? entered : new BothSlots(ownSlot, entered);
    tracked.slot = slot;
    // A body of unknown length is charged when it is read.
    const points = pointsOf(length || 0, limits);
    const taking = caller.take(points);
    const parts = { session, caller, slot };
    return taking instanceof Promise
      ? taking.then((tooFast) => start(arrival, handler, parts, points, tooFast))
      : start(arrival, handler, parts, points, taking);
  }

  /** Passes a request to its handler, unless it is refused. */
  function start(
    arrival: Arrival,
    handler: Handler,
    parts: Pick<RequestContext, 'session' | 'caller' | 'slot'>,
    points: number,
    tooFast: Refused | undefined,
  ): Awaitable<void> {
    const { request, response } = arrival;
    const { record } = arrival.tracked;
    if (tooFast !== undefined) return sendError(response, rateLimitResponse(tooFast), record, handler.shape);
    // The client may have left while other processes were asked.
    if (response.closed) return undefined;
    record.cost = points;
    record.bytes = points - 1;
    const context = new RequestContext(arrival, parts, routerParts);
    const waiting = request.method === 'POST' ? undefined : context.turn();
    return waiting === undefined
      ? handler.handle(request, response, context)
      : waiting.then(() => handler.handle(request, response, context));
  }

  /** Passes a request to the handler of its path. Responds to failures itself, and never throws. */
  return function route(request: IncomingMessage, response: ServerResponse, tracked: TrackedRequest, path: string): void {
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    const arrival = { request, response, tracked, path, length };
    try {
      const handler = handlerOf(request, path);
      tracked.surface = handler?.surface ?? 'none';
      const routing = handler?.isPublic ? answerPublic(arrival, handler) : answerCaller(arrival, handler);
      if (routing instanceof Promise) routing.catch((error: unknown) => fail(error, arrival));
    } catch (error) {
      fail(error, arrival);
    }
  };
}
