import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import type { Schema } from './schemaParts.ts';

const height: Schema = { type: 'string', pattern: '^[0-9]+$' };
const text: Schema = { type: 'string' };
const seconds: Schema = { type: 'integer', minimum: 0 };

/** The response header with the height. The node's REST API uses another name. */
export function heightHeader(name: 'x-cosmos-block-height' | 'Grpc-Metadata-X-Cosmos-Block-Height'): JsonObject {
  return { [name]: { description: 'The height of the response.', schema: height } };
}

/** The response header that states how long clients may cache a response. */
export const cacheHeader: JsonObject = {
  'Cache-Control': {
    description:
      'How long clients may cache the response: for a day if the request specifies the height and the response is final at that height.',
    schema: text,
  },
};

/** The response header that identifies the content of a response. */
export const etagHeader: JsonObject = { ETag: { description: 'Identifies this response, for `If-None-Match`.', schema: text } };

const challenge: JsonObject = {
  'WWW-Authenticate': { description: 'The error of the token (RFC 6750).', schema: text },
};

const again: JsonObject = { 'Retry-After': { description: 'Seconds after which to retry.', schema: seconds } };

/** Headers of error responses, by status. */
const failureHeaders: Readonly<Record<string, JsonObject>> = {
  400: challenge,
  401: challenge,
  403: challenge,
  426: { Upgrade: { description: '`websocket`.', schema: text } },
  429: {
    ...again,
    'RateLimit-Limit': { description: 'The size of the limit.', schema: seconds },
    'RateLimit-Remaining': { description: 'The amount that is left.', schema: seconds },
    'RateLimit-Reset': { description: 'Seconds until the request can succeed.', schema: seconds },
  },
  503: again,
};

/** Options of {@link jsonResponse}. */
interface ResponseOptions {
  readonly example?: JsonValue | undefined;
  readonly headers?: JsonObject | undefined;
  /** Other media types that a request can ask for. */
  readonly otherTypes?: JsonObject;
}

/** Creates a response with a JSON body. */
export function jsonResponse(
  description: string,
  schema: Schema,
  { example, headers = {}, otherTypes = {} }: ResponseOptions = {},
): JsonObject {
  return {
    description,
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/json': { schema, ...(example !== undefined && { example }) }, ...otherTypes },
  };
}

/** Descriptions of error responses, by status. */
const errorTexts: Readonly<Record<string, string>> = {
  400: 'The request is invalid. The message names the argument and what it must be.',
  401: 'The token is missing, expired or invalid.',
  403: 'The token lacks the required scope.',
  404: 'Not found.',
  413: 'The body is too large.',
  426: 'The request is not a WebSocket upgrade.',
  429: 'The client exceeds a rate limit. Retry after the time in `Retry-After`.',
  500: 'The chain rejected the request, or the server failed.',
  502: 'The response of the node is invalid.',
  503: 'No node of the chain responds.',
  504: 'The node did not respond in time.',
};

/**
 * Creates the error responses for some statuses, and a default. Each has a body of this schema, and `headers` in addition to
 * those of its status.
 */
export function failures(statuses: readonly number[], schema: Schema, headers: JsonObject = {}): JsonObject {
  const responseOf = (status: number): JsonObject =>
    jsonResponse(errorTexts[status] ?? 'An error.', schema, { headers: { ...headers, ...failureHeaders[status] } });
  const entries = statuses.map((status) => [String(status), responseOf(status)] as const);
  return { ...Object.fromEntries(entries), default: jsonResponse('Any other error.', schema, { headers }) };
}
