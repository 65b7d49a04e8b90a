import { readFileSync } from 'node:fs';
import { getIntrospectionQuery, getOperationAST, parse, print, separateOperations } from 'graphql';
import { describe, expect, it } from 'vitest';
import { playgroundTabs } from '../../dashboard/playground/tabs.ts';
import { printLimits } from '../../scripts/printedPages.ts';
import { defaultBudget } from '../../src/config/bounds.ts';
import {
  createLimits,
  type LimitName,
  type Limits,
  limitEntry,
  limitNames,
  limitVariable,
} from '../../src/config/limits/limits.ts';
import { readConfig } from '../../src/config/settings/config.ts';
import { createDocumentCache, createDocumentReader } from '../../src/graphql/documents/documents.ts';
import { createCostOf } from '../../src/graphql/documents/operationChecks.ts';
import { schema } from '../../src/graphql/schema.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('limits', () => {
  it('are printed in docs/limits.md', () => {
    expect(printLimits()).toBe(read('../../docs/limits.md'));
  });

  it('have distinct environment variables', () => {
    expect(limitVariable('graphql.rootFields')).toBe('STELE_LIMIT_GRAPHQL_ROOT_FIELDS');
    expect(new Set(limitNames.map(limitVariable)).size).toBe(limitNames.length);
  });

  it('are set by flag or variable, flags take precedence, and invalid values stop the start', () => {
    const env = { STELE_LIMIT_GRAPHQL_DEPTH: '12', STELE_LIMIT_PAGE_SIZE_MAX: '50' };
    expect(readConfig(['--limit', 'graphql.depth=13', '--limit=http.body=7'], env).limits).toEqual({
      'graphql.depth': 13,
      'page.size.max': 50,
      'http.body': 7,
    });
    expect(() => readConfig(['--limit', 'graphql.deep=1'], {})).toThrow(
      /^--limit graphql.deep names no limit; the limits are graphql.bytes, /,
    );
    expect(() => readConfig([], { STELE_LIMIT_DEPTH: '1' })).toThrow(/^STELE_LIMIT_DEPTH names no limit/);
    for (const bad of ['', '0', '-1', '1e3', '2147483648', ' 5', '5=6'])
      expect(() => readConfig([`--limit=graphql.depth=${bad}`], {})).toThrow(
        '--limit graphql.depth must be an integer from 1 to 2147483647',
      );
    expect(() => readConfig(['--limit', 'page.size.max=19'], {})).toThrow('must be an integer from 20 to 2147483647');
    expect(() => readConfig(['--limit', 'page.size.default=5'], {})).toThrow(
      '--limit page.size.default cannot be set: part of the schema',
    );
  });

  it('can have a default that is computed at the start, described in docs/limits.md, and values above 2^31', () => {
    expect(limitEntry('cache.bytes').value).toBe(defaultBudget());
    expect(printLimits()).toContain("| `cache.bytes` | a quarter of the smallest of the control group's memory limit, ");
    expect(readConfig(['--limit', 'cache.bytes=8589934592'], {}).limits).toEqual({ 'cache.bytes': 8_589_934_592 });
    for (const bad of ['67108863', '1099511627777'])
      expect(() => readConfig(['--limit', `cache.bytes=${bad}`], {})).toThrow(
        '--limit cache.bytes must be an integer from 67108864 to 1099511627776',
      );
  });

  it('stop the start if one is above the limit that bounds it', () => {
    expect(() => readConfig(['--limit', 'rest.page.max=50'], {})).toThrow(
      'limit rest.page.default (100) must not be above rest.page.max (50)',
    );
    const both = ['--limit', 'rest.page.max=50', '--limit', 'rest.page.default=50'];
    expect(readConfig(both, {}).limits).toEqual({ 'rest.page.max': 50, 'rest.page.default': 50 });
    for (const name of limitNames) {
      const { atMost, value } = limitEntry(name);
      if (atMost !== undefined) expect([name, value <= createLimits()[atMost as LimitName]]).toEqual([name, true]);
    }
  });
});

describe('a document', () => {
  const limits = createLimits();
  const createParser = (within: Limits) => createDocumentReader(within, createDocumentCache({ maxBytes: 1_000_000 })).parse;
  const parseWithin = createParser(limits);

  /** Returns the code and the limit that reject a document; undefined if it is accepted. */
  function refused(text: string, within = parseWithin): unknown {
    try {
      within(text);
      return undefined;
    } catch (error) {
      const { code, http, ...rest } = (error as { extensions: Record<string, unknown> }).extensions;
      expect(http).toEqual({ status: 400, spec: true });
      const facts = (error as { originalError?: { code: string; facts: object } }).originalError;
      return facts === undefined ? { code, ...rest } : { code: facts.code, ...facts.facts };
    }
  }
  const over = (limit: LimitName, value?: number) => ({
    code: 'OPERATION_TOO_COMPLEX',
    limit,
    max: limits[limit],
    ...(value !== undefined && { value: String(value) }),
  });
  const repeat = (count: number, text: (index: number) => string): string =>
    Array.from({ length: count }, (_, i) => text(i)).join(' ');

  it('of schema/operations.graphql is accepted, and costs at most a tenth of graphql.cost', () => {
    const documents = Object.entries(separateOperations(parse(read('../../schema/operations.graphql'))));
    expect(documents.length).toBeGreaterThan(20);
    const costOf = createCostOf(schema, limits['page.size.max']);
    for (const [name, document] of documents) {
      expect(refused(print(document))).toBeUndefined();
      const { points } = costOf(document, getOperationAST(document)!, {});
      expect({ name, cheap: points <= limits['graphql.cost'] / 10 }).toEqual({ name, cheap: true });
    }
  });

  it('of the playground is accepted: its tabs and its introspection query', () => {
    for (const query of [
      ...playgroundTabs.map((tab) => tab.query),
      getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }),
    ])
      expect(refused(query)).toBeUndefined();
  });

  it('costs the maximum that it can read', () => {
    const costOf = createCostOf(schema, limits['page.size.max']);
    const cost = (query: string, variables = {}) => costOf(parse(query), getOperationAST(parse(query))!, variables);
    const points = (query: string, variables = {}): number => cost(query, variables).points;
    expect(points('{ __typename }')).toBe(1);
    expect(points('{ head { height time } }')).toBe(1);
    // One point for the list, and one for each item of a page.
    expect(points('{ groups(first: 3) { nodes { id } } }')).toBe(1 + 3);
    expect(points('{ groups { nodes { id } } }')).toBe(1 + 20);
    expect(points('{ groups(first: 3) { edges { cursor node { id } } pageInfo { endCursor } } }')).toBe(1 + 3 * 2 + 1);
    expect(points('query ($n: Int) { groups(first: $n) { nodes { id } } }', { n: 7 })).toBe(1 + 7);
    expect(points('query ($n: Int = 5) { groups(first: $n) { nodes { id } } }')).toBe(1 + 5);
    expect(points('{ groups(first: 1000000) { nodes { id } } }')).toBe(1 + 100);
    expect(points('{ groups(first: 2) { nodes { policies(first: 3) { nodes { address } } } } }')).toBe(1 + 2 * (1 + 1 + 3));
    expect(
      points('{ ...F ...F } fragment F on Query { groups(first: 3) { ...G } } fragment G on GroupConnection { nodes { id } }'),
    ).toBe(2 * 4);
    expect(cost('{ groups(first: 0) { totalCount } }')).toEqual({
      points: 1 + 50,
      broadcasts: 0,
      counts: true,
      countsPaid: 1,
    });
    // In the items of a list, most of it is charged for each list that is counted.
    expect(cost('{ groups(first: 100) { nodes { policies { totalCount } } } }')).toEqual({
      points: 1 + 100 * (1 + 1 + 5),
      broadcasts: 0,
      counts: true,
      countsPaid: 0,
    });
    expect(points('{ attributes(account: "a", first: 3) { nodes { name } } }')).toBe(4);
    expect(points('{ attributeScan(account: "a", suffix: "b", first: 3) { nodes { name } } }')).toBe(5 * 4);
    expect(points('{ block(height: 1) { evidence { height } } }')).toBe(1 + 5);
    expect(cost('mutation { broadcastTxSync(tx: "") { hash } }')).toEqual({
      points: 1 + 10 + 20,
      broadcasts: 1,
      counts: false,
      countsPaid: 0,
    });
    expect(cost('subscription { submitTx(tx: "") { hash } }')).toEqual({
      points: 1 + 20,
      broadcasts: 1,
      counts: false,
      countsPaid: 0,
    });
    const keys = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Group { id } } }';
    expect(points(keys, { r: [1, 2, 3] })).toBe(3);
    // Defaults of variables count like values, for any name of the variable.
    const list = `[${'{__typename: "Group"} '.repeat(100)}]`;
    for (const name of ['r', 'toString', 'constructor']) {
      const byDefault = (variable: string, value: string): string =>
        `query ($${name}: ${variable} = ${value}) { ${variable === 'Int' ? `groups(first: $${name}) { nodes { id } }` : `_entities(representations: $${name}) { ... on Group { id } }`} }`;
      expect(points(byDefault('[_Any!]!', list))).toBe(100);
      expect(points(byDefault('[_Any!]!', list), { [name]: [1] })).toBe(1);
      expect(points(byDefault('Int', '90'))).toBe(1 + 90);
      expect(points(byDefault('Int', '90'), { [name]: null })).toBe(1 + 20);
      expect(points(byDefault('Int', '90'), { [name]: 2 })).toBe(1 + 2);
    }
    // A hundred fields under `__schema` cost one point.
    expect(points('{ __type(name: "Block") { name fields { name } } }')).toBe(1);
    expect(points(getIntrospectionQuery())).toBeGreaterThan(1_000);
    expect(points(getIntrospectionQuery())).toBeLessThan((limits['graphql.cost'] * 2) / 3);
    const types = 'types { name fields { name type { name fields { name type { name fields { name } } } } } }';
    const again = Array.from({ length: 20 }, (_, index) => `a${index}: __schema { ...F }`).join(' ');
    expect(points(`{ ${again} } fragment F on __Schema { ${types} }`)).toBeGreaterThan(limits['graphql.cost']);
    const deep = `${'policies(first: 100) { nodes { group { '.repeat(9)}id${' } } }'.repeat(9)}`;
    expect(Number.isSafeInteger(points(`{ groups(first: 100) { nodes { ${deep} } } }`))).toBe(true);
  });

  it('has at most graphql.tokens tokens and graphql.bytes bytes', () => {
    expect(refused(`{${'a '.repeat(1998)}}`)).toMatchObject({ limit: 'graphql.rootFields' });
    expect(refused(`{${'a '.repeat(1999)}}`)).toEqual(over('graphql.tokens'));
    expect(refused(`${'#\n'.repeat(2000)}{a}`)).toEqual(over('graphql.tokens'));
    expect(refused(`${'#\n'.repeat(1990)}{a}`)).toBeUndefined();
    expect(refused(`{a(tx: "${'x'.repeat(60_000)}")}`)).toBeUndefined();
    expect(refused(`{a(tx: "${'x'.repeat(66_000)}")}`)).toEqual(over('graphql.bytes', 66_011));
  });

  it('that is nested too deeply is rejected before it is parsed, at any depth', () => {
    const kinds = {
      fields: (depth: number) => `${'{a'.repeat(depth)}${'}'.repeat(depth)}`,
      'inline fragments': (depth: number) => `${'{...'.repeat(depth)}{a}${'}'.repeat(depth)}`,
      lists: (depth: number) => `{a(b:${'['.repeat(depth)}${']'.repeat(depth)})}`,
      objects: (depth: number) => `{a(b:${'{c:'.repeat(depth)}1${'}'.repeat(depth)})}`,
      types: (depth: number) => `query($a:${'['.repeat(depth)}Int${']'.repeat(depth)}){a}`,
      'never closed': (depth: number) => '[{('.repeat(depth),
      'in a fragment': (depth: number) => `{...F} fragment F on Q ${'{a'.repeat(depth)}${'}'.repeat(depth)}`,
    };
    for (const [kind, nest] of Object.entries(kinds))
      for (const depth of [120, 3_000, 10_000])
        expect({ kind, depth, refused: refused(nest(depth)) }).toEqual({ kind, depth, refused: over('graphql.nesting') });
  });

  it('is at most 20 fields deep, counting fragments but not introspection', () => {
    const nested = (depth: number): string => `${'{a'.repeat(depth)}${'}'.repeat(depth)}`;
    expect(refused(nested(20))).toBeUndefined();
    expect(refused(nested(21))).toEqual(over('graphql.depth', 21));
    const split = (depth: number): string => `{a{a{... on Q{...F}}}} fragment F on Q${nested(depth - 2)}`;
    expect(refused(split(20))).toBeUndefined();
    expect(refused(split(21))).toEqual(over('graphql.depth', 21));
    expect(refused(`fragment F on Q${nested(21)} {a}`)).toEqual(over('graphql.depth', 21));
    expect(refused(`{__schema${nested(40)} __type(name: "a")${nested(40)}}`)).toBeUndefined();
    // A cycle of fragments must not recurse endlessly here. Validation rejects it later.
    expect(refused(`{...A} fragment A on Q{a{...B}} fragment B on Q{a{...A}}`)).toBeUndefined();
  });

  it('with exponential fragments is measured in linear time', () => {
    const doubled = `{...F0} ${repeat(100, (index) => `fragment F${index} on Q{...F${index + 1} ...F${index + 1}}`)} fragment F100 on Q{a}`;
    expect(refused(doubled)).toMatchObject({ limit: 'graphql.rootFields' });
  });

  it('has at most 30 aliases, 50 directives and 20 root fields', () => {
    const aliases = (count: number): string => `{a{${repeat(count, (index) => `b${index}: b`)}}}`;
    expect(refused(aliases(30))).toBeUndefined();
    expect(refused(aliases(31))).toEqual(over('graphql.aliases', 31));
    expect(refused(`{${'a '.repeat(20)}}`)).toBeUndefined();
    expect(refused(`{${'a '.repeat(21)}}`)).toEqual(over('graphql.rootFields', 21));
    expect(refused(`{...F ...F ...{a}} fragment F on Q{${'a '.repeat(10)}}`)).toEqual(over('graphql.rootFields', 21));
    expect(refused(`query @a {a ${'@a'.repeat(49)}}`)).toBeUndefined();
    expect(refused(`query @a {a ${'@a'.repeat(50)}}`)).toEqual(over('graphql.directives', 51));
  });

  it('has literals and defaults within the limits of variables', () => {
    const bad = (argument: string, limit: LimitName) => ({ code: 'BAD_USER_INPUT', argument, limit, max: limits[limit] });
    const [deep, wide, long] = [`${'['.repeat(18)}${']'.repeat(18)}`, `[${'1 '.repeat(251)}]`, `"${'x'.repeat(4_097)}"`];
    for (const [value, limit] of [
      [deep, 'variables.depth'],
      [wide, 'variables.items'],
      [long, 'variables.string'],
      [`{a: [{b: ${long}}]}`, 'variables.string'],
    ] as const) {
      expect(refused(`{a(b: ${value})}`)).toEqual(bad('b', limit));
      expect(refused(`{...F} fragment F on Q {a @d(b: ${value})}`)).toEqual(bad('b', limit));
      expect(refused(`query ($v: V = ${value}) {a(b: $v)}`)).toEqual(bad('v', limit));
    }
    expect(refused(`{a(b: [${'1 '.repeat(250)}] c: "${'x'.repeat(4_096)}")}`)).toBeUndefined();
    expect(refused(`{a(b: {__proto__: 1})}`)).toEqual({ code: 'BAD_USER_INPUT', argument: 'b' });
    // These arguments have separate limits.
    expect(refused(`{a(representations: ${wide})}`)).toBeUndefined();
    expect(refused(`query ($v: V = ${wide}) {a(representations: $v)}`)).toBeUndefined();
    expect(refused(`query ($v: V = ${long}) {a(tx: $v)}`)).toBeUndefined();
    expect(refused(`query ($v: V = ${long}) {a(tx: $v, b: $v)}`)).toEqual(bad('v', 'variables.string'));
  });

  it('is checked against the configured limits', () => {
    expect(refused('{a{a}}', createParser(createLimits({ 'graphql.depth': 1 })))).toEqual({
      ...over('graphql.depth', 2),
      max: 1,
    });
  });
});
