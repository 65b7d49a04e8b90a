import type { TxExec } from './execution.ts';

/**
 * Why a mempool refused a transaction before CheckTx. FULL: the mempool has no room. RECHECKING: it is rechecking its
 * transactions. TOO_LARGE: the transaction has too many bytes. PRE_CHECK: it failed the check that a node runs before CheckTx.
 */
export type MempoolReason = 'FULL' | 'RECHECKING' | 'TOO_LARGE' | 'PRE_CHECK';

/**
 * Why a transaction is not simulated. NO_SCOPE: the token has neither of the scopes. TOO_LARGE and TOO_MANY_MESSAGES: it is over a
 * limit. CONTRACT: a message executes a contract, or is not known not to. UNKNOWN_TYPE: it has a type or a field that is not
 * known. MALFORMED: it is no transaction, or has a message that does not parse. UNKNOWN_PROPOSAL: it executes a group proposal that the newest block does not have. PATH: the path
 * of the query is not known to only read.
 */
export type SimulationReason =
  | 'NO_SCOPE'
  | 'TOO_LARGE'
  | 'TOO_MANY_MESSAGES'
  | 'CONTRACT'
  | 'UNKNOWN_TYPE'
  | 'MALFORMED'
  | 'UNKNOWN_PROPOSAL'
  | 'PATH';

/**
 * Why an answer has no proof. OFF: this server verifies no headers. OPERATION: only queries have proofs. PRUNED: no node has the state any more.
 * NO_PROOFS: the nodes prove nothing at the height. INVALID: the proof of a node does not verify. TOO_LARGE: the proof is over a limit.
 */
export type ProofReason = 'OFF' | 'OPERATION' | 'PRUNED' | 'NO_PROOFS' | 'INVALID' | 'TOO_LARGE';

/**
 * The facts of each error code of the chain client. Codes are values of `ErrorCode` in the GraphQL schema and are never reused.
 * Messages may change. No fact contains a node's address, a credential or a stack trace.
 */
export interface ChainErrorFacts {
  /** No node has the state or block at this height any more. `earliestHeight`: the oldest height that the node has, if it reported one. `earliestTime`: its time, if a time was asked for. */
  HEIGHT_PRUNED: { height: bigint; earliestHeight?: bigint; earliestTime?: string };
  /** The height is above the newest block of the node, or above the height of the read. `latestTime`: the time of that block, if a time was asked for. */
  HEIGHT_NOT_YET_AVAILABLE: { height: bigint; latestHeight?: bigint; latestTime?: string };
  /**
   * The connection failed. `sent`: whether the request may have reached the node. `retryAfter`: the wait that the node requested, in ms. `quorum`: so many nodes
   * had to agree. `available`: so many had an answer.
   */
  NODE_UNREACHABLE: { sent?: boolean; retryAfter?: number; quorum?: number; available?: number };
  /** No complete response within this many milliseconds. */
  NODE_TIMEOUT: { milliseconds: number };
  /** The response is invalid: not JSON-RPC, cut short, too large, or for another height or chain. */
  NODE_INVALID_RESPONSE: { status?: number };
  /** Two nodes hold different blocks at one height, or gave different answers. */
  NODE_INCONSISTENT: { height?: bigint };
  /**
   * The chain restarted under the same id. Heights that were read before belong to the old chain. `latestHeight`: the newest block of the new chain.
   */
  CHAIN_RESET: { latestHeight: bigint };
  /** The validators signed two blocks that exclude one another. `height`: that of the second one. */
  CHAIN_CONFLICT: { height: bigint };
  /** An answer has no proof. `limit` and `max`: the limit that the proof exceeds. */
  PROOF_UNAVAILABLE: { reason: ProofReason; limit?: string; max?: number };
  /** The node has no index of transactions or blocks. */
  INDEX_UNAVAILABLE: Record<never, never>;
  /** The node's RPC returned an error. `data` is the node's text; the message contains it. */
  RPC_ERROR: { rpcCode: number; data: string };
  ABCI_QUERY_FAILED: { abciCode: number; codespace: string; log: string };
  /** No node may simulate the transaction for this caller. `type`: the message type that is the reason. `max`: the limit that it exceeds. */
  SIMULATION_DISABLED: { reason: SimulationReason; type?: string; max?: number };
  /** Every mempool refused the transaction with this hash (upper case hex). The message is the node's text. */
  MEMPOOL_REJECTED: { hash: string; reason: MempoolReason };
  /** No block contained the transaction in time. A later block still may. `checkTx`: the result of CheckTx; null if it is unknown. */
  COMMIT_TIMEOUT: { hash: string; checkTx: TxExec | null };
}

export type ChainErrorCode = keyof ChainErrorFacts;

/** The only error class of the chain client. `facts` are typed by `code` (narrow with {@link isChainError}). `cause` is the underlying error. */
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

/** Whether `error` is a {@link ChainError} and, if `code` is given, has that code. */
export function isChainError<C extends ChainErrorCode = ChainErrorCode>(error: unknown, code?: C): error is ChainError<C> {
  return error instanceof ChainError && (code === undefined || error.code === code);
}

/** The error that ends a stream when the chain restarted under the same id. */
export function chainReset(latestHeight: bigint): ChainError<'CHAIN_RESET'> {
  const message = `The chain was reset under the same id. Its newest block is ${latestHeight}. Start again without earlier heights.`;
  return new ChainError('CHAIN_RESET', message, { latestHeight });
}

/** The error that ends a stream when the validators have signed two blocks that exclude one another. */
export function chainConflict(height: bigint): ChainError<'CHAIN_CONFLICT'> {
  const message = `The validators of the chain signed two different blocks at height ${height}. No block after it is accepted.`;
  return new ChainError('CHAIN_CONFLICT', message, { height });
}

/** The error that ends a stream when blocks from `height` on were withdrawn. */
export function withdrawn(height: bigint): ChainError<'NODE_INCONSISTENT'> {
  const message = `Most nodes hold other blocks from height ${height} on. Discard yours and resume with \`after: ${height - 1n}\`.`;
  return new ChainError('NODE_INCONSISTENT', message, { height });
}

/** The error of a call to which nodes gave different answers, none of which has a majority. */
export function differing(height: bigint | undefined): ChainError<'NODE_INCONSISTENT'> {
  const place = height === undefined ? '' : ` at height ${height}`;
  return new ChainError('NODE_INCONSISTENT', `Nodes gave different answers${place}, and no majority decides.`, {
    ...(height !== undefined && { height }),
  });
}

/** The codes of errors that stay as long as the nodes are as they are. */
const lastingCodes: readonly ChainErrorCode[] = ['HEIGHT_PRUNED', 'HEIGHT_NOT_YET_AVAILABLE', 'INDEX_UNAVAILABLE'];

/** The error of a call that `quorum` nodes had to agree on, of which only `available` had an answer. `errors` are those of the others. */
export function tooFewAgree(quorum: number, available: number, errors: readonly ChainError[]): ChainError {
  const lasting = errors.find(({ code }) => lastingCodes.includes(code));
  if (lasting !== undefined) return lasting;
  const message = `${quorum} nodes must give the same answer, and ${available === 0 ? 'none' : `only ${available}`} had one.`;
  return new ChainError('NODE_UNREACHABLE', message, { quorum, available }, errors[0]);
}

/** The error for a height at which two nodes hold different blocks. */
export function inconsistent(height: bigint): ChainError<'NODE_INCONSISTENT'> {
  return new ChainError('NODE_INCONSISTENT', `Two nodes hold different blocks at height ${height}.`, { height });
}
