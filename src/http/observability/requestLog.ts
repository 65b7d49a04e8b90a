import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequestRecord, type RequestRecord } from '../../graphql/request/requestRecord.ts';
import type { Viewer } from '../../reads/viewer.ts';
import { headerOf } from '../messages/headers.ts';
import type { Log } from './log.ts';
import type { RequestStats, Surface } from './requestStats.ts';

/** A request that is under way. */
export interface TrackedRequest {
  readonly record: RequestRecord;
  surface: Surface;
  /** Who asks; undefined while that is not known. */
  viewer: Viewer | undefined;
}

/** Follows requests to their end, and tells of each once: a count and a line of the log. */
export interface Requests {
  /** A request over HTTP, told of when its connection is done with it. Its id goes out with the answer. */
  http(request: IncomingMessage, response: ServerResponse): TrackedRequest;
  /** An operation on a WebSocket, of GraphQL if no other surface is named. The function that it gives is called when it is over. */
  operation(id: string, viewer: Viewer, surface?: Surface): { readonly record: RequestRecord; readonly end: () => void };
}

/** Makes it. */
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

  function end({ record, surface, viewer }: TrackedRequest, begun: number, code: string, status: number | undefined): void {
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

  return {
    http(request, response) {
      const begun = performance.now();
      const record = createRequestRecord(requestIdOf(request));
      const tracked: TrackedRequest = { record, surface: 'none', viewer: undefined };
      response.setHeader('x-request-id', record.id);
      response.once('close', () => {
        const { statusCode } = response;
        const { socket } = request;
        // Node reports a response as finished, too, if its connection is cut off with bytes of it.
        const isSent = response.writableFinished && (!socket.destroyed || socket.writableFinished);
        tracked.surface = record.stream ?? tracked.surface;
        // That its caller leaves is how most streams end.
        const code = record.code ?? (isSent || record.stream !== undefined ? codeOfStatus(statusCode) : 'CANCELLED');
        end(tracked, begun, code, statusCode);
      });
      return tracked;
    },
    operation(id, viewer, surface = 'graphql-ws') {
      const begun = performance.now();
      const record = createRequestRecord(id);
      return { record, end: () => end({ record, surface, viewer }, begun, record.code ?? 'OK', undefined) };
    },
  };
}

/** The id that a request goes by: that of its caller, where it is one that can stand in a header and in a log, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = headerOf(request, 'x-request-id');
  return given !== undefined && /^[\w-]{1,64}$/.test(given) ? given : randomUUID();
}

/** The code of an answer that says no more than its status. */
function codeOfStatus(status: number): string {
  if (status < 400) return 'OK';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  return status === 429 ? 'RATE_LIMITED' : `HTTP_${status}`;
}
