import {
  buildSchema,
  execute,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  isScalarType,
  parse,
  printSchema,
} from 'graphql';
import { createExecute } from '../src/graphql/execution/execute.ts';
import { resultJson } from '../src/graphql/execution/execution.ts';
import { schema as real } from '../src/graphql/schema.ts';
import { boardDocument } from './boardRequest.ts';

type Values = Readonly<Record<string, unknown>>;

/** The number of items in a page. Other lists have one item. */
const pageSize = 20;

/** A schema of the same types whose resolvers return properties at once. They have as many parameters as the real ones. */
function synchronousSchema(): GraphQLSchema {
  const schema = buildSchema(printSchema(real));
  for (const type of Object.values(schema.getTypeMap())) {
    const own = real.getType(type.name);
    if (isScalarType(type) && isScalarType(own)) type.serialize = own.serialize;
    if (!isObjectType(type) || !isObjectType(own) || type.name.startsWith('__')) continue;
    for (const [name, field] of Object.entries(type.getFields())) {
      const parameters = own.getFields()[name]?.resolve?.length;
      if (parameters === undefined) continue;
      field.resolve =
        parameters > 3 ? (object: Values, _args, _context, _info) => object[name] : (object: Values) => object[name];
    }
  }
  return schema;
}

/** A value of the field `name`. Objects make the values of their fields when they are read for the first time, and keep them. */
function valueFor(type: GraphQLOutputType, field = ''): unknown {
  const bare = getNullableType(type);
  if (isListType(bare)) return Array.from({ length: field === 'nodes' ? pageSize : 1 }, () => valueFor(bare.ofType));
  if (isEnumType(bare)) return bare.getValues()[0]?.value;
  if (isScalarType(bare)) return leaves[bare.name] ?? text;
  if (!isObjectType(bare)) return { __typename: bare.name };
  const object = {};
  for (const [name, field] of Object.entries(bare.getFields())) {
    Object.defineProperty(object, name, {
      configurable: true,
      get() {
        const value = valueFor(field.type, name);
        Object.defineProperty(object, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return object;
}

/** The value of a text. The whole response has the size of a real one. */
const text = 'a text of 25 characters...';

const leaves: Values = {
  Boolean: true,
  Int: 1,
  Float: 0.5,
  UInt64: 123n,
  Int64: 123n,
  DateTime: '2026-01-01T00:00:00Z',
  Decimal: '12.5',
};

/** Milliseconds of one call, in the fastest of many rounds: other processes only add time. */
function fastest(run: () => unknown): number {
  const calls = 20;
  const times = Array.from({ length: 60 }, () => {
    const begun = performance.now();
    for (let call = 0; call < calls; call += 1) run();
    return (performance.now() - begun) / calls;
  });
  return Math.min(...times);
}

/** Counts the objects of a response. */
function objectsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + objectsIn(inner), Array.isArray(value) ? 0 : 1);
}

/** Compares compiled with interpreted execution of `Board`, up to the JSON of the result. All resolvers return values at once. */
export async function execution(): Promise<void> {
  const schema = synchronousSchema();
  const document = parse(boardDocument);
  const variableValues = { policy: 'tp1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnrk363e' };
  const Query = schema.getQueryType();
  if (!Query) throw new Error('the schema has no queries');
  const made = await execute({ schema, document, variableValues, rootValue: valueFor(Query) });
  if (made.errors !== undefined) throw made.errors[0];
  const json = JSON.stringify(made.data);
  // The response has no aliases, so it is also a root value that produces the same response.
  const args = { schema, document, variableValues, rootValue: JSON.parse(json) };
  const executeCompiled = createExecute();
  const compile = async (): Promise<string> => resultJson(await executeCompiled(args));
  if ((await compile()) !== JSON.stringify(execute(args))) throw new Error('the results differ');

  const interpreted = fastest(() => JSON.stringify(execute(args)));
  const compiled = fastest(() => executeCompiled(args));
  const first = fastest(() => createExecute()(args));
  console.log(`Execution of Board: ${objectsIn(made.data)} objects, ${json.length} bytes; Node ${process.version}\n`);
  console.log(`graphql-js and JSON   ${interpreted.toFixed(2)} ms`);
  console.log(`compiled              ${compiled.toFixed(2)} ms, ${(interpreted / compiled).toFixed(1)} times faster`);
  console.log(`compiled, first time  ${first.toFixed(2)} ms`);
}
