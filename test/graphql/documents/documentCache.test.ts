import { OperationTypeNode, parse, print, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createLimits } from '../../../src/config/limits/limits.ts';
import { createDocumentCache, createDocumentReader } from '../../../src/graphql/documents/documents.ts';
import { createExecute } from '../../../src/graphql/execution/execute.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { some } from '../../support/atRandom.ts';
import { createFaultySchema } from '../../support/execution/faultySchema.ts';
import { usedMemory } from '../../support/memory.ts';

const limits = createLimits({ 'graphql.rootFields': 2_000, 'graphql.directives': 2_000, 'graphql.aliases': 2_000 });

function createReader(maxBytes: number) {
  const cache = createDocumentCache({ maxBytes });
  const reader = createDocumentReader(limits, cache);
  /** Parses and validates a document as a request does. Returns whether it came from the cache. */
  function read(text: string, check = true): boolean {
    const { hits } = cache.stats();
    const document = reader.parse(text);
    reader.validate(document, () => (check ? validate(schema, document) : []));
    return cache.stats().hits > hits;
  }
  return { cache, read, parse: reader.parse };
}

describe('the document cache', () => {
  it('finds a document independent of its comments, whitespace and commas', () => {
    const { cache, read, parse: parsed } = createReader(1_000_000);
    expect(read('query A($n: Int) { groups(first: $n, reverse: true) { nodes { id } } }')).toBe(false);
    expect(read('# x\nquery A($n:Int){groups(first:$n,,reverse:true){nodes{id}}}\n#y')).toBe(true);
    expect(cache.stats()).toMatchObject({ entries: 1, hits: 1, misses: 1 });
    for (const other of [
      'query B($n: Int) { groups(first: $n, reverse: true) { nodes { id } } }',
      'query A($n: Int) { groups(first: $n, reverse: false) { nodes { id } } }',
    ])
      expect(read(other)).toBe(false);
    const strings = ['"a b"', '"a  b"', '"ab"', '"a#b"', '"a,b"', '"""a b"""', '"""\na b"""'];
    for (const text of strings) expect(read(`{ accounts(of: ${text}) }`, false)).toBe(false);
    for (const text of strings) {
      const document = `{ accounts(of: ${text}) }`;
      expect(read(document, false)).toBe(true);
      expect(print(parsed(document))).toBe(print(parse(document)));
    }
  });

  it('does not cache invalid documents', () => {
    const { cache, read } = createReader(1_000_000);
    for (const text of ['{ nope }', '{ nope }', '{ head }']) expect(read(text)).toBe(false);
    expect(() => read('{ head')).toThrow();
    expect(cache.stats()).toMatchObject({ entries: 0, bytes: 0, hits: 0 });
  });

  it('evicts the least recently used documents to stay within its memory limit', () => {
    const { cache, read } = createReader(20_000);
    for (let index = 0; index < 50; index += 1) read(`{ a${index}: __typename }`);
    expect(cache.stats().bytes).toBeLessThanOrEqual(20_000);
    expect(read('{ a49: __typename }')).toBe(true);
    expect(read('{ a0: __typename }')).toBe(false);
    read(`{ head { ${'height '.repeat(1_500)} } }`);
    expect(read('{ a49: __typename }')).toBe(true);
  });

  const name = 'x'.repeat(50);
  const shapes: Record<string, (index: number) => string> = {
    fields: (index) => `query Q${index} { head { ${'height '.repeat(1_900)} } }`,
    'long names': (index) => `query Q${index}${name} { head { ${`${name} `.repeat(1_000)} } }`,
    'a board': (index) =>
      `query B${index} { groups(first: 5) { nodes { policies(first: 5) { nodes { proposals { nodes { id } } } } } } }`,
    'very short ones': (index) => `{ a${index}: __typename }`,
    fragments: (index) => `query Q${index} { ...F } ${'fragment F on Query { head { height } } '.repeat(170)}`,
    directives: (index) => `query Q${index} { ${'x@skip(if:$a) '.repeat(200)} }`,
    strings: (index) => `query Q${index} { x(a: [${`"${'x'.repeat(4_000)}" `.repeat(15)}]) }`,
    'wide strings': (index) => `query Q${index} { x(a: [${`"${'ж'.repeat(2_000)}" `.repeat(15)}]) }`,
    variables: (index) => `query Q${index}(${Array.from({ length: 300 }, (_, at) => `$v${at}: Int `).join('')}) { x }`,
  };

  it.each(some(Object.entries(shapes), 9))(
    'estimates the memory of %s, and does not retain request texts',
    async (_name, make) => {
      const { cache, read } = createReader(1e9);
      const comment = (index: number): string => `\n# ${index} ${'-'.repeat(3_000)}`;
      read(make(9_999), false);
      const before = await usedMemory();
      const count = make(0).length < 200 ? 1_000 : 30;
      for (let index = 0; index < count; index += 1) read(make(index) + comment(index), false);
      const grown = (await usedMemory()) - before;
      const { bytes, entries } = cache.stats();
      expect(entries).toBe(count + 1);
      expect(grown).toBeLessThan(bytes);
      expect(grown).toBeGreaterThan(bytes / 8);
    },
  );

  const types = ['Account', 'Group', 'GroupPolicy', 'Proposal'];
  const fields = Array.from({ length: 100 }, (_, index) => index);
  const compiled: Record<string, (index: number) => string> = {
    'many fields': (index) => `query Q${index} { groups { nodes { ${fields.map((at) => `a${at}: version`).join(' ')} } } }`,
    'many objects': (index) => `query Q${index} { ${fields.map((at) => `a${at}: group(id: ${at}) { id }`).join(' ')} }`,
    variables: (index) => `query Q${index}($id: ID!) { ${fields.map((at) => `a${at}: group(id: $id) { id }`).join(' ')} }`,
    'one fragment in many places': (index) =>
      `query Q${index} { ${fields.map((at) => `a${at}: group(id: 1) { ...F }`).join(' ')} } fragment F on Group { id metadata version totalWeight }`,
    'a union': (index) =>
      `query Q${index} { _entities(representations: []) { ${types.map((name) => `... on ${name} { __typename }`).join(' ')} } }`,
    'many combinations of conditions': (index) =>
      `query Q${index}($a: Boolean!, $b: Boolean!, $c: Boolean!) { groups { nodes { id @include(if: $a) version @skip(if: $b) ...F @skip(if: $c) } } } fragment F on Group { metadata }`,
    'a small one': (index) => `query Q${index} { groups { nodes { id } } }`,
  };

  const { schema: faulty, rootOf } = createFaultySchema();

  it.each(some(Object.entries(compiled), 7))('estimates the memory of what is compiled of %s', async (_name, make) => {
    const { cache, read, parse } = createReader(1e9);
    const execute = createExecute(cache.grow);
    /** Executes a document so that all of it is compiled. */
    async function run(index: number): Promise<void> {
      const document = parse(make(index));
      for (let seed = 0; seed < 8; seed += 1) {
        const contextValue = { seed, faults: 0, waits: 0 };
        const variableValues = { id: '1', a: (seed & 1) > 0, b: (seed & 2) > 0, c: (seed & 4) > 0 };
        await execute({
          schema: faulty,
          document,
          variableValues,
          contextValue,
          rootValue: rootOf(OperationTypeNode.QUERY, contextValue),
        });
      }
    }
    const count = make(0).length < 300 ? 300 : 10;
    for (let index = 0; index < 2 * count; index += 1) read(make(index), false);
    // The code of the resolvers is compiled first.
    for (let index = count; index < 2 * count; index += 1) await run(index);
    const before = await usedMemory();
    const { bytes } = cache.stats();
    for (let index = 0; index < count; index += 1) await run(index);
    const grown = (await usedMemory()) - before;
    const estimated = cache.stats().bytes - bytes;
    expect(grown).toBeLessThan(estimated);
    expect(grown).toBeGreaterThan(estimated / 8);
  });
});
