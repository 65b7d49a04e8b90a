import type { JsonValue } from '../../../../../src/chain/wire/json.ts';
import type { CommittedBlock } from '../ledger/types.ts';
import type { NodeLie } from './falseHeaders.ts';

/** One call that a node received. */
export interface NodeCall {
  readonly method: string;
  /** The parameters as received. Those of a URI are text. undefined if absent. */
  readonly params: JsonValue | undefined;
  readonly via: 'post' | 'uri' | 'socket';
  /** Number of its POST, URI or frame, from 1. The calls of a batch have the same number. */
  readonly batch: number;
}

/** The injected error of a call: of the node's RPC, or of its application (only `abci_query`, `check_tx` and broadcasts). */
export type CallFault =
  | { readonly rpc: { readonly code: number; readonly message: string; readonly data?: string } }
  | { readonly abci: { readonly code: number; readonly codespace: string; readonly log: string } };

/**
 * A fault of a whole HTTP response. `cut`: truncated in the middle. `garbage`: invalid JSON. `badGateway`: status 502 with
 * HTML. `tooManyRequests`: status 429 with Retry-After. `idless`: one error without an id. `never`: no response. `reset`: the
 * connection is reset. `oversize`: more bytes than a client should accept.
 */
export type ResponseFault = 'cut' | 'garbage' | 'badGateway' | 'tooManyRequests' | 'idless' | 'never' | 'reset' | 'oversize';

/** Changes at random in the results of a node, as those of a proxy that changes answers. */
export interface RandomChanges {
  /** The same seed and calls get the same changes. */
  readonly seed: number;
  /** Of the results of these methods, so many are changed: from 0 to 1. */
  readonly share: number;
}

/** The injected faults of a node. They can change at any time, and apply from the next call on. */
export interface Faults {
  /** Delay of every call, in milliseconds. */
  delay: number;
  /** Every call waits for this promise. */
  gate: Promise<unknown> | undefined;
  /** Returns the error of a call, or undefined. */
  call: ((call: NodeCall) => CallFault | undefined) | undefined;
  /** Replaces the result of a call, for a node that returns wrong data. */
  forge: ((call: NodeCall, result: JsonValue) => JsonValue) | undefined;
  /** Lies consistently: in the answers of the application, in their proofs, and in the headers of the blocks from then on. */
  lie: NodeLie | undefined;
  /** Changes results at random. A change of this object begins anew. */
  changes: RandomChanges | undefined;
  /** Replaces a block in the events of the node, for a node whose events have wrong results. */
  forgeBlock: ((block: CommittedBlock) => CommittedBlock) | undefined;
  answer: ResponseFault | ((calls: readonly NodeCall[]) => ResponseFault | undefined) | undefined;
  /** Value of Retry-After for `tooManyRequests`, in seconds. */
  retryAfter: number;
  /** Size of an `oversize` response in bytes. */
  oversizeBytes: number;
  /** Accepts transactions with code 0 and drops them. */
  dropTransactions: boolean;
  /** Does not gossip accepted transactions to other nodes. */
  withholdTransactions: boolean;
  /** Accepts transactions, drops them, and returns them as committed in its next block, where no other node has them. */
  pretendCommits: boolean;
  /** Sends nothing to sockets, not even pings. */
  silentSockets: boolean;
  /** Acknowledges a subscription only after its first event. On a real node, this is a race. */
  lateAck: boolean;
  /** The chain id that the node reports. */
  chainId: string | undefined;
  catchingUp: boolean;
  /** A simulation over the RPC never ends, and the node stops with it, whatever it executes. */
  endlessSimulations: boolean;
  /** Disables the index, as in Provenance's default configuration. */
  noIndex: boolean;
}

/** Creates the faults of a healthy node: none. */
export function createFaults(): Faults {
  return {
    delay: 0,
    gate: undefined,
    call: undefined,
    forge: undefined,
    lie: undefined,
    changes: undefined,
    forgeBlock: undefined,
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
    endlessSimulations: false,
    noIndex: false,
  };
}
