import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import { version } from '../../../config/version.ts';
import type { Schema, Schemas } from './schemaParts.ts';
import { shareFailures } from './sharedResponses.ts';

/** Scopes of tokens, with their descriptions. */
const scopes = {
  read: 'Read from the chain.',
  broadcast: 'Send transactions.',
  introspect: 'Read the GraphQL schema.',
};

/** A request to which the chain responds with status 200. */
export interface Example {
  readonly parameters: Readonly<Record<string, string>>;
  /** A recorded response. Absent if none was recorded on this chain. */
  readonly body?: JsonValue;
}

/** Example requests, by path template. */
export type Examples = Readonly<Record<string, Example>>;

/** Converts the text of a parameter to the type of its schema. */
function exampleOf(schema: Schema, value: string): JsonValue {
  return schema.type === 'integer' || schema.type === 'boolean' ? (JSON.parse(value) as JsonValue) : value;
}

/** Creates a parameter. `given` is an example value, as text. */
export function parameter(
  where: 'query' | 'path' | 'header',
  name: string,
  schema: Schema,
  options: { readonly required?: boolean; readonly description: string; readonly given?: string | undefined },
): JsonObject {
  const { required = where === 'path', description, given } = options;
  const example = given !== undefined && { example: exampleOf(schema, given) };
  return { name, in: where, ...(required && { required }), description, schema, ...example };
}

/** The request headers that select a height. */
export const heightParameters: readonly JsonObject[] = [
  parameter(
    'header',
    'x-cosmos-block-height',
    { type: 'string', pattern: '^[0-9]+$' },
    {
      description: 'The height to read at, unless the arguments contain one. Default: the newest block.',
    },
  ),
  parameter(
    'header',
    'x-min-height',
    { type: 'string', pattern: '^[0-9]+$' },
    {
      description:
        'The lowest height that the response may have. The server waits until the block exists, for at most the limit `request.freshness`.',
    },
  ),
];

/** The request header for a conditional request. */
export const knownParameter: JsonObject = parameter(
  'header',
  'If-None-Match',
  { type: 'string' },
  {
    description: 'The `ETag` of a cached response. If the response has not changed, the status is 304, without a body.',
  },
);

/** The parts of an OpenAPI description. */
export interface DescriptionParts {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly (readonly [name: string, description: string])[];
  readonly paths: JsonObject;
  readonly schemas: Schemas;
  /** Path of the token endpoint. undefined if tokens come from another issuer. */
  readonly tokenPath: string | undefined;
}

/** Returns the security requirement of an operation that needs a scope. */
export function needs(scope: keyof typeof scopes, tokenPath: string | undefined): JsonValue {
  // TypeScript clients of openapi-generator use the last requirement. They write `Bearer` before the token only for the
  // `bearer` scheme.
  return [...(tokenPath === undefined ? [] : [{ clientCredentials: [scope] }]), { bearer: [] }];
}

/** Creates a description in OpenAPI 3.0.3. Every operation requires a token. */
export function createDocument({ title, description, tags, paths, schemas, tokenPath }: DescriptionParts): JsonObject {
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
      securitySchemes: { ...(tokenPath !== undefined && { clientCredentials }), bearer },
      schemas: { ...schemas },
    },
  };
}
