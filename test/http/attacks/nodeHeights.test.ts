import { afterEach, describe, expect, it } from 'vitest';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { overWebSocket } from '../../support/listeners.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';
import { longPoll } from './setup.ts';

const stopping: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop();
});

const million = 1_000_000n;

/** Makes a node report a height this much too high in its `status`. */
function lie({ faults }: DevnetNode, by = million): void {
  faults.forge = ({ method }, result) => {
    if (method !== 'status') return result;
    const { sync_info, ...rest } = result as { sync_info: JsonObject };
    const height = (BigInt(String(sync_info.latest_block_height)) + by).toString();
    return { ...rest, sync_info: { ...sync_info, latest_block_height: height, latest_block_hash: 'F'.repeat(64) } };
  };
}

async function chainOf(nodes: number): Promise<TestChain> {
  const chain = await startChain({ nodes });
  stopping.push(() => chain.devnet.close());
  return chain;
}

async function stackOver(nodes: readonly DevnetNode[], options: StackOptions = {}): Promise<Stack> {
  const urls = nodes.map(({ url }) => url);
  const stack = await startStack(
    urls,
    { server: { admin: { host: '127.0.0.1', port: 0 } }, upstream: { probeInterval: 20, silence: 200 } },
    options,
  );
  stopping.push(stack.close);
  return stack;
}

interface NodeRow {
  readonly alias: string;
  readonly health: string;
  readonly lag: string | null;
  readonly lastError: string | null;
}

const nodesOf = async (stack: Stack): Promise<readonly NodeRow[]> =>
  ((await stack.ask('{ nodes { alias health lag lastError } }')).body.data as { nodes: readonly NodeRow[] }).nodes;

const healths = async (stack: Stack): Promise<string[]> => (await nodesOf(stack)).map(({ health }) => health);

async function readiness(stack: Stack): Promise<JsonValue> {
  return (await (await fetch(`${stack.server.adminUrl}/readyz`)).json()) as JsonValue;
}

/** Reads without a height. Returns the height of the read, and its outcome. */
async function unpinned(stack: Stack): Promise<{ height: string | null; data: unknown; errors: unknown }> {
  const { height, body } = await stack.ask('{ head { height } groups(first: 1) { nodes { id } } }');
  return { height, data: body.data, errors: body.errors };
}

/** Makes blocks one after another. After each, the head must be the newest block or the one before it, never above. */
async function commitAndWatch(chain: TestChain, stack: Stack, blocks: number): Promise<void> {
  for (let made = 0; made < blocks; made += 1) {
    const height = await chain.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    expect(stack.client.head.current()!.height).toBe(height);
    expect(await unpinned(stack)).toEqual({
      height: height.toString(),
      data: { head: { height: height.toString() }, groups: { nodes: [{ id: '1' }] } },
      errors: undefined,
    });
    expect(await readiness(stack)).toMatchObject({ ready: true, failed: [] });
  }
}

describe('a node that reports a height a million too high', () => {
  it.each(some([0, 2], 2))(
    'for a while is ignored and ejected, and the honest ones stay in use (node %i of 0 to 2)',
    async (index) => {
      const chain = await chainOf(3);
      const stack = await stackOver(chain.devnet.nodes);
      await stack.client.head.ready();
      await commitAndWatch(chain, stack, 2);
      const liar = chain.devnet.nodes[index]!;
      lie(liar);
      const expected = ['HEALTHY', 'HEALTHY', 'HEALTHY'].with(index, 'EJECTED');
      await expect.poll(() => healths(stack), longPoll).toEqual(expected);
      expect((await nodesOf(stack))[index]).toMatchObject({ lastError: 'NODE_INCONSISTENT' });
      expect(await (await fetch(`${stack.server.adminUrl}/metrics`)).text()).toMatch(
        new RegExp(`stele_node_contradictions_total\\{node="node-${index + 1}"\\} [1-9]`),
      );
      // A new subscription calls `status` first.
      for (const node of chain.devnet.nodes) node.closeSockets();
      await commitAndWatch(chain, stack, 5);
      expect((await nodesOf(stack)).filter(({ lag }) => lag !== '0')).toEqual([]);
      liar.heal();
      await expect.poll(() => healths(stack), longPoll).toEqual(['HEALTHY', 'HEALTHY', 'HEALTHY']);
      await commitAndWatch(chain, stack, 3);
      expect(stack.masked).toEqual([]);
    },
  );

  it('from the start is ignored', async () => {
    const chain = await chainOf(3);
    lie(chain.devnet.nodes[0]!);
    const stack = await stackOver(chain.devnet.nodes);
    expect((await stack.client.head.ready()).height).toBe(1n);
    await commitAndWatch(chain, stack, 3);
    expect(await healths(stack)).toEqual(['EJECTED', 'HEALTHY', 'HEALTHY']);
  });

  it('is ignored while it is the only node that responds, and the others are used when they respond', async () => {
    const chain = await chainOf(3);
    const [liar, ...others] = chain.devnet.nodes;
    lie(liar!);
    await Promise.all(others.map((node) => node.stop()));
    const stack = await stackOver(chain.devnet.nodes);
    await expect(stack.client.head.ready({ milliseconds: 500 })).rejects.toMatchObject({
      code: expect.stringMatching(/^NODE_(UNREACHABLE|INCONSISTENT)$/),
    });
    expect(stack.client.head.current()).toBeUndefined();
    expect(await readiness(stack)).toMatchObject({ ready: false, failed: ['NODES'] });
    await Promise.all(others.map((node) => node.start()));
    expect((await stack.client.head.ready({ milliseconds: 10_000 })).height).toBe(chain.devnet.height);
    await commitAndWatch(chain, stack, 3);
  });

  it('and is alone does not change the head', async () => {
    const chain = await chainOf(1);
    const stack = await stackOver(chain.devnet.nodes);
    await stack.client.head.ready();
    await commitAndWatch(chain, stack, 2);
    lie(chain.node);
    await expect.poll(() => nodesOf(stack), longPoll).toMatchObject([{ lastError: 'NODE_INCONSISTENT' }]);
    chain.node.closeSockets();
    const read = await stack.ask('{ groups(first: 1) { nodes { id } } }', {}, { 'x-cosmos-block-height': '2' });
    expect(read.body).toEqual({ data: { groups: { nodes: [{ id: '1' }] } }, extensions: expect.anything() });
    expect(stack.client.head.current()!.height).toBe(3n);
    chain.node.heal();
    await commitAndWatch(chain, stack, 3);
  });
});

it('of three nodes, two that agree are trusted: the majority of responding nodes decides', async () => {
  const chain = await chainOf(1);
  const fork = await startChain({ nodes: 2 });
  stopping.push(() => fork.devnet.close());
  while (fork.devnet.height < 30n) await fork.devnet.commit();
  const stack = await stackOver([chain.node, ...fork.devnet.nodes]);
  expect((await stack.client.head.ready()).height).toBe(30n);
  await commitAndWatch(fork, stack, 3);
  await expect.poll(() => healths(stack), longPoll).toEqual(['EJECTED', 'HEALTHY', 'HEALTHY']);
});

describe('a chain that was reset under the same id', () => {
  const subscription = 'subscription { newBlock { height } }';

  /** Starts another chain with the same id on the port of a stopped one. */
  async function startAnew(port: number, blocks = 1n): Promise<TestChain> {
    const chain = await startChain({ port });
    stopping.push(() => chain.devnet.close());
    while (chain.devnet.height < blocks) await chain.devnet.commit();
    return chain;
  }

  it.each(
    some(
      [
        ['lower than before', 8n, 2n],
        ['higher than before', 3n, 12n],
        ['the same as before', 5n, 5n],
      ],
      2,
    ),
  )('is detected on its only node: head %s', async (_, before, after) => {
    const old = await startChain();
    stopping.push(() => old.devnet.close());
    while (old.devnet.height < before) await old.devnet.commit();
    const stack = await stackOver([old.node]);
    await stack.client.head.ready();
    await commitAndWatch(old, stack, 1);
    const question = '{ block(height: 1) { hash } }';
    const hashAt = async (): Promise<unknown> => (await stack.ask(question)).body;
    const oldHash = await hashAt();
    const listener = await overWebSocket(stack.server.url, subscription);
    const port = Number(new URL(old.node.url).port);
    await old.node.stop();
    const fresh = await startAnew(port, after);
    await expect.poll(() => stack.client.head.stats().rewinds.RESET, longPoll).toBe(1);
    expect(await readiness(stack)).toMatchObject({ ready: false, failed: ['CHAIN_RESET'] });
    expect(await listener.ended).toMatchObject({ errors: [{ extensions: { code: 'CHAIN_RESET' } }] });
    expect(stack.client.head.current()!.height).toBe(fresh.devnet.height);
    const height = await fresh.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    expect(await unpinned(stack)).toMatchObject({ height: height.toString(), errors: undefined });
    // No cache contains data of the old chain.
    const newHash = await hashAt();
    expect(newHash).toMatchObject({ data: { block: { hash: expect.any(String) } } });
    expect(newHash).not.toEqual(oldHash);
    expect(stack.masked).toEqual([]);
  });
});
