import type { JsonValue } from '../../chain/json.ts';
import type { Arguments, Param } from '../../chain/rpc/args.ts';
import type { NodeView } from './view.ts';

/** One method of the node's RPC. POST, URI and WebSocket are all driven by this. */
export interface Route {
  /** In the order that an array of arguments has. */
  readonly params: readonly Param[];
  /** Whether the node lets its answer be cached for a day: when a height was named is the third case. */
  readonly cache: 'never' | 'always' | 'withHeight';
  /** The result. Failures are `RpcError`s, or errors that have the node's text. */
  readonly call: (view: NodeView, args: Arguments) => JsonValue | Promise<JsonValue>;
}

export type RouteTable = Readonly<Record<string, Route>>;

export const heightParam: Param = { name: 'height', type: 'int64', optional: true };
export const pageParams: readonly Param[] = [
  { name: 'page', type: 'int', optional: true },
  { name: 'per_page', type: 'int', optional: true },
];
