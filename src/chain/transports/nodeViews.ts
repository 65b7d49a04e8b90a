import type { ChainErrorCode } from '../base/errors.ts';
import type { HistogramView } from './histogram.ts';

/** Health of a node. DOWN also until it has answered once. */
export type NodeHealth = 'HEALTHY' | 'LAGGING' | 'DOWN' | 'EJECTED' | 'WRONG_CHAIN';

/** What is known of one node, for people: no address in it. Times in milliseconds; undefined until known. */
export interface NodeView {
  readonly alias: string;
  readonly health: NodeHealth;
  /** Whether the next read of no particular height goes to it first. */
  readonly inUse: boolean;
  /** The chain that it answered for last. */
  readonly chainId: string | undefined;
  readonly height: bigint | undefined;
  /** Blocks behind the newest believed block when all were last asked, or of what was last known of one that does not answer; undefined for a node of another chain. */
  readonly lag: bigint | undefined;
  /** Oldest block, not state. */
  readonly earliestHeight: bigint | undefined;
  readonly catchingUp: boolean | undefined;
  readonly txIndex: boolean | undefined;
  /** Mean time of its recent answers, the last sixteen or so. */
  readonly latency: number | undefined;
  readonly consecutiveFailures: number;
  readonly lastErrorCode: ChainErrorCode | undefined;
  /**
   * Times that it held another block than others at a height, or reported a block that it could not prove. While it does, and most
   * others do not, it is EJECTED.
   */
  readonly contradictions: number;
  /** Unix time until which it is set aside; undefined when it is not. */
  readonly ejectedUntil: number | undefined;
}

/** What came of a call: its result was taken; nobody waited for it any more; or the code of its failure. */
export type CallOutcome = 'OK' | 'CANCELLED' | 'INTERNAL_SERVER_ERROR' | ChainErrorCode;

/** Calls of one method to one node that ended alike. */
export interface CallCount {
  /** Alias of the node. */
  readonly node: string;
  readonly method: string;
  readonly outcome: CallOutcome;
  /** Their times, in seconds. */
  readonly times: HistogramView;
}
