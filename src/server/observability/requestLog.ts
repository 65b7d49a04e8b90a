import { createHash, randomFillSync } from 'node:crypto';
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createRequestRecord, type RequestRecord } from '../../answers/caller.ts';
import { createHistogram, type Histogram, type HistogramView } from '../../chain/base/time.ts';
import { noTracer, type Tracer } from '../../chain/tracing/tracer.ts';
import type { Viewer } from '../../reads/viewer.ts';

/** Headers of a response: an object, or names and values in turn. */
type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * A response that sends the id of its request as `x-request-id`, whichever code writes its head. `setHeader` at the start of
 * each request would make Node write each head in a slower way. It also holds the request that it responds to, for the code that
 * runs when it closes: listeners for each response would take more time than that code.
 */
export class IdentifiedResponse extends ServerResponse {
  /** The id. undefined if the response has none. */
  requestId: string | undefined;
  /** The request, which ends when the response closes. undefined until it is handled. */
  tracked: HttpRequest | undefined;
  /** Returns further headers when the head is written. undefined if there are none. */
  lateHeaders: (() => Readonly<Record<string, string>>) | undefined;

  /** Adds the late headers that the head does not have, and `Retry-After` to every 429: whoever ends a stream of its own may try again at once. */
  #addLate(statusCode: number, headers: Headers | undefined): void {
    const isList = Array.isArray(headers);
    const late = { ...(statusCode === 429 && { 'retry-after': '1' }), ...this.lateHeaders?.() };
    for (const [name, value] of Object.entries(late)) {
      if (this.hasHeader(name) || (isList ? headers.includes(name) : headers?.[name] !== undefined)) continue;
      if (isList) headers.push(name, value);
      else this.setHeader(name, value);
    }
  }

  /** Writes the head. A list of headers belongs to the response from then on. */
  override writeHead(statusCode: number, statusMessage?: string, headers?: Headers): this;
  override writeHead(statusCode: number, headers?: Headers): this;
  override writeHead(statusCode: number, reason?: string | Headers, last?: Headers): this {
    const headers = typeof reason === 'string' ? last : reason;
    if (this.requestId !== undefined) {
      if (Array.isArray(headers)) headers.push('x-request-id', this.requestId);
      else this.setHeader('x-request-id', this.requestId);
    }
    if (this.lateHeaders !== undefined || statusCode === 429) this.#addLate(statusCode, headers);
    return typeof reason === 'string' ? super.writeHead(statusCode, reason, headers) : super.writeHead(statusCode, headers);
  }
}

/** How many ids are made at once. An id that is used for long keeps the text of all of them, 2 kB, in memory. */
const idsAtOnce = 64;
const idLength = 36;

/** The text of the next ids: UUIDs of version 4, whose dashes stay. */
const nextIds = Buffer.from('00000000-0000-4000-8000-000000000000'.repeat(idsAtOnce), 'latin1');
/** Random bytes for many times as many ids, because one call for random bytes takes as long as to make thirty ids of them. */
const random = Buffer.allocUnsafeSlow(16 * 16 * idsAtOnce);
const digits = Buffer.from('0123456789abcdef', 'latin1');

/** The place in an id of the first digit of each byte. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/** The next ids as one text, and where those begin that are not used yet. */
let ids = '';
let unused = 0;

/** Where the random bytes begin that are not used yet. */
let unusedRandom = random.length;

/** Returns a random UUID (RFC 9562, version 4). It is a part of a text with others, which takes a tenth of the time of a text of its own. */
export function createRequestId(): string {
  if (unused === ids.length) {
    if (unusedRandom === random.length) {
      randomFillSync(random);
      unusedRandom = 0;
    }
    for (let id = 0; id < idsAtOnce; id += 1) {
      for (let index = 0; index < 16; index += 1) {
        let byte = random[unusedRandom++] ?? 0;
        if (index === 6) byte = (byte & 0x0f) | 0x40;
        else if (index === 8) byte = (byte & 0x3f) | 0x80;
        const place = idLength * id + (places[index] ?? 0);
        nextIds[place] = digits[byte >> 4] ?? 0;
        nextIds[place + 1] = digits[byte & 15] ?? 0;
      }
    }
    ids = nextIds.toString('latin1');
    unused = 0;
  }
  unused += idLength;
  return ids.slice(unused - idLength, unused);
}

/** The surface that a request was for. Never a path, because callers could create any number of paths. */
export type Surface =
  | 'graphql'
  /** A GraphQL subscription over server-sent events, until the stream ends. */
  | 'graphql-sse'
  | 'graphql-multipart'
  /** A GraphQL operation over WebSocket, until it is complete. */
  | 'graphql-ws'
  | 'playground'
  | 'dashboard'
  /**
   * The node RPC in the documented dialect at the root paths, and in the node's dialect at `/comet`: HTTP requests, and calls
   * on a WebSocket.
   */
  | 'rpc'
  | 'comet'
  /** The application over REST: in the documented dialect, and in the node's dialect at `/rest`. */
  | 'rest'
  | 'rest-node'
  /** The aggregates at `/v1`. */
  | 'aggregates'
  /** The server for agents at `/mcp`. */
  | 'mcp'
  /** The API descriptions and the pages that show them. */
  | 'docs'
  | 'schema'
  /** The embedded issuer: tokens, keys and metadata. */
  | 'tokens'
  /** Paths without a handler. */
  | 'none';

/** The counters since the start. */
export interface RequestCounts {
  readonly codes: readonly { readonly surface: Surface; readonly code: string; readonly count: number }[];
  readonly surfaces: readonly { readonly surface: Surface; readonly times: HistogramView; readonly cost: number }[];
}

export function createRequestStats() {
  const surfaces = new Map<Surface, { readonly codes: Map<string, number>; readonly times: Histogram; cost: number }>();
  return {
    /**
     * Counts a request that has ended. `code` is `OK`, the code of its first error, `HTTP_` and its status if it has no code, or
     * `CANCELLED` if the client disconnected.
     */
    note(surface: Surface, code: string, seconds: number, cost = 0): void {
      let counts = surfaces.get(surface);
      if (counts === undefined) {
        counts = { codes: new Map(), times: createHistogram(), cost: 0 };
        surfaces.set(surface, counts);
      }
      counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1);
      counts.times.observe(seconds);
      counts.cost += cost;
    },
    view: (): RequestCounts => ({
      codes: [...surfaces].flatMap(([surface, { codes }]) => [...codes].map(([code, count]) => ({ surface, code, count }))),
      surfaces: [...surfaces].map(([surface, { times, cost }]) => ({ surface, times: times.view(), cost })),
    }),
  };
}

export interface TrackedRequest {
  readonly record: RequestRecord;
  surface: Surface;
  /** The viewer. undefined until the request is authenticated. */
  viewer: Viewer | undefined;
  /** The slot of `rate.concurrent` that the request holds until it ends. */
  slot: { end(): void } | undefined;
  /** Learns at the end of the request whether a limit refused it. undefined until its caller is known. */
  caller: { refused(): void } | undefined;
}

/** A request over HTTP. `traceId` is undefined if traces are off. */
interface HttpRequest extends TrackedRequest {
  readonly begun: number;
  readonly traceId: string | undefined;
}

/** An operation on a WebSocket. */
export interface TrackedOperation {
  readonly record: RequestRecord;
  /** Call it when the operation is over. */
  readonly end: () => void;
}

/** Headers that continue the trace of a caller. */
export type TraceHeaders = Parameters<Tracer['request']>[1];

/** The log line of a request. It contains no request or response data, and the subject only as a hash. */
export interface RequestLine {
  readonly requestId: string;
  /** The trace of the request. undefined if traces are off. */
  readonly traceId: string | undefined;
  readonly surface: Surface;
  readonly operation: string | undefined;
  readonly code: string;
  /** The HTTP status. undefined for an operation on a WebSocket. */
  readonly status: number | undefined;
  readonly ms: number;
  readonly cost: number | undefined;
  /** The first 16 hex digits of the SHA-256 of the token's subject. */
  readonly subject: string | undefined;
}

/** Follows requests to their end. Then counts each in the metrics and writes its log line. */
export type Requests = ReturnType<typeof createRequests>;

export function createRequests(options: {
  readonly stats: Pick<ReturnType<typeof createRequestStats>, 'note'>;
  readonly log?: { request(line: RequestLine): void } | undefined;
  readonly tracer?: Tracer | undefined;
}) {
  const { stats, log, tracer = noTracer } = options;
  const subjects = new WeakMap<Viewer, string>();

  function subjectOf(viewer: Viewer | undefined): string | undefined {
    if (viewer === undefined || viewer.subject === '') return undefined;
    let hash = subjects.get(viewer);
    if (hash === undefined) {
      hash = createHash('sha256').update(viewer.subject).digest('hex').slice(0, 16);
      subjects.set(viewer, hash);
    }
    return hash;
  }

  function note(request: Omit<HttpRequest, 'slot' | 'caller'>, code: string, status?: number, method?: string): void {
    const { record, surface, viewer, begun: startedAt, traceId } = request;
    const { id: requestId, span, operation, cost } = record;
    const milliseconds = performance.now() - startedAt;
    stats.note(surface, code, milliseconds / 1000, cost);
    const ms = Math.round(milliseconds * 1000) / 1000;
    log?.request({ requestId, traceId, surface, operation, code, status, ms, cost, subject: subjectOf(viewer) });
    if (span === undefined) return;
    // An object that is put together with spreads would take longer than all else of a span.
    const attributes: Record<string, string | number> = { 'stele.surface': surface, 'stele.code': code };
    if (requestId !== span.traceId) attributes['stele.request.id'] = requestId;
    if (method !== undefined) attributes['http.request.method'] = method;
    if (operation !== undefined) attributes['stele.operation'] = operation;
    if (cost !== undefined) attributes['stele.cost'] = cost;
    if (status !== undefined) attributes['http.response.status_code'] = status;
    span.set(attributes);
    const isFailure = status === undefined ? code === 'INTERNAL_SERVER_ERROR' : status >= 500;
    span.end(isFailure ? code : undefined);
  }

  return {
    /** Follows an HTTP request until its response closes. Sets the header `x-request-id` of the response. */
    http(request: IncomingMessage, response: IdentifiedResponse): TrackedRequest {
      const { method = 'GET', headers } = request;
      const trace = tracer.isOn ? tracer.request(method, headers) : undefined;
      const { traceId, span } = trace ?? {};
      const id = requestIdOf(request, traceId);
      const record = createRequestRecord(id, span);
      const tracked: HttpRequest = {
        record,
        surface: 'none',
        viewer: undefined,
        slot: undefined,
        caller: undefined,
        begun: performance.now(),
        traceId,
      };
      response.requestId = id;
      response.tracked = tracked;
      return tracked;
    },
    /** Call it when a response closes: frees the slot of its request, if it was handled, and counts it. */
    end(response: IdentifiedResponse): void {
      const { statusCode, writableFinished, req, tracked } = response;
      if (tracked === undefined) return;
      tracked.slot?.end();
      const { code, stream, span } = tracked.record;
      if (code === 'RATE_LIMITED') tracked.caller?.refused();
      // Node also reports a response as finished if its connection is destroyed with unsent bytes.
      const isSent = writableFinished && (!req.socket.destroyed || req.socket.writableFinished);
      // By the conventions for HTTP: the method, and what it is for without the values in the path.
      span?.rename(`${req.method} ${tracked.surface}`);
      tracked.surface = stream ?? tracked.surface;
      // Most streams end because the client disconnects.
      const isComplete = isSent || stream !== undefined;
      const ended = code ?? (isComplete ? (statusCode < 400 ? 'OK' : codeOfRefusal(statusCode)) : 'CANCELLED');
      note(tracked, ended, statusCode, req.method);
    },
    /** Follows an operation on a WebSocket, by default of GraphQL. `headers` name the trace of the caller. */
    operation(id: string, viewer: Viewer, surface: Surface = 'graphql-ws', headers: TraceHeaders = {}): TrackedOperation {
      const startedAt = performance.now();
      const trace = tracer.request(surface, headers);
      const record = createRequestRecord(id, trace?.span);
      const operation = { record, surface, viewer, begun: startedAt, traceId: trace?.traceId };
      return { record, end: () => note(operation, record.code ?? 'OK') };
    },
  };
}

/** Returns the id of a request: its `x-request-id` if that is safe in a header and a log, else that of its trace, else a new one. */
export function requestIdOf({ headers }: IncomingMessage, traceId?: string): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : (traceId ?? createRequestId());
}

/** Returns the code of a response with an HTTP error and without an error code. */
function codeOfRefusal(status: number): string {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  return status === 429 ? 'RATE_LIMITED' : `HTTP_${status}`;
}
