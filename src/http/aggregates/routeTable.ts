import { z } from 'zod';
import type { Bounds } from '../../config/bounds.ts';
import { accountsRoute } from './accounts.ts';
import { balancesRoute } from './balances.ts';
import { errorSchema } from './errorShape.ts';
import { holdersRoute } from './holders.ts';
import { metadataRoute } from './metadata.ts';
import { netAssetValuesRoute } from './netAssetValues.ts';
import type { Route } from './route.ts';
import { namedSchemas } from './schemas.ts';
import { scopesRoute } from './scopes.ts';
import { transferRoutes } from './transfers.ts';

/** The routes of the aggregates, for pages of these bounds: what is served and what is described are both made from it. */
export function createRouteTable(bounds: Bounds): readonly Route[] {
  return [
    accountsRoute(),
    balancesRoute(bounds),
    metadataRoute(),
    scopesRoute(),
    ...transferRoutes(bounds),
    netAssetValuesRoute(bounds),
    holdersRoute(bounds),
  ];
}

/** Name of the schema of every failure. */
export const errorName = 'Failure';

/**
 * The schemas of the routes' answers, by name, as `components.schemas` of OpenAPI 3.0 has them: each names the others by
 * `#/components/schemas/…`. Those of answers stand under `response.name`; two routes of one name have one answer.
 */
export function answerSchemas(routes: readonly Route[]): Readonly<Record<string, object>> {
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(namedSchemas)) names.add(schema, { id });
  names.add(errorSchema, { id: errorName });
  const answers = new Map(routes.map(({ response }) => [response.name, response.schema]));
  for (const [id, schema] of answers) names.add(schema, { id });
  const { schemas } = z.toJSONSchema(names, {
    target: 'openapi-3.0',
    uri: (id) => `#/components/schemas/${id}`,
    override({ jsonSchema }) {
      // Python clients turn a date-time into an object first, and then match the pattern against it.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      // OpenAPI 3.0.3: `nullable` adds null to the types, and an `enum` of other values takes it away again.
      if (jsonSchema.nullable === true && jsonSchema.enum !== undefined) jsonSchema.enum = [...jsonSchema.enum, null];
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, { $id: _, ...schema }]) => [id, schema]));
}
