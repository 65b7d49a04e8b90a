import { z } from 'zod';
import type { Bounds } from '../../config/bounds.ts';
import { limitTable } from '../../config/limits/limitTable.ts';
import { accountsRoute, balancesRoute, transferRoutes } from './accounts.ts';
import { recordRoutes, recordSchemas } from './records.ts';
import type { Route } from './route.ts';
import { errorSchema, namedSchemas } from './schemas.ts';
import { holdersRoute, metadataRoute, netAssetValuesRoute, scopesRoute } from './tokens.ts';

/**
 * Creates the routes of the aggregates with these bounds of pages. Both the router and the OpenAPI description use them. `freshness` is how long a
 * response waits for the archive, in ms.
 */
export function createRouteTable(bounds: Bounds, freshness: number = limitTable['request.freshness'].value): readonly Route[] {
  return [
    accountsRoute(),
    balancesRoute(bounds),
    metadataRoute(),
    scopesRoute(),
    ...transferRoutes(bounds),
    netAssetValuesRoute(bounds),
    holdersRoute(bounds),
    ...recordRoutes(bounds, freshness),
  ];
}

export const errorName = 'Failure';

/**
 * Returns the schemas of the routes' responses by name, for `components.schemas` of OpenAPI 3.0. They reference each other by
 * `#/components/schemas/…`. The schema of a response has the name `response.name`; routes with the same name have the same
 * schema.
 */
export function answerSchemas(routes: readonly Route[]): Readonly<Record<string, object>> {
  const names = z.registry<{ id: string }>();
  const ofRecords = routes.some(({ readsArchive }) => readsArchive) ? recordSchemas : {};
  for (const [id, schema] of Object.entries({ ...namedSchemas, ...ofRecords })) names.add(schema, { id });
  names.add(errorSchema, { id: errorName });
  const answers = new Map(routes.map(({ response }) => [response.name, response.schema]));
  for (const [id, schema] of answers) names.add(schema, { id });
  const { schemas } = z.toJSONSchema(names, {
    target: 'openapi-3.0',
    uri: (id) => `#/components/schemas/${id}`,
    override({ jsonSchema }) {
      // Python clients convert a date-time to an object before they match the pattern.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      // In OpenAPI 3.0.3, a nullable enum must list null among its values.
      if (jsonSchema.nullable === true && jsonSchema.enum !== undefined) jsonSchema.enum = [...jsonSchema.enum, null];
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, { $id: _, ...schema }]) => [id, schema]));
}
