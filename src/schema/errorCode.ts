import { ErrorCode } from '../config/errorCodes.ts';
import type { Builder } from './builder.ts';

/** Adds the enum of error codes. */
export function addErrorCode(builder: Builder): void {
  builder.enumType(ErrorCode, {
    name: 'ErrorCode',
    description: 'Values of `extensions.code`; more may be added. The facts in brackets are further fields of `extensions`.',
    values: {
      UNAUTHENTICATED: { description: 'No token, or one that does not verify.' },
      FORBIDDEN: { description: 'The token lacks a scope. [scope]' },
      BAD_USER_INPUT: { description: 'An argument is not what the field takes. [argument, value, bound]' },
      BAD_CURSOR: { description: 'The cursor is malformed or of another list.' },
      PERSISTED_QUERY_NOT_SUPPORTED: { description: 'The request names a persisted query. Send the document.' },
      OPERATION_TOO_COMPLEX: {
        description: 'The operation passes a limit on its shape, its cost, or what it would scan. [limit, value, max]',
      },
      RATE_LIMITED: { description: '[limit, retryAfter]' },
      HEIGHT_PRUNED: { description: 'No node has the state or block of this height any more. [height, earliestHeight]' },
      HEIGHT_NOT_YET_AVAILABLE: {
        description: 'The height is above the newest block, or above the one read at. [height, latestHeight]',
      },
      NODE_INVALID_RESPONSE: { description: "The node's answer could not be understood or believed." },
      NODE_INCONSISTENT: { description: 'Two nodes hold different blocks at one height. [height]' },
      CHAIN_RESET: {
        description:
          'The chain was reset under the same id and its heights begin anew. Subscribe again without `after`. [latestHeight]',
      },
      INDEX_UNAVAILABLE: {
        description: 'No node keeps the index that this search needs, and the block log does not reach far enough.',
      },
      RPC_ERROR: { description: "The node's RPC refused the call; the message holds its own text. [rpcCode]" },
      ABCI_QUERY_FAILED: { description: 'The application refused a read. [abciCode, codespace, log]' },
      MEMPOOL_REJECTED: {
        description: 'The mempool would not look at the transaction: full, too large, pre-check. [hash, reason]',
      },
      COMMIT_TIMEOUT: { description: 'Not in a block in time; it may still be included. [hash, checkTx]' },
      SLOW_CONSUMER: { description: 'A subscriber did not keep up. [lastHeight, after]' },
      SUBSCRIPTION_JWT_EXPIRED: { description: 'The token of a running stream expired. [lastHeight, after]' },
      SERVER_SHUTDOWN: { description: 'The server stops; reconnect and resume. [lastHeight, after]' },
      INTERNAL_SERVER_ERROR: { description: 'Masked. [requestId]' },
    },
  });
}
