import type { Span } from '../tracing/tracer.ts';
import type { HeadBlock, Rewind } from '../wire/block.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';
import type { CallCount, NodeView } from './nodeViews.ts';

/** Options of a call. */
export interface CallOptions<T> {
  /** The pinned height of the call. Nodes below it are skipped. Without it, any current node may serve the call. */
  readonly height?: bigint | undefined;
  /** Aborting it rejects the call at once with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The span that the call belongs to. Absent if it is not recorded. */
  readonly span?: Span | undefined;
  /** Whether the caller may simulate plain transactions (`src/chain/simulation`). Default false. */
  readonly maySimulate?: boolean | undefined;
  /**
   * Decodes the result. It runs within the attempt: if it throws a `ChainError`, the node has failed, and `fallback` can try
   * another one.
   */
  readonly decode: (result: JsonValue) => T;
}

/** The callbacks of a subscription. */
export interface SubscriptionListener {
  /** The node has accepted the subscription. */
  readonly open?: () => void;
  /** The `result` of an event message: `{query, data: {type, value}, events}` (docs/chain.md, "Event data"). */
  readonly event: (result: JsonObject) => void;
  /**
   * Called once when the subscription ends. `error` is the reason; undefined after `close()`. The caller decides whether to
   * subscribe again.
   */
  readonly end: (error: Error | undefined) => void;
}

/** An open subscription. */
export interface Subscription {
  /** Ends the subscription. `end` is called with undefined. */
  close(): void;
}

/** A single node, for calls that must go to each node or to a chosen one. */
export interface NodeHandle {
  /** Its name, never its address. */
  readonly alias: string;
  /** Calls this node once and no other. The outcome counts for the node's health like that of any call. */
  call<T>(method: string, params: JsonObject, options: CallOptions<T>): Promise<T>;
  /** Ejects the node for this long, in ms, unless it is the last one. Absent for a node whose health is not tracked. */
  readonly eject?: (milliseconds: number) => void;
}

/**
 * A connection to one or several nodes. Transports compose: `fallback([http(a), http(b)])`. Every error is a `ChainError`. No
 * state is kept in modules.
 */
export interface Transport {
  /**
   * Calls a method of the node's JSON-RPC. Integers in `params` are decimal strings; `{}` for none (docs/chain.md, "JSON-RPC
   * ids and params").
   */
  call<T>(method: string, params: JsonObject, options: CallOptions<T>): Promise<T>;
  /**
   * Subscribes to `query` over its own WebSocket (docs/chain.md, "WebSocket of a node"). It never reconnects: `end` is
   * called, and the caller decides.
   */
  subscribe(query: string, listener: SubscriptionListener): Subscription;
  /** The nodes of the transport, the best first, without those of another chain. Absent for a single node. */
  readonly handles?: () => Promise<readonly NodeHandle[]>;
  /** The state of each node, in the configured order. Absent for a single node, whose state is not tracked. */
  readonly nodes?: () => readonly NodeView[];
  /** The calls to each node since the start. Absent if they are not counted. */
  readonly calls?: () => readonly CallCount[];
  /** A node by its alias, whatever its health and chain; undefined if there is none. */
  readonly handle?: (alias: string) => NodeHandle | undefined;
  /**
   * Calls `listener` when the newest accepted block is replaced. Returns a function that removes the listener. Absent for a
   * single node, whose blocks are not verified.
   */
  readonly onRewind?: (listener: (rewind: Rewind) => void) => () => void;
  /**
   * Calls `listener` with a newest block that another process has read from `status`. Returns a function that removes the listener. Absent if
   * this process calls the nodes.
   */
  readonly onNewest?: (listener: (block: HeadBlock) => void) => () => void;
  /** Whether another process, which calls the nodes, also decides which simulations they execute. */
  readonly guardsSimulations?: boolean;
  /** Closes every connection. Pending calls reject with NODE_UNREACHABLE. */
  close(): Promise<void>;
}
