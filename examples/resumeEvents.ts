import type { ExecutionResult } from 'graphql';
import type { RequestParams, Sink } from 'graphql-sse';

/**
 * For graphql-sse: `client.subscribe(...resumeEvents(request, sink))`. A client that reconnects subscribes again with `after` set to the
 * height up to which everything was delivered. The subscription must declare the variable `$after: Int64`.
 */
export function resumeEvents<Data>(
  { variables, ...rest }: RequestParams,
  sink: Sink<ExecutionResult<Data>>,
): [RequestParams, Sink<ExecutionResult<Data>>] {
  const start: Record<string, unknown> = { ...variables };
  const next = (result: ExecutionResult<Data>): void => {
    const { code, after } = result.errors?.[0]?.extensions ?? {};
    // The server sends this before it ends the connection. It is not an event of the subscription.
    if (code === 'SERVER_SHUTDOWN' || code === 'SUBSCRIPTION_JWT_EXPIRED') {
      if (after) start.after = after;
      return;
    }
    // A connection may also be lost without that. The events of the last height are then delivered again.
    const height = result.extensions?.height;
    if (height) start.after = String(BigInt(String(height)) - 1n);
    sink.next(result);
  };
  return [
    { ...rest, variables: start },
    { next, error: (error) => sink.error(error), complete: () => sink.complete() },
  ];
}
