import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/chain/wire/json.ts';
import { camelCased, readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { type Answer, type Stack, startStack } from '../../support/stack.ts';

let node: ReplayNode;
let stack: Stack;

beforeAll(async () => {
  node = await createReplayNode();
  stack = await startStack([node.url]);
});
afterAll(async () => {
  await stack.close();
  await node.close();
});

/** Calls a method through `Query.module`. */
async function ask(method: string, request: unknown, height?: string): Promise<Answer<{ module: unknown }>> {
  const document = 'query ($method: String!, $request: JSON) { module(method: $method, request: $request) }';
  const answer = await stack.ask(
    document,
    { method, request },
    height === undefined ? {} : { 'x-cosmos-block-height': height },
  );
  return answer as Answer<{ module: unknown }>;
}

/** The error for a height that the chain does not have, and for a request that it rejects. */
function codeOf(code: number, log: string): string {
  if (code === 26 || log.includes('cannot query with height in the future')) return 'HEIGHT_NOT_YET_AVAILABLE';
  return 'ABCI_QUERY_FAILED';
}

/** Rows that `Query.module` cannot call. */
const elsewhere: Readonly<Record<string, string>> = {
  'Proposal 3 at -1': 'a height below 0 is refused before anything is asked',
  'Proposal 3 at 1000566': 'the header names a height that no node has: refused before anything is asked',
};

describe('Query.module returns the recorded response of a real node', () => {
  const rows = readRecording('queries');

  it.each(
    some(
      rows.filter(({ name }) => elsewhere[name] === undefined),
      12,
    ).map((row) => [`${row.name} ${row.request} at ${row.height}`, row] as const),
  )('the recorded response of %s', async (_, { path, requestJson, response, decoded, height }) => {
    const { body } = await ask(path.slice(1), requestJson, height === '0' ? undefined : height);
    if (response.code !== 0) {
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: codeOf(response.code, response.log) });
      return;
    }
    expect(body.errors).toBeUndefined();
    expect(body.data!.module).toEqual(camelCased(decoded as JsonValue));
  });

  it('all rows but two can be called', () => {
    expect(
      rows
        .filter(({ name }) => elsewhere[name] !== undefined)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(Object.keys(elsewhere));
  });
});

describe('modules', () => {
  it.runIf(runsAll)('leaves out the services of which the application has no method, and asks for each once', async () => {
    const absent = ['testpb.Query', 'cosmos.protocolpool.v1.Query', 'cosmos.base.reflection.v2alpha1.ReflectionService'];
    // The first method of a service that has others.
    const lacking = '/cosmos.bank.v1beta1.Query/Balance';
    const response = { code: 6, log: 'unknown query path: unknown request', info: '', index: '0', key: null, value: null };
    await using own = await createReplayNode({
      instead: (_method, { path }) =>
        path === lacking || absent.some((name) => String(path).startsWith(`/${name}/`))
          ? { result: { response: { ...response, proofOps: null, height: '0', codespace: 'sdk' } } }
          : undefined,
    });
    const served = await startStack([own.url]);
    const names = async (): Promise<string[]> => {
      const { body } = await served.ask('{ modules { name } }');
      return (body.data as { modules: { name: string }[] }).modules.map(({ name }) => name);
    };
    const found = await names();
    expect(found.filter((name) => absent.includes(name))).toEqual([]);
    expect(found).toEqual(
      expect.arrayContaining(['cosmos.bank.v1beta1.Query', 'cosmos.base.reflection.v1beta1.ReflectionService']),
    );
    const probes = () =>
      own.calls.filter(({ params }) => params.data === 'ff' && String(params.path).includes('.Query/')).length;
    const before = probes();
    expect(before).toBeGreaterThan(40);
    expect(await names()).toEqual(found);
    expect(probes()).toBe(before);
    expect(own.unrecorded).toEqual([]);
    await served.close();
  });
});

describe('a request', () => {
  const proposal = 'cosmos.group.v1.Query/Proposal';

  it('may use snake_case, a slash before the method, numbers of any size, and a literal in the document', async () => {
    const { body } = await stack.ask(
      `{ a: module(method: "/${proposal}", request: { proposal_id: 3 }) b: module(method: "${proposal}", request: { proposalId: "3" }) }`,
    );
    const { a, b } = body.data as { a: unknown; b: unknown };
    expect(a).toMatchObject({ proposal: { id: '3' } });
    expect(b).toEqual(a);
    const large = await stack.ask(`{ module(method: "${proposal}", request: { proposalId: 18446744073709551614 }) }`);
    expect(node.calls.at(-1)?.request).toEqual({ proposalId: '18446744073709551614' });
    expect(large.body.errors).toBeDefined();
    expect((await ask('cosmos.bank.v1beta1.Query/Params', undefined)).body.data!.module).toMatchObject({ params: {} });
  });

  it.each([
    ['cosmos.bank.v1beta1.Query/Nope', {}, 'method'],
    ['cosmos.bank.v1beta1.Msg/Send', {}, 'method'],
    ['cosmos.tx.v1beta1.Service/BroadcastTx', {}, 'method'],
    ['../store/bank/key', {}, 'method'],
    ['cosmos.bank.v1beta1.Query/AllBalances', [], 'request'],
    ['cosmos.bank.v1beta1.Query/AllBalances', 'text', 'request'],
    ['cosmos.bank.v1beta1.Query/AllBalances', { adress: 'x' }, 'request.adress'],
    ['cosmos.bank.v1beta1.Query/AllBalances', { address: 5 }, 'request.address'],
    ['cosmos.bank.v1beta1.Query/AllBalances', { pagination: { limit: -1 } }, 'request.pagination.limit'],
    ['cosmos.bank.v1beta1.Query/AllBalances', { pagination: { limit: '18446744073709551616' } }, 'request.pagination.limit'],
    ['cosmos.bank.v1beta1.Query/AllBalances', { address: 'a', pagination: { lim: 1 } }, 'request.pagination.lim'],
    ['cosmos.bank.v1beta1.Query/AllBalances', { pagination: 7 }, 'request.pagination'],
    ['cosmos.bank.v1beta1.Query/AllBalances', { pagination: { key: '%%' } }, 'request.pagination.key'],
    ['provenance.marker.v1.Query/AllMarkers', { status: 'MARKER_STATUS_NEW' }, 'request.status'],
  ])('is rejected with the name of the invalid field, without a call: %s %j', async (method, request, argument) => {
    await ask('cosmos.bank.v1beta1.Query/Params', {});
    const before = node.calls.length;
    const { body } = await ask(method, request);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument });
    expect(node.calls.slice(before).filter(({ path }) => path !== undefined)).toEqual([]);
  });

  it('is read once for all operations at one height', async () => {
    await using fresh = await createReplayNode();
    const other = await startStack([fresh.url]);
    const document = `{ a: module(method: "${proposal}", request: { proposalId: 4 }) b: module(method: "${proposal}", request: { proposalId: 4 }) }`;
    await Promise.all([other.ask(document), other.ask(`${document} `)]);
    expect(fresh.calls.filter(({ path }) => path === `/${proposal}`)).toHaveLength(1);
    await other.close();
  });

  it('that describes the node is called again for each operation', async () => {
    const before = node.calls.length;
    for (let time = 0; time < 2; time += 1) await ask('cosmos.base.tendermint.v1beta1.Service/GetNodeInfo', {});
    expect(node.calls.slice(before).filter(({ path }) => path?.endsWith('/GetNodeInfo'))).toHaveLength(2);
  });
});

describe('Query.modules', () => {
  interface Service {
    readonly name: string;
    readonly methods: readonly {
      readonly name: string;
      readonly requestType: string;
      readonly responseType: string;
      readonly requestSchema: { readonly properties: Record<string, unknown>; readonly $defs?: Record<string, unknown> };
    }[];
  }

  it('lists the query services that the chain describes', async () => {
    const { body } = await stack.ask('{ modules { name } }');
    const names = (body.data as { modules: Service[] }).modules.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['provenance.exchange.v1.Query', 'cosmos.base.tendermint.v1beta1.Service']));
    expect(names).toEqual(names.toSorted());
    expect(names.filter((name) => name.endsWith('.Msg') || name.startsWith('google.'))).toEqual([]);
  });

  it('returns the JSON Schemas of requests and responses', async () => {
    const { body } = await stack.ask(
      '{ modules(prefix: "provenance.exchange.v1") { name methods { name requestType responseType requestSchema responseSchema } } }',
    );
    const [exchange, ...others] = (body.data as { modules: Service[] }).modules;
    expect([exchange?.name, others]).toEqual(['provenance.exchange.v1.Query', []]);
    const orders = exchange!.methods.find(({ name }) => name === 'provenance.exchange.v1.Query/GetMarketOrders')!;
    expect(orders).toMatchObject({
      requestType: 'provenance.exchange.v1.QueryGetMarketOrdersRequest',
      responseType: 'provenance.exchange.v1.QueryGetMarketOrdersResponse',
    });
    expect(orders.requestSchema.properties).toMatchObject({
      marketId: { type: 'integer', minimum: 0 },
      afterOrderId: { type: 'string', pattern: '^\\d+$' },
      pagination: { $ref: '#/$defs/cosmos.base.query.v1beta1.PageRequest' },
    });
    expect(Object.keys(orders.requestSchema.$defs!)).toEqual(['cosmos.base.query.v1beta1.PageRequest']);
  });
});
