import type { IncomingMessage, ServerResponse } from 'node:http';
import { pointsOf, type Refused } from '../answers/caller.ts';
import { maskedMessage } from '../answers/errors.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { Session } from '../reads/viewer.ts';
import type { Authenticator } from './auth/auth.ts';
import { countRefusal } from './auth/authRefusal.ts';
import type { Connections } from './connections.ts';
import type { Handler, PublicHandler } from './handlers/handler.ts';
import { createRequestContext } from './handlers/requestContext.ts';
import { clientAddress } from './messages/clientAddress.ts';
import { errorResponse, graphqlShape, notFound, rateLimitResponse, sendError } from './messages/errors.ts';
import { pathOf } from './messages/listen.ts';
import type { TrackedRequest } from './observability/requestLog.ts';
import type { Origins } from './origins.ts';
import { callerOf } from './rateLimits/callerOf.ts';
import type { ClientLimits } from './rateLimits/clientLimits.ts';
import type { PublicRate } from './rateLimits/publicRate.ts';
import type { Rates } from './rateLimits/rates.ts';
import type { Turns } from './rateLimits/turns.ts';
import { checkBody, checkHost, checkSize } from './requestLimits.ts';

/** Passes a request to the handler of its path. Responds to failures itself. */
export type Router = (request: IncomingMessage, response: ServerResponse, tracked: TrackedRequest) => void;

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
