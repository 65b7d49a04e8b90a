import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { scopeAddresses } from '../../../packages/devnet/src/app/world/scopes.ts';
import { tokens } from '../../../packages/devnet/src/app/world/tokens.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeTransfersAndPrices } from '../../support/transfersAndPrices.ts';
import { send } from '../../support/wire.ts';
import { ask, askAt } from './request.ts';

let chain: TestChain;
let stack: Stack;
let address: string;

beforeAll(async () => {
  chain = await startChain();
  address = chain.accounts[0]!.address;
  const height = await makeTransfersAndPrices(chain);
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});
afterEach(() => expect(stack.masked).toEqual([]));

const vary =
  'Authorization, Origin, x-cosmos-block-height, x-block-time, x-min-height, Accept-Encoding, accept-proof, accept-quorum';

describe('the height of a response', () => {
  it('is the head, in the body and in the header, and clients must revalidate the response', async () => {
    const { headers, body } = await ask(stack, 'metadata/nhash');
    const { height, time } = stack.client.head.current()!;
    expect([body.blockHeight, body.blockTime]).toEqual([height.toString(), time]);
    expect(headers.get('x-cosmos-block-height')).toBe(height.toString());
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['no-cache', vary]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('is the requested one, and then clients may cache the response for a day', async () => {
    const { headers, body } = await askAt(stack, 3, `balances/${address}`);
    const { body: graph } = await stack.ask('{ at(height: 3) { head { time } } }');
    expect(body.blockHeight).toBe('3');
    expect(graph.data).toEqual({ at: { head: { time: body.blockTime } } });
    expect(headers.get('x-cosmos-block-height')).toBe('3');
    expect(headers.get('cache-control')).toBe('private, max-age=86400, immutable');
    expect(headers.get('vary')).toBe(vary);
    const url = `${stack.server.url}/v1/balances/${address}`;
    const atTime = await fetch(url, { headers: { 'x-block-time': String(body.blockTime) } });
    expect([atTime.headers.get('x-cosmos-block-height'), atTime.headers.get('cache-control')]).toEqual([
      '3',
      'private, max-age=86400, immutable',
    ]);
  });

  it.each([`transfers/ADDRESS`, 'transfers?denom=nhash', 'netAssetValues/nhash?history=true'])(
    'does not make %s one to keep: an index is written behind the block',
    async (path) => {
      const { status, headers } = await askAt(stack, 3, path.replace('ADDRESS', address));
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      const again = await askAt(stack, 3, path.replace('ADDRESS', address));
      expect(again.headers.get('cache-status')).toBe('stele; fwd=miss');
    },
  );

  it('is the head if the request specifies 0, and then clients must revalidate the response', async () => {
    const { headers, body } = await askAt(stack, 0, 'metadata/nhash');
    expect(body.blockHeight).toBe(stack.client.head.current()!.height.toString());
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  it('is waited for if the request specifies a minimum', async () => {
    const next = chain.devnet.height + 1n;
    const waiting = ask(stack, 'metadata/nhash', { 'x-min-height': next.toString() });
    expect((await ask(stack, 'metadata/nhash')).body.blockHeight).toBe((next - 1n).toString());
    await chain.devnet.commit();
    expect((await waiting).body.blockHeight).toBe(next.toString());
  });

  it.each([
    ['-1', 400, 'BAD_USER_INPUT', { bound: 'a height in decimal' }],
    ['1e3', 400, 'BAD_USER_INPUT', { bound: 'a height in decimal' }],
    ['99999999', 400, 'HEIGHT_NOT_YET_AVAILABLE', { height: '99999999' }],
  ])('%s is rejected with %i %s', async (height, status, code, facts) => {
    const answer = await askAt(stack, height as never, 'metadata/nhash');
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code, message: expect.any(String), ...facts });
    if (code === 'BAD_USER_INPUT') expect(answer.body.field).toBe('x-cosmos-block-height');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('a block that is committed during a read', () => {
  it('does not affect the response', async () => {
    const at = chain.devnet.height;
    const path = `balances/${address}`;
    const before = (await askAt(stack, at, path)).body;
    const fresh = await startStack([chain.node.url], { client: { learnsRoots: false } });
    try {
      await fresh.client.head.waitFor(at, { milliseconds: 30_000 });
      const [from, to] = [chain.accounts[0]!.address, chain.accounts[1]!.address];
      const amount = [tokens.gold, 'nhash'].map((denom) => ({ denom, amount: '7' }));
      await chain.submit(chain.accounts[0]!, any(MsgSendSchema, { fromAddress: from, toAddress: to, amount }));
      const held: { release?: () => void } = {};
      chain.node.faults.gate = new Promise<void>((resolve) => {
        held.release = resolve;
      });
      const asked = new Promise<void>((resolve) => {
        chain.node.onCall = ({ method }) => void (method === 'abci_query' && resolve());
      });
      chain.node.counters.reset();
      const running = ask(fresh, path);
      await asked;
      const next = await chain.devnet.commit();
      held.release!();
      expect((await running).body).toEqual(before);
      const heights = chain.node.counters.log.flatMap(({ method, params }) =>
        method === 'abci_query' ? [(params as { height: string }).height] : [],
      );
      expect(new Set(heights)).toEqual(new Set([at.toString()]));
      chain.node.heal();
      await fresh.client.head.waitFor(next, { milliseconds: 30_000 });
      const after = (await ask(fresh, path)).body;
      expect(after.blockHeight).toBe(next.toString());
      expect(after.items).not.toEqual(before.items);
      expect((await askAt(fresh, at, path)).body).toEqual(before);
    } finally {
      chain.node.heal();
      chain.node.onCall = undefined;
      await fresh.close();
    }
  });
});

describe('a response at a height', () => {
  it('is served from the cache to every client, for 1 point, until the next block', async () => {
    const costs: (number | undefined)[] = [];
    const log = { request: ({ cost }: { cost: number | undefined }) => void costs.push(cost), dropped: () => 0 };
    const fresh = await startStack([chain.node.url], { server: { log } });
    try {
      await fresh.client.head.ready({ milliseconds: 5000 });
      const first = await ask(fresh, `holders/${tokens.gold}?pagination.pageSize=2`);
      chain.node.counters.reset();
      const second = await ask(fresh, `holders/${tokens.gold}?pagination.pageSize=2`);
      expect(second.body).toEqual(first.body);
      expect([first, second].map(({ headers }) => headers.get('cache-status'))).toEqual(['stele; fwd=miss', 'stele; hit']);
      expect(costs).toEqual([21, 1]);
      expect(chain.node.counters.log.filter(({ method }) => method === 'abci_query')).toEqual([]);
      // With the height in the request, the response is the same, and cacheable.
      const named = await askAt(fresh, chain.devnet.height, `holders/${tokens.gold}?pagination.pageSize=2`);
      expect(named.body).toEqual(first.body);
      expect(named.headers.get('cache-control')).toBe('private, max-age=86400, immutable');
    } finally {
      await fresh.close();
    }
  });

  it('a hundred concurrent requests make each read once', async () => {
    const fresh = await startStack([chain.node.url], { client: { learnsRoots: false } });
    try {
      await fresh.client.head.ready({ milliseconds: 5000 });
      chain.node.counters.reset();
      const all = await Promise.all(Array.from({ length: 100 }, () => ask(fresh, 'metadata/nhash')));
      expect(new Set(all.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      const reads = chain.node.counters.log.filter(({ method }) => method === 'abci_query');
      expect(reads).toHaveLength(4);
    } finally {
      await fresh.close();
    }
  });
});

describe('an absent object', () => {
  it.each([
    ['metadata/nothing', 'denom'],
    ['metadata/nft/nothing', 'denom'],
    ['scopes/99999999-2222-4333-8444-555555555555', 'scopeId'],
    ['netAssetValues/nothing', 'asset'],
    ['netAssetValues/nothing?history=true', 'asset'],
    ['netAssetValues/99999999-2222-4333-8444-555555555555', 'asset'],
  ])('%s is 404', async (path, field) => {
    const { status, body, headers } = await askAt(stack, 3, path);
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'NOT_FOUND', field, bound: expect.any(String) });
    expect([headers.get('cache-control'), headers.get('x-cosmos-block-height')]).toEqual(['no-store', '3']);
  });

  it.each(['holders/nothing', 'balances/tp1qurswpc8qurswpc8qurswpc8qurswpc8fkfn0h', 'transfers?denom=nothing'])(
    '%s is an empty list',
    async (path) => {
      const { status, body } = await ask(stack, path);
      expect(status).toBe(200);
      expect(body).toMatchObject({ items: [], pagination: { nextCursor: null, hasMore: false } });
    },
  );

  it.each(['', 'x', 'balances', 'balances/', 'balances/a/b', 'scopes/a/b', 'metadata/', 'transfers/', 'Balances/x'])(
    'there is nothing at /v1/%s',
    async (path) => {
      const { status, body } = await send(`${stack.server.url}/v1/${path}`);
      expect([status, JSON.parse(body)]).toEqual([404, { code: 'BAD_USER_INPUT', message: 'Not found.' }]);
    },
  );
});

describe('bad input', () => {
  const good = 'tp16klf3cny45skpulz4kazm9dx9fd44usmuglaar';
  it.each([
    ['balances/nonsense', 'address', 'a bech32 address'],
    [`balances/${good.slice(0, -1)}x`, 'address', 'a bech32 address'],
    ['balances/%2e%2e%2fx', 'address', 'a bech32 address'],
    ['balances/%00', 'address', 'a bech32 address'],
    ['balances/%zz', 'address', 'percent-encoded UTF-8'],
    ['balances/%ff', 'address', 'percent-encoded UTF-8'],
    [`balances/${good}?priceDenom=1`, 'priceDenom', /^a denom: /],
    [
      `balances/${good}?limit=5`,
      'limit',
      /^absent: the parameters of this path are priceDenom, pagination\.cursor, pagination\.pageSize$/,
    ],
    [`balances/${good}?address=${good}`, 'address', /^absent: /],
    [`balances/${good}?priceDenom=usd&priceDenom=usd`, 'priceDenom', 'given once'],
    [`balances/${good}?__proto__=x`, '__proto__', /^absent: /],
    ['metadata/1x', 'denom', /^a denom: /],
    ['metadata/nhas%2568', 'denom', /^a denom: /],
    [`metadata/${'a'.repeat(129)}`, 'denom', /^a denom: /],
    ['scopes/nonsense', 'scopeId', /^a `scope1…` address/],
    ['scopes/scopespec1qsg3zyg3yg3yxvuyg3242424242shk3a23', 'scopeId', /^a `scope1…` address/],
    ['netAssetValues/nft/scope1x', 'asset', /^a `scope1…` address/],
    ['netAssetValues/nhash?history=yes', 'history', '`true` or `false`'],
    ['transfers', 'address', 'given unless `denom` is given'],
    ['transfers?denom=nhash&direction=IN', 'direction', 'absent unless `address` is given'],
    [`transfers/${good}?direction=in`, 'direction', 'one of IN, OUT'],
    [`transfers/${good}?kinds=SEND,`, 'kinds', /^one of SEND, /],
    ['transfers?address=x', 'address', 'a bech32 address'],
  ])('%s is rejected with its field and bound, without a call of a node', async (path, field, bound) => {
    chain.node.counters.reset();
    const { status, body } = await ask(stack, path);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'BAD_USER_INPUT', field });
    if (typeof bound === 'string') expect(body.bound).toBe(bound);
    else expect(body.bound).toMatch(bound);
    expect(chain.node.counters.log.filter(({ method }) => method === 'abci_query')).toEqual([]);
  });

  it.each(['balances', 'accounts'])(
    'an address of another chain is BAD_USER_INPUT that names both prefixes: %s',
    async (name) => {
      const { status, body } = await ask(stack, `${name}/cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a`);
      const bound = 'an address of an account of this chain (`tp1…`); `cosmos1…` is an address of another chain';
      expect([status, body.code, body.bound]).toEqual([400, 'BAD_USER_INPUT', bound]);
    },
  );

  it('a denom in the path may be percent-encoded', async () => {
    const denom = `nft/${scopeAddresses[0]}`;
    const plain = await ask(stack, `metadata/${denom}`);
    expect(plain.body.item).toMatchObject({ denom, scopeId: scopeAddresses[0] });
    expect((await ask(stack, `metadata/${encodeURIComponent(denom)}`)).body.item).toEqual(plain.body.item);
  });
});

describe('methods', () => {
  it('HEAD has the headers of GET and no body', async () => {
    const url = `${stack.server.url}/v1/metadata/nhash`;
    const [got, head] = [await send(url), await send(url, { method: 'HEAD' })];
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(got.body)));
  });

  it.each(['POST', 'PUT', 'DELETE'])('%s is 405', async (method) => {
    const headers = { 'content-type': 'application/json' };
    const { status, headers: received, body } = await send(`${stack.server.url}/v1/metadata/nhash`, { method, headers });
    expect([status, received.allow, JSON.parse(body).code]).toEqual([405, 'GET, HEAD', 'BAD_USER_INPUT']);
  });
});

describe('a client', () => {
  it('needs a token with the scope read', async () => {
    const issuer = await startIssuer();
    const guarded = await startStack([chain.node.url], { server: { auth: authenticatorOf(issuer) } });
    try {
      await guarded.client.head.ready({ milliseconds: 5000 });
      const url = `${guarded.server.url}/v1/metadata/nhash`;
      const asked = async (scope?: string) => {
        const headers = scope === undefined ? {} : { authorization: `Bearer ${await issuer.sign({ scope })}` };
        const { status, body } = await send(url, { headers });
        const { code, scope: lacking } = JSON.parse(body);
        return [status, code, lacking];
      };
      expect(await asked()).toEqual([401, 'UNAUTHENTICATED', undefined]);
      expect(await asked('broadcast introspect')).toEqual([403, 'FORBIDDEN', 'read']);
      expect(await asked('read')).toEqual([200, undefined, undefined]);
    } finally {
      await guarded.close();
      await issuer.close();
    }
  });

  it('gets 429 with Retry-After when its points are used up', async () => {
    const limits = { 'rate.points': 60, 'rate.burst': 30 };
    const poor = await startStack([chain.node.url], { server: { limits } });
    try {
      await poor.client.head.ready({ milliseconds: 5000 });
      expect((await ask(poor, `metadata/nhash`)).status).toBe(200);
      const { status, headers, body } = await ask(poor, `scopes/${scopeAddresses[0]}`);
      expect(status).toBe(429);
      expect(body).toMatchObject({ code: 'RATE_LIMITED', limit: 'rate.points', retryAfter: expect.any(Number) });
      expect(headers.get('retry-after')).toBe(String(body.retryAfter));
      // A cached response costs 1 point, which is left.
      expect((await ask(poor, `metadata/nhash`)).status).toBe(200);
    } finally {
      await poor.close();
    }
  });
});
