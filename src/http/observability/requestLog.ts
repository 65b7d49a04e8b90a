import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRequestRecord, type RequestRecord } from '../../graphql/request/requestRecord.ts';
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

/** Follows requests to their end. Then counts each in the metrics and writes its log line. */
export interface Requests {
  /** Follows an HTTP request until its response closes. Sets the header `x-request-id` of the response. */
  http(request: IncomingMessage, response: IdentifiedResponse): TrackedRequest;
  /** Follows an operation on a WebSocket, by default of GraphQL. Call `end` when the operation is over. */
  operation(id: string, viewer: Viewer, surface?: Surface): { readonly record: RequestRecord; readonly end: () => void };
}

/** Creates the request log. */
export function createRequests(options: {
  readonly stats: RequestStats;
  readonly log?: Pick<Log, 'request'> | undefined;
}): Requests {
  const { stats, log } = options;
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
    begun: number,
    code: string,
    status: number | undefined,
  ): void {
    const ms = performance.now() - begun;
    const { id, operation, cost } = record;
    stats.note({ surface, code, seconds: ms / 1000, cost });
    log?.request({
      requestId: id,
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
    readonly #begun = performance.now();
    readonly #response: IdentifiedResponse;

    constructor(id: string, response: IdentifiedResponse) {
      this.record = createRequestRecord(id);
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
      this.surface = stream ?? this.surface;
      // Most streams end because the client disconnects.
      const ended = code ?? (isSent || stream !== undefined ? codeOfStatus(statusCode) : 'CANCELLED');
      note(this, this.#begun, ended, statusCode);
    }
  }

  return {
    http: (request, response) => new HttpRequest(requestIdOf(request), response),
    operation(id, viewer, surface = 'graphql-ws') {
      const begun = performance.now();
      const record = createRequestRecord(id);
      return { record, end: () => note({ record, surface, viewer }, begun, record.code ?? 'OK', undefined) };
    },
  };
}

/** Returns the id of a request: its `x-request-id` if that is safe in a header and a log, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = headerOf(request, 'x-request-id');
  return given !== undefined && /^[\w-]{1,64}$/.test(given) ? given : createRequestId();
}

/** Returns the code of a response that has no error code. */
function codeOfStatus(status: number): string {
  if (status < 400) return 'OK';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  return status === 429 ? 'RATE_LIMITED' : `HTTP_${status}`;
}
