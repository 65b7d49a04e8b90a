import { ChainError } from '../chain/base/errors.ts';
import type { JsonBoundError, JsonBounds } from '../chain/wire/json.ts';
import { errorTable, isErrorCode } from '../config/errorCodes.ts';
import type { LimitName, Limits } from '../config/limits/limits.ts';
import { RequestError } from '../reads/errors.ts';

/** The message of an unexpected failure. The cause is only in the log. */
export const maskedMessage = 'Internal server error. The log has the cause under the request id.';

/** Facts for the caller: 64-bit integers as decimal strings, without absent ones. */
export function shownFacts(facts: object): Record<string, unknown> {
  const entries = Object.entries(facts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, shownValue(value)]));
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(shownValue);
  return typeof value === 'object' && value !== null ? shownFacts(value) : value;
}

/** Logs an unexpected failure under a request id. `count` is the number of fields that failed: 1 if absent. */
export type Report = (error: unknown, requestId: string, count?: number) => void;

/**
 * The HTTP status of a response without data, by the code of its error: the status of the table for failures of this server and of nodes, else
 * 400, which is 200 for a client that accepts only `application/json` (GraphQL over HTTP).
 */
export function statusOf(code: unknown): { readonly status: number; readonly spec?: boolean } {
  const status = isErrorCode(code) ? errorTable[code].status : null;
  return status !== null && status >= 500 ? { status } : { status: 400, spec: true };
}

/** The reason that aborts reads after the caller has disconnected. */
export function leftError(): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', 'The caller has disconnected.', {});
}

/** The bounds of JSON from clients, from the limits in force. */
export function jsonBoundsOf(limits: Limits): JsonBounds {
  return { depth: limits['json.depth'], values: limits['json.values'], number: limits['json.number'] };
}

const excess: Record<keyof JsonBounds, string> = {
  depth: 'levels of arrays and objects',
  values: 'values',
  number: 'characters in a number',
};

/** BAD_USER_INPUT for JSON over a bound, with the name of the limit. */
export function jsonExcess({ bound, max }: JsonBoundError): RequestError {
  const limit: LimitName = `json.${bound}`;
  return new RequestError('BAD_USER_INPUT', `The JSON has more than ${max} ${excess[bound]} (${limit}).`, { limit, max });
}
