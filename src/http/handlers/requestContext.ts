import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Limits } from '../../config/limits/limits.ts';
import { pointsOf } from '../../graphql/request/caller.ts';
import { readBody } from '../messages/body.ts';
import type { Turns } from '../rateLimits/turns.ts';
import type { RequestContext } from './handler.ts';

/** Bodies of more bytes are read a few at a time. */
const largeBody = 64 * 1024;

/** What a context is made of. */
export interface RequestContextOptions extends Pick<RequestContext, 'path' | 'session' | 'caller' | 'record' | 'releaseSlot'> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly turns: Turns;
  readonly limits: Limits;
}

/** Makes the context of a request whose first points are taken. */
export function createRequestContext({ request, response, turns, limits, ...options }: RequestContextOptions): RequestContext {
  const { path, session, caller, record, releaseSlot } = options;
  let hasTurn = false;

  async function turn(): Promise<void> {
    if (hasTurn) return;
    hasTurn = true;
    const waiting = turns.take(caller.name);
    if (waiting === undefined) return;
    response.once('close', waiting.leave);
    await waiting.begun;
    response.off('close', waiting.leave);
  }

  async function body(max: number): Promise<Buffer | null> {
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    // The end of its place is told by `close` too: nothing that is awaited here comes once the client has left.
    const end = length <= largeBody ? undefined : await caller.readingBody();
    if (end !== undefined) {
      if (response.closed) end();
      else response.once('close', end);
    }
    const bytes = await readBody(request, max);
    if (bytes === null) return null;
    context.arrived = performance.now();
    if (Number.isNaN(length)) {
      const points = pointsOf(bytes.length, limits) - 1;
      caller.charge(points);
      record.bytes = points;
      record.cost = 1 + points;
    }
    await turn();
    end?.();
    return bytes;
  }

  // Without a spread and a getter, which cost more than all else here: every request has one.
  const context = { path, session, caller, record, releaseSlot, body, turn, arrived: performance.now() };
  return context;
}
