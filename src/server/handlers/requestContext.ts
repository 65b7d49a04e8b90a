import type { IncomingMessage, ServerResponse } from 'node:http';
import { pointsOf, type RequestRecord } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { Session } from '../../reads/viewer.ts';
import { readBody } from '../messages/body.ts';
import type { ClientLimits } from '../rateLimits/clientLimits.ts';
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
export function createRequestContext(options: RequestContextOptions): RequestContext {
  return new HttpRequestContext(options);
}
