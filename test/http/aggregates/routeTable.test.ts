import { describe, expect, it } from 'vitest';
import { defaultBounds } from '../../../src/config/bounds.ts';
import { answerSchemas, createRouteTable, errorName } from '../../../src/surfaces/aggregates/routeTable.ts';

const routes = createRouteTable({ ...defaultBounds, pageMax: 37 });

describe('the table of routes', () => {
  it('has the paths of the aggregates', () => {
    expect(routes.map(({ path }) => path)).toEqual([
      '/v1/accounts/{address}',
      '/v1/balances/{address}',
      '/v1/metadata/{denom}',
      '/v1/scopes/{scopeId}',
      '/v1/transfers',
      '/v1/transfers/{address}',
      '/v1/accounts/{address}/statement',
      '/v1/netAssetValues/{asset}',
      '/v1/holders/{denom}',
      '/v1/proofs/{height}',
      '/v1/proposals',
      '/v1/proposals/{id}',
      '/v1/proposals/{id}/votes',
      '/v1/accounts/{address}/votes',
      '/v1/govProposals',
      '/v1/govProposals/{id}',
      '/v1/govProposals/{id}/votes',
      '/v1/accounts/{address}/govVotes',
    ]);
    expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length);
  });

  it.each(routes.map((route) => [route.path, route] as const))('%s describes each parameter of its path', (path, route) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = Object.entries(route.parameters).flatMap(([name, each]) => (each.in === 'path' ? [name] : []));
    expect(described).toEqual(inPath);
    // Only the last parameter can match the rest of the path.
    const takesRest = Object.entries(route.parameters).flatMap(([name, each]) => (each.takesRest ? [name] : []));
    for (const name of takesRest) expect(path.endsWith(`{${name}}`)).toBe(true);
  });

  it('describes the configured bounds of pages', () => {
    const size = routes[1]!.parameters['pagination.pageSize']!;
    expect(size.schema).toEqual({ type: 'integer', minimum: 1, maximum: 37, default: 20 });
  });
});

describe('the schemas of responses', () => {
  const schemas = answerSchemas(routes);
  const text = JSON.stringify(schemas);

  it('exist for each route and for errors, and every reference resolves', () => {
    const names = Object.keys(schemas);
    for (const { response } of routes) expect(names).toContain(response.name);
    expect(names).toContain(errorName);
    const used = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
    expect(used.length).toBeGreaterThan(20);
    for (const ref of used) expect(names.map((name) => `#/components/schemas/${name}`)).toContain(ref);
  });

  it('are OpenAPI 3.0: they contain no keywords of later drafts', () => {
    expect(text).not.toMatch(/"(\$schema|\$id|\$defs|definitions|const|examples)":/);
    expect(text).not.toMatch(/"type":"null"|"type":\[/);
    expect(text).toContain('"nullable":true');
  });

  it('list null among the values of a nullable enum', () => {
    expect(schemas.AccountDetails).toMatchObject({
      properties: { kind: { nullable: true, enum: expect.arrayContaining([null]) } },
    });
  });

  it('describe every field whose name is not sufficient', () => {
    expect(schemas.Balance).toMatchObject({
      type: 'object',
      required: expect.arrayContaining(['denom', 'amount', 'display', 'held', 'spendable', 'price', 'value']),
      properties: { held: { type: 'string', description: 'The amount on hold, in base units.' } },
    });
  });
});
