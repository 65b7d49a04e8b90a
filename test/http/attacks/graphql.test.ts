import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accepts, startTarget, type Target } from './setup.ts';

let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

afterEach(() => target.isWell());

afterAll(() => target.close());

const repeat = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

interface Refused {
  readonly data?: unknown;
  readonly errors: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

/** Sends a document with both media types. Returns the errors, which must be equal, and checks that there is no data. */
async function refused(query: string, variables?: unknown): Promise<Refused['errors']> {
  const bodies: Refused[] = [];
  for (const [accept, status] of Object.entries(accepts)) {
    const response = await target.post(query, { accept, variables });
    expect({ accept, status: response.status }).toEqual({ accept, status });
    bodies.push((await response.json()) as Refused);
  }
  const [body, other] = bodies;
  expect(other).toEqual(body);
  expect(body).not.toHaveProperty('data');
  return body!.errors;
}

const tooComplex = (limit: string) => [{ extensions: { code: 'OPERATION_TOO_COMPLEX', limit } }];

describe('documents', () => {
  it('T1: 101 aliases of one field, and of __typename', async () => {
    expect(await refused(`{ head { ${repeat(101, (index) => `a${index}: height`)} } }`)).toMatchObject(
      tooComplex('graphql.aliases'),
    );
    expect(await refused(`{ ${repeat(101, (index) => `a${index}: __typename`)} }`)).toMatchObject(
      tooComplex('graphql.aliases'),
    );
  });

  it('T2: a fragment within itself', async () => {
    const cycle = '{ ...A } fragment A on Query { head { height } ...B } fragment B on Query { ...A }';
    expect(await refused(cycle)).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });

  it('T3: nested 3,000 and 20,000 deep, in fragments and values too', async () => {
    for (const depth of [3_000, 20_000]) {
      const nested = `${'{a'.repeat(depth)}${'}'.repeat(depth)}`;
      for (const query of [
        nested,
        `{...F} fragment F on Query ${nested}`,
        `{ module(method: "a", request: ${'['.repeat(depth)}${']'.repeat(depth)}) }`,
      ])
        expect(await refused(query)).toMatchObject(tooComplex('graphql.nesting'));
    }
  });

  it('T4: 3,000 times the same field and 1,000 overlapping fragments are refused in less time than one execution', async () => {
    expect(await refused(`{ ${repeat(3_000, () => 'head { height }')} }`)).toMatchObject(tooComplex('graphql.tokens'));
    const fragments = repeat(1_000, (index) => `fragment F${index} on Query { head { height } }`);
    expect(await refused(`{ ${repeat(1_000, (index) => `...F${index}`)} } ${fragments}`)).toMatchObject(
      tooComplex('graphql.tokens'),
    );
    // Within the limit of tokens, it costs no more than a regular document of the same size.
    const time = async (query: string): Promise<number> => {
      const start = performance.now();
      await (await target.post(query)).text();
      return performance.now() - start;
    };
    const fields = repeat(490, () => 'height');
    const honest = Math.min(
      ...(await Promise.all(
        [1, 2, 3].map((n) => time(`query Q${n} { head { ${repeat(490, (index) => `height @skip(if: false) #${index}\n`)} } }`)),
      )),
    );
    const hostile = Math.min(
      ...(await Promise.all([1, 2, 3].map((n) => time(`query Q${n} { head { ${fields} ${fields} ${fields} } }`)))),
    );
    expect(hostile).toBeLessThan(Math.max(1_000, honest * 30));
  });

  it('T5: 51 directives, and 300 unknown fields: five errors at most', async () => {
    expect(await refused(`query ${'@aa '.repeat(51)} { __typename }`)).toMatchObject(tooComplex('graphql.directives'));
    expect(await refused(`query ${'@aa '.repeat(50)} { __typename }`)).toHaveLength(5);
    expect(await refused(`{ head { ${repeat(300, (index) => `nope${index}`)} } }`)).toHaveLength(5);
    expect(await refused(`{ ${repeat(10_000, (index) => `nope${index}`)} }`)).toHaveLength(1);
  });

  it('T7: variables nested 10,000 deep, too many, too long, and with names of Object.prototype', async () => {
    const query = 'query ($v: JSON) { module(method: "cosmos.bank.v1beta1.Query/Params", request: $v) }';
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const wrong = (limit: string) => [{ extensions: { code: 'BAD_USER_INPUT', argument: 'v', limit } }];
    const rows = [
      // JSON that is too deep for any request is refused before it is parsed.
      [nested(10_000), [{ extensions: { code: 'BAD_USER_INPUT', limit: 'json.depth', max: 64 } }]],
      [nested(40), wrong('variables.depth')],
      [`[${nested(40)}, 12345678901234567890]`, wrong('variables.depth')],
    ] as const;
    for (const [value, errors] of rows) {
      const body = `{"query":${JSON.stringify(query)},"variables":{"v":${value}}}`;
      const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
      const response = await fetch(`${target.stack.server.url}/graphql`, { method: 'POST', headers, body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ errors });
    }
    expect(await refused(query, { v: Array.from({ length: 251 }, () => 1) })).toMatchObject(wrong('variables.items'));
    expect(await refused(query, { v: { a: 'x'.repeat(4_097) } })).toMatchObject(wrong('variables.string'));
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const variables = JSON.parse(`{ "v": { "${name}": { "polluted": true } } }`) as unknown;
      expect(await refused(query, variables)).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'v' } }]);
      const own = JSON.parse(`{ "${name}": { "polluted": true } }`) as unknown;
      expect(await refused('{ head { height } }', own)).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    // With a number of 17 digits, the variables are parsed again without loss.
    const response = await fetch(`${target.stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: `{"query":${JSON.stringify(query)},"variables":{"v":{"__proto__":{"polluted":12345678901234567}}}}`,
    });
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  it('T7: a transaction may be as long as a body', async () => {
    const { body } = await target.stack.ask('query ($anything: String!) { checkTx(tx: $anything) { code } }', {
      anything: `0x${'00'.repeat(3_000)}`,
    });
    expect(body.errors).toBeUndefined();
  });

  it('T8: an array of operations', async () => {
    const { url } = target.stack.server;
    const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
    const body = JSON.stringify(Array.from({ length: 1_000 }, () => ({ query: '{ head { height } }' })));
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  it('T9: errors contain no suggestions', async () => {
    for (const query of [
      '{ hed { height } }',
      '{ head { heigt } }',
      '{ block(heigh: 1) { height } }',
      'query ($a: Blok) { block(height: 1) { height } }',
    ]) {
      for (const { message } of await refused(query)) expect(message).not.toMatch(/did you mean/i);
    }
    const wrongEnum = 'query ($o: [EventCondition!]) { transactions(where: $o) { totalCount } }';
    for (const { message } of await refused(wrongEnum, { o: [{ key: 'a.b', op: 'EQUALS', value: '1' }] }))
      expect(message).not.toMatch(/did you mean/i);
  });

  it('T28: transactions that are neither hex nor base64; characters in quotes are used as they are', async () => {
    const check = (tx: string) => target.stack.ask('query ($tx: String!) { checkTx(tx: $tx) { code } }', { tx });
    for (const tx of ['0xZZ', '0x0', '0x 00', 'ab-_', 'ab cd', 'a', ''])
      expect((await check(tx)).body).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT', argument: 'tx' } }] });
    for (const tx of ['0x00', 'AAAA', '"abc"'])
      expect((await check(tx)).body).toMatchObject({ data: { checkTx: { code: 2 } } });
  });

  it('T31: a proof at height 1, which has no proof', async () => {
    const { body } = await target.stack.ask(
      '{ abciQuery(path: "/cosmos.bank.v1beta1.Query/Params", data: "", prove: true) { code log } }',
    );
    const log = 'cannot query with proof when height <= 1; please provide a valid height';
    expect(body.data).toMatchObject({ abciQuery: { code: '18', log: expect.stringContaining(log) } });
    expect(await refused('{ abciQuery(path: "/app/version", data: "", prove: "yes") { value } }')).toMatchObject([
      { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ]);
  });

  it('T29, T33: invalid integers, too large ones, and ones outside the list', async () => {
    for (const id of ['1.5', '1e3', 'true', '"+5"', '" 5"', '"0x10"', '"9223372036854775808"'])
      expect(await refused(`{ block(height: ${id}) { height } }`)).toMatchObject([
        { extensions: { code: expect.stringMatching(/BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED/) } },
      ]);
    for (const args of ['first: -1', 'first: 1000000000', 'offset: -1', 'offset: 25001']) {
      const { body } = await target.stack.ask(`{ groups(${args}) { nodes { id } } }`);
      expect(body.errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', bound: expect.stringMatching(/^from 0 to (100|25000)$/) } },
      ]);
    }
    const { body } = await target.stack.ask('{ group(id: "18446744073709551615") { id } }');
    expect(body).toMatchObject({ data: { group: null } });
  });

  it('T30: invalid heights, future heights and pruned heights', async () => {
    for (const height of ['-1', '0']) {
      const { body } = await target.stack.ask(`{ at(height: ${height}) { head { height } } }`);
      expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
    const { body } = await target.stack.ask('{ at(height: 1000000) { head { height } } }');
    expect(body.errors).toMatchObject([{ extensions: { code: 'HEIGHT_NOT_YET_AVAILABLE', height: '1000000' } }]);
  });

  it('T32, T34: an offset with a cursor; invalid cursors, cursors of another list, and long ones', async () => {
    const groups = (args: string) => target.stack.ask(`{ groups(${args}) { nodes { id } pageInfo { endCursor } } }`);
    const first = (await groups('first: 1')).body.data as { groups: { pageInfo: { endCursor: string } } };
    const cursor = first.groups.pageInfo.endCursor;
    expect((await groups(`offset: 1, after: "${cursor}"`)).body.errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', argument: 'offset' } },
    ]);
    for (const bad of ['nope', 'x'.repeat(4_000), Buffer.from('groups\n\nzz').toString('base64url')])
      expect((await groups(`after: "${bad}"`)).body.errors).toMatchObject([{ extensions: { code: 'BAD_CURSOR' } }]);
    const other = await target.stack.ask(`{ markers(after: "${cursor}") { nodes { denom } } }`);
    expect(other.body.errors).toMatchObject([{ extensions: { code: 'BAD_CURSOR' } }]);
  });

  it('T51: too many references, and references of unknown types', async () => {
    const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }';
    const many = Array.from({ length: 5_000 }, (_, id) => ({ __typename: 'Group', id: `${id}` }));
    const { body } = await target.stack.ask(query, { r: many });
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', limit: 'graphql.representations', max: 250 } }]);
    const some = await target.stack.ask(query, {
      r: [
        { __typename: 'Nope', id: '1' },
        { __typename: 'Group', id: '1', more: 'x' },
      ],
    });
    expect(some.body.data).toMatchObject({ _entities: [null, { __typename: 'Group' }] });
    expect(some.body.errors).toHaveLength(1);
  });

  it('a default of a variable counts as a given value', async () => {
    const references = repeat(100, (index) => `{ __typename: "Group", id: "${index + 1}" }`);
    const query = `query ($r: [_Any!]! = [${references}]) { _entities(representations: $r) { ... on Group { policies(first: 100) { nodes { proposals(first: 100) { nodes { id } } } } } } }`;
    expect(await refused(query)).toMatchObject([
      { extensions: { code: 'OPERATION_TOO_COMPLEX', limit: 'graphql.cost', value: expect.stringMatching(/^1\d{6}$/) } },
    ]);
    const list = (name: string) =>
      `query ($${name}: Int = 100) { groups(first: $${name}) { nodes { policies(first: 100) { nodes { proposals { nodes { id } } } } } } }`;
    for (const name of ['n', 'toString']) expect(await refused(list(name))).toMatchObject(tooComplex('graphql.cost'));
  });

  it('a document that costs more than the limit is refused with its cost; the cost is returned on request', async () => {
    const wide =
      '{ groups(first: 100) { nodes { policies(first: 100) { nodes { proposals(first: 100) { nodes { id } } } } } } }';
    expect(await refused(wide)).toMatchObject([
      { extensions: { code: 'OPERATION_TOO_COMPLEX', limit: 'graphql.cost', max: 25_000, value: '1020201' } },
    ]);
    // The cost of a fragment that doubles a hundred times is computed once for each fragment.
    const doubled = `{ head { ...F0 } } ${repeat(60, (index) => `fragment F${index} on Block { lastCommit { height } ...G${index} } fragment G${index} on Block { transactions { nodes { block { ...F${index + 1} } } } }`)} fragment F60 on Block { height }`;
    expect(await refused(doubled)).toMatchObject(tooComplex('graphql.depth'));
    const twice = `{ at(height: 1) { ...F0 } } ${repeat(60, (index) => `fragment F${index} on Snapshot { ...F${index + 1} ...F${index + 1} }`)} fragment F60 on Snapshot { head { height } }`;
    expect(await refused(twice)).toMatchObject(tooComplex('graphql.cost'));

    const asked = await fetch(`${target.stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ head { height } groups(first: 3) { nodes { id } } }', extensions: { cost: true } }),
    });
    expect(await asked.json()).toMatchObject({
      extensions: { cost: { requested: 5, max: 25_000, remaining: expect.any(Number) } },
    });
    expect(asked.headers.get('cache-status')).toBe('stele; fwd=miss');
  });
});
