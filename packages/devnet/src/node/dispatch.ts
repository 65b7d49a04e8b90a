import {
  ArgumentError,
  type Arguments,
  decodeJsonParams,
  isCacheable,
  isRpcMethod,
  type RpcMethodName,
  rpcMethods,
} from '../../../../src/chain/rpc/methods.ts';
import {
  encodeFailure,
  encodeResult,
  MissingParams,
  noRequestId,
  type RequestId,
  type RpcRequest,
} from '../../../../src/chain/rpc/requests.ts';
import { internalError, invalidParams, methodNotFound, RpcError } from '../../../../src/chain/rpc/rpcErrors.ts';
import { stringify } from '../../../../src/chain/wire/goText.ts';
import type { JsonObject, JsonValue } from '../../../../src/chain/wire/json.ts';
import type { AppLock } from './appLock.ts';
import type { CallFault, Faults, NodeCall, RandomChanges } from './faults/faults.ts';
import { createRandomChanges } from './faults/randomChanges.ts';
import { routes } from './routes/routes.ts';
import type { NodeView } from './state/view.ts';

/** State that the HTTP and WebSocket servers of a node share. */
export interface Dispatch {
  readonly view: NodeView;
  readonly faults: Faults;
  readonly lock: AppLock;
  /** Executes the admin method. Absent if it is not served. */
  readonly admin: ((params: JsonValue | undefined) => Promise<JsonObject>) | undefined;
  /** Returns the next number of a POST, a URI or a frame. */
  nextBatch(): number;
  /** Counts a call, and delays it according to the faults. */
  received(call: NodeCall): Promise<void>;
}

/** The response to one call. */
export interface Answer {
  readonly text: string;
  /** Whether the node marks the response as cacheable. */
  readonly cacheable: boolean;
  readonly error: RpcError | undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Inserts an error of the application into the result of a method. */
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

const changesInUse = new WeakMap<RandomChanges, ReturnType<typeof createRandomChanges>>();

/** Changes a result at random, if the node does so. */
function changed({ changes }: Faults, call: NodeCall, result: JsonValue): JsonValue {
  if (changes === undefined) return result;
  const change = changesInUse.get(changes) ?? createRandomChanges(changes);
  changesInUse.set(changes, change);
  return change(call, result);
}

function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  return internalError(error instanceof Error ? error.message : String(error));
}

/** Executes a method with decoded arguments, and applies the faults of the node. */
export async function run(
  { view, faults, lock }: Dispatch,
  method: RpcMethodName,
  args: Arguments,
  call: NodeCall,
  id: RequestId,
): Promise<Answer> {
  const cacheable = isCacheable(method, args);
  try {
    const fault = faults.call?.(call);
    if (fault !== undefined && 'rpc' in fault) throw new RpcError(fault.rpc.code, fault.rpc.message, fault.rpc.data);
    const route = routes[method];
    if (route === undefined) throw methodNotFound();
    await lock.pass(method, args);
    let result = await route(view, args);
    if (fault !== undefined) result = failAbci(call.method, result, fault.abci);
    if (faults.forge !== undefined) result = faults.forge(call, result);
    result = changed(faults, call, result);
    return { text: encodeResult(id, stringify(result)), cacheable, error: undefined };
  } catch (thrown) {
    const error = asRpcError(thrown);
    return { text: encodeFailure(id, error), cacheable, error };
  }
}

/**
 * Executes a JSON-RPC request that has an id. The error for invalid arguments differs between sockets and HTTP
 * (docs/chain.md, "Errors of the node RPC"). Throws {@link MissingParams}.
 */
export async function answer(dispatch: Dispatch, request: RpcRequest, call: NodeCall): Promise<Answer> {
  const id = request.id ?? noRequestId;
  const fail = (error: RpcError): Answer => ({ text: encodeFailure(id, error), cacheable: false, error });
  const { method } = request;
  if (!isRpcMethod(method)) return fail(methodNotFound());
  const { params } = rpcMethods[method];
  if (request.params === undefined && params.length > 0) throw new MissingParams();
  let args: Arguments;
  try {
    args = decodeJsonParams(params, request.params ?? null);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const text = `error converting json params to arguments: ${error.message}`;
    return fail(call.via === 'socket' ? internalError(text) : invalidParams(text));
  }
  return await run(dispatch, method, args, call, id);
}
