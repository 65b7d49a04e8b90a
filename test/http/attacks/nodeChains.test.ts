import { afterEach, describe, expect, it } from 'vitest';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { commit, expectWhole, listen, metrics } from './blocks.ts';
import { type GuardedTarget, longPoll, startGuarded } from './setup.ts';

const stopping: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop();
});

async function start(options: Parameters<typeof startGuarded>[0] = {}): Promise<GuardedTarget> {
  const target = await startGuarded({ ...options, server: { admin: { host: '127.0.0.1', port: 0 }, ...options.server } });
  stopping.push(target.close);
  return target;
}

/** Starts a chain with the same id and other blocks. */
async function startFork(height: bigint): Promise<TestChain> {
  const fork = await startChain();
  stopping.push(() => fork.devnet.close());
  while (fork.devnet.height < height) await fork.devnet.commit();
  return fork;
}

const question = '{ groups(first: 1) { nodes { id } } }';

const health = async ({ stack }: GuardedTarget): Promise<unknown> =>
  ((await stack.ask('{ nodes { health lastError } }')).body.data as { nodes: readonly unknown[] }).nodes;

describe('T39: a node of another chain', () => {
  it('is excluded and reported, and its data is never returned', async () => {
    const target = await start({ upstream: { probeInterval: 20 }, beside: 1 });
    const { stack, chain, gateway } = target;
    const other = await startChain({ chainId: 'theirs' });
    stopping.push(() => other.devnet.close());
    gateway.node = other.node.url;
    for (const { socket } of gateway.sockets) socket.terminate();
    await expect.poll(() => health(target), longPoll).toMatchObject([{ health: 'WRONG_CHAIN' }, { health: 'HEALTHY' }]);
    expect(await metrics(target)).toContain('stele_node_health{node="node-1",health="WRONG_CHAIN"} 1');
    gateway.requests.length = 0;
    await commit(target);
    const { body } = await stack.ask('{ head { chainId height } groups(first: 1) { nodes { id } } }');
    expect(body).toMatchObject({
      data: { head: { chainId: chain.devnet.chainId, height: '2' }, groups: { nodes: [{ id: '1' }] } },
    });
    expect(gateway.requests).toEqual([]);

    // The right node stops as well: the error says that no node is left, and the wrong one is still not called.
    await chain.devnet.nodes[1]!.stop();
    await expect.poll(async () => (await fetch(`${stack.server.url}/readyz`)).status, longPoll).toBe(503);
    const alone = await stack.ask(question, {}, { 'x-cosmos-block-height': '1' });
    expect(alone.body).toMatchObject({ data: { groups: null }, errors: [{ extensions: { code: 'NODE_UNREACHABLE' } }] });
    expect(gateway.requests).toEqual([]);
    expect((await fetch(`${stack.server.url}/livez`)).status).toBe(200);
    await chain.devnet.nodes[1]!.start();
    await expect.poll(async () => (await fetch(`${stack.server.url}/readyz`)).status, longPoll).toBe(200);
    await target.isWell();
  });
});

describe('T40: a node that holds another block at the same height', () => {
  it.runIf(runsAll)('is ejected if two others agree, until it agrees with them; delivered events stay valid', async () => {
    const target = await start({ upstream: { probeInterval: 20 }, beside: 2 });
    const { stack, gateway, chain } = target;
    const listeners = await listen(target);
    await commit(target, 3);
    const honest = gateway.node;
    const fork = await startFork(chain.devnet.height);
    gateway.node = fork.node.url;
    for (const { socket } of gateway.sockets) socket.terminate();
    await expect
      .poll(() => health(target), longPoll)
      .toMatchObject([{ health: 'EJECTED', lastError: 'NODE_INCONSISTENT' }, { health: 'HEALTHY' }, { health: 'HEALTHY' }]);
    expect(await metrics(target)).toMatch(/stele_node_contradictions_total\{node="node-1"\} [1-9]/);
    gateway.requests.length = 0;
    for (let blocks = 0; blocks < 5; blocks += 1) {
      await fork.devnet.commit();
      await commit(target);
      expect((await stack.ask(question)).body).toMatchObject({ data: { groups: { nodes: [{ id: '1' }] } } });
    }
    expect(gateway.requests.flat().map(({ method }) => method)).not.toContain('abci_query');
    await expectWhole(target, listeners);

    gateway.node = honest;
    await expect
      .poll(() => health(target), longPoll)
      .toMatchObject([{ health: 'HEALTHY' }, { health: 'HEALTHY' }, { health: 'HEALTHY' }]);
    await commit(target);
    await expectWhole(target, listeners);
    await target.isWell();
  });

  it.runIf(runsAll)('against one other node: neither is used, NODE_INCONSISTENT from that height on', async () => {
    const target = await start({ upstream: { probeInterval: 20 }, beside: 1 });
    const { stack, gateway, chain } = target;
    const listeners = await listen(target);
    await commit(target, 3);
    for (const listener of listeners) await listener.count(4);
    const honest = gateway.node;
    const fork = await startFork(chain.devnet.height);
    gateway.node = fork.node.url;
    let id = 100;
    await expect
      .poll(async () => (await stack.ask(`{ group(id: ${id++}) { id } }`)).body, longPoll)
      .toMatchObject({ data: { group: null }, errors: [{ extensions: { code: 'NODE_INCONSISTENT', height: '4' } }] });
    expect(await health(target)).toMatchObject([{ lastError: 'NODE_INCONSISTENT' }, { lastError: 'NODE_INCONSISTENT' }]);
    // Lower heights are still read.
    const before = await stack.ask(question, {}, { 'x-cosmos-block-height': '3' });
    expect(before.body).toMatchObject({ data: { groups: { nodes: [{ id: '1' }] } } });
    gateway.node = honest;
    // A stream that reads a block meanwhile ends with this error.
    await expect.poll(async () => (await stack.ask(question)).body.errors, longPoll).toBeUndefined();
    await commit(target);
    await expectWhole(target, listeners);
    await target.isWell();
  });
});

describe('T41: a node that is behind', () => {
  it.each(
    some(
      [
        ['by more than 100 blocks', 'DOWN', 101],
        ['by four', 'LAGGING', 4],
      ],
      2,
    ),
  )('%s gets no reads, and its block events are not new', async (_, expected, blocks) => {
    const target = await start({ upstream: { probeInterval: 20 }, beside: 1 });
    const { stack, chain } = target;
    const [first] = chain.devnet.nodes;
    const listeners = await listen(target);
    first!.freeze();
    await commit(target, blocks);
    await expect.poll(() => health(target), longPoll).toMatchObject([{ health: expected }, { health: 'HEALTHY' }]);
    first!.counters.reset();
    for (let id = 1; id <= 5; id += 1) expect((await stack.ask(`{ group(id: ${id}) { id } }`)).body.errors).toBeUndefined();
    expect(first!.counters.byMethod.abci_query).toBeUndefined();
    await expectWhole(target, listeners);
    first!.thaw();
    await expect.poll(() => health(target), longPoll).toMatchObject([{ health: 'HEALTHY' }, { health: 'HEALTHY' }]);
    await target.isWell();
  });

  it('and catches up gets no reads either', async () => {
    const target = await start({ upstream: { probeInterval: 20 }, beside: 1 });
    const [first] = target.chain.devnet.nodes;
    first!.faults.catchingUp = true;
    await expect.poll(() => health(target), longPoll).toMatchObject([{ health: 'DOWN' }, { health: 'HEALTHY' }]);
    first!.counters.reset();
    expect((await target.stack.ask(question)).body.errors).toBeUndefined();
    expect(first!.counters.byMethod.abci_query).toBeUndefined();
    await target.isWell();
  });

  it('only by its clock is used: time is that of blocks', async () => {
    const target = await start({ upstream: { probeInterval: 20 }, beside: 1 });
    const { stack, gateway } = target;
    gateway.answer = (response, own) => {
      const hourAgo = Date.now() - 3_600_000;
      response.writeHead(200, { date: new Date(hourAgo).toUTCString(), 'x-server-time': String(Math.floor(hourAgo / 1000)) });
      response.end(own.replace(/"latest_block_time":"[^"]*"/, `"latest_block_time":"${new Date(hourAgo).toISOString()}"`));
    };
    await commit(target);
    const { body } = await stack.ask('{ head { time } block(height: 2) { time } status { lastBlockAge } }');
    const { head, block, status } = body.data as Record<string, Record<string, string>>;
    expect(head!.time).toBe(block!.time);
    expect(Date.now() - Date.parse(head!.time!)).toBeLessThan(60_000);
    expect(status!.lastBlockAge).toMatch(/^\d{1,2}(\.\d+)?s$/);
    expect(await health(target)).toMatchObject([{ health: 'HEALTHY' }, { health: 'HEALTHY' }]);
    await target.isWell();
  });
});
