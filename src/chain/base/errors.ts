import type { TxExec } from './execution.ts';

/**
 * Why a mempool would not look at a transaction: it has no room, or says so while it checks what it holds again; more bytes than it
 * takes; a check of the node's own before CheckTx.
 */
export type MempoolReason = 'FULL' | 'RECHECKING' | 'TOO_LARGE' | 'PRE_CHECK';

/**
 * The facts of each code a chain client can fail with. Codes are those of the GraphQL contract's `ErrorCode` and are never
 * reused; messages are prose and may change. No fact holds a node's address, a credential or a stack.
 */
export interface ChainErrorFacts {
  /** No node asked has the state or block of this height any more. `earliestHeight`: the oldest it has, when it says so. */
  HEIGHT_PRUNED: { height: bigint; earliestHeight?: bigint };
  /** The height is above the newest block of the node, or above the one read at. */
  HEIGHT_NOT_YET_AVAILABLE: { height: bigint; latestHeight?: bigint };
  /** No connection, or it broke. `sent` is true when the request may have reached the node. `retryAfter`: ms the node asked for. */
  NODE_UNREACHABLE: { sent?: boolean; retryAfter?: number };
  /** No complete answer within this many milliseconds. */
  NODE_TIMEOUT: { milliseconds: number };
  /** The answer could not be understood or believed: not JSON-RPC, cut short, too large, of another height or chain. */
  NODE_INVALID_RESPONSE: { status?: number };
  /** Two nodes hold different blocks at one height. */
  NODE_INCONSISTENT: { height?: bigint };
  /** The chain began anew under the same id: heights that were read before are of another chain. `latestHeight`: its newest block. */
  CHAIN_RESET: { latestHeight: bigint };
  /** The node keeps no index of transactions or blocks. */
  INDEX_UNAVAILABLE: Record<never, never>;
  /** The node's RPC refused the call; the message holds its own text. `data` is that text alone. */
  RPC_ERROR: { rpcCode: number; data: string };
  /** The application refused a read. */
  ABCI_QUERY_FAILED: { abciCode: number; codespace: string; log: string };
  /** No mempool would look at a transaction, of this hash (upper case hex). The message is the node's own text. */
  MEMPOOL_REJECTED: { hash: string; reason: MempoolReason };
  /** A transaction was in no block in time; it may still get into one. `checkTx`: what CheckTx said; null where that is not known. */
  COMMIT_TIMEOUT: { hash: string; checkTx: TxExec | null };
}

/** A code that the chain client can fail with. */
export type ChainErrorCode = keyof ChainErrorFacts;

/**
 * The one error of the chain client. `code` is the contract; `facts` are its particulars, typed by the code
 * (narrow with {@link isChainError}); `cause` keeps what was underneath.
 */
export class ChainError<C extends ChainErrorCode = ChainErrorCode> extends Error {
  override readonly name = 'ChainError';
  readonly code: C;
  readonly facts: ChainErrorFacts[C];

  constructor(code: C, message: string, facts: ChainErrorFacts[C], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.facts = facts;
  }
}

/** Whether `error` is a {@link ChainError}, and of `code` when one is given. */
export function isChainError<C extends ChainErrorCode = ChainErrorCode>(error: unknown, code?: C): error is ChainError<C> {
  return error instanceof ChainError && (code === undefined || error.code === code);
}

/** The failure of what followed a chain that began anew. */
export function chainReset(latestHeight: bigint): ChainError<'CHAIN_RESET'> {
  const message = `The chain was reset under the same id. Its newest block is ${latestHeight} now: begin again without a height of before.`;
  return new ChainError('CHAIN_RESET', message, { latestHeight });
}

/** The failure of what followed blocks that were given up: those from `height` on. */
export function withdrawn(height: bigint): ChainError<'NODE_INCONSISTENT'> {
  const message = `Most nodes hold other blocks from height ${height} on. Discard those, and resume with \`after: ${height - 1n}\`.`;
  return new ChainError('NODE_INCONSISTENT', message, { height });
}

/** The failure of a height at which nodes hold different blocks. */
export function inconsistent(height: bigint): ChainError<'NODE_INCONSISTENT'> {
  return new ChainError('NODE_INCONSISTENT', `Two nodes hold different blocks at height ${height}.`, { height });
}
