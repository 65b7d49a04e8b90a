import type { JsonObject, JsonValue } from '../wire/json.ts';
import type { Rewind } from '../wire/newestBlock.ts';
import type { CallCount, NodeView } from './nodeViews.ts';

/** How one call is to be made. */
export interface CallOptions<T> {
  /** The pinned height that the call is of. A node known to be behind it is passed over. Absent: any node that is current. */
  readonly height?: bigint | undefined;
  /** Aborting gives up the answer at once, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Reads the result of the call. It runs within the attempt: a `ChainError` that it throws counts as that node's failure, so
   * that `fallback` can ask another one.
   */
  readonly decode: (result: JsonValue) => T;
}

/** What a subscription tells its owner. */
export interface SubscriptionListener {
  /** The node has taken the subscription. */
  readonly open?: () => void;
  /** One event message's `result` (`{query, data: {type, value}, events}`, chain.md 1.7). */
  readonly event: (result: JsonObject) => void;
  /** Called once, last: the subscription is over. `error` says why; undefined after `close()`. The owner subscribes again if it wants to. */
  readonly end: (error: Error | undefined) => void;
}

/** A running subscription. */
export interface Subscription {
  /** Ends it; `end` is called with undefined. */
  close(): void;
}

/** One node, to be spoken to by itself: for what must be asked of each, or sent to a chosen one. */
export interface NodeHandle {
  /** Its name, never its address. */
  readonly alias: string;
  /** Calls this node once and no other. What comes of it counts for the node's health as that of any call does. */
  call<T>(method: string, params: JsonObject, options: CallOptions<T>): Promise<T>;
}

/**
 * A way to a node, or to several. Transports are values that compose: `fallback([http(a), http(b)])`.
 * Every failure is a `ChainError`. Nothing is kept in module state.
 */
export interface Transport {
  /** Calls a method of the node's JSON-RPC. Integers in `params` are decimal strings; `{}` where there are none (chain.md finding 4). */
  call<T>(method: string, params: JsonObject, options: CallOptions<T>): Promise<T>;
  /** Subscribes over one WebSocket of its own to `query` (chain.md 1.7). It never reconnects: `end` tells, and the owner decides. */
  subscribe(query: string, listener: SubscriptionListener): Subscription;
  /** The nodes that it leads to, the fittest first, those of another chain left out. Absent where it leads to one alone. */
  readonly handles?: () => Promise<readonly NodeHandle[]>;
  /** What is known of each node that it leads to, in the order given. Absent where it leads to one alone, which it does not watch. */
  readonly nodes?: () => readonly NodeView[];
  /** The calls that were made of each node since the start. Absent where they are not counted. */
  readonly calls?: () => readonly CallCount[];
  /** One of these nodes, whatever its health and chain, to be asked of itself; undefined when there is none of this name. */
  readonly handle?: (alias: string) => NodeHandle | undefined;
  /**
   * Calls `listener` when the newest block that was believed is given up. Returns the function that stops it. Absent where the transport
   * leads to one node alone, whose word it does not check.
   */
  readonly onRewind?: (listener: (rewind: Rewind) => void) => () => void;
  /** Closes every connection; what is under way fails with NODE_UNREACHABLE. */
  close(): Promise<void>;
}
