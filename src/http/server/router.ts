import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Limits } from '../../config/limits/limits.ts';
import { pointsOf } from '../../graphql/request/caller.ts';
import { maskedMessage } from '../../graphql/request/errors.ts';
import type { Authenticator } from '../auth/auth.ts';
import { countRefusal } from '../auth/authRefusal.ts';
import type { Handler, PublicHandler } from '../handlers/handler.ts';
import { createRequestContext } from '../handlers/requestContext.ts';
import { clientAddress } from '../messages/clientAddress.ts';
import { errorResponse, graphqlShape, notFound, rateLimitResponse, sendError } from '../messages/errors.ts';
import { pathOf } from '../messages/listen.ts';
import type { TrackedRequest } from '../observability/requestLog.ts';
import { callerOf } from '../rateLimits/callerOf.ts';
import type { PublicRate } from '../rateLimits/publicRate.ts';
import type { Rates } from '../rateLimits/rates.ts';
import type { Turns } from '../rateLimits/turns.ts';
import type { Connections } from './connections.ts';
import type { Origins } from './origins.ts';
import { checkBody, checkHost, checkSize } from './requestLimits.ts';

/** Passes a request to the handler of its path. Never rejects. */
export type Router = (request: IncomingMessage, response: ServerResponse, tracked: TrackedRequest) => Promise<void>;

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

  async function route(request: IncomingMessage, response: ServerResponse, tracked: TrackedRequest): Promise<void> {
    const path = pathOf(request);
    const { record } = tracked;
    const publicHandler = publicHandlers.find((handler) => handler.matches(path, request));
    const handler = publicHandler === undefined ? handlers.find((each) => each.matches(path)) : undefined;
    const shape = (publicHandler ?? handler)?.shape ?? graphqlShape;
    tracked.surface = (publicHandler ?? handler)?.surface ?? 'none';
    const limitsOwnBody = publicHandler !== undefined || handler?.acceptsLargeBody?.(path) === true;
    const tooLarge = limitsOwnBody ? undefined : checkBody(request, limits);
    const pageOrigins = request.headers.origin && publicHandler?.origins ? await publicHandler.origins(path) : [];
    const refused =
      checkHost(request) ??
      checkSize(request, limits) ??
      tooLarge ??
      connections.admit(request, response) ??
      (publicHandler?.isPage === true ? undefined : origins.check(request, response, pageOrigins));
    if (refused === 'answered') return;
    if (refused !== undefined) return sendError(response, refused, record, shape);
    if (publicHandler !== undefined) {
      const tooMany = publicRate(clientAddress(request));
      if (tooMany !== undefined) return sendError(response, rateLimitResponse(tooMany), record, shape);
      return publicHandler.handle(request, response, path);
    }

    const session = await auth.authenticate(request);
    if ('reason' in session) return sendError(response, countRefusal(session, request, rates), record, shape);
    tracked.viewer = session.viewer;
    if (handler === undefined) return sendError(response, notFound, record);

    const caller = callerOf(rates, clientAddress(request), session);
    const running = caller.enter();
    if (!('end' in running)) return sendError(response, rateLimitResponse(running), record, shape);
    response.once('close', running.end);
    // A body of unknown length is charged when it is read.
    const points = pointsOf(Number(request.headers['content-length'] ?? 0), limits);
    const tooFast = caller.take(points);
    if (tooFast !== undefined) return sendError(response, rateLimitResponse(tooFast), record, shape);
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
      releaseSlot() {
        response.off('close', running.end);
        running.end();
      },
    });
    if (request.method !== 'POST') await context.turn();
    return handler.handle(request, response, context);
  }

  return async (request, response, tracked) => {
    try {
      await route(request, response, tracked);
    } catch (error) {
      const { record, surface } = tracked;
      // A client that disconnects while it sends its request is not a failure of the server.
      if (!request.destroyed || request.complete) report(error, record.id);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const shape = handlers.find((handler) => handler.surface === surface)?.shape;
      sendError(response, errorResponse(500, 'INTERNAL_SERVER_ERROR', maskedMessage, { requestId: record.id }), record, shape);
    }
  };
}
