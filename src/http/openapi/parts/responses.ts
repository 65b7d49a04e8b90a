import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import type { Schema } from './schemaParts.ts';

const height: Schema = { type: 'string', pattern: '^[0-9]+$' };
const text: Schema = { type: 'string' };
const seconds: Schema = { type: 'integer', minimum: 0 };

/** The header that tells the height, of answers; the node's own REST has another name for it. */
export function heightHeader(name: 'x-cosmos-block-height' | 'Grpc-Metadata-X-Cosmos-Block-Height'): JsonObject {
  return { [name]: { description: 'The height that was read.', schema: height } };
}

/** The header that says how long an answer of a height may be kept. */
export const keptHeader: JsonObject = {
  'Cache-Control': {
    description:
      'Whether the caller may keep the answer: for a day where the request names its height and nothing is added to it later.',
    schema: text,
  },
};

/** The header that names an answer. */
export const etagHeader: JsonObject = { ETag: { description: 'Names the answer, for `If-None-Match`.', schema: text } };

const challenge: JsonObject = {
  'WWW-Authenticate': { description: 'What is wrong with the token, as RFC 6750 has it.', schema: text },
};

const again: JsonObject = { 'Retry-After': { description: 'Seconds after which to ask again.', schema: seconds } };

/** Headers of failures, by status. */
const failureHeaders: Readonly<Record<string, JsonObject>> = {
  400: challenge,
  401: challenge,
  403: challenge,
  426: { Upgrade: { description: '`websocket`.', schema: text } },
  429: {
    ...again,
    'RateLimit-Limit': { description: 'What the limit allows.', schema: seconds },
    'RateLimit-Remaining': { description: 'What is left of it.', schema: seconds },
    'RateLimit-Reset': { description: 'Seconds until there is enough again.', schema: seconds },
  },
  503: again,
};

/** A response whose body is JSON. */
export function jsonResponse(
  description: string,
  schema: Schema,
  { example, headers = {} }: { readonly example?: JsonValue | undefined; readonly headers?: JsonObject | undefined } = {},
): JsonObject {
  return {
    description,
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
  };
}

/** What refuses a request on every surface, by status. */
const refusals: Readonly<Record<string, string>> = {
  400: 'The request is not one that can be answered: which of its arguments, and its bound.',
  401: 'A token is missing, has ended or is not valid.',
  403: 'The token lacks the scope.',
  404: 'There is no such thing.',
  413: 'The body is too large.',
  426: 'The request does not ask for a WebSocket.',
  429: 'The caller asks more than its rate allows: `Retry-After` says when to ask again.',
  500: 'The chain says no, or something failed.',
  503: 'No node of the chain answers.',
  502: 'What the node answered cannot be used.',
  504: 'The node did not answer in time.',
};

/** The responses of failures for some statuses, and of every other one, each with a body of this schema, and `headers` beside those of its status. */
export function failures(statuses: readonly number[], schema: Schema, headers: JsonObject = {}): JsonObject {
  const told = (status: number): JsonObject =>
    jsonResponse(refusals[status] ?? 'A failure.', schema, { headers: { ...headers, ...failureHeaders[status] } });
  const entries = statuses.map((status) => [String(status), told(status)] as const);
  return { ...Object.fromEntries(entries), default: jsonResponse('Any other failure.', schema, { headers }) };
}
