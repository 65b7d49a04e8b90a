import { type ExecutionResult, GraphQLError } from 'graphql';
import { isChainError } from '../../chain/errors.ts';
import { errorTable, isErrorCode } from '../../config/errorCodes.ts';
import { RequestError } from '../../reads/errors.ts';
import { type Locate, locateNothing } from '../documents/tokenLocations.ts';

/** What a caller is told of a failure that is nobody's business but ours. */
export const maskedMessage = 'Something went wrong on our side; the request id finds it in the log.';

/** Facts as callers see them: integers of 64 bits as decimal text, absent ones left out. */
export function shown(facts: object): Record<string, unknown> {
  const entries = Object.entries(facts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, shownValue(value)]));
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(shownValue);
  return typeof value === 'object' && value !== null ? shown(value) : value;
}

/** What was thrown underneath, however often GraphQL has wrapped it. */
function origin(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError !== undefined ? origin(error.originalError) : error;
}

/** Longest message that repeats what was sent, in characters. */
const longest = 500;

/** An error with this path and these locations. It does not keep the document. */
function remade(
  { path, locations }: Pick<GraphQLError, 'path' | 'locations'>,
  message: string,
  extensions: object,
): GraphQLError {
  const made = new GraphQLError(message, { path: path ?? null, extensions: { ...extensions } });
  return locations === undefined ? made : Object.assign(made, { locations });
}

/** What GraphQL suggests to who guesses; validation can be told not to, values cannot. */
const suggestion = / Did you mean .*\?$/s;

/** An error of GraphQL's own, located by `locate`. A long message, which repeats what was sent, is cut, and suggestions are removed. */
export function briefly(error: GraphQLError, locate: Locate): GraphQLError {
  const full = error.message.replace(suggestion, '');
  const message = full.length > longest ? `${full.slice(0, longest)}…` : full;
  return remade({ path: error.path, locations: locate(error) }, message, error.extensions);
}

/** An error without what only an answer over HTTP needs. */
export function bare(error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  return http === undefined ? error : remade(error, error.message, extensions);
}

/** A result whose errors are {@link bare}. */
export function withoutHttp(result: ExecutionResult): ExecutionResult {
  return result.errors === undefined ? result : { ...result, errors: result.errors.map(bare) };
}

/**
 * The HTTP status of a response without data, by the code of its error: the status of the table for failures of this server and of nodes, else
 * 400, which is 200 for a client that accepts only `application/json` (GraphQL over HTTP).
 */
export function statusOf(code: unknown): { readonly status: number; readonly spec?: boolean } {
  const status = isErrorCode(code) ? errorTable[code].status : null;
  return status !== null && status >= 500 ? { status } : { status: 400, spec: true };
}

/** An answer whose errors say what status it has over HTTP, where nothing was executed and they do not yet. */
export function withStatus(result: ExecutionResult): ExecutionResult {
  if (result.errors === undefined || 'data' in result) return result;
  const errors = result.errors.map((error) => {
    const { http, ...extensions } = error.extensions;
    // The executor gives values of variables a bare 400.
    const isBare = typeof http === 'object' && http !== null && 'status' in http && http.status === 400 && !('spec' in http);
    if (http !== undefined && !isBare) return error;
    return remade(error, error.message, { ...extensions, http: statusOf(extensions.code) });
  });
  return { ...result, errors };
}

/** Logs a failure under the id of its request. `count` is how many fields failed in a way that was not foreseen: 1 if absent. */
export type Report = (error: unknown, requestId: string, count?: number) => void;

/**
 * The errors of one operation as the caller may see them. However many fields fail in a way that was not foreseen, `report` is called once, with
 * the cause of the first and their number.
 */
export function toGraphQLErrors(
  errors: readonly unknown[],
  requestId: string,
  report: Report,
  locate: Locate = locateNothing,
): GraphQLError[] {
  const causes: unknown[] = [];
  const shown = errors.map((error) => toGraphQLError(error, requestId, (cause) => causes.push(cause), locate));
  if (causes.length > 0) report(causes[0], requestId, causes.length);
  return shown;
}

/**
 * Any failure as the caller may see it: a stable code with its facts, and the place in the operation. What is not foreseen is
 * masked: `report` is called with the cause and the id that the caller gets. `locate` gives its places in the text of the request; without it
 * an error within a kept document has none.
 */
export function toGraphQLError(
  error: unknown,
  requestId: string,
  report: Report,
  locate: Locate = locateNothing,
): GraphQLError {
  const at = error instanceof GraphQLError ? error : undefined;
  const place = { path: at?.path, locations: at && locate(at) };
  const cause = origin(error);
  const status = at?.extensions.http;
  const http = status === undefined ? {} : { http: status };
  if (isChainError(cause) || cause instanceof RequestError) {
    // Without a path it was a value of the document or of a variable, and GraphQL's own words name which.
    const message = at !== undefined && at.path === undefined ? at.message : cause.message;
    return remade(place, message, { code: cause.code, ...shown(cause.facts), ...http });
  }
  if (cause instanceof GraphQLError) {
    // GraphQL's own: a document that does not parse or validate has a code of the contract; all else is a bad request or a bad
    // value of a variable. Of the engine's own extensions only the HTTP status stays: others may repeat what was sent.
    const { code } = cause.extensions;
    const known = code === 'GRAPHQL_PARSE_FAILED' || code === 'GRAPHQL_VALIDATION_FAILED' ? code : 'BAD_USER_INPUT';
    const own = remade({ path: cause.path, locations: locate(cause) }, cause.message, { code: known, ...http });
    return briefly(own, locateNothing);
  }
  report(cause, requestId);
  const extensions = { code: 'INTERNAL_SERVER_ERROR', requestId };
  return remade(place, maskedMessage, extensions);
}
