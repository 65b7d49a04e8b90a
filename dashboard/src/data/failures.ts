import { SteleError } from '@stele/client';
import { texts } from '../language/language.ts';

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
  return new SteleError('CONNECTION_FAILED', texts.value.failure.serverUnreachable, { cause: error });
}

/** Codes that mean that the page and the server do not fit together. */
const misfits: readonly string[] = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'NOT_FOUND',
  'PERSISTED_QUERY_NOT_FOUND',
  'DOCUMENT_NOT_TRUSTED',
];

/** An error in words for a visitor. Messages of the API are for developers, so the pages do not show them. */
export function errorWords({ code, facts: { value, bound } }: Pick<SteleError, 'code' | 'facts'>): string {
  if (code === 'BAD_USER_INPUT' && typeof value === 'string' && typeof bound === 'string')
    return texts.value.failure.invalid(value, bound);
  if (misfits.includes(code)) return texts.value.failure.misfit;
  const words: Readonly<Record<string, string>> = texts.value.errors;
  return words[code] ?? texts.value.failure.unexpected;
}
