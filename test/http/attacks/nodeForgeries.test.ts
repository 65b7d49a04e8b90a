import { afterAll, describe, it, vi } from 'vitest';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain } from '../../support/chain.ts';
import { overWebSocket } from '../../support/listeners.ts';
import { startStack } from '../../support/stack.ts';
import { listen } from './blocks.ts';
import { forgedHash, forgeFrom } from './forger.ts';
import { startGateway } from './gateway.ts';
import { type GuardedTarget, longPoll, startGuarded } from './setup.ts';

const stopping: (() => Promise<void>)[] = [];

// The tests wait most of the time, so they run at the same time.
afterAll(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop();
});

async function start(beside: number): Promise<GuardedTarget> {
  const target = await startGuarded({
    server: { admin: { host: '127.0.0.1', port: 0 } },
    // A call to a node ends when the test says so, also on a machine that is busy.
    upstream: { probeInterval: 20, timeout: 60_000 },
    beside,
  });
  stopping.push(target.close);
  return target;
}

/** Makes a block. Returns its height. */
async function commit({ chain, stack }: GuardedTarget): Promise<bigint> {
  const height = await chain.devnet.commit();
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
  return height;
}

const health = async ({ stack }: GuardedTarget): Promise<unknown> =>
  ((await stack.ask('{ nodes { health } }')).body.data as { nodes: readonly unknown[] }).nodes;

/** Waits until the subscription to blocks is at the node behind the gateway. */
async function subscribeThere({ gateway, chain, stack }: GuardedTarget): Promise<void> {
  const others = chain.devnet.nodes.slice(1);
  const isThere = (): boolean => {
    if (!stack.client.head.stats().isSubscribed) return false;
    if (gateway.sockets.size > 0 && others.every(({ sockets }) => sockets === 0)) return true;
    for (const node of others) node.closeSockets();
    return false;
  };
  await vi.waitUntil(isThere, longPoll);
}

async function hashAt({ stack }: GuardedTarget, height: bigint): Promise<unknown> {
  const { body } = await stack.ask(`{ block(height: ${height}) { hash } }`);
  return (body.data as { block: { hash: string } | null }).block?.hash;
}

/** Returns the hash in the chain. */
async function trueHash({ chain }: GuardedTarget, height: bigint): Promise<string> {
  const response = await fetch(`${chain.devnet.nodes.at(-1)!.url}/block?height=${height}`);
  return ((await response.json()) as { result: { block_id: { hash: string } } }).result.block_id.hash;
}

describe.concurrent('the NewBlock events of a node', () => {
  /** Changes the header of each NewBlock event, while `status` stays true. */
  function lie({ gateway }: GuardedTarget, change: (own: string) => string): void {
    gateway.message = ({ socket }, own) => socket.send(own.includes('tendermint/event/NewBlock"') ? change(own) : own);
  }

  const lies: readonly (readonly [string, number, (own: string) => string])[] = [
    [
      'name a height a million too high, with two other nodes',
      2,
      (own) =>
        own.replace(/("header":\{.*?"height":")(\d+)"/, (_, before, height) => `${before}${Number(height) + 1_000_000}"`),
    ],
    [
      'name a height a million too high, alone',
      0,
      (own) =>
        own.replace(/("header":\{.*?"height":")(\d+)"/, (_, before, height) => `${before}${Number(height) + 1_000_000}"`),
    ],
    [
      'link to an unknown block, with two other nodes',
      2,
      (own) => own.replace(/("last_block_id":\{"hash":")[0-9A-F]{64}/, `$1${'A'.repeat(64)}`),
    ],
    [
      'link to an unknown block, alone',
      0,
      (own) => own.replace(/("last_block_id":\{"hash":")[0-9A-F]{64}/, `$1${'A'.repeat(64)}`),
    ],
  ];

  it.for(some(lies, 6))('%s: they are ignored, and the head follows the chain', async ([, beside, change], { expect }) => {
    const target = await start(beside);
    await commit(target);
    await subscribeThere(target);
    lie(target, change);
    for (let blocks = 0; blocks < 4; blocks += 1) {
      const height = await commit(target);
      expect(target.stack.client.head.current()!.height).toBe(height);
      expect(await hashAt(target, height)).toBe(await trueHash(target, height));
    }
    expect(target.stack.client.head.stats().rewinds).toEqual({ WITHDRAWN: 0, RESET: 0 });
    expect(target.stack.client.head.stats().subscriptions).toBeGreaterThan(1);
    await target.isWell();
  });
});

describe.concurrent('a node that forges the next block, linked to the last', () => {
  it.for<readonly [string, number]>([
    ['stops there', 0],
    ['continues from it, and the other nodes are further when they are called', 2],
  ])(
    'and %s: the block is withdrawn and removed from the caches, and streams that delivered it end',
    async ([, further], { expect }) => {
      const target = await start(2);
      const { stack, chain } = target;
      await commit(target);
      await commit(target);
      const listeners = await listen(target);
      for (const listener of listeners) await listener.count(3);
      // A block is confirmed once most nodes have returned it.
      await expect.poll(() => health(target), longPoll).toEqual(Array(3).fill({ health: 'HEALTHY' }));
      await subscribeThere(target);
      const others = chain.devnet.nodes.slice(1);
      let release: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      for (const node of others) node.faults.gate = gate;
      forgeFrom(target.gateway, 4n);
      expect(await commit(target)).toBe(4n);
      for (const listener of listeners) await listener.count(4);
      expect(await hashAt(target, 4n)).toMatch(/^F{16}/);
      for (let blocks = 0; blocks < further; blocks += 1) await commit(target);
      for (const node of others) node.faults.gate = undefined;
      release();
      await expect.poll(() => stack.client.head.stats().rewinds, longPoll).toEqual({ WITHDRAWN: 1, RESET: 0 });
      for (const listener of listeners) {
        expect(await listener.ended).toMatchObject({ errors: [{ extensions: { code: 'NODE_INCONSISTENT' } }] });
      }
      const hash = await trueHash(target, 4n);
      expect(listeners[0]!.answers[3]!.data!.newBlock!.hash).toBe(forgedHash(hash));
      expect(await hashAt(target, 4n)).toBe(hash);
      await expect
        .poll(() => health(target), longPoll)
        .toEqual([{ health: 'EJECTED' }, { health: 'HEALTHY' }, { health: 'HEALTHY' }]);
      const again = await listen(target);
      const height = await commit(target);
      expect(stack.client.head.current()!.hash).toBe(await trueHash(target, height));
      for (const listener of again) {
        await listener.count(Number(height));
        expect(listener.answers[3]!.data!.newBlock!.hash).toBe(hash);
      }
      await target.isWell();
    },
  );
});

describe.concurrent('of two nodes, one that forges the next block', () => {
  it.runIf(runsAll)(
    'makes both unusable: NODE_INCONSISTENT from that height on, until both have the same block',
    async ({ expect }) => {
      const target = await start(1);
      const { stack, gateway } = target;
      await commit(target);
      await commit(target);
      await subscribeThere(target);
      forgeFrom(gateway, 4n);
      await commit(target);
      let id = 100;
      await expect
        .poll(async () => (await stack.ask(`{ group(id: ${id++}) { id } }`)).body, longPoll)
        .toMatchObject({ errors: [{ extensions: { code: 'NODE_INCONSISTENT' } }] });
      const before = await stack.ask('{ groups(first: 1) { nodes { id } } }', {}, { 'x-cosmos-block-height': '3' });
      expect(before.body).toMatchObject({ data: { groups: { nodes: [{ id: '1' }] } } });
      Object.assign(gateway, { answer: undefined, message: undefined });
      await expect.poll(() => stack.client.head.stats().rewinds.WITHDRAWN, longPoll).toBe(1);
      expect(await hashAt(target, 4n)).toBe(await trueHash(target, 4n));
      await commit(target);
      await expect.poll(async () => (await stack.ask(`{ group(id: ${id++}) { id } }`)).body.errors, longPoll).toBeUndefined();
      await target.isWell();
    },
  );
});

describe.concurrent('a node that is alone and was restored from an older snapshot of the same chain', () => {
  it.runIf(runsAll)(
    'is behind: the head stays, reads at lower heights continue, and everything works once it has caught up',
    async ({ expect }) => {
      // The server's node is the gateway. The node behind the gateway is replaced.
      const chain = await startChain({ nodes: 2 });
      stopping.push(() => chain.devnet.close());
      const gateway = await startGateway(chain.node.url);
      stopping.push(gateway.close);
      const stack = await startStack([gateway.url], { upstream: { probeInterval: 20, silence: 200 } });
      stopping.push(stack.close);
      await stack.client.head.ready();
      chain.devnet.nodes[1]!.freeze();
      for (let blocks = 0; blocks < 5; blocks += 1) await chain.devnet.commit();
      await stack.client.head.waitFor(6n, { milliseconds: 30_000 });
      gateway.requests.length = 0;
      gateway.node = chain.devnet.nodes[1]!.url;
      for (const { socket } of gateway.sockets) socket.terminate();
      const asked = (): number => gateway.requests.flat().filter(({ method }) => method === 'status').length;
      await expect.poll(asked, longPoll).toBeGreaterThan(5);
      expect(stack.client.head.current()!.height).toBe(6n);
      expect(stack.client.head.stats().rewinds).toEqual({ WITHDRAWN: 0, RESET: 0 });
      const lower = await stack.ask('{ group(id: 1) { id } }', {}, { 'x-cosmos-block-height': '1' });
      expect(lower.body).toMatchObject({ data: { group: { id: '1' } } });
      const newest = await stack.ask('{ group(id: 2) { id } }');
      expect(newest.body).toMatchObject({ errors: [{ extensions: { code: 'HEIGHT_NOT_YET_AVAILABLE' } }] });
      chain.devnet.nodes[1]!.thaw();
      const height = await chain.devnet.commit();
      await stack.client.head.waitFor(height, { milliseconds: 30_000 });
      await expect.poll(async () => (await stack.ask('{ group(id: 2) { id } }')).body.errors, longPoll).toBeUndefined();
      expect(stack.client.head.stats().rewinds).toEqual({ WITHDRAWN: 0, RESET: 0 });
      expect(stack.masked).toEqual([]);
    },
  );
});

describe.concurrent('a chain that was reset under the same id on three nodes, one after another', () => {
  it.runIf(runsAll)('is replaced when most nodes have the new chain', async ({ expect }) => {
    const old = await startChain({ nodes: 3 });
    stopping.push(() => old.devnet.close());
    while (old.devnet.height < 5n) await old.devnet.commit();
    const gateways = await Promise.all(old.devnet.nodes.map(({ url }) => startGateway(url)));
    for (const { close } of gateways) stopping.push(close);
    const stack = await startStack(
      gateways.map(({ url }) => url),
      { upstream: { probeInterval: 20 } },
    );
    stopping.push(stack.close);
    await stack.client.head.ready();
    const listener = await overWebSocket(stack.server.url, 'subscription { newBlock(after: 0) { height } }');
    await listener.count(5);
    const fresh = await startChain();
    stopping.push(() => fresh.devnet.close());
    await fresh.devnet.commit();
    const restart = (index: number): void => {
      gateways[index]!.node = fresh.node.url;
      for (const { socket } of gateways[index]!.sockets) socket.terminate();
    };
    const healths = async (): Promise<unknown> =>
      ((await stack.ask('{ nodes { health } }')).body.data as { nodes: readonly { health: string }[] }).nodes.map(
        ({ health: one }) => one,
      );
    restart(0);
    await expect.poll(healths, longPoll).toEqual(['EJECTED', 'HEALTHY', 'HEALTHY']);
    expect(stack.client.head.current()!.height).toBe(5n);
    restart(1);
    await expect.poll(() => stack.client.head.stats().rewinds, longPoll).toEqual({ WITHDRAWN: 0, RESET: 1 });
    expect(await listener.ended).toMatchObject({ errors: [{ extensions: { code: 'CHAIN_RESET' } }] });
    expect(stack.client.head.current()!.height).toBe(2n);
    restart(2);
    await expect.poll(healths, longPoll).toEqual(['HEALTHY', 'HEALTHY', 'HEALTHY']);
    const height = await fresh.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    expect(stack.client.head.stats().rewinds).toEqual({ WITHDRAWN: 0, RESET: 1 });
  });
});
