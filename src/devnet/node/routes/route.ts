import type { Arguments } from '../../../chain/rpc/args.ts';
import type { RpcMethodName } from '../../../chain/rpc/methods.ts';
import type { JsonValue } from '../../../chain/wire/json.ts';
import type { NodeView } from '../state/view.ts';

/** Answers one method of the node's RPC: its result. Failures are `RpcError`s, or errors that have the node's text. */
export type Route = (view: NodeView, args: Arguments) => JsonValue | Promise<JsonValue>;

/** What answers some of the methods. POST, URI and WebSocket are all driven by this. */
export type RouteTable = Readonly<Partial<Record<RpcMethodName, Route>>>;
