import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRequestRecord, type RequestRecord } from '../../answers/caller.ts';
import { noTracer, type Span, type Tracer } from '../../chain/tracing/tracer.ts';
import type { Viewer } from '../../reads/viewer.ts';
import { headerOf } from '../messages/headers.ts';
import type { IdentifiedResponse } from '../messages/identifiedResponse.ts';
import { createRequestId } from '../messages/requestId.ts';
import type { Log } from './log.ts';
import type { RequestStats, Surface } from './requestStats.ts';

/** A running request. */
export interface TrackedRequest {
  readonly record: RequestRecord;
  surface: Surface;
  /** The viewer. undefined until the request is authenticated. */
  viewer: Viewer | undefined;
  /** The slot of `rate.concurrent` that the request holds until it ends. */
  slot: { end(): void } | undefined;
}

/** An operation on a WebSocket. */
export interface TrackedOperation {
  readonly record: RequestRecord;
  /** Call it when the operation is over. */
  readonly end: () => void;
}

/** Headers that continue the trace of a caller. */
export type TraceHeaders = Parameters<Tracer['request']>[1];

/** Follows requests to their end. Then counts each in the metrics and writes its log line. */
export interface Requests {
  /** Follows an HTTP request until its response closes. Sets the header `x-request-id` of the response. */
  http(request: IncomingMessage, response: IdentifiedResponse): TrackedRequest;
  /** Follows an operation on a WebSocket, by default of GraphQL. `headers` name the trace of the caller. */
  operation(id: string, viewer: Viewer, surface?: Surface, headers?: TraceHeaders): TrackedOperation;
}

/** Creates the request log. */
export function createRequests(options: {
  readonly stats: RequestStats;
  readonly log?: Pick<Log, 'request'> | undefined;
  readonly tracer?: Tracer | undefined;
}): Requests {
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

  function note(
    { record, surface, viewer }: Pick<TrackedRequest, 'record' | 'surface' | 'viewer'>,
    { begun, traceId }: { readonly begun: number; readonly traceId: string | undefined },
    code: string,
    status: number | undefined,
    method?: string,
  ): void {
    const ms = performance.now() - begun;
    const { id, span, operation, cost } = record;
    stats.note({ surface, code, seconds: ms / 1000, cost });
    if (span !== undefined) endSpan(span, { record, surface, method }, code, status);
    log?.request({
      requestId: id,
      traceId,
      surface,
      operation,
      code,
      status,
      ms: Math.round(ms * 1000) / 1000,
      cost,
      subject: subjectOf(viewer),
    });
  }

  /** It is a class because every request has one. */
  class HttpRequest implements TrackedRequest {
    readonly record: RequestRecord;
    surface: Surface = 'none';
    viewer: Viewer | undefined;
    slot: { end(): void } | undefined;
    readonly begun = performance.now();
    /** undefined if traces are off. */
    readonly traceId: string | undefined;
    readonly #response: IdentifiedResponse;

    constructor(request: IncomingMessage, response: IdentifiedResponse) {
      const { method = 'GET', headers } = request;
      const trace = tracer.isOn ? tracer.request(method, headers) : undefined;
      this.traceId = trace?.traceId;
      const id = givenId(request) ?? trace?.traceId ?? createRequestId();
      this.record = createRequestRecord(id, trace?.span);
      this.#response = response;
      response.requestId = id;
      response.tracked = this;
    }

    end(): void {
      this.slot?.end();
      const { statusCode, writableFinished, req } = this.#response;
      const { socket } = req;
      const { code, stream } = this.record;
      // Node also reports a response as finished if its connection is destroyed with unsent bytes.
      const isSent = writableFinished && (!socket.destroyed || socket.writableFinished);
      // By the conventions for HTTP: the method, and what it is for without the values in the path.
      this.record.span?.rename(`${req.method} ${this.surface}`);
      this.surface = stream ?? this.surface;
      // Most streams end because the client disconnects.
      const ended = code ?? (isSent || stream !== undefined ? codeOfStatus(statusCode) : 'CANCELLED');
      note(this, this, ended, statusCode, req.method);
    }
  }

  return {
    http: (request, response) => new HttpRequest(request, response),
    operation(id, viewer, surface = 'graphql-ws', headers = {}) {
      const begun = performance.now();
      const trace = tracer.request(surface, headers);
      const record = createRequestRecord(id, trace?.span);
      const times = { begun, traceId: trace?.traceId };
      return { record, end: () => note({ record, surface, viewer }, times, record.code ?? 'OK', undefined) };
    },
  };
}

/** Returns the id of a request: its `x-request-id` if that is safe in a header and a log, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  return givenId(request) ?? createRequestId();
}

/** The `x-request-id` of a request, if it is safe in a header and a log. */
function givenId(request: IncomingMessage): string | undefined {
  const given = headerOf(request, 'x-request-id');
  return given !== undefined && /^[\w-]{1,64}$/.test(given) ? given : undefined;
}

/** Ends the span of a request. */
function endSpan(
  span: Span,
  { record, surface, method }: Pick<TrackedRequest, 'record' | 'surface'> & { readonly method: string | undefined },
  code: string,
  status: number | undefined,
): void {
  const { id, operation, cost } = record;
  // An object that is put together with spreads would take longer than all else of a span.
  const attributes: Record<string, string | number> = { 'stele.surface': surface, 'stele.code': code };
  if (id !== span.traceId) attributes['stele.request.id'] = id;
  if (method !== undefined) attributes['http.request.method'] = method;
  if (operation !== undefined) attributes['stele.operation'] = operation;
  if (cost !== undefined) attributes['stele.cost'] = cost;
  if (status !== undefined) attributes['http.response.status_code'] = status;
  span.set(attributes);
  const isFailure = status === undefined ? code === 'INTERNAL_SERVER_ERROR' : status >= 500;
  span.end(isFailure ? code : undefined);
}

/** Returns the code of a response that has no error code. */
function codeOfStatus(status: number): string {
  if (status < 400) return 'OK';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  return status === 429 ? 'RATE_LIMITED' : `HTTP_${status}`;
}
