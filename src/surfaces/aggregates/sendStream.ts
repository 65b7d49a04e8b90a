import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ListFormat } from '../../modules/records/export.ts';
import { readForRequest } from '../../modules/records/loaders.ts';
import type { Pin } from '../../reads/pin.ts';
import { lifetimeOf } from '../../server/lifetime.ts';
import { type ErrorResponse, failureResponse, rateLimitResponse } from '../../server/messages/errors.ts';
import type { RequestContext } from '../../server/router.ts';
import type { RouteRequest } from './route.ts';

const contentTypes: Readonly<Record<ListFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** An error with a complete error response. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
  readonly response: ErrorResponse;

  constructor(response: ErrorResponse) {
    super(response.message);
    this.response = response;
  }
}

/**
 * Sends a whole list. Only the page that is being read is in memory, and the next one is read when the client has taken it. Each page is charged before
 * it is read; a caller without points waits for them. Nothing is sent before the first page has been read: rejects if that fails. Returns false if the
 * list does not exist. A failure after the headers destroys the connection, so that the client notices that the list is cut off. Ends without an error
 * if the client disconnects. Rejects with unexpected errors.
 */
export async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  list: {
    readonly stream: NonNullable<RouteRequest['stream']>;
    readonly format: ListFormat;
    /** The name of the file that a browser saves, without its extension. */
    readonly fileName: string;
    /** Creates the pin whose reads `signal` aborts. */
    pin(signal: AbortSignal): Pin;
  },
  { caller, record }: Pick<RequestContext, 'caller' | 'record'>,
): Promise<boolean> {
  const { stream, format, fileName } = list;
  const { signal } = lifetimeOf(response, undefined, undefined, record.span);
  // The router has charged 1 point already.
  let paid = 1;

  async function charge(): Promise<void> {
    const points = stream.points - paid;
    for (let refusal = await caller.take(points); refusal !== undefined; refusal = await caller.take(points)) {
      if (!response.headersSent) throw new ResponseError(rateLimitResponse(refusal));
      await pause(refusal.retryAfter * 1_000, undefined, { signal });
    }
    record.cost = (record.cost ?? 0) + points;
    paid = 0;
  }

  let texts: AsyncGenerator<string, void> | null = null;
  try {
    texts = await stream.texts(list.pin(signal), format, charge);
    if (texts === null) return false;
    let step = await readForRequest(texts.next());
    if (response.destroyed) return true;
    response.writeHead(200, {
      'content-type': contentTypes[format],
      'cache-control': 'no-store',
      ...(format === 'csv' && { 'content-disposition': `attachment; filename="${fileName}.csv"` }),
    });
    while (step.done !== true && request.method !== 'HEAD') {
      if (!response.write(step.value)) await once(response, 'drain', { signal });
      step = await readForRequest(texts.next());
      if (response.destroyed) return true;
    }
    response.end();
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    const failure = error instanceof ResponseError ? error.response : failureResponse(error);
    if (failure !== undefined && !response.headersSent) throw error;
    record.code = failure?.code ?? 'INTERNAL_SERVER_ERROR';
    // The router reports the error and destroys the connection.
    if (failure === undefined) throw error;
    response.destroy();
    return true;
  } finally {
    await texts?.return();
  }
}

/** The media types that a list is served with, the default first. */
const types: readonly (readonly [type: string, format: ListFormat | undefined])[] = [
  ['application/json', undefined],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv', 'csv'],
];

/** The quality that the most specific range of an `Accept` header gives to a media type; 0 if none matches. */
function qualityOf(accept: string, type: string): number {
  const ranges = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  let best = { rank: ranges.length, quality: 0 };
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const rank = ranges.indexOf(name);
    if (rank === -1 || rank > best.rank) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    best = { rank, quality: quality >= 0 && quality <= 1 ? quality : 0 };
  }
  return best.quality;
}

/**
 * The format of the stream that a request for a list asks for in its `Accept` header (RFC 9110, 12.5.1). undefined for JSON, which is also the response
 * if no type is acceptable.
 */
export function streamFormatOf(accept: string | undefined): ListFormat | undefined {
  if (accept === undefined) return undefined;
  let best: { readonly format: ListFormat | undefined; readonly quality: number } = { format: undefined, quality: 0 };
  for (const [type, format] of types) {
    const quality = qualityOf(accept, type);
    if (quality > best.quality) best = { format, quality };
  }
  return best.format;
}
