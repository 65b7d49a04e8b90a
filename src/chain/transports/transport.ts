import type { ChainErrorCode } from '../base/errors.ts';
import type { HistogramView } from '../base/time.ts';
import type { Span } from '../tracing/tracer.ts';
import type { HeadBlock, Rewind } from '../wire/block.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';
import type { HeadVerification } from './verification.ts';

/** Health of a node. A node is also DOWN before its first response. */
export type NodeHealth = 'HEALTHY' | 'LAGGING' | 'DOWN' | 'EJECTED' | 'WRONG_CHAIN';

/** The public state of a node, without its address. Times are in milliseconds. A value is undefined until known. */
export interface NodeView {
  readonly alias: string;
  readonly health: NodeHealth;
  /** Whether the next read without a height goes to this node first. */
  readonly inUse: boolean;
  readonly chainId: string | undefined;
  readonly height: bigint | undefined;
  /**
   * Blocks behind the newest accepted block, at the last round of `status`. For a node that does not respond, computed from its
   * last known height. Undefined for a node of another chain.
   */
  readonly lag: bigint | undefined;
  /** The oldest stored block. State may be pruned further. */
  readonly earliestHeight: bigint | undefined;
  readonly catchingUp: boolean | undefined;
  readonly txIndex: boolean | undefined;
  /** Mean time of its last 16 responses, approximately. */
  readonly latency: number | undefined;
  readonly consecutiveFailures: number;
  readonly lastErrorCode: ChainErrorCode | undefined;
  /**
   * Number of times that the node had another block than others at a height, or reported a block that it could not prove. While
   * it does and most others do not, it is EJECTED.
   */
  readonly contradictions: number;
  /** Number of answers of the node that others gave differently. */
  readonly differences: number;
  /** Unix time at which its ejection ends; undefined if it is not ejected. */
  readonly ejectedUntil: number | undefined;
}

/** The outcome of a call: success, no caller waiting any more, or an error code. */
export type CallOutcome = 'OK' | 'CANCELLED' | 'INTERNAL_SERVER_ERROR' | ChainErrorCode;

/** Calls of one method to one node with the same outcome. */
export interface CallCount {
  readonly node: string;
  readonly method: string;
  readonly outcome: CallOutcome;
  readonly times: HistogramView;
}

/** The outcomes of calls that several nodes had to agree on. */
export interface QuorumCounts {
  readonly AGREED: number;
  /** Enough nodes agreed, and others did not. */
  readonly OUTVOTED: number;
  readonly UNDECIDED: number;
  /** Too few nodes had an answer. */
  readonly TOO_FEW: number;
}

/** Calls that were made on a second node as well: which one answered first, and how many were not made, because too many were. */
export interface HedgeCounts {
  readonly FIRST: number;
  readonly SECOND: number;
  readonly OVER_BUDGET: number;
}

export interface CallOptions<T> {
  /** The pinned height of the call. Nodes below it are skipped. Without it, any current node may serve the call. */
  readonly height?: bigint | undefined;
  /** Aborting it rejects the call at once with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The span that the call belongs to. Absent if it is not recorded. */
  readonly span?: Span | undefined;
  /** How many nodes must give the same answer, if the call can be compared. At least that of the transport, which is the default. */
  readonly quorum?: number | undefined;
  /** Whether the answer of a node may be compared with that of others: true. */
  readonly compares?: boolean | undefined;
  /** Whether the caller may simulate plain transactions (`src/chain/simulation`). null: it may simulate nothing, also on the node for simulations. Default false. */
  readonly maySimulate?: boolean | null | undefined;
  /** Called if the index beside the nodes (`Client.searchWith`) has answered, and no node. */
  readonly onIndex?: (() => void) | undefined;
  /** Decodes the result. It runs within the attempt: if it throws a `ChainError`, the node has failed, and `fallback` can try another one. */
  readonly decode: (result: JsonValue) => T;
}

export interface SubscriptionListener {
  /** The node has accepted the subscription. */
  readonly open?: () => void;
  /**
   * The `result` of an event message: `{query, data: {type, value}, events}` (docs/chain.md, "Event data"). `block` is the block of a NewBlock
   * event, if the transport has decoded it.
   */
  readonly event: (result: JsonObject, block?: HeadBlock) => void;
  /** Called once when the subscription ends. `error` is the reason; undefined after `close()`. The caller decides whether to subscribe again. */
  readonly end: (error: Error | undefined) => void;
}

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
  /** Calls a method of the node's JSON-RPC. Integers in `params` are decimal strings; `{}` for none (docs/chain.md, "JSON-RPC ids and params"). */
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
  readonly calls?: () => readonly CallCount[];
  /** What came of calls that several nodes had to agree on. Absent for a single node. */
  readonly quorums?: () => QuorumCounts;
  /** What came of calls that were made on a second node because the first was slow. Absent for a single node. */
  readonly hedges?: () => HedgeCounts;
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
  /** How the newest blocks are verified. Absent if they are not. */
  readonly verification?: HeadVerification;
  /** Whether another process, which calls the nodes, also decides which simulations they execute. */
  readonly guardsSimulations?: boolean;
  /** Closes every connection. Pending calls reject with NODE_UNREACHABLE. */
  close(): Promise<void>;
}

/** A transport whose calls pass through `wrap`, also those to one of its nodes. */
export function withCalls(
  transport: Transport,
  wrap: (call: Transport['call'], isOneNode: boolean) => Transport['call'],
): Transport {
  const { handles, handle } = transport;
  const wrapped = (node: NodeHandle): NodeHandle => ({ ...node, call: wrap(node.call, true) });
  return {
    ...transport,
    call: wrap(transport.call, false),
    ...(handles && { handles: async () => (await handles()).map(wrapped) }),
    ...(handle && {
      handle: (alias: string) => {
        const node = handle(alias);
        return node && wrapped(node);
      },
    }),
  };
}

/** The nodes of a transport. A transport to a single node counts as that node. */
export async function handlesOf(
  transport: Transport & { readonly alias?: string | undefined },
): Promise<readonly NodeHandle[]> {
  if (transport.handles !== undefined) return transport.handles();
  return [{ alias: transport.alias ?? 'node-1', call: transport.call }];
}

/**
 * The methods that change the state of a node (`check_tx` uses up the sender's sequence; docs/chain.md, "check_tx uses up a sequence"). Such a call
 * is sent alone, is never repeated on the same node, and goes to another node only if this one cannot have received it.
 */
export const changesState = /^(broadcast_|check_tx$|dial_|unsafe_)/;

/** Names of query methods that execute what the caller sends, on any chain. Provenance has `Simulate` and `CalculateTxFees`. */
export const simulatingMethods = /simulat|calculatetxfees|ethcall|estimategas|tracetx|traceblock|tracecall|dryrun/i;

/**
 * Parses the URL of a node: `http`, `https`, or `tcp` as in a node's own configuration. User and password become Basic credentials in `headers`,
 * so that no error or log shows them. `path` has the query of calls, and `webSocket` is the URL of subscriptions. Throws a TypeError that does
 * not contain the text.
 */
export function parseNodeUrl(text: string) {
  if (!URL.canParse(text)) throw new TypeError('A node needs a URL such as http://host:26657.');
  const url = new URL(text.replace(/^tcp:/i, 'http:'));
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('The URL of a node must begin with http:// or https://.');
  const hasCredentials = url.username !== '' || url.password !== '';
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const webSocketPath = `${url.pathname.replace(/\/+$/, '')}/websocket${url.search}`;
  const headers: Readonly<Record<string, string>> = hasCredentials
    ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
    : {};
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    webSocket: url.origin.replace(/^http/, 'ws') + webSocketPath,
    headers,
  };
}
