import { SteleError } from '@stele/client';

/** Errors of a read that another attempt does not heal. */
const lasting: readonly string[] = [
  'HEIGHT_PRUNED',
  'BAD_USER_INPUT',
  'BAD_CURSOR',
  'FORBIDDEN',
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
