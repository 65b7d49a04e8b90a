import { afterEach, expect, it } from 'vitest';
import { createHealth } from '../../../src/server/observability/health.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';

const running: (() => Promise<void>)[] = [];

/** Timeout of polls, in ms: more than any machine needs. */
const longPoll = { timeout: 30_000 };

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

async function over(chain: TestChain, options: StackOptions = {}): Promise<Stack> {
  running.push(() => chain.devnet.close());
  const nodes = chain.devnet.nodes.map(({ url }) => url);
  const stack = await startStack(nodes, { server: { admin: { host: '127.0.0.1', port: 0 } } }, options);
  running.push(() => stack.close());
  return stack;
}

async function probe(url: string | undefined, path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`);
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

it('is alive and ready on both ports once a node has responded', async () => {
  const { server, client } = await over(await startChain({ bare: true }));
  await client.head.ready();
  for (const url of [server.url, server.adminUrl]) expect(await probe(url, '/livez')).toEqual({ status: 200, body: 'ok' });
  expect(await probe(server.url, '/readyz')).toEqual({ status: 200, body: { ready: true, chain: 'moving' } });
  expect(await probe(server.adminUrl, '/readyz')).toEqual({
    status: 200,
    body: { ready: true, chain: 'moving', failed: [], roots: expect.any(String) },
  });
});

it('serves only the probes and the metrics on the port for operators, by GET', async () => {
  const { server } = await over(await startChain({ bare: true }));
  expect((await probe(server.adminUrl, '/graphql?query={__typename}')).status).toBe(404);
  expect((await fetch(`${server.url}/readyz`, { method: 'POST', body: '{}' })).status).toBe(405);
  const head = await fetch(`${server.url}/livez`, { method: 'HEAD' });
  expect([head.status, head.headers.get('cache-control'), await head.text()]).toEqual([200, 'no-store', '']);
});

it('is alive without a node, but not ready, and returns the reasons to operators only', async () => {
  const chain = await startChain({ bare: true });
  await chain.node.stop();
  const { server } = await over(chain);
  expect((await probe(server.url, '/livez')).status).toBe(200);
  expect(await probe(server.url, '/readyz')).toEqual({ status: 503, body: { ready: false, chain: 'unknown' } });
  expect(await probe(server.adminUrl, '/readyz')).toEqual({
    status: 503,
    body: { ready: false, chain: 'unknown', failed: ['NODES'], roots: 'UNKNOWN' },
  });
});

it('is not ready while its only node catches up, and ready afterwards', async () => {
  const chain = await startChain({ bare: true });
  chain.node.faults.catchingUp = true;
  const { server } = await over(chain, { upstream: { probeInterval: 20 } });
  const status = async (): Promise<number> => (await probe(server.url, '/readyz')).status;
  await expect.poll(async () => (await probe(server.url, '/readyz')).body, longPoll).toEqual({ ready: false, chain: 'moving' });
  chain.node.faults.catchingUp = false;
  await expect.poll(status, longPoll).toBe(200);
});

it('is not ready while all nodes are down, and ready when one is back', async () => {
  const chain = await startChain({ bare: true, nodes: 2 });
  const { server, client } = await over(chain, { upstream: { probeInterval: 20 } });
  await client.head.ready();
  const failed = async (): Promise<unknown> => (await probe(server.adminUrl, '/readyz')).body;
  expect(await failed()).toMatchObject({ failed: [] });
  await Promise.all(chain.devnet.nodes.map((node) => node.stop()));
  await expect.poll(failed, longPoll).toMatchObject({ failed: ['NODES'], chain: 'unknown' });
  // One node is ejected for half a minute. That one comes back.
  const aside = client.nodes().findIndex(({ health }) => health === 'EJECTED');
  expect(aside).toBeGreaterThanOrEqual(0);
  await chain.devnet.nodes[aside]!.start();
  await expect.poll(failed, longPoll).toMatchObject({ failed: [] });
});

it('is not ready if all nodes are on another chain', async () => {
  const chain = await startChain({ bare: true, nodes: 2 });
  const { server, client } = await over(chain, { upstream: { probeInterval: 20 } });
  await client.head.ready();
  for (const node of chain.devnet.nodes) node.faults.chainId = 'theirs';
  await expect.poll(async () => (await probe(server.adminUrl, '/readyz')).body, longPoll).toMatchObject({ failed: ['NODES'] });
});

it('stays ready while the chain is stalled, and reports it', async () => {
  const chain = await startChain({ bare: true });
  const { server, client } = await over(chain, { upstream: { silence: 200 } });
  const ready = async (): Promise<unknown> => probe(server.url, '/readyz');
  await expect.poll(ready, longPoll).toEqual({ status: 200, body: { ready: true, chain: 'stalled' } });
  // A block ends the stall, and the next stall may begin before the probe responds.
  const health = createHealth({ client });
  const moved = new Promise((resolve) => client.head.onBlock(() => resolve(health.readiness())));
  await chain.devnet.commit();
  expect(await moved).toEqual({ failed: [], chain: 'moving', roots: expect.any(String) });
});

it('is not ready before the keys to verify tokens are loaded', async () => {
  const { client } = await over(await startChain({ bare: true }));
  await client.head.ready();
  let loaded = false;
  const health = createHealth({ client, keysLoaded: () => loaded });
  expect(health.readiness().failed).toEqual(['TOKEN_KEYS']);
  loaded = true;
  expect(health.readiness().failed).toEqual([]);
});
