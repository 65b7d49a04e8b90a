import type { JsonObject, JsonValue } from '../../chain/json.ts';
import { ArgumentError, type Arguments, decodeJsonParams } from '../../chain/rpc/args.ts';
import { encodeFailure, encodeResult, MissingParams, noRequestId } from '../../chain/rpc/envelope.ts';
import { stringify } from '../../chain/rpc/goJson.ts';
import type { RpcRequest } from '../../chain/rpc/requests.ts';
import { internalError, invalidParams, methodNotFound, RpcError } from '../../chain/rpc/rpcError.ts';
import type { CallFault, Faults, NodeCall } from './faults.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import type { NodeView } from './view.ts';

/** What the servers of a node share. */
export interface Dispatch {
  readonly view: NodeView;
  readonly faults: Faults;
  /** The knobs, for the admin method; absent where it is not served. */
  readonly admin: ((params: JsonValue | undefined) => Promise<JsonObject>) | undefined;
  /** Numbers a POST, a URI or a frame. */
  nextBatch(): number;
  /** Notes a call, and waits as long as the faults say. */
  received(call: NodeCall): Promise<void>;
}

/** The answer to one call, as text. */
export interface Answer {
  readonly text: string;
  /** Whether the node lets caches keep it. */
  readonly cacheable: boolean;
  readonly error: RpcError | undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Puts the application's failure where a result of this method has it. */
function failAbci(
  method: string,
  result: JsonValue,
  { code, codespace, log }: Extract<CallFault, { abci: object }>['abci'],
): JsonValue {
  if (!isObject(result)) return result;
  const failure = { code, codespace, log };
  if (method === 'abci_query' && isObject(result.response)) {
    return { response: { ...result.response, ...failure, key: null, value: null, proofOps: null, height: '0' } };
  }
  if (method === 'broadcast_tx_commit' && isObject(result.check_tx)) {
    return { ...result, check_tx: { ...result.check_tx, ...failure } };
  }
  return 'code' in result ? { ...result, ...failure } : result;
}

function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  return internalError(error instanceof Error ? error.message : String(error));
}

/** Whether an answer may be cached: it is decided by the arguments alone, so errors are too (chain.md finding 5). */
function isCacheable(route: Route, args: Arguments): boolean {
  return route.cache === 'always' || (route.cache === 'withHeight' && args.has('height'));
}

/** Runs a route with its arguments read, and with the faults that the node has for the call. */
export async function run(
  { view, faults }: Dispatch,
  route: Route,
  args: Arguments,
  call: NodeCall,
  id: string | number,
): Promise<Answer> {
  const cacheable = isCacheable(route, args);
  try {
    const fault = faults.call?.(call);
    if (fault !== undefined && 'rpc' in fault) throw new RpcError(fault.rpc.code, fault.rpc.message, fault.rpc.data);
    let result = await route.call(view, args);
    if (fault !== undefined) result = failAbci(call.method, result, fault.abci);
    if (faults.forge !== undefined) result = faults.forge(call, result);
    return { text: encodeResult(id, stringify(result)), cacheable, error: undefined };
  } catch (thrown) {
    const error = asRpcError(thrown);
    return { text: encodeFailure(id, error), cacheable, error };
  }
}

/**
 * Answers one JSON-RPC request that has an id. Bad arguments are another error on a socket than over HTTP (chain.md 1.3).
 * Throws {@link MissingParams}.
 */
export async function answer(dispatch: Dispatch, request: RpcRequest, call: NodeCall): Promise<Answer> {
  const id = request.id ?? noRequestId;
  const fail = (error: RpcError): Answer => ({ text: encodeFailure(id, error), cacheable: false, error });
  const route = Object.hasOwn(routes, request.method) ? routes[request.method] : undefined;
  if (route === undefined) return fail(methodNotFound());
  if (request.params === undefined && route.params.length > 0) throw new MissingParams();
  let args: Arguments;
  try {
    args = decodeJsonParams(route.params, request.params ?? null);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const text = `error converting json params to arguments: ${error.message}`;
    return fail(call.via === 'socket' ? internalError(text) : invalidParams(text));
  }
  return await run(dispatch, route, args, call, id);
}
