import { once } from 'node:events';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createTrustedDocuments } from '../../../src/graphql/documents/requestParams.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { createAuth } from '../../../src/start/authSetup.ts';
import { runsAll } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, submitProposal, type TestGroup } from '../../support/groups.ts';
import { overEvents, overWebSocket } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { openSocket, post, type SentHeaders, send, type WireAnswer } from '../../support/wire.ts';
import { ways } from '../simulations/ways.ts';

const config = {
  kind: 'embedded',
  audience: undefined,
  clientsFile: undefined,
  keysFile: undefined,
  lifetime: 3600,
} as const;

/** Costs 1,200 points: more than a caller without a token may ask for in a document of its own. */
const trusted = 'query Trusted { groups(first: 100) { nodes { id members(first: 10) { nodes { weight } } } } }';

/** The same in a document that nobody trusts. */
const large = trusted.replace('Trusted', 'Large');

let chain: TestChain;
let group: TestGroup;
let stack: Stack;
let url: string;
let token: string;

async function start(limits: Record<string, number> = {}, scopes: readonly ('read' | 'introspect')[] = ['read']) {
  const created = await createAuth(config, { address: () => '', report: console.error, anonymousScopes: scopes });
  // The test is the proxy, and names the addresses of clients.
  const started = await startStack([chain.node.url], {
    client: { simulation: { everywhere: true } },
    server: {
      auth: created.auth,
      issuer: created.issuer,
      trustedProxies: ['127.0.0.1'],
      trustedDocuments: createTrustedDocuments({ trusted }),
      limits: { 'rate.computing': 0, ...limits },
    },
  });
  return { started, token: (await created.devnetToken?.()) ?? '' };
}

beforeAll(async () => {
  chain = await startChain();
  const [one, two] = chain.accounts;
  group = await createGroup(chain, [
    [one!, '1'],
    [two!, '1'],
  ]);
  await submitProposal(chain, group, one!, { title: 'Roof' });
  ({ started: stack, token } = await start());
  ({ url } = stack.server);
});

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

const bearer = (): SentHeaders => ({ authorization: `Bearer ${token}` });

/** The status of a response, and what its first error names: the limit, or the code. */
function outcomeOf({ status, body }: WireAnswer): readonly [number, unknown] {
  const { errors, error, code, data } = JSON.parse(body) as {
    errors?: readonly { extensions: { code: string; limit?: string } }[];
    /** The node RPC. */
    error?: string;
    code?: unknown;
    data?: { rehearse?: { cause: string } };
  };
  const ofGraphQL = errors?.[0]?.extensions;
  return [status, ofGraphQL?.limit ?? ofGraphQL?.code ?? error ?? code ?? data?.rehearse?.cause];
}

const type = { 'content-type': 'application/json' };
const postJson = (path: string, body: object, headers: SentHeaders = {}): Promise<WireAnswer> =>
  send(url + path, { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) });

const open = '{ groups(first: 1, reverse: true) { nodes { id proposals(first: 1) { nodes { title tally { yesCount } } } } } }';
const foreign = 'https://anywhere.example';

describe('--public read', () => {
  it('answers GraphQL, REST, /v1 and the node RPC without a token', async () => {
    expect(JSON.parse((await post(url, open)).body)).toMatchObject({
      data: { groups: { nodes: [{ proposals: { nodes: [{ title: 'Roof', tally: { yesCount: '0' } }] } }] } },
    });
    for (const path of [
      `/graphql?query=${encodeURIComponent(open)}`,
      '/cosmos/group/v1/groups',
      '/rest/cosmos/group/v1/groups',
      '/v1/holders/nhash',
      '/status',
      '/comet/status',
      '/openapi/application.json',
      '/docs',
    ])
      expect([path, (await send(url + path)).status]).toEqual([path, 200]);
  });

  /** What a caller without a token cannot do: how it tries, and the status and the code, limit or cause of the refusal. */
  const refusals: readonly (readonly [
    what: string,
    attempt: () => Promise<WireAnswer>,
    refusal: readonly [number, unknown],
  ])[] = [
    [
      'send a transaction by a mutation',
      () => post(url, 'mutation { broadcastTxSync(tx: "AA==") { hash } }'),
      [403, 'FORBIDDEN'],
    ],
    [
      'send a transaction and follow it',
      () => post(url, 'subscription { submitTx(tx: "AA==") { __typename } }', { accept: 'application/graphql-response+json' }),
      [403, 'FORBIDDEN'],
    ],
    [
      'send a transaction by the node RPC',
      () => postJson('/', { jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params: { tx: 'AA==' } }),
      [403, 'A token with the scope `broadcast` is required.'],
    ],
    [
      'send a transaction by REST',
      () => postJson('/rest/cosmos/tx/v1beta1/txs', { tx_bytes: 'AA==', mode: 'BROADCAST_MODE_SYNC' }),
      [403, 7],
    ],
    ['read the schema by introspection', () => post(url, '{ __schema { queryType { name } } }'), [403, 'FORBIDDEN']],
    ['read the schema as a text', () => send(`${url}/schema.graphql`), [403, 'FORBIDDEN']],
    [
      'rehearse messages',
      () => post(url, `{ rehearse(groupPolicyAddress: "${group.policy}", messages: []) { cause } }`),
      [200, 'NO_TOKEN'],
    ],
    ['ask for much in a document of its own', () => post(url, large), [200, 'anonymous.cost']],
    ['send a token that is not valid', () => post(url, open, { authorization: 'Bearer a.b.c' }), [401, 'UNAUTHENTICATED']],
    ['use another scheme', () => post(url, open, { authorization: 'Basic YTpi' }), [401, 'UNAUTHENTICATED']],
    ['put a token into the URL', () => send(`${url}/v1/holders/nhash?access_token=a.b.c`), [401, 'UNAUTHENTICATED']],
  ];

  it.each(refusals)('a caller without a token cannot %s', async (_what, attempt, refusal) => {
    chain.node.counters.reset();
    expect(outcomeOf(await attempt())).toEqual(refusal);
    expect(chain.node.counters.byMethod).not.toHaveProperty('broadcast_tx_sync');
  });

  it.runIf(runsAll)('nor simulate by any way in, on a server that simulates everything for others', async () => {
    const [from, to] = chain.accounts;
    const amount = [{ denom: 'nhash', amount: '1' }];
    const tx = chain.sign(from!, [any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount })]);
    chain.node.counters.reset();
    const answers = await Promise.all(Object.entries(ways).map(async ([name, way]) => [name, (await way(url, '', tx)).text]));
    const other = /the query cannot be live|must be a Query method|"Not found\."|Not Implemented|with the scope/;
    expect(answers.filter(([, text]) => !/needs a token with the scope/.test(text!) && !other.test(text!))).toEqual([]);
    const simulations = chain.node.counters.log.filter(({ params }) => /simulat|CalculateTxFees/i.test(JSON.stringify(params)));
    expect(simulations).toEqual([]);
  });

  it('a token allows what it allows elsewhere, and its answers are not those of callers without one', async () => {
    const small = { ...bearer(), accept: 'application/json' };
    expect(outcomeOf(await post(url, '{ __schema { queryType { name } } }', small))).toEqual([200, undefined]);
    const [first, ...others] = await Promise.all([post(url, large), post(url, large, bearer()), post(url, large)]);
    expect([first, ...others].map((answer) => outcomeOf(answer!))).toEqual([
      [200, 'anonymous.cost'],
      [200, undefined],
      [200, 'anonymous.cost'],
    ]);
  });

  it('a trusted document may cost more, by its id and as a text', async () => {
    expect(outcomeOf(await postJson('/graphql', { documentId: 'trusted' }))).toEqual([200, undefined]);
    const { started } = await start({ 'anonymous.cost': 0 });
    const asks = [{ documentId: 'trusted' }, { query: trusted }, { query: '{ head { height } }' }];
    const outcomes = await Promise.all(
      asks.map((body) => send(`${started.server.url}/graphql`, { method: 'POST', headers: type, body: JSON.stringify(body) })),
    );
    expect(outcomes.map(outcomeOf)).toEqual([
      [200, undefined],
      [200, undefined],
      [200, 'anonymous.cost'],
    ]);
    await started.close();
  });

  it('streams go without a token over server-sent events and WebSockets, where the first message may still bring one', async () => {
    for (const listen of [overEvents, overWebSocket]) {
      const listener = await listen(url, 'subscription { newBlock(after: "1") { height } }', {});
      await listener.count(1);
      expect(listener.answers[0]).toMatchObject({ data: { newBlock: { height: '2' } } });
      await listener.leave();
    }
    const schema = 'query @live { groups(first: 100) { nodes { id members(first: 10) { nodes { weight } } } } }';
    const withToken = await overWebSocket(url, schema, {}, token);
    await withToken.count(1);
    await withToken.leave();
    expect(await openSocket(url, { params: { authorization: 'Bearer a.b.c' } })).toBe(4403);
    expect(await openSocket(url, { headers: { origin: foreign } })).toBe(403);
  });

  it.runIf(runsAll)('with `introspect` everybody may read the schema', async () => {
    const { started } = await start({}, ['read', 'introspect']);
    expect(outcomeOf(await post(started.server.url, getIntrospectionQuery()))).toEqual([200, undefined]);
    const mixed = `query Mixed { __schema { queryType { name } } ${large.slice(large.indexOf('{') + 1)}`;
    expect(outcomeOf(await post(started.server.url, mixed))).toEqual([200, 'anonymous.cost']);
    expect((await send(`${started.server.url}/schema.graphql`)).status).toBe(200);
    await started.close();
  });
});

describe('pages of every origin', () => {
  const preflight = (path: string, headers: string, method = 'POST'): Promise<WireAnswer> =>
    send(url + path, {
      method: 'OPTIONS',
      headers: { origin: foreign, 'access-control-request-method': method, 'access-control-request-headers': headers },
    });

  it('may send GET and POST without a token to the data, and never with credentials', async () => {
    for (const path of ['/graphql', '/v1/holders/nhash', '/rest/cosmos/group/v1/groups', '/', '/openapi/node.json']) {
      const { status, headers } = await preflight(path, 'content-type');
      expect([path, status, headers]).toMatchObject([
        path,
        204,
        {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
          'access-control-allow-headers': 'content-type',
        },
      ]);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    const answers = await Promise.all([
      post(url, open, { origin: foreign, 'sec-fetch-site': 'cross-site' }),
      send(`${url}/v1/holders/nhash`, { headers: { origin: foreign, 'sec-fetch-site': 'cross-site' } }),
      post(url, large, { origin: foreign }),
    ]);
    for (const { status, headers } of answers) {
      expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
      expect(headers['access-control-expose-headers']).toContain('retry-after, ratelimit, ratelimit-policy');
    }
  });

  it('get nothing with a token, and neither tokens nor pages', async () => {
    const asked = [
      await preflight('/graphql', 'content-type, Authorization'),
      await preflight('/graphql', 'content-type', 'DELETE'),
      await preflight('/oauth/token', 'content-type'),
      await preflight('/playground/token', 'accept'),
      await post(url, open, { origin: foreign, ...bearer() }),
      await send(`${url}/playground/token`, { headers: { origin: foreign } }),
    ];
    expect(asked.map(({ headers }) => headers['access-control-allow-origin'])).toEqual(asked.map(() => undefined));
    expect(asked.at(-1)?.status).toBe(403);
  });
});

describe('the limits of an address without a token', () => {
  it.runIf(runsAll)('are in `RateLimit` and `RateLimit-Policy` of each answer, and every 429 has `Retry-After`', async () => {
    const limits = { 'anonymous.points': 600, 'anonymous.totalPoints': 6_000, 'subscriptions.caller': 1 };
    const { started } = await start(limits);
    const { url: at } = started.server;
    const from = (address: string): SentHeaders => ({ 'x-forwarded-for': address });
    const policy = '"anonymous.points";q=600;w=60;stele-unit=points, "anonymous.totalPoints";q=6000;w=60;stele-unit=points';

    const first = await post(at, '{ head { height } }', from('192.0.2.1'));
    expect(first.headers['ratelimit-policy']).toBe(policy);
    // The request has cost one point. Its bucket is full again in a tenth of a second.
    expect(first.headers.ratelimit).toMatch(
      /^"anonymous.points";r=(599|600);t=[01], "anonymous.totalPoints";r=(5999|6000);t=[01]$/,
    );
    const read = await send(`${at}/v1/holders/nhash`, { headers: from('192.0.2.1') });
    expect(read.headers.ratelimit).toMatch(/^"anonymous.points";r=4\d\d;t=\d+, "anonymous.totalPoints";r=5\d{3};t=\d+$/);

    const stream = await overEvents(at, 'subscription { newBlock { height } }', {});
    const full = await post(at, 'subscription { newBlock { height } }', { accept: 'application/graphql-response+json' });
    expect([full.status, full.headers['retry-after']]).toEqual([429, '1']);
    await stream.leave();

    const flooded = await Promise.all(
      Array.from({ length: 80 }, (_, key) =>
        post(at, `query Q${key} { groups(first: 9) { nodes { id } } }`, from('192.0.2.2')),
      ),
    );
    const refused = flooded.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(10);
    for (const { headers } of refused) {
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(headers['ratelimit-policy']).toBe('"anonymous.points";q=600;w=60;stele-unit=points');
      expect(headers.ratelimit).toBe(`"anonymous.points";r=${headers['ratelimit-remaining']};t=${headers['retry-after']}`);
    }
    expect((await post(at, open, { ...from('192.0.2.2'), ...bearer() })).headers).not.toHaveProperty('ratelimit');
    await started.close();
  });

  it.runIf(runsAll)('a flood from one address gets its points and no more, and takes none from the others', async () => {
    const limits = { 'anonymous.points': 300, 'anonymous.totalPoints': 3_000 };
    const { started } = await start(limits);
    const { url: at } = started.server;
    const ask = (address: string, key: number): Promise<WireAnswer> =>
      post(at, `query Q${key} { groups(first: 9) { nodes { id } } }`, { 'x-forwarded-for': address });
    await ask('192.0.2.9', 0);
    chain.node.counters.reset();
    // Each costs 10 points, one of them when it arrives, and each is another document. The clock goes on, so a few more may pass.
    const flood = Array.from({ length: 60 }, (_, key) => ask('192.0.2.1', 100 + key));
    const others = Array.from({ length: 20 }, (_, index) => ask(`192.0.2.${index + 10}`, index));
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(45);
    // What the others read was read once, whoever asked first.
    expect(chain.node.counters.calls).toBeLessThan(10);
    await started.close();
  });

  it.runIf(runsAll)('a flood waits before it has spent its points, and others do not wait', async () => {
    const { started } = await start({ 'anonymous.points': 300, 'anonymous.concurrent': 1 });
    const { url: at } = started.server;
    const order: string[] = [];
    const ask = async (address: string, name: string): Promise<number> => {
      const { status } = await post(at, '{ head { height } }', { 'x-forwarded-for': address });
      order.push(name);
      return status;
    };
    // From the twelfth part of its points on, each request of the address waits.
    for (let index = 0; index < 60; index += 1) await ask('192.0.2.1', 'first');
    order.length = 0;
    const flood = Array.from({ length: 30 }, () => ask('192.0.2.1', 'flood'));
    const others = Array.from({ length: 20 }, (_, index) => ask(`192.0.2.${index + 2}`, 'other'));
    expect(await Promise.all([...flood, ...others])).toEqual(Array(50).fill(200));
    expect(order.slice(order.lastIndexOf('other')).length).toBeGreaterThan(10);
    await started.close();
  });

  it.runIf(runsAll)('messages of a WebSocket wait like requests, and others do not wait', async () => {
    const { started } = await start({ 'anonymous.points': 300, 'anonymous.concurrent': 1 });
    const { url: at } = started.server;
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    for (let index = 0; index < 60; index += 1) await post(at, '{ head { height } }', headers);
    const order: string[] = [];
    const socket = new WebSocket(`${at.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init' }));
    await once(socket, 'message');
    const last = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const { type: kind } = JSON.parse(String(data)) as { type: string };
        if (kind === 'complete') order.push('flood');
        if (order.filter((name) => name === 'flood').length === 30) resolve();
      });
    });
    for (let id = 0; id < 30; id += 1)
      socket.send(JSON.stringify({ id: `${id}`, type: 'subscribe', payload: { query: '{ head { height } }' } }));
    for (let other = 2; other < 12; other += 1) {
      await post(at, '{ head { height } }', { 'x-forwarded-for': `192.0.2.${other}` });
      order.push('other');
    }
    await last;
    expect(order.slice(order.lastIndexOf('other')).length).toBeGreaterThan(10);
    socket.terminate();
    await started.close();
  });

  it.runIf(runsAll)('a flood waits after 600 refusals, before its requests are read, and others do not wait', async () => {
    const { started, token: own } = await start({ 'rate.points': 10, 'rate.burst': 10 });
    const { url: at } = started.server;
    const flooding = { authorization: `Bearer ${own}` };
    const ask = (headers: SentHeaders): Promise<WireAnswer> => post(at, '{ head { height } }', headers);
    const flood = async (count: number): Promise<number> => {
      const answers = await Promise.all(Array.from({ length: count }, () => ask(flooding)));
      return answers.filter(({ status }) => status === 429).length;
    };
    let refused = 0;
    while (refused < 550) refused += await flood(50);
    // Nobody has waited yet. Now the caller owes 200 refusals, which is 20 s, less what has passed meanwhile.
    await flood(200);
    const leaving = new AbortController();
    const order: string[] = [];
    const next = fetch(`${at}/graphql?query={head{height}}`, {
      headers: flooding,
      signal: leaving.signal,
    }).finally(() => order.push('flood'));
    next.catch(() => undefined);
    for (let other = 2; other < 12; other += 1) expect((await ask({ 'x-forwarded-for': `192.0.2.${other}` })).status).toBe(200);
    order.push('others');
    leaving.abort();
    await expect(next).rejects.toThrow('aborted');
    expect(order).toEqual(['others', 'flood']);
    await started.close();
  });
});
