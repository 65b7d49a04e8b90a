import type { ChainErrorCode } from '../base/errors.ts';
import type { HistogramView } from './histogram.ts';

/** Health of a node. A node is also DOWN before its first response. */
export type NodeHealth = 'HEALTHY' | 'LAGGING' | 'DOWN' | 'EJECTED' | 'WRONG_CHAIN';

/** The public state of a node, without its address. Times are in milliseconds. A value is undefined until known. */
export interface NodeView {
  readonly alias: string;
  readonly health: NodeHealth;
  /** Whether the next read without a height goes to this node first. */
  readonly inUse: boolean;
  /** The chain id in its last response. */
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
  /** Unix time at which its ejection ends; undefined if it is not ejected. */
  readonly ejectedUntil: number | undefined;
}

/** The outcome of a call: success, no caller waiting any more, or an error code. */
export type CallOutcome = 'OK' | 'CANCELLED' | 'INTERNAL_SERVER_ERROR' | ChainErrorCode;

/** Calls of one method to one node with the same outcome. */
export interface CallCount {
  /** Alias of the node. */
  readonly node: string;
  readonly method: string;
  readonly outcome: CallOutcome;
  /** Durations in seconds. */
  readonly times: HistogramView;
}
