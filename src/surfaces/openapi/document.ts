import { isJsonObject, type JsonObject, type JsonValue } from '../../chain/wire/json.ts';
import { version } from '../../config/version.ts';

export type Schema = JsonObject;

export type Schemas = Readonly<Record<string, Schema>>;

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Creates the schema of an object. All members except those of `optional` are required. */
export function object(members: Schemas, optional: Schemas = {}, description?: string): Schema {
  const required = Object.keys(members);
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(required.length > 0 && { required }),
    properties: { ...members, ...optional },
  };
}

export function list(items: Schema): Schema {
  return { type: 'array', items };
}

/** Makes a schema nullable. The schema must not be a `$ref`: OpenAPI 3.0 ignores siblings of `$ref`. */
export function nullable(schema: Schema): Schema {
  return { ...schema, nullable: true };
}

export function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const smallInteger: Schema = { type: 'integer', format: 'int32' };

/** A 64-bit integer as a decimal string, because JSON numbers lose precision. */
export const bigInteger: Schema = { type: 'string', pattern: '^-?[0-9]+$', description: 'A 64-bit integer in decimal.' };

/** Bytes in upper-case hexadecimal. The empty string stands for no bytes. */
export const hex: Schema = { type: 'string', pattern: '^([0-9A-F]{2})*$', description: 'Bytes in upper-case hexadecimal.' };

export const base64: Schema = { type: 'string', format: 'byte' };

/** A time, with up to nine decimals. */
export const time: Schema = { type: 'string', format: 'date-time' };

/** An object whose members depend on the node. */
export const anyObject: Schema = { type: 'object', additionalProperties: true };

/**
 * Null, for use in an `anyOf` next to a reference: OpenAPI 3.0 ignores `nullable` next to `$ref`. Use it inline, where client
 * generators recognize it and make the reference optional. From a component, they generate a type `Null` that does not compile.
 */
export const none: Schema = { type: 'object', nullable: true, enum: [null] };

/**
 * Moves the error responses of all operations to `components`, where each distinct response is stored once under the name of
 * its schema and its status. This halves the size of a description.
 */
function shareFailures(paths: JsonObject): { readonly paths: JsonObject; readonly responses: JsonObject } {
  const names = new Map<string, string>();
  const responses: JsonObject = {};

  function shared(status: string, response: JsonValue): JsonValue {
    const text = JSON.stringify(response);
    const [, schema] = /"schema":\{"\$ref":"#\/components\/schemas\/([\w.-]+)"\}/.exec(text) ?? [];
    if (schema === undefined || status === '200') return response;
    let name = names.get(text);
    if (name === undefined) {
      const plain = `${schema}.${status}`;
      name = plain;
      for (let count = 2; Object.hasOwn(responses, name); count += 1) name = `${plain}.${count}`;
      names.set(text, name);
      responses[name] = response;
    }
    return { $ref: `#/components/responses/${name}` };
  }

  const mapped = (object: JsonObject, change: (name: string, value: JsonValue) => JsonValue): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value = null]) => [name, change(name, value)]));
  const sharedPaths = mapped(paths, (_, path) => {
    if (!isJsonObject(path)) return path;
    return mapped(path, (_, operation) => {
      if (!isJsonObject(operation) || !isJsonObject(operation.responses)) return operation;
      return { ...operation, responses: mapped(operation.responses, shared) };
    });
  });
  return { paths: sharedPaths, responses };
}

const scopes = {
  read: 'Read from the chain.',
  broadcast: 'Send transactions.',
  introspect: 'Read the GraphQL schema.',
  webhooks: 'Manage webhooks.',
};

/** A request to which the chain responds with status 200. */
export interface Example {
  readonly parameters: Readonly<Record<string, string>>;
  /** A recorded response. Absent if none was recorded on this chain. */
  readonly body?: JsonValue;
}

/** Example requests, by path template. */
export type Examples = Readonly<Record<string, Example>>;

/** Creates a parameter. `given` is an example value, as text. */
export function parameter(
  where: 'query' | 'path' | 'header',
  name: string,
  schema: Schema,
  options: { readonly required?: boolean; readonly description: string; readonly given?: string | undefined },
): JsonObject {
  const { required = where === 'path', description, given: givenSchema } = options;
  const isText = schema.type !== 'integer' && schema.type !== 'boolean';
  const example: JsonValue | undefined = givenSchema === undefined || isText ? givenSchema : JSON.parse(givenSchema);
  return { name, in: where, ...(required && { required }), description, schema, ...(example !== undefined && { example }) };
}

const height: Schema = { type: 'string', pattern: '^[0-9]+$' };

/** The request headers that select a height. */
export const heightParameters: readonly JsonObject[] = [
  parameter('header', 'x-cosmos-block-height', height, {
    description: 'The height to read at, unless the arguments contain one. Default: the newest block.',
  }),
  parameter(
    'header',
    'x-block-time',
    { type: 'string', format: 'date-time' },
    { description: 'The time to read at, in place of a height: at the last block that is not after it. RFC 3339 in UTC.' },
  ),
  parameter('header', 'x-min-height', height, {
    description:
      'The lowest height that the response may have. The server waits until the block exists, for at most the limit `request.freshness`.',
  }),
];

/** The request header that names a quorum. */
export const quorumParameter: JsonObject = parameter(
  'header',
  'accept-quorum',
  { type: 'integer', minimum: 1 },
  { description: 'How many nodes must return the same. The header `quorum` of the response says what it rests on.' },
);
/** The request headers that ask for the URL of the proof of an answer. */
export const proofParameters: readonly JsonObject[] = [
  parameter(
    'header',
    'accept-proof',
    { type: 'string', enum: ['1'] },
    {
      description:
        'Asks for the URL of the proof of the response, in its header `proof-url`. The height is then one that has a proof.',
    },
  ),
];

/** The response header with the URL of the proof. */
export const proofUrlHeader: JsonObject = {
  'proof-url': {
    description: 'Where the proof of the response is, if the request asks for it: a path of `/v1/proofs/{height}`.',
    schema: { type: 'string' },
  },
};

export const knownParameter: JsonObject = parameter('header', 'If-None-Match', text, {
  description: 'The `ETag` of a cached response. If the response has not changed, the status is 304, without a body.',
});

/** Returns the security requirement of an operation that needs a scope. */
export function needs(scope: keyof typeof scopes, tokenPath: string | undefined): JsonValue {
  // TypeScript clients of openapi-generator use the last requirement. They write `Bearer` before the token only for the `bearer` scheme.
  return [...(tokenPath === undefined ? [] : [{ clientCredentials: [scope] }]), { bearer: [] }];
}

/** Creates a description in OpenAPI 3.0.3. Every operation requires a token. */
export function createDocument(options: {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly (readonly [name: string, description: string])[];
  readonly paths: JsonObject;
  readonly schemas: Schemas;
  /** Path of the token endpoint. undefined if tokens come from another issuer. */
  readonly tokenPath: string | undefined;
}): JsonObject {
  const { title, description, tags, paths, schemas, tokenPath } = options;
  const shared = shareFailures(paths);
  const bearer = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token from the client credentials grant, sent as `Authorization: Bearer <token>`.',
  };
  const clientCredentials = {
    type: 'oauth2',
    description: 'Obtains an access token.',
    flows: { clientCredentials: { tokenUrl: tokenPath, scopes } },
  };
  return {
    openapi: '3.0.3',
    info: {
      title,
      version,
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      contact: { name: 'Stele' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    tags: tags.map(([name, text]) => ({ name, description: text })),
    security: needs('read', tokenPath),
    paths: shared.paths,
    components: {
      responses: shared.responses,
      headers: sharedHeaders,
      securitySchemes: { ...(tokenPath !== undefined && { clientCredentials }), bearer },
      schemas: { ...schemas },
    },
  };
}

const seconds: Schema = { type: 'integer', minimum: 0 };

/** The response header with the height. The node's REST API uses another name. */
export function heightHeader(name: string): JsonObject {
  return { [name]: { description: 'The height of the response.', schema: height } };
}

export const cacheHeader: JsonObject = {
  'Cache-Control': {
    description:
      'How long clients may cache the response: for a day if the request specifies the height and the response is final at that height.',
    schema: text,
  },
};

export const etagHeader: JsonObject = { ETag: { description: 'Identifies this response, for `If-None-Match`.', schema: text } };

/** The headers with what is left of the limits: on refusals, and on all answers to callers without a token or with that of a public client. */
const quotaHeaders: JsonObject = {
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
};

const sharedHeaders: JsonObject = {
  RateLimitPolicy: { description: 'The limits of the caller (draft-ietf-httpapi-ratelimit-headers-11).', schema: text },
  RateLimit: { description: 'What is left of them, and the seconds until all of it is available again.', schema: text },
};

const challenge: JsonObject = {
  'WWW-Authenticate': { description: 'The error of the token (RFC 6750).', schema: text },
};

const again: JsonObject = { 'Retry-After': { description: 'Seconds after which to retry.', schema: seconds } };

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

/** Creates a response with a JSON body. `otherTypes` are other media types that a request can ask for. */
export function jsonResponse(
  description: string,
  schema: Schema,
  {
    example,
    headers = {},
    otherTypes = {},
  }: { readonly example?: JsonValue | undefined; readonly headers?: JsonObject; readonly otherTypes?: JsonObject } = {},
): JsonObject {
  return {
    description,
    headers: { ...headers, ...quotaHeaders },
    content: { 'application/json': { schema, ...(example !== undefined && { example }) }, ...otherTypes },
  };
}

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

/** Creates the error responses for some statuses, and a default. Each has a body of this schema, and `headers` in addition to those of its status. */
export function failures(statuses: readonly number[], schema: Schema, headers: JsonObject = {}): JsonObject {
  const responseOf = (status: number): JsonObject =>
    jsonResponse(errorTexts[status] ?? 'An error.', schema, { headers: { ...headers, ...failureHeaders[status] } });
  const entries = statuses.map((status) => [String(status), responseOf(status)] as const);
  return { ...Object.fromEntries(entries), default: jsonResponse('Any other error.', schema, { headers }) };
}
