import type { ExecutionResult } from 'graphql';
import type { RequestParams, Sink } from 'graphql-sse';

/**
 * For graphql-sse: `client.subscribe(...resumeEvents(request, sink))`. A client that reconnects subscribes again with `after` set to the
 * height up to which everything was delivered, and with the chain of that height. If the chain was restarted meanwhile, the sink gets
 * CHAIN_RESET. The subscription must declare the variable `$after: Int64`.
 */
export function resumeEvents<Data>(
  { variables, extensions, ...rest }: RequestParams,
  sink: Sink<ExecutionResult<Data>>,
): [RequestParams, Sink<ExecutionResult<Data>>] {
  const start: Record<string, unknown> = { ...variables };
  const origin: Record<string, unknown> = { ...extensions };
  const next = (result: ExecutionResult<Data>): void => {
    const { code, after, chain } = result.errors?.[0]?.extensions ?? {};
    // The server sends this before it ends the connection. It is not an event of the subscription.
    if (code === 'SERVER_SHUTDOWN' || code === 'SUBSCRIPTION_JWT_EXPIRED') {
      if (after) [start.after, origin.chain] = [after, chain];
      return;
    }
    // A connection may also be lost without that. The events of the last height are then delivered again.
    const { height, chain: own } = result.extensions ?? {};
    if (height) [start.after, origin.chain] = [String(BigInt(String(height)) - 1n), own];
    sink.next(result);
  };
  return [
    { ...rest, variables: start, extensions: origin },
    { next, error: (error) => sink.error(error), complete: () => sink.complete() },
  ];
}
