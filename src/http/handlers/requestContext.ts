import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Limits } from '../../config/limits/limits.ts';
import { pointsOf } from '../../graphql/request/caller.ts';
import { readBody } from '../messages/body.ts';
import type { Turns } from '../rateLimits/turns.ts';
import type { RequestContext } from './handler.ts';

/** Bodies larger than this, in bytes, count towards `rate.bodies`. */
const largeBody = 64 * 1024;

/** What {@link createRequestContext} needs. */
export interface RequestContextOptions extends Pick<RequestContext, 'path' | 'session' | 'caller' | 'record' | 'releaseSlot'> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly turns: Turns;
  readonly limits: Limits;
}

/** Creates the context of a request whose first points are taken. */
export function createRequestContext({ request, response, turns, limits, ...options }: RequestContextOptions): RequestContext {
  const { path, session, caller, record, releaseSlot } = options;
  let hasTurn = false;

  async function turn(): Promise<void> {
    if (hasTurn) return;
    hasTurn = true;
    const waiting = turns.take(caller.name);
    if (waiting === undefined) return;
    response.once('close', waiting.cancel);
    await waiting.begun;
    response.off('close', waiting.cancel);
  }

  async function body(max: number): Promise<Buffer | null> {
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    // `close` releases the slot as well, because nothing that is awaited below resolves after the client has disconnected.
    const release = length <= largeBody ? undefined : await caller.readingBody();
    if (release !== undefined) {
      if (response.closed) release();
      else response.once('close', release);
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
    release?.();
    return bytes;
  }

  // Every request has a context. A spread or a getter would cost more than everything else here.
  const context = { path, session, caller, record, releaseSlot, body, turn, arrived: performance.now() };
  return context;
}
