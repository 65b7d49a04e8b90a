import { afterEach, describe, expect, it } from 'vitest';
import { listen } from './attackBlocks.ts';
import { forgedHash, forgeFrom } from './attackForger.ts';
import { type GuardedTarget, patience, startGuarded } from './attackSetup.ts';

const stopping: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop();
});

async function start(beside: number): Promise<GuardedTarget> {
  const target = await startGuarded({ admin: { host: '127.0.0.1', port: 0 }, beside, probeInterval: 20 });
  stopping.push(target.close);
  return target;
}

/** Makes a block; its height. */
async function commit({ chain, stack }: GuardedTarget): Promise<bigint> {
  const height = await chain.devnet.commit();
  await stack.client.head.waitFor(height, { milliseconds: 10_000 });
  return height;
}

const health = async ({ stack }: GuardedTarget): Promise<unknown> =>
  ((await stack.ask('{ nodes { health } }')).body.data as { nodes: readonly unknown[] }).nodes;

/** Waits until the one subscription to blocks is at the node behind the gateway. */
async function subscribeThere({ gateway, chain, stack }: GuardedTarget): Promise<void> {
  const others = chain.devnet.nodes.slice(1);
  const isThere = (): boolean => {
    if (!stack.client.head.stats().isSubscribed) return false;
    if (gateway.sockets.size > 0 && others.every(({ sockets }) => sockets === 0)) return true;
    for (const node of others) node.closeSockets();
    return false;
  };
  await expect.poll(isThere, patience).toBe(true);
}

async function hashAt({ stack }: GuardedTarget, height: bigint): Promise<unknown> {
  const { body } = await stack.ask(`{ block(height: ${height}) { hash } }`);
  return (body.data as { block: { hash: string } | null }).block?.hash;
}

/** The hash that the chain itself has. */
async function trueHash({ chain }: GuardedTarget, height: bigint): Promise<string> {
  const response = await fetch(`${chain.devnet.nodes.at(-1)!.url}/block?height=${height}`);
  return ((await response.json()) as { result: { block_id: { hash: string } } }).result.block_id.hash;
}

describe('the NewBlock events of a node', () => {
  /** Changes the header of each NewBlock event, while `status` stays true. */
  function lie({ gateway }: GuardedTarget, change: (own: string) => string): void {
    gateway.message = ({ socket }, own) => socket.send(own.includes('tendermint/event/NewBlock"') ? change(own) : own);
  }

  it.each<[string, number, (own: string) => string]>([
    [
      'name a height a million too high, beside two others',
      2,
      (own) => own.replace(/("header":\{.*?"height":")(\d+)"/, (_, before, height) => `${before}${Number(height) + 1_000_000}"`),
    ],
    [
      'name a height a million too high, alone',
      0,
      (own) => own.replace(/("header":\{.*?"height":")(\d+)"/, (_, before, height) => `${before}${Number(height) + 1_000_000}"`),
    ],
    [
      'link to nothing, beside two others',
      2,
      (own) => own.replace(/("last_block_id":\{"hash":")[0-9A-F]{64}/, `$1${'A'.repeat(64)}`),
    ],
    ['link to nothing, alone', 0, (own) => own.replace(/("last_block_id":\{"hash":")[0-9A-F]{64}/, `$1${'A'.repeat(64)}`)],
  ])('%s: they are not believed, and the head follows the chain', async (_, beside, change) => {
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

describe('a node that forges the next block, linked to the last', () => {
  it.each([
    ['stays at it', 0],
    ['goes on from it, and the others are further when they are asked', 2],
  ])('and %s: the block is left again, nothing of it is kept, and streams that were given it end', async (_, further) => {
    const target = await start(2);
    const { stack, chain } = target;
    await commit(target);
    await commit(target);
    const listeners = await listen(target);
    for (const listener of listeners) await listener.count(3);
    // The block is confirmed when most nodes have shown it.
    await expect.poll(() => health(target), patience).toEqual(Array(3).fill({ health: 'HEALTHY' }));
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
    await expect.poll(() => stack.client.head.stats().rewinds, patience).toEqual({ WITHDRAWN: 1, RESET: 0 });
    for (const listener of listeners) {
      expect(await listener.ended).toMatchObject({ errors: [{ extensions: { code: 'NODE_INCONSISTENT' } }] });
    }
    const hash = await trueHash(target, 4n);
    expect(listeners[0]!.answers[3]!.data!.newBlock!.hash).toBe(forgedHash(hash));
    expect(await hashAt(target, 4n)).toBe(hash);
    await expect
      .poll(() => health(target), patience)
      .toEqual([{ health: 'EJECTED' }, { health: 'HEALTHY' }, { health: 'HEALTHY' }]);
    const again = await listen(target);
    const height = await commit(target);
    expect(stack.client.head.current()!.hash).toBe(await trueHash(target, height));
    for (const listener of again) {
      await listener.count(Number(height));
      expect(listener.answers[3]!.data!.newBlock!.hash).toBe(hash);
    }
    await target.isWell();
  });
});
