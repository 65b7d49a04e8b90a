import { readFileSync } from 'node:fs';
import { fromBech32, toBech32 } from '@cosmjs/encoding';
import { buildSchema, graphql, Kind, Lexer, parse, Source, TokenKind, validate, visit } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerOf, documentOf, plainAnswer } from '../../dashboard/src/pages/explore/model/document.ts';
import {
  type Draft,
  draftOf,
  draftOfMembers,
  readDraft,
  readInputTypes,
  readMembers,
} from '../../dashboard/src/pages/explore/model/form.ts';
import { shapeOfJson } from '../../dashboard/src/pages/explore/model/json.ts';
import { linkOf } from '../../dashboard/src/pages/explore/model/links.ts';
import { type MethodGroup, readMethod, readMethods, searchMethods } from '../../dashboard/src/pages/explore/model/methods.ts';
import { type MessageShape, readShape } from '../../dashboard/src/pages/explore/model/shape.ts';
import { omittedIn, tableOf } from '../../dashboard/src/pages/explore/model/table.ts';
import { createTypes, type TypeInfo, type TypeRef } from '../../dashboard/src/pages/explore/model/types.ts';
import { createCostOf } from '../../src/graphql/documents/operationChecks.ts';
import { runsAll } from '../support/atRandom.ts';

/** The schema of a chain with all of Provenance, printed. */
const printedSchema = readFileSync('schema/chains/provenance-1.29.graphql', 'utf8');
const schema = buildSchema(printedSchema, { assumeValid: true, assumeValidSDL: true });
/** The number of its query methods, by their descriptions. */
const methodCount = printedSchema.match(/The query [a-z][\w.]*\/\w+\./g)!.length;

/** The names that each introspection asked for. */
const asked: string[][] = [];

const types = createTypes(async (source, variableValues) => {
  asked.push(Object.values(variableValues));
  expect(validate(schema, parse(source))).toEqual([]);
  const { data, errors } = await graphql({ schema, source, variableValues });
  expect(errors).toBeUndefined();
  return data as Record<string, TypeInfo | null>;
});

let groups: readonly MethodGroup[];
beforeAll(async () => {
  groups = await readMethods(types);
});

const methodOf = async (id: string) => (await readMethod(types, id))!;
const shapeFor = async (id: string) => (await readShape(types, await methodOf(id)))!;

/** The number of tokens of a document, as the server counts them. */
function tokensIn(text: string): number {
  const lexer = new Lexer(new Source(text));
  let count = 0;
  while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  return count;
}

/** The most nested fields of a document, fragments expanded by their own depth of 2. */
function depthOf(text: string): number {
  let [depth, most] = [0, 0];
  visit(parse(text), {
    Field: {
      enter() {
        depth += 1;
        most = Math.max(most, depth);
      },
      leave() {
        depth -= 1;
      },
    },
    FragmentSpread() {
      most = Math.max(most, depth + 2);
    },
  });
  return most;
}

describe('the methods of a schema', () => {
  it('are all of its query methods, by module, read in few requests of few names', () => {
    const methods = groups.flatMap((group) => group.methods);
    expect(methodCount).toBeGreaterThan(280);
    expect(methods).toHaveLength(methodCount);
    expect(new Set(methods.map(({ id }) => id)).size).toBe(methodCount);
    expect(groups.map(({ module }) => module)).toContain('provenance.exchange.v1');
    expect(asked.length).toBeLessThanOrEqual(14);
    expect(Math.max(...asked.map((names) => names.length))).toBeLessThanOrEqual(20);
    expect(new Set(asked.flat()).size).toBe(asked.flat().length);
  });

  it('have arguments of their own, those of a page, and the name of the chain', async () => {
    expect(await methodOf('cosmos.bank.v1beta1.allBalances')).toMatchObject({
      module: 'cosmos.bank.v1beta1',
      name: 'allBalances',
      chainName: 'cosmos.bank.v1beta1.Query/AllBalances',
      args: [{ name: 'address' }, { name: 'resolveDenom' }],
      pageArgs: [{ name: 'after' }, { name: 'first', defaultValue: '20' }, { name: 'offset' }, { name: 'reverse' }],
      hasHeight: true,
    });
    expect((await methodOf('cosmos.base.tendermint.v1beta1.getNodeInfo')).hasHeight).toBe(false);
  });

  it.each(['cosmos.bank.v1beta1.nothing', 'cosmos.bank', 'head', 'cosmos.nothing.v1.params'])('%s is none', async (id) => {
    expect(await readMethod(types, id)).toBeUndefined();
  });

  it('are found by words of their names in any order', () => {
    const search = (text: string) => searchMethods(groups, text).flatMap(({ methods }) => methods.map(({ id }) => id));
    expect(search('supplyof BANK')).toEqual(['cosmos.bank.v1beta1.supplyOf']);
    expect(search('exchange.v1.Query/GetMarket ')).toContain('provenance.exchange.v1.getMarket');
    expect(search('bank nothing')).toEqual([]);
    expect(search(' ')).toHaveLength(methodCount);
  });
});

describe('types', () => {
  const type = { kind: 'OBJECT', name: 'A', isOneOf: null, fields: [], inputFields: null, enumValues: null };

  it('are read once, and those that are asked for together in one request of at most 20', async () => {
    const sizes: number[] = [];
    const own = createTypes(async (_, variables) => {
      const names = Object.values(variables);
      sizes.push(names.length);
      return Object.fromEntries(names.map((name, index) => [`t${index}`, { ...type, name }]));
    });
    const names = Array.from({ length: 45 }, (_, index) => `T${index}`);
    const infos = await Promise.all(names.map((name) => own.get(name)));
    expect(infos.map((info) => info?.name)).toEqual(names);
    expect(sizes).toEqual([20, 20, 5]);
    await own.get('T3');
    expect(sizes).toHaveLength(3);
  });

  it('whose read failed are read again', async () => {
    let calls = 0;
    const own = createTypes(async () => {
      calls += 1;
      if (calls === 1) throw new Error('not now');
      return { t0: type };
    });
    await expect(own.get('A')).rejects.toThrow('not now');
    expect(await own.get('A')).toEqual(type);
  });
});

describe('the document of a method', () => {
  it.runIf(runsAll)('is valid and within the limits of the server, for every method of the chain', async () => {
    const costOf = createCostOf(schema, 100);
    const omitted: string[] = [];
    for (const method of groups.flatMap((group) => group.methods)) {
      const shape = (await readShape(types, method))!;
      const names = [...method.args, ...method.pageArgs].map(({ name }) => name);
      const text = documentOf(method, shape, names, { hasHead: true, isLive: method.hasHeight });
      const document = parse(text);
      const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION)!;
      const cost = costOf(document, operation, { first: 100 }).points;
      expect([method.id, validate(schema, document)]).toEqual([method.id, []]);
      expect([method.id, cost > 25_000, tokensIn(text) > 2_000, depthOf(text) > 20, text.length > 65_536]).toEqual([
        method.id,
        ...Array<boolean>(4).fill(false),
      ]);
      omitted.push(...omittedIn(shape).map((path) => `${method.id} ${path}`));
    }
    // Messages within messages of their own type, and the deepest of the largest ones.
    expect(omitted.length).toBeLessThan(60);
  });

  it('selects coins with their units, messages in words, pages, and no accounts', async () => {
    const method = await methodOf('cosmos.bank.v1beta1.denomOwners');
    expect(
      documentOf(method, await shapeFor(method.id), ['denom', 'first'], { at: 12n }),
    ).toBe(`query DenomOwners($denom: String, $first: Int) {
  at(height: 12) {
    cosmos {
      bank {
        v1beta1 {
          denomOwners(denom: $denom, first: $first) {
            denomOwners {
              address
              balance {
                ...Coin
              }
            }
            pageInfo {
              hasNextPage
              endCursor
            }
          }
        }
      }
    }
  }
}

fragment Coin on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`);
  });

  it('leaves out a message within itself, and says so', async () => {
    const own = buildSchema(
      'type Query { m: Tree } type Tree { name: String! left: Tree items: [Leaf!]! owner: Account } type Leaf { tree: Tree value: Int } type Account { address: String }',
    );
    const small = createTypes(
      async (source, variableValues) =>
        (await graphql({ schema: own, source, variableValues })).data as Record<string, TypeInfo>,
    );
    const shape = (await readShape(small, { ...(await methodOf('cosmos.bank.v1beta1.params')), type: 'Tree' }))!;
    expect(omittedIn(shape)).toEqual(['left', 'items.tree']);
    expect(shape.fields.map(({ name }) => name)).toEqual(['name', 'items']);
  });

  it('has an answer, which is plain JSON without what the page adds', async () => {
    const shape = await shapeFor('cosmos.bank.v1beta1.denomOwners');
    const coin = { denom: 'a', amount: '5', display: { amount: '0.5', denom: 'A', symbol: '' } };
    const pageInfo = { hasNextPage: false, endCursor: null };
    const answer = {
      denomOwners: [
        { address: 'x', balance: coin },
        { address: 'y', balance: null },
      ],
      pageInfo,
    };
    const data = { head: null, cosmos: { bank: { v1beta1: { denomOwners: answer } } } };
    expect(answerOf(data, ['cosmos', 'bank', 'v1beta1', 'denomOwners'])).toBe(answer);
    expect(answerOf({ cosmos: null }, ['cosmos', 'bank'])).toBeNull();
    expect(plainAnswer(answer, shape)).toEqual({
      denomOwners: [
        { address: 'x', balance: { denom: 'a', amount: '5' } },
        { address: 'y', balance: null },
      ],
      pageInfo,
    });
  });
});

const named = (name: string, kind = 'SCALAR'): TypeRef => ({ kind, name });
const listOf = (ofType: TypeRef): TypeRef => ({ kind: 'LIST', name: null, ofType: { kind: 'NON_NULL', name: null, ofType } });

describe('a form', () => {
  const read = (type: string, text: string) => readDraft(named(type), text, new Map(), 'x');

  it.each([
    ['String', ' a ', ' a '],
    ['Int', '-7', -7],
    ['UInt64', '18446744073709551615', '18446744073709551615'],
    ['Int64', '-9223372036854775808', '-9223372036854775808'],
    ['UInt64', ' 007 ', '7'],
    ['Float', '1.5e3', 1500],
    ['Decimal', '-0.250', '-0.250'],
    ['Base64', 'AQI=', 'AQI='],
    ['Base64', '0x0102', 'AQI='],
    ['Base64', '{"a":"ä"}', 'eyJhIjoiw6QifQ=='],
    ['DateTime', '2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.5Z'],
    ['Duration', '3600s', '3600s'],
    ['JSON', '{"@type":"/a.B","n":[1]}', { '@type': '/a.B', n: [1] }],
    ['Other', 'anything', 'anything'],
    ['UInt64', '', undefined],
  ])('reads a %s of “%s”', (type, text, value) => {
    expect(read(type, text)).toEqual({ value, problems: {} });
  });

  it.each([
    ['Int', '2147483648', 'Write a number from -2147483648 to 2147483647.'],
    ['UInt64', '-1', 'Write a number from 0 to 18446744073709551615.'],
    ['UInt64', '1,000', 'Write a whole number without separators.'],
    ['Int64', '1.5', 'Write a whole number without separators.'],
    ['Decimal', '1,5', 'Write digits, and a point before decimals, such as 0.25.'],
    ['Base64', 'abc', 'Write base64, hex digits after 0x, text in quotes, or JSON.'],
    ['Base64', '{"a":', 'Write base64, hex digits after 0x, text in quotes, or JSON.'],
    ['DateTime', '2026-01-31', 'Write a time with its zone, such as 2026-01-31T12:00:00Z.'],
    ['Duration', '1h', 'Write seconds, such as 3600s.'],
    ['JSON', '{a}', 'This is not JSON.'],
  ])('refuses a %s of “%s”', (type, text, problem) => {
    expect(read(type, text)).toEqual({ value: undefined, problems: { x: problem } });
  });

  it('reads lists item by item; an item without a value is refused at its place', () => {
    const type = listOf(named('UInt64'));
    expect(readDraft(type, ['1', '2'], new Map(), 'ids')).toEqual({ value: ['1', '2'], problems: {} });
    expect(readDraft(type, ['1', ''], new Map(), 'ids').problems).toEqual({ 'ids.1': 'Enter a value.' });
    expect(readDraft(type, [], new Map(), 'ids').value).toBeUndefined();
    expect(readDraft(listOf(named('Boolean')), [false, true], new Map(), 'x').value).toEqual([false, true]);
  });

  it('reads messages, choices and enums of the chain, and the URL gives the same form back', async () => {
    const method = await methodOf('provenance.exchange.v1.orderFeeCalc');
    const inputs = await readInputTypes(types, method.args);
    const draft: Record<string, Draft> = {
      askOrder: { marketId: '3', seller: 'tp1x', assets: { denom: 'apple', amount: '10' }, allowPartial: true },
    };
    const { value, problems } = readMembers(method.args, draft, inputs);
    expect(problems).toEqual({});
    expect(value).toEqual({
      askOrder: { marketId: '3', seller: 'tp1x', assets: { denom: 'apple', amount: '10' }, allowPartial: true },
    });
    expect(draftOfMembers(method.args, JSON.parse(JSON.stringify(value)), inputs)).toEqual(draft);
    const bad = { askOrder: { marketId: 'x', assets: { amount: '1,0' } } };
    expect(Object.keys(readMembers(method.args, bad, inputs).problems)).toContain('askOrder.marketId');
  });

  it('sends one member of a choice, also if it is false or empty', async () => {
    const own = buildSchema('type Query { m(c: C): Int } input C @oneOf { hash: String flag: Boolean number: Int }');
    const ownTypes = createTypes(
      async (source, variableValues) =>
        (await graphql({ schema: own, source, variableValues })).data as Record<string, TypeInfo>,
    );
    const [{ args } = { args: [] }] = (await ownTypes.get('Query'))!.fields!;
    const inputs = await readInputTypes(ownTypes, args);
    const { type } = args[0]!;
    expect(readDraft(type, { flag: false }, inputs, 'p').value).toEqual({ flag: false });
    expect(readDraft(type, { number: '' }, inputs, 'p').problems).toEqual({ 'p.number': 'Enter a value.' });
    expect(readDraft(type, { hash: '' }, inputs, 'p')).toEqual({ value: { hash: '' }, problems: {} });
    expect(readDraft(type, undefined, inputs, 'p').value).toBeUndefined();
    expect(readDraft(type, undefined, inputs, 'p', true).problems).toEqual({ p: 'Choose one of these.' });
  });

  it('shows bytes of JSON as JSON again, and leaves out what does not fit', () => {
    expect(draftOf(named('Base64'), 'eyJhIjoiw6QifQ==', new Map())).toBe('{"a":"ä"}');
    expect(draftOf(named('Base64'), 'AQI=', new Map())).toBe('AQI=');
    expect(draftOf(named('String'), { a: 1 }, new Map())).toBeUndefined();
    expect(draftOf(listOf(named('String')), 'a', new Map())).toBeUndefined();
  });
});

describe('a value', () => {
  const account = 'tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk';
  const hash = 'A'.repeat(64);

  it.each([
    [account, 'anything', '', { kind: 'account', of: account }],
    [`${account.slice(0, -1)}q`, 'address', '', undefined],
    [toBech32('tpvaloper', fromBech32(account, 90).data), 'operatorAddress', '', { kind: 'account', of: account }],
    [toBech32('tpvalcons', fromBech32(account, 90).data), 'address', '', undefined],
    [
      toBech32(
        'scope',
        Uint8Array.from({ length: 17 }, () => 1),
      ),
      'scopeId',
      '',
      undefined,
    ],
    ['nhash', 'denom', '', { kind: 'token', of: 'nhash' }],
    ['nhash', 'bondDenom', '', { kind: 'token', of: 'nhash' }],
    ['nhash', 'name', '', undefined],
    [hash, 'txhash', '', { kind: 'transaction', of: hash }],
    [hash, 'appHash', '', undefined],
    ['12', 'height', 'CosmosBaseAbciV1beta1TxResponse', { kind: 'block', of: '12' }],
    ['12', 'height', 'IbcCoreClientV1Height', undefined],
    ['0', 'height', '', undefined],
    ['7', 'proposalId', 'CosmosGroupV1Vote', { kind: 'page', of: '/proposals/7' }],
    ['7', 'proposalId', 'CosmosGovV1Vote', undefined],
    ['7', 'id', 'CosmosGroupV1GroupInfo', { kind: 'page', of: '/groups/7' }],
    ['7', 'id', 'CosmosGroupV1Proposal', { kind: 'page', of: '/proposals/7' }],
  ])('%s in %s of %s links to %j', (text, name, type, link) => {
    expect(linkOf(text, name, type)).toEqual(link);
  });
});

describe('a table', () => {
  it('has columns for values and for those of nested messages, and leaves out what has no value', async () => {
    const shape = await shapeFor('cosmos.staking.v1beta1.delegatorDelegations');
    const [list] = shape.fields;
    const rows = [
      { delegation: { delegatorAddress: 'a', validatorAddress: '', shares: '1' }, balance: { denom: 'x', amount: '1' } },
      { delegation: { delegatorAddress: 'b', validatorAddress: '', shares: '2' }, balance: null },
    ];
    const table = tableOf(list!.shape as MessageShape, rows);
    expect(table.columns.map(({ path }) => path.join('.'))).toEqual([
      'balance',
      'delegation.delegatorAddress',
      'delegation.shares',
    ]);
    expect(tableOf(list!.shape as MessageShape, [{ delegation: null, balance: null }]).empty).toEqual([
      'balance',
      'delegation',
    ]);
  });

  it('has at most eight columns; the others are in the rest', async () => {
    const shape = shapeOfJson([Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`f${index}`, 'x']))]);
    const { columns, rest } = tableOf(shape, [Object.fromEntries(shape.fields.map(({ name }) => [name, 'x']))]);
    expect([columns.length, rest.length]).toEqual([8, 3]);
  });

  it('of decoded JSON has the members of all values', () => {
    const shape = shapeOfJson([
      { a: '1', in: { b: 'x' } },
      { a: null, list: [{ c: 1 }], texts: ['y'] },
    ]);
    expect(shape.fields.map(({ name, isList, shape: inner }) => [name, isList, inner.kind])).toEqual([
      ['a', false, 'leaf'],
      ['in', false, 'message'],
      ['list', true, 'message'],
      ['texts', true, 'leaf'],
    ]);
  });
});
