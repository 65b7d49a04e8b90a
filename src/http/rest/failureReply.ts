import type { ServerResponse } from 'node:http';
import type { RequestContext } from '../handlers/handler.ts';
import { type Dialect, varyOfRest } from './dialect.ts';

/** What is known of a request that failed. */
export interface FailedAt {
  /** Full name of the service; empty when there is none yet. */
  readonly service: string;
  /** The height to tell where the chain itself refused. */
  readonly height: bigint | undefined;
  /** The newest block. */
  readonly latest: bigint | undefined;
}

/** Sends a failure in the words of a dialect. What was not foreseen is thrown on, and masked. */
export function sendFailure(
  response: ServerResponse,
  context: RequestContext,
  dialect: Dialect,
  error: unknown,
  at: FailedAt,
): void {
  const { req: request } = response;
  const failure = dialect.failure(error, at.service, at.latest);
  if (failure === undefined || response.headersSent) throw error;
  if (failure.isOfHeight === true && at.height !== undefined) response.setHeader(dialect.heightHeader, at.height.toString());
  // What has not been read of a body is not going to be.
  if (!request.complete) response.setHeader('connection', 'close');
  context.record.code = failure.reason;
  const body = dialect.body(failure);
  response.writeHead(failure.status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: varyOfRest,
    'content-length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
