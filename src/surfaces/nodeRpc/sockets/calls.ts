import type { RequestRecord } from '../../../answers/caller.ts';
import { jsonBoundsOf, maskedMessage } from '../../../answers/errors.ts';
import { ArgumentError } from '../../../chain/rpc/args.ts';
import { MissingParams, noRequestId } from '../../../chain/rpc/envelope.ts';
import { isRpcMethod, socketMethods } from '../../../chain/rpc/methods.ts';
import { parseFrame, type RequestId, type RpcRequest } from '../../../chain/rpc/requests.ts';
import { internalError, RpcError } from '../../../chain/rpc/rpcError.ts';
import type { Limits } from '../../../config/limits/limits.ts';
import type { Session } from '../../../reads/viewer.ts';
import { Lifetime } from '../../../server/lifetime.ts';
import { rateLimitResponse } from '../../../server/messages/errors.ts';
import type { TrackedOperation } from '../../../server/observability/requestLog.ts';
import type { ClientLimits } from '../../../server/rateLimits/clientLimits.ts';
import type { Dialect } from '../dialect.ts';
import { badParams, type CallAnswer, type Dispatch } from '../dispatch.ts';
import { codeOf, failureOf, forbidden, rpcErrorOf } from '../failures.ts';
import { priceOf } from '../prices.ts';
import type { SocketSubscriptions } from './subscriptions.ts';

/** Executes the calls of one socket, one at a time. */
export interface SocketCalls {
  /** Returns the response to a frame. undefined for a notification. Rejects with unexpected errors. */
  answer(frame: Buffer): Promise<string | undefined>;
  /** Refuses further calls, because the server stops. */
  refuse(): void;
  /** Aborts the reads of the running call, because the client has disconnected. */
  leave(): void;
}

/** Options of {@link createSocketCalls}. */
export interface SocketCallsOptions {
  readonly dialect: Dialect;
  readonly dispatch: Dispatch;
  readonly subscriptions: SocketSubscriptions;
  readonly session: Session;
  readonly caller: ClientLimits;
  readonly limits: Limits;
  /** Starts the log record of a call. */
  readonly track: () => TrackedOperation;
  /** Receives errors of this server, never those of a client. */
  readonly report: (error: unknown) => void;
}

type Answered = Pick<CallAnswer, 'text' | 'error' | 'kind'>;

/** Creates the executor of a socket's calls. */
export function createSocketCalls(options: SocketCallsOptions): SocketCalls {
  const { dialect, dispatch, subscriptions, session, caller, limits, track, report } = options;
  const { viewer } = session;
  const jsonBounds = jsonBoundsOf(limits);
  let lifetime: Lifetime | undefined;
  let refused: RpcError | undefined;

  /** Executes `subscribe`, `unsubscribe` or `unsubscribe_all`. Throws the error of the call. */
  function subscribe({ id, method, params }: RpcRequest & { readonly id: RequestId }): void {
    const query = dialect.readParams(socketMethods[method] ?? [], params).text('query');
    if (!viewer.scopes.includes('read')) throw forbidden('A token with the scope `read` is required.');
    if (method === 'subscribe') subscriptions.subscribe(id, query);
    else if (method === 'unsubscribe') subscriptions.unsubscribe(query);
    else subscriptions.unsubscribeAll();
  }

  function failed(id: RequestId, thrown: unknown): Answered {
    const fail = (error: RpcError, kind: CallAnswer['kind'], shown = id): Answered => ({
      text: dialect.encodeFailure(shown, error),
      error,
      kind,
    });
    if (thrown instanceof ArgumentError) return fail(badParams(dialect, thrown.message, 'socket'), 'params');
    if (thrown instanceof MissingParams) return fail(internalError(`WSJSONRPC: ${thrown.message}`), 'stopped', noRequestId);
    const failure = failureOf(thrown);
    if (failure !== undefined) return fail(failure.error, failure.kind);
    report(thrown);
    return fail(internalError(maskedMessage), 'application');
  }

  async function run(request: RpcRequest & { readonly id: RequestId }, record: RequestRecord): Promise<Answered> {
    const { id, method } = request;
    if (refused !== undefined) return failed(id, refused);
    const running = caller.enter();
    if (!('end' in running)) return failed(id, rpcErrorOf(rateLimitResponse(running)));
    try {
      const { points, broadcasts } = priceOf([method]);
      const tooFast = await caller.take(points, broadcasts);
      if (tooFast !== undefined) return failed(id, rpcErrorOf(rateLimitResponse(tooFast)));
      record.cost = points;
      if (Object.hasOwn(socketMethods, method)) {
        subscribe(request);
        return { text: dialect.encodeResult(id, '{}'), error: undefined, kind: undefined };
      }
      lifetime = new Lifetime(limits['request.deadline'], undefined, record.span);
      return await dispatch.answer(dialect, request, { viewer, requestId: record.id, lifetime }, 'socket');
    } catch (error) {
      return failed(id, error);
    } finally {
      lifetime?.end();
      lifetime = undefined;
      running.end();
    }
  }

  return {
    async answer(frame) {
      let request: RpcRequest;
      try {
        const begun = performance.now();
        try {
          request = parseFrame(frame, jsonBounds);
        } finally {
          caller.spend(performance.now() - begun);
        }
      } catch (error) {
        if (error instanceof RpcError) return dialect.encodeFailure(undefined, error);
        throw error;
      }
      const { id, method } = request;
      // Like a node, Stele does not execute notifications.
      if (id === undefined) return undefined;
      const { record, end } = track();
      if (isRpcMethod(method) || Object.hasOwn(socketMethods, method)) record.operation = method;
      const answered = await run({ ...request, id }, record);
      record.code = codeOf(answered);
      end();
      return answered.text;
    },
    refuse() {
      refused = internalError('The server is shutting down.');
    },
    leave: () => lifetime?.cancel(),
  };
}
