import type { ServerResponse } from 'node:http';
import type { RequestContext } from '../../server/router.ts';
import { type Dialect, varyOfRest } from './dialect.ts';

/** Details of a failed request. */
export interface FailedAt {
  /** Full name of the service. Empty if no route was found. */
  readonly service: string;
  /** The height of the response if the chain rejected the read. */
  readonly height: bigint | undefined;
  /** The newest block. */
  readonly latest: bigint | undefined;
}

/** Sends an error response in a dialect. Rethrows unexpected errors, which the router masks. */
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
  // The rest of an unread body is not read.
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
