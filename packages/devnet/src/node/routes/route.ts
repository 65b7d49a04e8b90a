import type { Arguments, RpcMethodName } from '../../../../../src/chain/rpc/methods.ts';
import type { JsonValue } from '../../../../../src/chain/wire/json.ts';
import type { NodeView } from '../state/view.ts';

/** Executes a method of the node's RPC. Throws an `RpcError`, or an error with the node's text. */
export type Route = (view: NodeView, args: Arguments) => JsonValue | Promise<JsonValue>;

/** The routes of some methods, for POST, URI and WebSocket. */
export type RouteTable = Readonly<Partial<Record<RpcMethodName, Route>>>;
