import type { JsonObject } from '../../../chain/wire/json.ts';
import type { Route } from '../../aggregates/route.ts';
import { answerSchemas, errorName } from '../../aggregates/routeTable.ts';
import { type Examples, heightParameters, needs, parameter } from '../parts/document.ts';
import { cacheHeader, failures, heightHeader, jsonResponse } from '../parts/responses.ts';
import { none, ref, type Schema } from '../parts/schemaParts.ts';

const tag = 'Aggregates';

/** The tag of the aggregates, with its description. */
export const aggregateTag: readonly [string, string] = [tag, 'Display-ready reads, with display units, prices and times.'];

/**
 * Converts a schema to JSON. A nullable reference becomes an `anyOf` with {@link none}: OpenAPI 3.0 ignores `nullable` next to
 * a reference.
 */
function asJson(schema: object): Schema {
  const nulls = (_: string, value: unknown): unknown => {
    const isReference = typeof value === 'object' && value !== null && 'nullable' in value && !('type' in value);
    if (!isReference || !('allOf' in value) || !Array.isArray(value.allOf)) return value;
    const { nullable: _nullable, allOf, ...rest } = value;
    return { ...rest, anyOf: [...allOf, none] };
  };
  // Schemas consist of JSON values.
  return JSON.parse(JSON.stringify(schema), nulls) as Schema;
}

/** The media types of streams, with their descriptions. */
const streams: JsonObject = {
  'application/x-ndjson': {
    schema: {
      type: 'string',
      description: 'The whole list: one item on each line, as JSON. Cut off if the connection is lost.',
    },
  },
  'text/csv': {
    schema: {
      type: 'string',
      description:
        'The whole list by RFC 4180, with a header row. Text of users that begins with `=`, `+`, `-`, `@`, a tab or a line break is preceded by an apostrophe.',
    },
  },
};

/** Describes the aggregates. */
export function describeAggregates(
  routes: readonly Route[],
  { examples, tokenPath }: { readonly examples: Examples; readonly tokenPath: string | undefined },
): { readonly paths: JsonObject; readonly schemas: Readonly<Record<string, Schema>> } {
  const height = heightHeader('x-cosmos-block-height');
  const paths = routes.map(({ path, operationId, summary, description, parameters, response, present, streamName }) => {
    const example = examples[path];
    const described = Object.entries(parameters).map(([name, { in: where, schema, description: text }]) => {
      const given = example?.parameters[name];
      return {
        ...parameter(where, name, asJson(schema), { description: text, given }),
        // Items are separated by commas.
        ...(schema.type === 'array' && { style: 'form', explode: false }),
      };
    });
    const success = jsonResponse('Success.', ref(response.name), {
      example: example?.body,
      headers: { ...height, ...cacheHeader },
      otherTypes: streamName === undefined ? {} : streams,
    });
    const statuses = [400, 401, 403, ...(present === undefined ? [] : [404]), 429, 500, 502, 503, 504];
    const operation = {
      operationId,
      tags: [tag],
      summary,
      description,
      security: needs('read', tokenPath),
      parameters: [...described, ...heightParameters],
      responses: {
        200: success,
        ...failures(statuses, ref(errorName), height),
      },
    };
    return [path, { get: operation }] as const;
  });
  const schemas = Object.entries(answerSchemas(routes)).map(([name, schema]) => [name, asJson(schema)] as const);
  return { paths: Object.fromEntries(paths), schemas: Object.fromEntries(schemas) };
}
