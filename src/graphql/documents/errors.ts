import { GraphQLError, Lexer, Location, Source, type SourceLocation, Token, TokenKind } from 'graphql';
import { maskedMessage, type Report, shownFacts, statusOf } from '../../answers/errors.ts';
import { isChainError } from '../../chain/base/errors.ts';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import type { JsonResult } from '../execution/execution.ts';

/**
 * The source of every cached document. The offset of a node in it is the index of the node's first token, so that documents keep no text.
 * `locate` converts the index to a location in the text of one request.
 */
const tokenSource = new Source('');

/** One location for each token index, shared by all documents. */
const knownLocations: Location[] = [];

/** The locations for the indices of at least this many tokens. */
export function tokenLocations(count: number): readonly Location[] {
  for (let next = knownLocations.length; next < count; next += 1) {
    const token = new Token(TokenKind.NAME, next, next, 1, next + 1);
    knownLocations.push(new Location(token, token, tokenSource));
  }
  return knownLocations;
}

/** Returns the locations of an error in the text of a request; undefined if they are unknown. */
export type Locate = (error: GraphQLError) => readonly SourceLocation[] | undefined;

/** Locates nothing: for errors without the text of a request. */
export const locateNothing: Locate = ({ source, locations }) => (source === tokenSource ? undefined : locations);

/** Creates the function that locates errors in `text`. It reads the text once, for the first error. */
export function createLocate(text: string): Locate {
  let places: SourceLocation[] | undefined;

  function read(): SourceLocation[] {
    const locations: SourceLocation[] = [];
    const lexer = new Lexer(new Source(text));
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance())
      locations.push({ line: token.line, column: token.column });
    return locations;
  }

  return (error) => {
    if (error.source !== tokenSource) return error.locations;
    places ??= read();
    return error.positions?.flatMap((index) => places?.[index] ?? []);
  };
}

/** The original error, however often GraphQL has wrapped it. */
function origin(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError !== undefined ? origin(error.originalError) : error;
}

/** The longest message that may repeat input, in characters. */
const longest = 500;

/** The errors that are as the caller sees them. */
const publicErrors = new WeakSet<GraphQLError>();

/** Creates an error for the caller with this path and these locations. It does not keep the document in memory. */
function remade(
  { path, locations }: Pick<GraphQLError, 'path' | 'locations'>,
  message: string,
  extensions: object,
): GraphQLError {
  const error = new GraphQLError(message, { path: path ?? null, extensions: { ...extensions } });
  publicErrors.add(error);
  return locations === undefined ? error : Object.assign(error, { locations });
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
  const shownErrors = errors.map((error) => toGraphQLError(error, requestId, (cause) => causes.push(cause), locate));
  if (causes.length > 0) report(causes[0], requestId, causes.length);
  return shownErrors;
}

/** An error of GraphQL, of whatever copy of the library: a plugin may bring its own. undefined for any other value. */
function asGraphQLError(error: unknown): GraphQLError | undefined {
  if (error instanceof GraphQLError) return error;
  if (!(error instanceof Error) || error.name !== 'GraphQLError') return undefined;
  const extensions = 'extensions' in error && typeof error.extensions === 'object' ? error.extensions : {};
  return new GraphQLError(error.message, { extensions: { ...extensions } });
}

/** The codes that GraphQL and Yoga give to errors of the request, besides none. */
const requestCodes: readonly unknown[] = [undefined, 'BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE'];
const documentCodes: readonly unknown[] = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];

/** The extensions of an error of GraphQL for the caller, with its code. Only a plugin's other extensions are kept: others may repeat input. */
function extensionsFor({ extensions: { http: _, code, ...others } }: GraphQLError): { readonly code: string } {
  if (typeof code !== 'string' || requestCodes.includes(code)) return { code: 'BAD_USER_INPUT' };
  return documentCodes.includes(code) ? { code } : { ...others, code };
}

/** The code of a failure for the caller. */
export function codeOf(error: unknown): string {
  const cause = origin(error);
  if (isChainError(cause) || cause instanceof RequestError) return cause.code;
  const ownError = asGraphQLError(cause);
  return ownError === undefined ? 'INTERNAL_SERVER_ERROR' : extensionsFor(ownError).code;
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
  const outer = asGraphQLError(error);
  if (outer !== undefined && publicErrors.has(outer)) return outer;
  const place = { path: outer?.path, locations: outer && locate(outer) };
  const cause = origin(error);
  const status = outer?.extensions.http;
  const http = status === undefined ? {} : { http: status };
  if (isChainError(cause) || cause instanceof RequestError) {
    // Without a path, the error is about a literal or a variable, which GraphQL's own message names.
    const message = outer !== undefined && outer.path === undefined ? outer.message : cause.message;
    return remade(place, message, { code: cause.code, ...shownFacts(cause.facts), ...http });
  }
  const inner = asGraphQLError(cause);
  if (inner !== undefined) {
    const located = remade({ path: inner.path, locations: locate(inner) }, inner.message, { ...extensionsFor(inner), ...http });
    return briefly(located, locateNothing);
  }
  report(cause, requestId);
  return remade(place, maskedMessage, { code: 'INTERNAL_SERVER_ERROR', requestId });
}

/** The HTTP response of an error. With `spec`, the status is 200 for a client that accepts only `application/json`. */
interface HttpExtension {
  readonly status: number;
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that rejects a whole request before execution. The status is that of GraphQL over HTTP unless `http` gives another. */
export function refusal(error: RequestError, http: HttpExtension = { status: 400, spec: true }): GraphQLError {
  return new GraphQLError(error.message, { originalError: error, extensions: { http } });
}

/** OPERATION_TOO_COMPLEX for an operation over a limit. `what` names the counted thing in the plural, `value` is its number if it was counted. */
export function tooComplex(limits: Limits, limit: LimitName, what: string, value?: number): GraphQLError {
  const max = limits[limit];
  const countText = value === undefined ? 'more' : value;
  return refusal(
    new RequestError(
      'OPERATION_TOO_COMPLEX',
      `At most ${max} ${what} are allowed (${limit}); this document has ${countText}.`,
      {
        limit,
        ...(value !== undefined && { value: value.toString() }),
        max,
      },
    ),
  );
}
