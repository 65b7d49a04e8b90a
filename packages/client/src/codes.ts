import type { ErrorCode } from './gen/errorCode.ts';

/** The code of an error: one of the server, or one of this client. */
export type SteleErrorCode =
  | ErrorCode
  /** The server was not reached, the connection was lost, or the answer is not GraphQL. `facts` has `status` or `closeCode`. */
  | 'CONNECTION_FAILED'
  /** The function `token` failed. `cause` has its error. */
  | 'TOKEN_FAILED'
  /** An answer does not follow from its proof: see `UnprovenAnswerError`. `path` is its first field that does not, and `facts.reason` says why. */
  | 'ANSWER_NOT_PROVEN';

/**
 * How often a stream may fail with each code before it ends. 0: a retry cannot heal the error. A failure counts only until the next event
 * arrives.
 */
export const retriesOf: Readonly<Record<SteleErrorCode, number>> = {
  // A new token is requested. If it is refused too, further ones would be.
  UNAUTHENTICATED: 2,
  FORBIDDEN: 0,
  BAD_USER_INPUT: 0,
  BAD_CURSOR: 0,
  GRAPHQL_PARSE_FAILED: 0,
  GRAPHQL_VALIDATION_FAILED: 0,
  PERSISTED_QUERY_NOT_SUPPORTED: 0,
  NOT_FOUND: 0,
  MODULE_ABSENT: 0,
  PERSISTED_QUERY_NOT_FOUND: 0,
  DOCUMENT_NOT_TRUSTED: 0,
  OPERATION_TOO_COMPLEX: 0,
  WEBHOOKS_UNAVAILABLE: 0,
  RATE_LIMITED: Number.POSITIVE_INFINITY,
  HEIGHT_PRUNED: 0,
  HISTORY_DEPENDS_ON_HEIGHT: 0,
  HISTORY_LIMIT: 0,
  HEIGHT_NOT_YET_AVAILABLE: Number.POSITIVE_INFINITY,
  NODE_UNREACHABLE: Number.POSITIVE_INFINITY,
  NODE_TIMEOUT: Number.POSITIVE_INFINITY,
  NODE_INVALID_RESPONSE: Number.POSITIVE_INFINITY,
  NODE_INCONSISTENT: Number.POSITIVE_INFINITY,
  CHAIN_RESET: 0,
  CHAIN_CONFLICT: 0,
  PROOF_UNAVAILABLE: 0,
  INDEX_UNAVAILABLE: 0,
  ARCHIVE_UNAVAILABLE: Number.POSITIVE_INFINITY,
  RPC_ERROR: 0,
  ABCI_QUERY_FAILED: 0,
  SIMULATION_DISABLED: 0,
  MEMPOOL_REJECTED: 0,
  COMMIT_TIMEOUT: 0,
  SCHEMA_CHANGED: 0,
  SLOW_CONSUMER: Number.POSITIVE_INFINITY,
  SUBSCRIPTION_JWT_EXPIRED: Number.POSITIVE_INFINITY,
  SERVER_SHUTDOWN: Number.POSITIVE_INFINITY,
  INTERNAL_SERVER_ERROR: 5,
  CONNECTION_FAILED: Number.POSITIVE_INFINITY,
  TOKEN_FAILED: Number.POSITIVE_INFINITY,
  ANSWER_NOT_PROVEN: 0,
};
