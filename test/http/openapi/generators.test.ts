import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly schema: object }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  // With an archive and webhooks, so that all that a server can have is described.
  stack = await startStack([chain.node.url], {
    archive: { records: true },
    server: { webhooks: { secret: 'a secret of at least thirty-two characters', networks: [], schedule: [] } },
  });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Normalizes a name as generators do. Languages differ in separators and case, so names must differ without both. */
const folded = (name: string): string => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/** Suffixes of the types that generators create for an operation. */
const ends = ['Request', 'Response', 'Params', 'JSONBody', 'JSONRequestBody', '200Response'];

/** All schemas in a description, including nested ones. */
function schemasIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(schemasIn);
  return Array.isArray(value) ? inner : [value as Readonly<Record<string, unknown>>, ...inner];
}

describe.each(['node', 'application'])('client generators can use the names and schemas of %s.json', (name) => {
  let description: Description;
  let operations: readonly Operation[];

  beforeAll(async () => {
    description = (await (await fetch(`${stack.server.url}/openapi/${name}.json`)).json()) as Description;
    operations = Object.values(description.paths).flatMap((path) => Object.values(path));
  });

  it('no two types have the same name', () => {
    const names = Object.keys(description.components.schemas);
    const own = operations.flatMap(({ operationId }) => ends.map((end) => operationId + end));
    // Go: each type has a constructor `New…` in the same namespace.
    const constructors = names.map((each) => `New${each}`);
    const seen = new Map<string, string[]>();
    for (const each of [...names, ...own, ...constructors]) seen.set(folded(each), [...(seen.get(folded(each)) ?? []), each]);
    expect([...seen.values()].filter(({ length }) => length > 1)).toEqual([]);
  });

  it('no schema has the name of a built-in type', () => {
    const reserved = ['null', 'error', 'object', 'string', 'number', 'boolean', 'array', 'map', 'date', 'any', 'time'];
    expect(Object.keys(description.components.schemas).filter((each) => reserved.includes(folded(each)))).toEqual([]);
  });

  it('responses and parameters have one type each', () => {
    const answers = operations.map(({ responses }) => responses[200]?.content?.['application/json']?.schema ?? { $ref: '' });
    // A POST of JSON-RPC returns one response or several.
    const inline = answers.filter((schema) => !('$ref' in schema) && !('oneOf' in schema) && 'properties' in schema);
    expect(inline.length).toBeLessThanOrEqual(1);
    const several = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.flatMap(({ name: each, schema }) =>
        'anyOf' in schema || 'oneOf' in schema ? [`${operationId} ${each}`] : [],
      ),
    );
    expect(several).toEqual([]);
  });

  it('no member of an object is a number or a string by `oneOf`, which TypeScript clients drop', () => {
    const isPlain = (schema: object): boolean => 'type' in schema && !['object', 'array'].includes(String(schema.type));
    const wrong = schemasIn(description.components.schemas).filter(
      ({ oneOf }) => Array.isArray(oneOf) && oneOf.some((each: object) => isPlain(each)),
    );
    expect(wrong).toEqual([]);
  });

  it('no time has a pattern, because clients match it against a date object', () => {
    const wrong = schemasIn(description.components.schemas).filter(({ format, pattern }) => format === 'date-time' && pattern);
    expect(wrong).toEqual([]);
  });
});
