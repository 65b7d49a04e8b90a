import type { SteleError, SteleErrorCode } from './errors.ts';

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
  PERSISTED_QUERY_NOT_FOUND: 0,
  DOCUMENT_NOT_TRUSTED: 0,
  OPERATION_TOO_COMPLEX: 0,
  RATE_LIMITED: Number.POSITIVE_INFINITY,
  HEIGHT_PRUNED: 0,
  HEIGHT_NOT_YET_AVAILABLE: Number.POSITIVE_INFINITY,
  NODE_UNREACHABLE: Number.POSITIVE_INFINITY,
  NODE_TIMEOUT: Number.POSITIVE_INFINITY,
  NODE_INVALID_RESPONSE: Number.POSITIVE_INFINITY,
  NODE_INCONSISTENT: Number.POSITIVE_INFINITY,
  CHAIN_RESET: 0,
  INDEX_UNAVAILABLE: 0,
  ARCHIVE_UNAVAILABLE: Number.POSITIVE_INFINITY,
  RPC_ERROR: 0,
  ABCI_QUERY_FAILED: 0,
  MEMPOOL_REJECTED: 0,
  COMMIT_TIMEOUT: 0,
  SLOW_CONSUMER: Number.POSITIVE_INFINITY,
  SUBSCRIPTION_JWT_EXPIRED: Number.POSITIVE_INFINITY,
  SERVER_SHUTDOWN: Number.POSITIVE_INFINITY,
  INTERNAL_SERVER_ERROR: 5,
  CONNECTION_FAILED: Number.POSITIVE_INFINITY,
  TOKEN_FAILED: Number.POSITIVE_INFINITY,
};

/** Close codes of a WebSocket after a message that the server does not accept, such as one that is too large. Another stream may have sent it. */
const refusedMessage: readonly unknown[] = [1009, 4400, 4401, 4406, 4409];

/** Reasons of MEMPOOL_REJECTED that pass: the mempool is full or busy. */
const passing: readonly unknown[] = ['FULL', 'RECHECKING'];

/** How often a stream may fail with an error like this, without an event in between, before it ends. */
export function retriesAfter({ code, facts }: SteleError): number {
  if (code === 'MEMPOOL_REJECTED' && passing.includes(facts.reason)) return Number.POSITIVE_INFINITY;
  return refusedMessage.includes(facts.closeCode) ? 3 : retriesOf[code];
}
