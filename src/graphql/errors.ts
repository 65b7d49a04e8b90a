import { GraphQLError } from 'graphql';
import { isChainError } from '../chain/errors.ts';
import { RequestError } from '../modules/errors.ts';

/** What a caller is told of a failure that is nobody's business but ours. */
export const maskedMessage = 'Something went wrong on our side; the request id finds it in the log.';

/** Facts as they appear in `extensions`: integers of 64 bits as decimal text, absent ones left out. */
function shown(facts: object): Record<string, unknown> {
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

/** An error of GraphQL's own, which repeats what was sent, without most of it where that is long. */
export function briefly(error: GraphQLError): GraphQLError {
  if (error.message.length <= longest) return error;
  const { nodes, source, positions, path, extensions } = error;
  const message = `${error.message.slice(0, longest)}…`;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions,
  });
}

/** An error without what only an answer over HTTP needs. */
export function bare(error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  if (http === undefined) return error;
  const { message, nodes, source, positions, path } = error;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions,
  });
}

/**
 * Any failure as the caller may see it: a stable code with its facts, and the place in the operation. What is not foreseen is
 * masked: `report` is told of it together with the id that the caller gets.
 */
export function toGraphQLError(
  error: unknown,
  requestId: string,
  report: (error: unknown, requestId: string) => void,
): GraphQLError {
  const at = error instanceof GraphQLError ? error : undefined;
  const place = { nodes: at?.nodes ?? null, path: at?.path ?? null };
  const cause = origin(error);
  const status = at?.extensions.http;
  const http = status === undefined ? {} : { http: status };
  if (isChainError(cause) || cause instanceof RequestError) {
    // Without a path it was a value of the document or of a variable, and GraphQL's own words name which.
    const message = at !== undefined && at.path === undefined ? at.message : cause.message;
    return new GraphQLError(message, { ...place, extensions: { code: cause.code, ...shown(cause.facts), ...http } });
  }
  if (cause instanceof GraphQLError) {
    // GraphQL's own: a document that does not parse or validate has a code of the contract; all else is a bad request or a bad
    // value of a variable. Of the engine's own extensions only the HTTP status stays: others may repeat what was sent.
    const { code } = cause.extensions;
    const known = code === 'GRAPHQL_PARSE_FAILED' || code === 'GRAPHQL_VALIDATION_FAILED' ? code : 'BAD_USER_INPUT';
    const { message, nodes, source, positions, path } = cause;
    return briefly(
      new GraphQLError(message, {
        nodes: nodes ?? null,
        source: source ?? null,
        positions: positions ?? null,
        path: path ?? null,
        extensions: { code: known, ...http },
      }),
    );
  }
  report(cause, requestId);
  const extensions = { code: 'INTERNAL_SERVER_ERROR', requestId };
  return new GraphQLError(maskedMessage, { ...place, extensions });
}
