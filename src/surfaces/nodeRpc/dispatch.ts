import { maskedMessage } from '../../answers/errors.ts';
import type { Client } from '../../chain/client.ts';
import { ArgumentError, type Arguments, isCacheable, isRpcMethod, type RpcMethodName } from '../../chain/rpc/methods.ts';
import { MissingParams, noRequestId, type RequestId, type RpcRequest } from '../../chain/rpc/requests.ts';
import { internalError, invalidParams, methodNotFound, type RpcError } from '../../chain/rpc/rpcErrors.ts';
import { stringify } from '../../chain/wire/goText.ts';
import type { Scope } from '../../reads/viewer.ts';
import { createAbciQuery } from './abciQuery.ts';
import { createBlockHandlers } from './blockHandlers.ts';
import { type CallContext, createResultCache, type Handler, missingScope, type Outcome } from './call.ts';
import type { Dialect, Via } from './dialects.ts';
import { type FailureKind, failureOf, outOfScope } from './failures.ts';
import { createLiveHandlers } from './liveHandlers.ts';
import { createTxHandlers } from './txHandlers.ts';

/** The handler of each method. */
type Handlers = Readonly<Record<RpcMethodName, Handler>>;

/** Creates the handlers. */
function createHandlers(options: {
  readonly client: Client;
  /** Whether `broadcast_tx_commit` is enabled. */
  readonly broadcastCommit: boolean;
}): Handlers {
  const { client } = options;
  const kept = createResultCache(client);
  return {
    ...createBlockHandlers(client, kept),
    ...createLiveHandlers(client, kept),
    ...createTxHandlers(client, kept, options),
    abci_query: createAbciQuery(client),
  };
}

/** The response to one call. */
export interface CallAnswer {
  /** The complete JSON response, with its id. */
  readonly text: string;
  /** How long clients may cache it. `never` if a later block can change it. undefined: not stated, as on a node. */
  readonly caching: 'day' | 'never' | undefined;
  /** undefined on success. */
  readonly error: RpcError | undefined;
  /** Kind of the error. `stopped` replaces the responses of the whole batch. */
  readonly kind: FailureKind | undefined;
  /** The height of the result. undefined if it has none. */
  readonly height: bigint | undefined;
  /** The scope that the call needs and the token lacks. */
  readonly missingScope?: Scope;
  readonly isRepeated?: Outcome['isRepeated'];
}

/** Executes the calls of the node RPC in any dialect and over any transport. Does not charge for them, see `priceOf`. */
export interface Dispatch {
  /**
   * Executes a JSON-RPC request that came by POST or over a socket. The caller drops notifications, which have no id.
   * `subscribe` and the other socket methods return -32601. Never rejects: errors are in the response.
   */
  answer(dialect: Dialect, request: RpcRequest, context: CallContext, via: 'post' | 'socket'): Promise<CallAnswer>;
  /** Executes a call by URI in the same way. The id of its response is -1. */
  answerUri(dialect: Dialect, method: string, params: URLSearchParams, context: CallContext): Promise<CallAnswer>;
}

/**
 * Returns the error for invalid arguments. On a socket, the node uses another code (docs/chain.md, "Errors of the node RPC").
 */
export function badParams(dialect: Dialect, message: string, via: Via): RpcError {
  if (dialect.surface === 'rpc') return invalidParams(message);
  const text = `error converting ${via === 'uri' ? 'http' : 'json'} params to arguments: ${message}`;
  return via === 'socket' ? internalError(text) : invalidParams(text);
}

/** Creates the dispatch. `report` receives errors that are masked in responses. */
export function createDispatch(options: {
  readonly client: Client;
  /** Whether `broadcast_tx_commit` is enabled. */
  readonly broadcastCommit: boolean;
  readonly report: (error: unknown, requestId: string) => void;
}): Dispatch {
  const { report } = options;
  const handlers = createHandlers(options);

  async function run(
    dialect: Dialect,
    { id, method, via, context }: { id: RequestId; method: string; via: Via; context: CallContext },
    read: (method: RpcMethodName) => Arguments,
  ): Promise<CallAnswer> {
    const fail = (error: RpcError, kind: FailureKind): CallAnswer => ({
      text: dialect.encodeFailure(kind === 'stopped' ? noRequestId : id, error),
      caching: 'never',
      error,
      kind,
      height: undefined,
    });
    if (!isRpcMethod(method)) return fail(methodNotFound(), 'method');
    const scope = missingScope(method, context.viewer);
    if (scope !== undefined) return { ...fail(outOfScope(scope), 'forbidden'), missingScope: scope };
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
      if (error instanceof ArgumentError) return fail(badParams(dialect, error.message, via), 'params');
      if (error instanceof MissingParams) {
        return fail(internalError(via === 'socket' ? `WSJSONRPC: ${error.message}` : error.message), 'stopped');
      }
      const failure = failureOf(error);
      if (failure === undefined) {
        if (!context.lifetime.signal.aborted) report(error, context.requestId);
        return fail(internalError(maskedMessage), 'application');
      }
      return fail(failure.error, failure.kind);
    }
  }

  return {
    answer: (dialect, { id = noRequestId, method, params }, context, via) =>
      run(dialect, { id, method, via, context }, (name) => dialect.readJson(name, params)),
    answerUri: (dialect, method, params, context) =>
      run(dialect, { id: noRequestId, method, via: 'uri', context }, (name) => dialect.readUri(name, params)),
  };
}
