import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { createReplayNode } from '../../replay/replayNode.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { at, get } from './rest.ts';

const path = '/cosmos/group/v1/groups';
let chain: TestChain;
const stacks: Stack[] = [];

/** A server with a timeout of half a second, which has the newest block and the descriptors of the chain. */
async function over(...nodes: readonly DevnetNode[]): Promise<Stack> {
  const stack = await startStack(
    nodes.map(({ url }) => url),
    { upstream: { timeout: 500, silence: 300, probeInterval: 200 } },
  );
  stacks.push(stack);
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  await stack.client.descriptors.pool();
  return stack;
}

beforeEach(async () => {
  chain = await startChain({ nodes: 2 });
  await chain.devnet.commit();
});

afterEach(async () => {
  for (const node of chain.devnet.nodes) node.heal();
  await Promise.all(stacks.splice(0).map((stack) => stack.close()));
  await chain.devnet.close();
});

const troubles: readonly [name: string, status: number, code: number, reason: string, make: (node: DevnetNode) => unknown][] = [
  ['down', 503, 14, 'NODE_UNREACHABLE', (node) => node.stop()],
  ['silent', 504, 4, 'NODE_TIMEOUT', (node) => Object.assign(node.faults, { answer: 'never' })],
  ['answering nonsense', 502, 14, 'NODE_INVALID_RESPONSE', (node) => Object.assign(node.faults, { answer: 'garbage' })],
  ['pruned', 400, 11, 'HEIGHT_PRUNED', (node) => node.prune(chain.devnet.height + 1n)],
];

describe.each(some(troubles, 2))('a node that is %s', (_name, status, code, reason, make) => {
  it(`alone: ${status}, ${reason}, without details of the node`, async () => {
    const stack = await over(chain.node);
    const height = chain.devnet.height;
    await make(chain.node);
    const documented = await get(stack.server, path, at(height));
    expect([documented.status, documented.body.code, documented.body.details[0].reason]).toEqual([status, code, reason]);
    expect(documented.headers.get('cache-control')).toBe('no-store');
    const node = await get(stack.server, `/rest${path}`, at(height));
    expect([node.status, node.body.details]).toEqual([reason === 'HEIGHT_PRUNED' ? 500 : status, []]);
    for (const { text } of [documented, node]) expect(text).not.toMatch(/127\.0\.0\.1|localhost|\n\s+at /);
  });

  it.runIf(runsAll)('next to a healthy node: a successful response', async () => {
    const stack = await over(...chain.devnet.nodes);
    const height = chain.devnet.height;
    await make(chain.node);
    for (const base of ['', '/rest']) expect((await get(stack.server, base + path, at(height))).status).toBe(200);
  });
});

describe('a node that lags', () => {
  it('is not used for a height that it lacks', async () => {
    const stack = await over(...chain.devnet.nodes);
    chain.devnet.nodes[1]!.lag(3);
    const height = await chain.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      const { status, headers } = await get(stack.server, `${path}?pagination.limit=${limit}`, at(height));
      expect([status, headers.get('x-cosmos-block-height')]).toEqual([200, height.toString()]);
    }
  });
});

describe('a pruned height', () => {
  it.runIf(runsAll)("has the node's error at /rest (pruned.json)", async () => {
    await using node = await createReplayNode({ earliestState: 500n });
    const stack = await startStack([node.url]);
    stacks.push(stack);
    const { status, body } = await get(stack.server, '/rest/cosmos/group/v1/proposal/3', at(50));
    expect(status).toBe(500);
    expect(body).toEqual({
      code: 2,
      message:
        'codespace sdk code 38: not found: failed to load state at height 50; version mismatch on immutable IAVL tree; version does not exist. Version has either been pruned, or is for a future block height (latest height: 566)',
      details: [],
    });
  });
});

describe('a chain that provides no descriptors', () => {
  it('is served with the compiled descriptors', async () => {
    chain.node.faults.call = ({ params }) =>
      JSON.stringify(params ?? '').includes('ReflectionService')
        ? { abci: { code: 6, codespace: 'sdk', log: 'unknown query path: unknown request' } }
        : undefined;
    const stack = await startStack([chain.node.url]);
    stacks.push(stack);
    const { status, body } = await get(stack.server, path);
    expect([status, body.groups.map(({ id }: { id: number }) => id)]).toEqual([200, [1, 2, 3, 4]]);
    expect((await get(stack.server, '/rest/cosmos/group/v1/proposal/999')).status).toBe(500);
  });
});

describe('before the handler', () => {
  it.runIf(runsAll)('the error of a rate limit has the format of the gateway, and Retry-After', async () => {
    const stack = await startStack([chain.node.url], { server: { limits: { 'rate.points': 60, 'rate.burst': 1 } } });
    stacks.push(stack);
    for (const base of ['', '/rest']) {
      await get(stack.server, base + path);
      const { status, body, headers } = await get(stack.server, base + path);
      expect([status, body.code]).toEqual([429, 8]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(body.details).toEqual(base === '' ? [expect.objectContaining({ reason: 'RATE_LIMITED' })] : []);
    }
  });

  it.runIf(runsAll)('a page costs its size, a count 50 more, a scan five times as much, and a cached response 1', async () => {
    const stack = await startStack([chain.node.url], { server: { limits: { 'rate.points': 1, 'rate.burst': 160 } } });
    stacks.push(stack);
    const height = chain.devnet.height;
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    const counted = `${path}?pagination.limit=40&pagination.countTotal=true`;
    const statuses: number[] = [];
    // 91, 1, 41 and 26 points of 160. A scan of 2 costs 11.
    const account = chain.accounts[0]!.address;
    const scan = `/provenance/attribute/v1/attribute/${account}/scan/pb`;
    for (const each of [counted, counted, `${path}?pagination.limit=40`, `${path}?pagination.limit=25`])
      statuses.push((await get(stack.server, each, at(height))).status);
    expect(statuses).toEqual([200, 200, 200, 200]);
    const refused = await get(stack.server, `${scan}?pagination.limit=2`, at(height));
    expect([refused.status, refused.body.code]).toEqual([429, 8]);
    const other = await startStack([chain.node.url], { server: { limits: { 'rate.points': 1, 'rate.burst': 11 } } });
    stacks.push(other);
    expect((await get(other.server, `${scan}?pagination.limit=2`, at(height))).status).toBe(200);
    expect((await get(other.server, path, at(height))).status).toBe(429);
    const third = await startStack([chain.node.url], { server: { limits: { 'rate.points': 1, 'rate.burst': 10 } } });
    stacks.push(third);
    expect((await get(third.server, `${scan}?pagination.limit=2`, at(height))).status).toBe(429);
  });

  it('a long path is 414, and headers that are too long 431', async () => {
    const stack = await over(chain.node);
    for (const base of ['', '/rest']) {
      const long = await get(stack.server, `${base}${path}?x=${'a'.repeat(9_000)}`);
      expect([long.status, long.body.code]).toEqual([414, 3]);
      const wide = await get(stack.server, base + path, { 'x-long': 'a'.repeat(17_000) });
      expect([wide.status, wide.body.code]).toEqual([431, 3]);
    }
  });
});
