import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import { version } from '../../../config/version.ts';
import type { Schema, Schemas } from './schemaParts.ts';
import { shareFailures } from './sharedResponses.ts';

/** The scopes of tokens, in words. */
const scopes = {
  read: 'Asks.',
  broadcast: 'Sends transactions.',
  introspect: 'Reads the schema of the graph.',
};

/** A request that the chain answers. */
export interface Example {
  readonly parameters: Readonly<Record<string, string>>;
  /** A recorded answer; absent where none was recorded on this chain. */
  readonly body?: JsonValue;
}

/** Requests that the chain answers, by path template. */
export type Examples = Readonly<Record<string, Example>>;

/** What was given for a parameter, as its schema has it: a number or a truth where it is one. */
function exampleOf(schema: Schema, given: string): JsonValue {
  return schema.type === 'integer' || schema.type === 'boolean' ? (JSON.parse(given) as JsonValue) : given;
}

/** A parameter; `given` is an example, as it stands in a request. */
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

/** The headers that name a height, of requests. */
export const heightParameters: readonly JsonObject[] = [
  parameter(
    'header',
    'x-cosmos-block-height',
    { type: 'string', pattern: '^[0-9]+$' },
    {
      description: 'The height that is read where the request names none itself. Without it that is the newest block.',
    },
  ),
  parameter(
    'header',
    'x-min-height',
    { type: 'string', pattern: '^[0-9]+$' },
    {
      description: 'A block that is waited for where it has not come yet (limit request.freshness): what is read is not older.',
    },
  ),
];

/** The header of a request for what its caller may have already. */
export const knownParameter: JsonObject = parameter(
  'header',
  'If-None-Match',
  { type: 'string' },
  {
    description: 'The `ETag` of an answer that the caller has: when there is no other one the answer is 304, without a body.',
  },
);

/** What a description is made of. */
export interface DescriptionParts {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly (readonly [name: string, description: string])[];
  readonly paths: JsonObject;
  readonly schemas: Schemas;
  /** Where tokens are to be had; undefined where another's issuer gives them. */
  readonly tokenPath: string | undefined;
}

/** Security that asks for a token with a scope, as an operation has it. */
export function needs(scope: keyof typeof scopes, tokenPath: string | undefined): JsonValue {
  // The TypeScript clients of openapi-generator send what the last one says; only as `bearer` do they write the word before the token.
  return [...(tokenPath === undefined ? [] : [{ clientCredentials: [scope] }]), { bearer: [] }];
}

/** Makes a description in OpenAPI 3.0.3. Every operation needs a token. */
export function createDocument({ title, description, tags, paths, schemas, tokenPath }: DescriptionParts): JsonObject {
  const shared = shareFailures(paths);
  const bearer = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of the client credentials grant, in `Authorization: Bearer …`.',
  };
  const clientCredentials = {
    type: 'oauth2',
    description: 'How the token is had.',
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
    tags: tags.map(([name, words]) => ({ name, description: words })),
    security: needs('read', tokenPath),
    paths: shared.paths,
    components: {
      responses: shared.responses,
      securitySchemes: { ...(tokenPath !== undefined && { clientCredentials }), bearer },
      schemas: { ...schemas },
    },
  };
}
