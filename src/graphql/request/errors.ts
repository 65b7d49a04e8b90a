import { GraphQLError } from 'graphql';
import { maskedMessage, type Report, shown, statusOf } from '../../answers/errors.ts';
import { isChainError } from '../../chain/base/errors.ts';
import { RequestError } from '../../reads/errors.ts';
import { type Locate, locateNothing } from '../documents/tokenLocations.ts';
import type { JsonResult } from '../execution/result.ts';

/** The original error, however often GraphQL has wrapped it. */
function origin(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError !== undefined ? origin(error.originalError) : error;
}

/** The longest message that may repeat input, in characters. */
const longest = 500;

/** Creates an error with this path and these locations. It does not keep the document in memory. */
function remade(
  { path, locations }: Pick<GraphQLError, 'path' | 'locations'>,
  message: string,
  extensions: object,
): GraphQLError {
  const made = new GraphQLError(message, { path: path ?? null, extensions: { ...extensions } });
  return locations === undefined ? made : Object.assign(made, { locations });
}

/** The suggestion in a message of GraphQL. Validation has an option to omit it; coercion of values does not. */
const suggestion = / Did you mean .*\?$/s;

/** An error of GraphQL, located by `locate`. Cuts a long message and removes suggestions. */
export function briefly(error: GraphQLError, locate: Locate): GraphQLError {
  const full = error.message.replace(suggestion, '');
  const message = full.length > longest ? `${full.slice(0, longest)}…` : full;
  return remade({ path: error.path, locations: locate(error) }, message, error.extensions);
}

/** An error without `extensions.http`, which only the HTTP response needs. */
export function bare(error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  return http === undefined ? error : remade(error, error.message, extensions);
}

/** A result whose errors are {@link bare}. */
export function withoutHttp(result: JsonResult): JsonResult {
  return result.errors === undefined ? result : { ...result, errors: result.errors.map(bare) };
}

/** A result whose errors have an HTTP status. Results with data, and errors that have a status, are unchanged. */
export function withStatus(result: JsonResult): JsonResult {
  if (result.errors === undefined || 'data' in result) return result;
  const errors = result.errors.map((error) => {
    const { http, ...extensions } = error.extensions;
    // The executor sets a plain 400 for invalid variables.
    const isBare = typeof http === 'object' && http !== null && 'status' in http && http.status === 400 && !('spec' in http);
    if (http !== undefined && !isBare) return error;
    return remade(error, error.message, { ...extensions, http: statusOf(extensions.code) });
  });
  return { ...result, errors };
}

/**
 * The errors of one operation for the caller. However many fields fail unexpectedly, `report` is called once, with the first cause and the number of
 * failures.
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
 * Any failure for the caller: a stable code with its facts, and the path and locations in the operation. An unexpected failure is masked: `report`
 * gets the cause and the id that the caller sees. `locate` finds the locations in the text of the request. Without it, an error in a cached document
 * has none.
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
    // Without a path, the error is about a literal or a variable, which GraphQL's own message names.
    const message = at !== undefined && at.path === undefined ? at.message : cause.message;
    return remade(place, message, { code: cause.code, ...shown(cause.facts), ...http });
  }
  if (cause instanceof GraphQLError) {
    // An error of GraphQL: syntax and validation errors have their own codes; all others are caused by the request or a
    // variable. Only the HTTP status of the engine's extensions is kept: others may repeat input.
    const { code } = cause.extensions;
    const known = code === 'GRAPHQL_PARSE_FAILED' || code === 'GRAPHQL_VALIDATION_FAILED' ? code : 'BAD_USER_INPUT';
    const own = remade({ path: cause.path, locations: locate(cause) }, cause.message, { code: known, ...http });
    return briefly(own, locateNothing);
  }
  report(cause, requestId);
  const extensions = { code: 'INTERNAL_SERVER_ERROR', requestId };
  return remade(place, maskedMessage, extensions);
}
