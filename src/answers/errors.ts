import { errorTable, isErrorCode } from '../config/errorCodes.ts';

/** The message of an unexpected failure. The cause is only in the log. */
export const maskedMessage = 'Internal server error. The log has the cause under the request id.';

/** Facts for the caller: 64-bit integers as decimal strings, without absent ones. */
export function shown(facts: object): Record<string, unknown> {
  const entries = Object.entries(facts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, shownValue(value)]));
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(shownValue);
  return typeof value === 'object' && value !== null ? shown(value) : value;
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
