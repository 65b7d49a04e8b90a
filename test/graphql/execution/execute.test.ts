import {
  buildSchema,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  isObjectType,
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { createExecute } from '../../../src/graphql/execution/execute.ts';
import { type JsonResult, resultJson } from '../../../src/graphql/execution/execution.ts';
import { schema as real } from '../../../src/graphql/schema.ts';
import { isContextUser } from '../../../src/schema/builder.ts';

type Resolvers = Readonly<Record<string, GraphQLFieldResolver<unknown, unknown>>>;

/** Executes operations on a small schema with these resolvers, by the names of the fields. */
function setUp(resolvers: Resolvers) {
  const schema = buildSchema(`
    interface Node { id: ID! }
    type Item implements Node { id: ID!, name: String, strict: String!, sub: Item, subs: [Item!], text(of: String, list: [Int!]): String }
    type Other implements Node { id: ID!, size: Int }
    union Either = Item | Other
    type Query { item: Item, items: [Item], strictItems: [Item!], nodes: [Node], either: Either, names: [String!], _entities: [Either]! }
    type Mutation { first: String, second: String, third: String! }
    type Subscription { event: Item }
  `);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const resolve = resolvers[`${type.name}.${field.name}`];
      if (resolve !== undefined) field.resolve = resolve;
    }
  }
  const execute = createExecute();
  return (
    text: string,
    { variableValues, rootValue }: { variableValues?: Record<string, unknown>; rootValue?: unknown } = {},
  ) => execute({ schema, document: parse(text), variableValues, rootValue });
}

/** A result as a client reads it, without positions in the document. */
const plain = (result: JsonResult): unknown =>
  JSON.parse(resultJson(result), (key, value) => (key === 'locations' || key === 'extensions' ? undefined : value));

describe('a compiled operation', () => {
  it('returns its result at once unless a resolver returns a promise', async () => {
    const item = { id: '1', name: 'one' };
    const run = setUp({ 'Query.item': () => item, 'Item.text': async () => 'later' });
    expect(run('{ item { id name } }')).toEqual({ data: JSON.stringify({ item }) });
    const result = run('{ item { id text } }');
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toEqual({ data: '{"item":{"id":"1","text":"later"}}' });
  });

  const failures: Record<string, GraphQLFieldResolver<unknown, unknown>> = {
    'is thrown': () => {
      throw new Error('no');
    },
    'is a rejection': () => Promise.reject(new Error('no')),
    'is a value': () => new Error('no'),
    'is a promise of a value': async () => new Error('no'),
  };
  it.each(Object.entries(failures))(
    'puts an error that %s at its field, and null into the nearest field that may be null',
    async (_, fail) => {
      const run = setUp({
        'Query.items': () => [{ id: '1', name: 'one', sub: { id: '2' } }, { id: '3' }],
        'Item.strict': fail,
        'Item.name': fail,
      });
      expect(plain(await run('{ items { id name } }'))).toEqual({
        errors: [0, 1].map((index) => ({ message: 'no', path: ['items', index, 'name'] })),
        data: {
          items: [
            { id: '1', name: null },
            { id: '3', name: null },
          ],
        },
      });
      expect(plain(await run('{ items { id sub { strict } } }'))).toEqual({
        errors: [{ message: 'no', path: ['items', 0, 'sub', 'strict'] }],
        data: {
          items: [
            { id: '1', sub: null },
            { id: '3', sub: null },
          ],
        },
      });
    },
  );

  it('names the field that must not be null, and ignores later errors below a value that is null', async () => {
    const later = async (turns: number): Promise<void> => {
      for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    };
    const run = setUp({
      'Query.strictItems': () => [{ id: '1' }],
      'Item.strict': async () => null,
      'Item.text': () => later(1).then(() => Promise.reject(new Error('too late'))),
      'Query.names': () => later(3).then(() => ['last']),
    });
    expect(plain(await run('{ strictItems { text strict } names }'))).toEqual({
      errors: [{ message: 'Cannot return null for non-nullable field Item.strict.', path: ['strictItems', 0, 'strict'] }],
      data: { strictItems: null, names: ['last'] },
    });
  });

  it('leaves no rejection unhandled when a list fails before its items arrive', async () => {
    const unhandled: unknown[] = [];
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (reason) => unhandled.push(reason));
    const run = setUp({ 'Query.names': () => [Promise.reject(new Error('before')), null, Promise.reject(new Error('after'))] });
    expect(plain(await run('{ names }'))).toMatchObject({ data: { names: null } });
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  it('runs the fields of a mutation one after another', async () => {
    const log: string[] = [];
    const step = (name: string) => async (): Promise<string> => {
      log.push(`${name} starts`);
      await new Promise(setImmediate);
      log.push(`${name} ends`);
      return name;
    };
    const run = setUp({
      'Mutation.first': step('first'),
      'Mutation.second': () => String(log.push('second')),
      'Mutation.third': step('third'),
    });
    expect(plain(await run('mutation { first second third }'))).toEqual({
      data: { first: 'first', second: '3', third: 'third' },
    });
    expect(log).toEqual(['first starts', 'first ends', 'second', 'third starts', 'third ends']);
  });

  it('renders the event of a subscription', () => {
    const run = setUp({});
    expect(run('subscription { event { id } }', { rootValue: { event: { id: '1' } } })).toEqual({
      data: '{"event":{"id":"1"}}',
    });
  });

  it('executes entities of several types, whose promises fail on their own', async () => {
    const items = [
      { __typename: 'Item', id: '1' },
      Promise.resolve({ __typename: 'Other', id: '2', size: 3 }),
      Promise.reject(new Error('no')),
    ];
    const run = setUp({ 'Query._entities': () => items });
    const result = await run('{ _entities { __typename ... on Item { id } ...F } } fragment F on Other { size }');
    expect(plain(result)).toEqual({
      errors: [{ message: 'no', path: ['_entities', 2] }],
      data: { _entities: [{ __typename: 'Item', id: '1' }, { __typename: 'Other', size: 3 }, null] },
    });
  });

  it('is executed with any values of the variables in conditions, and keeps a bounded number of plans', () => {
    let bytes = 0;
    let one = 0;
    const execute = createExecute((_, grown) => {
      bytes += grown;
    });
    const document = parse(
      'query($a: Boolean = true, $b: Boolean!, $c: Boolean = false) { a: __typename @include(if: $a) ...F @skip(if: $b) ... @include(if: $c) { c: __typename } } fragment F on Query { b: __typename }',
    );
    const keysWith = (variableValues: Record<string, unknown>): unknown => {
      const { data, errors } = execute({ schema: real, document, variableValues }) as JsonResult;
      return data === undefined || data === 'null' ? errors?.[0]?.message : Object.keys(JSON.parse(data)).join('');
    };
    for (let round = 0; round < 3; round += 1) {
      expect(keysWith({ b: false })).toBe('ab');
      if (round === 0) one = bytes;
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(5 * one);
      for (const a of [true, false])
        for (const b of [true, false])
          for (const c of [true, false]) expect(keysWith({ a, b, c })).toBe(`${a ? 'a' : ''}${b ? '' : 'b'}${c ? 'c' : ''}`);
      expect(keysWith({ a: null, b: true })).toBe('Argument "if" of non-null type "Boolean!" must not be null.');
    }
  });

  it('keeps an alias `__proto__` as a field', () => {
    const run = setUp({});
    const result = run('{ item { __proto__: name id } }', { rootValue: { item: { id: '1', name: 'one' } } });
    expect(result).toEqual({ data: '{"item":{"__proto__":"one","id":"1"}}' });
  });

  it('coerces arguments once, and once for each execution if they have variables', () => {
    const seen = new Set<unknown>();
    const rootValue = { items: [{}, {}, {}] };
    const run = setUp({ 'Item.text': (_, args) => String(seen.add(args).size) });
    run('{ items { text(of: "a", list: [1]) } }', { rootValue });
    expect(seen.size).toBe(1);
    expect([...seen][0]).toEqual({ of: 'a', list: [1] });
    expect(() => Object.assign([...seen][0] ?? {}, { of: 'b' })).toThrow(TypeError);
    seen.clear();
    run('query($of: String) { items { text(of: $of) } }', { rootValue, variableValues: { of: 'b' } });
    expect([...seen]).toEqual([{ of: 'b' }]);
  });

  it('reports an operation that the document does not have, and wrong variables', () => {
    const schema = real;
    const execute = createExecute();
    const two = parse('query A { __typename } query B { __typename }');
    expect(execute({ schema, document: two })).toMatchObject({
      errors: [{ message: 'Must provide operation name if query contains multiple operations.' }],
    });
    expect(execute({ schema, document: two, operationName: 'C' })).toMatchObject({
      errors: [{ message: 'Unknown operation named "C".' }],
    });
    expect(execute({ schema, document: two, operationName: 'B' })).toEqual({ data: '{"__typename":"Query"}' });
    const { errors } = execute({ schema, document: parse('query($id: ID!) { group(id: $id) { id } }') }) as {
      errors: GraphQLError[];
    };
    expect(errors.map(({ message }) => message)).toEqual(['Variable "$id" of required type "ID!" was not provided.']);
  });
});

describe('the resolvers of the schema', () => {
  const resolvers = Object.values(real.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) => Object.values((type as GraphQLObjectType).getFields()).map((field) => ({ type, field })))
    .flatMap(({ type, field: { name, resolve } }) => (resolve ? [{ name: `${type.name}.${name}`, resolve }] : []));

  it('are marked if they have more than two parameters', () => {
    const [marked, brief] = [true, false].map((is) => resolvers.filter(({ resolve }) => isContextUser(resolve) === is));
    expect(marked!.length).toBeGreaterThan(50);
    expect(brief!.length).toBeGreaterThan(300);
    expect(marked!.filter(({ resolve }) => resolve.length < 3)).toEqual([]);
    expect(brief!.filter(({ resolve }) => resolve.length > 2)).toEqual([]);
  });

  it('read no further arguments without the mark', () => {
    for (const { name, resolve } of resolvers) {
      if (isContextUser(resolve)) continue;
      const text = resolve.toString();
      const parameters = text.startsWith('(') || text.startsWith('async (') ? (text.split('=>')[0] ?? '') : '';
      expect(parameters.replaceAll(/\{[^}]*\}/g, '{}'), name).not.toMatch(/\.\.\.|=/);
      expect(text, name).not.toMatch(/\barguments\b/);
    }
  });
});
