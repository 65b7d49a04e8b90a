import { maskedMessage } from '../../answers/errors.ts';
import type { Client } from '../../chain/client.ts';
import {
  ArgumentError,
  type Arguments,
  isCacheable,
  isRpcMethod,
  type RpcMethodName,
  rpcMethods,
} from '../../chain/rpc/methods.ts';
import { MissingParams, noRequestId, type RequestId, type RpcRequest } from '../../chain/rpc/requests.ts';
import { internalError, invalidParams, methodNotFound, type RpcError } from '../../chain/rpc/rpcErrors.ts';
import { stringify } from '../../chain/wire/goText.ts';
import type { Scope } from '../../reads/viewer.ts';
import { type CallContext, createResultCache, type Handler, missingScope, type Outcome } from './call.ts';
import { type Dialect, type Failure, type FailureKind, failureOf, outOfScope, type Via } from './dialects.ts';
import { createAbciQuery, createBlockHandlers, createLiveHandlers, createTxHandlers } from './handlers.ts';

/** The response to one call. */
export interface CallAnswer {
  /** The complete JSON response, with its id. */
  readonly text: string;
  /** How long clients may cache it. `never` if a later block can change it. undefined: not stated, as on a node. */
  readonly caching: 'day' | 'never' | undefined;
  readonly error: RpcError | undefined;
  /** Kind of the error. `stopped` replaces the responses of the whole batch. */
  readonly kind: FailureKind | undefined;
  readonly height: bigint | undefined;
  readonly missingScope?: Scope;
  readonly isRepeated?: Outcome['isRepeated'];
}

/** Executes the calls of the node RPC in any dialect and over any transport. Does not charge for them, see `priceOf`. */
export type Dispatch = ReturnType<typeof createDispatch>;

/** Returns the error for invalid arguments. On a socket, the node uses another code (docs/chain.md, "Errors of the node RPC"). */
function badParams(dialect: Dialect, message: string, via: Via): RpcError {
  if (dialect.surface === 'rpc') return invalidParams(message);
  const text = `error converting ${via === 'uri' ? 'http' : 'json'} params to arguments: ${message}`;
  return via === 'socket' ? internalError(text) : invalidParams(text);
}

/** Returns the response to a call that failed. `report` receives an unexpected error, which is masked. */
export function failedCall(
  dialect: Dialect,
  { id, via }: { readonly id: RequestId; readonly via: Via },
  thrown: unknown,
  report: (error: unknown) => void,
): CallAnswer {
  let failure: Failure | undefined;
  if (thrown instanceof ArgumentError) failure = { error: badParams(dialect, thrown.message, via), kind: 'params' };
  else if (thrown instanceof MissingParams) {
    const message = via === 'socket' ? `WSJSONRPC: ${thrown.message}` : thrown.message;
    failure = { error: internalError(message), kind: 'stopped' };
  } else failure = failureOf(thrown);
  if (failure === undefined) report(thrown);
  const { error, kind } = failure ?? { error: internalError(maskedMessage), kind: 'application' };
  const text = dialect.encodeFailure(kind === 'stopped' ? noRequestId : id, error);
  return { text, caching: 'never', error, kind, height: undefined };
}

/** Creates the dispatch. `report` receives errors that are masked in responses. */
export function createDispatch(options: {
  readonly client: Client;
  readonly broadcastCommit: boolean;
  readonly report: (error: unknown, requestId: string) => void;
}) {
  const { client, report } = options;
  const results = createResultCache(client);
  const handlers: Readonly<Record<RpcMethodName, Handler>> = {
    ...createBlockHandlers(client, results),
    ...createLiveHandlers(client, results),
    ...createTxHandlers(client, results, options),
    abci_query: createAbciQuery(client),
  };

  async function run(
    dialect: Dialect,
    { id, method, via, context }: { id: RequestId; method: string; via: Via; context: CallContext },
    read: (method: RpcMethodName) => Arguments,
  ): Promise<CallAnswer> {
    const fail = (thrown: unknown): CallAnswer =>
      failedCall(dialect, { id, via }, thrown, (error) => {
        if (!context.lifetime.signal.aborted) report(error, context.requestId);
      });
    if (!isRpcMethod(method)) return fail(methodNotFound());
    const scope = missingScope(method, context.viewer);
    if (scope !== undefined) return { ...fail(outOfScope(scope)), missingScope: scope };
    try {
      const args = read(method);
      dialect.check(method, args);
      const call = { viewer: context.viewer, lifetime: context.lifetime, height: context.height, method, args };
      const { result, height, transient = false, absent = false, isRepeated = false } = await handlers[method](call);
      const text = 'text' in result ? result.text : stringify(dialect.result(method, result.value));
      const day = dialect.isCacheable(method, isCacheable(method, args)) ? 'day' : undefined;
      const caching = transient || absent ? 'never' : day;
      return { text: dialect.encodeResult(id, text), caching, error: undefined, kind: undefined, height, isRepeated };
    } catch (error) {
      return fail(error);
    }
  }

  return {
    /**
     * Executes a JSON-RPC request that came by POST or over a socket. The caller drops notifications, which have no id.
     * `subscribe` and the other socket methods return -32601. Never rejects: errors are in the response.
     */
    answer: (dialect: Dialect, request: RpcRequest, context: CallContext, via: 'post' | 'socket'): Promise<CallAnswer> => {
      const { id = noRequestId, method, params } = request;
      return run(dialect, { id, method, via, context }, (name) => dialect.readParams(rpcMethods[name].params, params));
    },
    /** Executes a call by URI in the same way. The id of its response is -1. */
    answerUri: (dialect: Dialect, method: string, params: URLSearchParams, context: CallContext): Promise<CallAnswer> =>
      run(dialect, { id: noRequestId, method, via: 'uri', context }, (name) =>
        dialect.readUri(rpcMethods[name].params, params),
      ),
  };
}
