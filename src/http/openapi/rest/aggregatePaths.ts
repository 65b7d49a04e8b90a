import type { JsonObject } from '../../../chain/wire/json.ts';
import type { Route } from '../../aggregates/route.ts';
import { answerSchemas, errorName } from '../../aggregates/routeTable.ts';
import { type Examples, heightParameters, needs, parameter } from '../parts/document.ts';
import { failures, heightHeader, jsonResponse, keptHeader } from '../parts/responses.ts';
import { none, ref, type Schema } from '../parts/schemaParts.ts';

const tag = 'Aggregates';

/** The heading of the aggregates. */
export const aggregateTag: readonly [string, string] = [tag, 'Reads that are ready to be shown: display units, prices, times.'];

/** A schema as JSON, with what is null as a schema of its own: beside a reference `nullable` has no type to add to. */
function asJson(schema: object): Schema {
  const nulls = (_: string, value: unknown): unknown => {
    const isReference = typeof value === 'object' && value !== null && 'nullable' in value && !('type' in value);
    if (!isReference || !('allOf' in value) || !Array.isArray(value.allOf)) return value;
    const { nullable: _nullable, allOf, ...rest } = value;
    return { ...rest, anyOf: [...allOf, none] };
  };
  // What a schema is made of is JSON.
  return JSON.parse(JSON.stringify(schema), nulls) as Schema;
}

/** Describes the aggregates. */
export function describeAggregates(
  routes: readonly Route[],
  { examples, tokenPath }: { readonly examples: Examples; readonly tokenPath: string | undefined },
): { readonly paths: JsonObject; readonly schemas: Readonly<Record<string, Schema>> } {
  const height = heightHeader('x-cosmos-block-height');
  const paths = routes.map(({ path, operationId, summary, description, parameters, response, present }) => {
    const example = examples[path];
    const told = Object.entries(parameters).map(([name, { in: where, schema, description: words }]) => {
      const given = example?.parameters[name];
      return {
        ...parameter(where, name, asJson(schema), { description: words, given }),
        // Separated by commas.
        ...(schema.type === 'array' && { style: 'form', explode: false }),
      };
    });
    const statuses = [400, 401, 403, ...(present === undefined ? [] : [404]), 429, 500, 502, 503, 504];
    const operation = {
      operationId,
      tags: [tag],
      summary,
      description,
      security: needs('read', tokenPath),
      parameters: [...told, ...heightParameters],
      responses: {
        200: jsonResponse('The answer.', ref(response.name), { example: example?.body, headers: { ...height, ...keptHeader } }),
        ...failures(statuses, ref(errorName), height),
      },
    };
    return [path, { get: operation }] as const;
  });
  const schemas = Object.entries(answerSchemas(routes)).map(([name, schema]) => [name, asJson(schema)] as const);
  return { paths: Object.fromEntries(paths), schemas: Object.fromEntries(schemas) };
}
