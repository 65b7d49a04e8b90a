import { SteleError, type SteleErrorCode } from '@stele/client';

/** Errors of a read that another attempt does not heal. */
const lasting: readonly string[] = [
  'HEIGHT_PRUNED',
  'BAD_USER_INPUT',
  'BAD_CURSOR',
  'FORBIDDEN',
  'MODULE_ABSENT',
  'INDEX_UNAVAILABLE',
  'OPERATION_TOO_COMPLEX',
  'GRAPHQL_VALIDATION_FAILED',
];

/** Whether another attempt cannot succeed. */
export function isLasting({ code }: SteleError): boolean {
  return lasting.includes(code);
}

/** What a read failed with, as an error of the client. */
export function asFailure(error: unknown): SteleError {
  if (error instanceof SteleError) return error;
  return new SteleError('CONNECTION_FAILED', 'The server cannot be reached.', { cause: error });
}

/** Codes that mean that the page and the server do not fit together. */
const misfit = 'This page does not fit the version of the server. Load it again.';

/** What each error means for a visitor. Messages of the API are for developers, so the pages do not show them. */
const words: Readonly<Partial<Record<SteleErrorCode, string>>> = {
  UNAUTHENTICATED: 'The server does not accept the token.',
  FORBIDDEN: 'Your token does not have the scope for this.',
  BAD_USER_INPUT: 'A value in the address of the page is not valid.',
  BAD_CURSOR: 'The address of the page names a place in a list that does not exist. Begin with the first page of the list.',
  GRAPHQL_PARSE_FAILED: misfit,
  GRAPHQL_VALIDATION_FAILED: misfit,
  PERSISTED_QUERY_NOT_SUPPORTED: misfit,
  NOT_FOUND: misfit,
  PERSISTED_QUERY_NOT_FOUND: misfit,
  DOCUMENT_NOT_TRUSTED: misfit,
  MODULE_ABSENT: 'The chain does not have the module for this.',
  OPERATION_TOO_COMPLEX: 'This is more than the server reads at once.',
  RATE_LIMITED: 'You have asked for more than the server allows in this time.',
  HEIGHT_PRUNED: 'The nodes have deleted the state of this block.',
  HEIGHT_NOT_YET_AVAILABLE: 'The server does not have this block yet.',
  SCHEMA_CHANGED: 'The chain was upgraded and has other methods now.',
  NODE_UNREACHABLE: 'No node of the chain can be reached.',
  NODE_TIMEOUT: 'The nodes of the chain respond too slowly.',
  NODE_INVALID_RESPONSE: 'A node sent an answer that is not valid.',
  NODE_INCONSISTENT: 'Two nodes hold different blocks at the same height, so the server uses neither of them.',
  CHAIN_RESET: 'The chain was started again under the same name.',
  CHAIN_CONFLICT: 'The validators of the chain signed two different blocks. Do not act on what you see.',
  PROOF_UNAVAILABLE: 'The server has no proof of this answer.',
  INDEX_UNAVAILABLE: 'No node has an index of transactions.',
  ARCHIVE_UNAVAILABLE: 'The archive cannot be read now.',
  RPC_ERROR: 'A node refused the request.',
  ABCI_QUERY_FAILED: 'The chain refused the request.',
  MEMPOOL_REJECTED: 'The node does not take the transaction now.',
  COMMIT_TIMEOUT: 'No block included the transaction in time. A later block may include it.',
  CONNECTION_FAILED: 'The server does not answer.',
  TOKEN_FAILED: 'The page could not get a token.',
  SERVER_SHUTDOWN: 'The server is restarting.',
};

/** An error in words for a visitor. */
export function errorWords({ code, facts: { value, bound } }: Pick<SteleError, 'code' | 'facts'>): string {
  if (code === 'BAD_USER_INPUT' && typeof value === 'string' && typeof bound === 'string')
    return `“${value}” is not valid here. It must be ${bound}.`;
  return words[code] ?? 'The server failed in a way that it did not expect.';
}
