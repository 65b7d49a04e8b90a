import type { JsonValue } from '../../../chain/wire/json.ts';

/** One call that a node received. */
export interface NodeCall {
  readonly method: string;
  /** As they came: a URI's are text. Undefined when there were none. */
  readonly params: JsonValue | undefined;
  readonly via: 'post' | 'uri' | 'socket';
  /** Which POST, URI or frame it came in, counted from 1: the calls of one batch have one number. */
  readonly batch: number;
}

/** How one call is made to fail: as the node's RPC, or as its application (only `abci_query`, `check_tx` and broadcasts). */
export type CallFault =
  | { readonly rpc: { readonly code: number; readonly message: string; readonly data?: string } }
  | { readonly abci: { readonly code: number; readonly codespace: string; readonly log: string } };

/**
 * What becomes of a whole HTTP answer: `cut` ends it half way, `garbage` is no JSON, `badGateway` is a 502 in HTML,
 * `tooManyRequests` a 429 with Retry-After, `idless` one error without an id, `never` no answer at all, `reset` a closed
 * connection, `oversize` more bytes than any client should take.
 */
export type AnswerFault = 'cut' | 'garbage' | 'badGateway' | 'tooManyRequests' | 'idless' | 'never' | 'reset' | 'oversize';

/** A node's knobs for trouble. All may be turned at any time; the next call sees them. */
export interface Faults {
  /** Milliseconds before every call is looked at. */
  delay: number;
  /** Every call waits for this first: hold it, then let go. */
  gate: Promise<unknown> | undefined;
  /** Makes single calls fail. */
  call: ((call: NodeCall) => CallFault | undefined) | undefined;
  /** Changes results: a node that lies. */
  forge: ((call: NodeCall, result: JsonValue) => JsonValue) | undefined;
  answer: AnswerFault | ((calls: readonly NodeCall[]) => AnswerFault | undefined) | undefined;
  /** Seconds that `tooManyRequests` asks for. */
  retryAfter: number;
  /** Bytes of an `oversize` answer. */
  oversizeBytes: number;
  /** Takes transactions with code 0, and forgets them. */
  dropTransactions: boolean;
  /** Tells no other node of the transactions that it takes. */
  withholdTransactions: boolean;
  /** Takes transactions, forgets them, and shows them as committed in its next block: no other node has them there. */
  pretendCommits: boolean;
  /** Sends nothing to any socket, not even pings. */
  silentSockets: boolean;
  /** Acknowledges a subscription only after its first event: the race that a real node has, always lost. */
  lateAck: boolean;
  /** The chain id that the node claims. */
  chainId: string | undefined;
  catchingUp: boolean;
  /** Keeps no index, as Provenance's default configuration has it. */
  noIndex: boolean;
}

/** A node without trouble. */
export function createFaults(): Faults {
  return {
    delay: 0,
    gate: undefined,
    call: undefined,
    forge: undefined,
    answer: undefined,
    retryAfter: 1,
    oversizeBytes: 64 * 1024 * 1024,
    dropTransactions: false,
    withholdTransactions: false,
    pretendCommits: false,
    silentSockets: false,
    lateAck: false,
    chainId: undefined,
    catchingUp: false,
    noIndex: false,
  };
}
