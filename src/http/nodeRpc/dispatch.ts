import type { Client } from '../../chain/client.ts';
import { ArgumentError, type Arguments } from '../../chain/rpc/args.ts';
import { MissingParams, noRequestId } from '../../chain/rpc/envelope.ts';
import { stringify } from '../../chain/rpc/goJson.ts';
import { isCacheable, isRpcMethod, type RpcMethodName } from '../../chain/rpc/methods.ts';
import type { RequestId, RpcRequest } from '../../chain/rpc/requests.ts';
import { internalError, invalidParams, methodNotFound, type RpcError } from '../../chain/rpc/rpcError.ts';
import { maskedMessage } from '../../graphql/request/errors.ts';
import type { Scope } from '../../reads/viewer.ts';
import type { CallContext } from './call.ts';
import type { Dialect, FailureKind, Via } from './dialect.ts';
import { failureOf, outOfScope } from './failures.ts';
import { createHandlers } from './handlers.ts';
import { lackOf } from './prices.ts';

/** The answer to one call. */
export interface CallAnswer {
  /** JSON, whole: with its id. */
  readonly text: string;
  /** How long its caller may keep it: `day`, or `never` for what a later block may change. undefined: nothing is said, as by the node. */
  readonly keeping: 'day' | 'never' | undefined;
  /** undefined when it went well. */
  readonly error: RpcError | undefined;
  /** The kind of the error. `stopped` stands for the whole request that the call came in, whose other answers are lost. */
  readonly kind: FailureKind | undefined;
  /** The height that was read; undefined where none was. */
  readonly height: bigint | undefined;
  /** The scope that the token lacks. */
  readonly lacks?: Scope;
}

/** What answers the calls of the node RPC, in any dialect, whichever way they come. It charges nothing: see `priceOf`. */
export interface Dispatch {
  /**
   * Answers one JSON-RPC request that came by POST or over a socket; one without an id is a notification, which is not for here.
   * `subscribe` and its like are not known here: -32601. Never rejects: what fails is told in the answer.
   */
  answer(dialect: Dialect, request: RpcRequest, context: CallContext, via: 'post' | 'socket'): Promise<CallAnswer>;
  /** Answers a URI, in the same way; the id of its answer is -1. */
  answerUri(dialect: Dialect, method: string, params: URLSearchParams, context: CallContext): Promise<CallAnswer>;
}

/** What is told of arguments that were not understood: on a socket the node has another code for it (chain.md 1.3). */
export function badParams(dialect: Dialect, message: string, via: Via): RpcError {
  if (dialect.surface === 'rpc') return invalidParams(message);
  const text = `error converting ${via === 'uri' ? 'http' : 'json'} params to arguments: ${message}`;
  return via === 'socket' ? internalError(text) : invalidParams(text);
}

/** Makes the dispatch. `report` is told of what callers see masked. */
export function createDispatch(options: {
  readonly client: Client;
  /** Whether `broadcast_tx_commit` may be used. */
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
      keeping: 'never',
      error,
      kind,
      height: undefined,
    });
    if (!isRpcMethod(method)) return fail(methodNotFound(), 'method');
    const lacks = lackOf(method, context.viewer);
    if (lacks !== undefined) return { ...fail(outOfScope(lacks), 'forbidden'), lacks };
    try {
      const args = read(method);
      dialect.check(method, args);
      const call = { lifetime: context.lifetime, height: context.height, method, args };
      const { result, height, passing = false, absent = false } = await handlers[method](call);
      const text = 'text' in result ? result.text : stringify(dialect.result(method, result.value));
      const day = dialect.mayBeKept(method, isCacheable(method, args)) ? 'day' : undefined;
      const keeping = passing || absent ? 'never' : day;
      return { text: dialect.encodeResult(id, text), keeping, error: undefined, kind: undefined, height };
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
