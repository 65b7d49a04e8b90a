import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Listener, transports } from '../support/listeners.ts';
import type { GatewaySocket } from './attackGateway.ts';
import { type GuardedTarget, startGuarded } from './attackSetup.ts';

const admin = { host: '127.0.0.1', port: 0 };

const stopping: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop();
});

async function start(options: Parameters<typeof startGuarded>[0] = {}): Promise<GuardedTarget> {
  const target = await startGuarded({ admin, ...options });
  stopping.push(target.close);
  return target;
}

/** A chain that calls itself the same and has other blocks. */
async function startFork(height: bigint): Promise<TestChain> {
  const fork = await startChain();
  stopping.push(() => fork.devnet.close());
  while (fork.devnet.height < height) await fork.devnet.commit();
  return fork;
}

const question = '{ groups(first: 1) { nodes { id } } }';
const stream = 'subscription { newBlock(after: 0) { height hash } }';

/** Subscribers of every block since the first, one over each transport. */
async function listen({ stack }: GuardedTarget): Promise<readonly Listener[]> {
  const { url } = stack.server;
  const listeners = await Promise.all(Object.values(transports).map((over) => over(url, stream)));
  stopping.push(async () => {
    await Promise.all(listeners.map((each) => each.leave()));
  });
  return listeners;
}

async function commit({ chain, stack }: GuardedTarget, blocks = 1): Promise<void> {
  for (let left = blocks; left > 0; left -= 1) await chain.devnet.commit();
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 10_000 });
}

/** Each of them has every block of the chain once, in order. */
async function expectWhole({ chain }: GuardedTarget, listeners: readonly Listener[]): Promise<void> {
  const { height } = chain.devnet;
  const response = await fetch(chain.devnet.nodes.at(-1)!.url, {
    method: 'POST',
    body: JSON.stringify(
      Array.from({ length: Number(height) }, (_, index) => ({
        jsonrpc: '2.0',
        id: index + 1,
        method: 'header',
        params: { height: String(index + 1) },
      })).slice(-10),
    ),
  });
  const headers = [(await response.json()) as { id: number; result: { header: { last_block_id: { hash: string } } } }].flat();
  for (const listener of listeners) {
    await listener.count(Number(height));
    const blocks = listener.answers.map(({ data }) => data?.newBlock);
    expect(blocks.map((block) => block?.height)).toEqual(Array.from({ length: Number(height) }, (_, index) => `${index + 1}`));
    for (const { id, result } of headers) if (id > 1) expect(blocks[id - 2]?.hash).toBe(result.header.last_block_id.hash);
  }
}

const health = async ({ stack }: GuardedTarget): Promise<unknown> =>
  ((await stack.ask('{ nodes { health lastError } }')).body.data as { nodes: readonly unknown[] }).nodes;

const metrics = async ({ stack }: GuardedTarget): Promise<string> => (await fetch(`${stack.server.adminUrl}/metrics`)).text();

describe('T39: a node of another chain', () => {
  it('is refused for good when it comes back as one, is told of, and nothing of it is answered', async () => {
    const target = await start({ beside: 1, probeInterval: 20 });
    const { stack, chain, gateway } = target;
    const other = await startChain({ chainId: 'theirs' });
    stopping.push(() => other.devnet.close());
    gateway.node = other.node.url;
    for (const { socket } of gateway.sockets) socket.terminate();
    await expect.poll(() => health(target)).toMatchObject([{ health: 'WRONG_CHAIN' }, { health: 'HEALTHY' }]);
    expect(await metrics(target)).toContain('stele_node_health{node="node-1",health="WRONG_CHAIN"} 1');
    gateway.requests.length = 0;
    await commit(target);
    const { body } = await stack.ask('{ head { chainId height } groups(first: 1) { nodes { id } } }');
    expect(body).toMatchObject({
      data: { head: { chainId: chain.devnet.chainId, height: '2' }, groups: { nodes: [{ id: '1' }] } },
    });
    expect(gateway.requests).toEqual([]);

    // The right one goes too: none is left, and that is said; the wrong one still is not asked.
    await chain.devnet.nodes[1]!.stop();
    await expect.poll(async () => (await fetch(`${stack.server.url}/readyz`)).status, { timeout: 10_000 }).toBe(503);
    const alone = await stack.ask(question, {}, { 'x-cosmos-block-height': '1' });
    expect(alone.body).toMatchObject({ data: { groups: null }, errors: [{ extensions: { code: 'NODE_UNREACHABLE' } }] });
    expect(gateway.requests).toEqual([]);
    expect((await fetch(`${stack.server.url}/livez`)).status).toBe(200);
    await chain.devnet.nodes[1]!.start();
    await expect.poll(async () => (await fetch(`${stack.server.url}/readyz`)).status, { timeout: 10_000 }).toBe(200);
    await target.isWell();
  });
});

describe('T40: a node that holds another block at the same height', () => {
  it('is set aside where two others agree, until it is of their mind; what was told is not taken back', async () => {
    const target = await start({ beside: 2, probeInterval: 20 });
    const { stack, gateway, chain } = target;
    const listeners = await listen(target);
    await commit(target, 3);
    const honest = gateway.node;
    const fork = await startFork(chain.devnet.height);
    gateway.node = fork.node.url;
    for (const { socket } of gateway.sockets) socket.terminate();
    await expect
      .poll(() => health(target))
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
      .poll(() => health(target))
      .toMatchObject([{ health: 'HEALTHY' }, { health: 'HEALTHY' }, { health: 'HEALTHY' }]);
    await commit(target);
    await expectWhole(target, listeners);
    await target.isWell();
  });

  it('is not believed, nor refused, against one other: NODE_INCONSISTENT from that height on', async () => {
    const target = await start({ beside: 1, probeInterval: 20 });
    const { stack, gateway, chain } = target;
    const listeners = await listen(target);
    await commit(target, 3);
    for (const listener of listeners) await listener.count(4);
    const honest = gateway.node;
    const fork = await startFork(chain.devnet.height);
    gateway.node = fork.node.url;
    let id = 100;
    await expect
      .poll(async () => (await stack.ask(`{ group(id: ${id++}) { id } }`)).body)
      .toMatchObject({ data: { group: null }, errors: [{ extensions: { code: 'NODE_INCONSISTENT', height: '4' } }] });
    expect(await health(target)).toMatchObject([{ lastError: 'NODE_INCONSISTENT' }, { lastError: 'NODE_INCONSISTENT' }]);
    // What lies before is read as ever.
    const before = await stack.ask(question, {}, { 'x-cosmos-block-height': '3' });
    expect(before.body).toMatchObject({ data: { groups: { nodes: [{ id: '1' }] } } });
    gateway.node = honest;
    await commit(target);
    await expect.poll(async () => (await stack.ask(question)).body.errors).toBeUndefined();
    await expectWhole(target, listeners);
    await target.isWell();
  });
});

describe('T41: a node that is behind', () => {
  it.each([
    ['by more than 100 blocks', 'DOWN', 101],
    ['by four', 'LAGGING', 4],
  ])('%s gets no reads, and what it tells of blocks is not new', async (_, expected, blocks) => {
    const target = await start({ beside: 1, probeInterval: 20 });
    const { stack, chain } = target;
    const [first] = chain.devnet.nodes;
    const listeners = await listen(target);
    first!.freeze();
    await commit(target, blocks);
    await expect.poll(() => health(target)).toMatchObject([{ health: expected }, { health: 'HEALTHY' }]);
    first!.counters.reset();
    for (let id = 1; id <= 5; id += 1) expect((await stack.ask(`{ group(id: ${id}) { id } }`)).body.errors).toBeUndefined();
    expect(first!.counters.byMethod.abci_query).toBeUndefined();
    await expectWhole(target, listeners);
    first!.thaw();
    await expect.poll(() => health(target)).toMatchObject([{ health: 'HEALTHY' }, { health: 'HEALTHY' }]);
    await target.isWell();
  });

  it('and catches up gets none either', async () => {
    const target = await start({ beside: 1, probeInterval: 20 });
    const [first] = target.chain.devnet.nodes;
    first!.faults.catchingUp = true;
    await expect.poll(() => health(target)).toMatchObject([{ health: 'DOWN' }, { health: 'HEALTHY' }]);
    first!.counters.reset();
    expect((await target.stack.ask(question)).body.errors).toBeUndefined();
    expect(first!.counters.byMethod.abci_query).toBeUndefined();
    await target.isWell();
  });

  it('by its clock is as good as any: time is that of blocks', async () => {
    const target = await start({ beside: 1, probeInterval: 20 });
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

/** The first half of a message in a frame that says it is whole, and the end of the connection. */
function breakOff({ duplex }: GatewaySocket, own: string): void {
  const payload = Buffer.from(own);
  const head = Buffer.alloc(10);
  head.writeUInt8(0x81);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  duplex.write(Buffer.concat([head, payload.subarray(0, payload.length / 2)]), () => duplex.destroy());
}

const error = (data: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'Server error', data } });

describe('T42, T43: the one upstream subscription in trouble', () => {
  it.each<[name: string, message: (to: GatewaySocket, own: string) => void]>([
    ['drops', ({ socket }) => socket.terminate()],
    ['breaks off in the middle of a frame', breakOff],
    ['sends half a message', ({ socket }, own) => socket.send(own.slice(0, own.length / 2))],
    ['says nothing any more', () => undefined],
    [
      'overran its buffer',
      ({ socket }) =>
        socket.send(error('subscription was canceled (reason: internal subscription event buffer is out of capacity)')),
    ],
    ['is ended as its node exits', ({ socket }) => socket.send(error('subscription was canceled (reason: CometBFT exited)'))],
  ])('that %s is begun again, and what was missed is read', async (_, message) => {
    const target = await start({ silence: 300 });
    const { gateway } = target;
    const listeners = await listen(target);
    await commit(target, 2);
    const [before] = gateway.sockets;
    const left = once(before!.socket, 'close');
    gateway.message = message;
    for (let blocks = 0; blocks < 3; blocks += 1) await target.chain.devnet.commit();
    await left;
    gateway.message = undefined;
    await commit(target, 2);
    await expectWhole(target, listeners);
    await expect.poll(() => gateway.sockets.size).toBe(1);
    await target.isWell();
  });

  it('that tells of older blocks, of one twice, and leaves fifty out, is none the worse', async () => {
    const target = await start();
    const { gateway } = target;
    const listeners = await listen(target);
    const told: string[] = [];
    gateway.message = ({ socket }, own) => {
      told.push(own);
      socket.send(own);
      socket.send(own);
      socket.send(told[0]!);
    };
    await commit(target, 4);
    await expectWhole(target, listeners);
    gateway.message = () => undefined;
    for (let blocks = 0; blocks < 49; blocks += 1) await target.chain.devnet.commit();
    gateway.message = undefined;
    await commit(target);
    await expectWhole(target, listeners);
    // Still the first one.
    expect(gateway.sent).toHaveLength(1);
    expect(await metrics(target)).toMatch(/stele_duplicate_blocks_total ([5-9]|\d\d)/);
    await target.isWell();
  });

  it('is to blocks alone: a block of more than 200 events comes whole, and a node that restarts is followed', async () => {
    const target = await start();
    const { gateway, chain, stack } = target;
    const listeners = await listen(target);
    const all = await transports['graphql-transport-ws'](
      stack.server.url,
      'subscription { transactions(after: 0) { hash events { type } } }',
    );
    stopping.push(() => all.leave());
    const [from, to] = chain.accounts;
    const coins = [{ denom: 'nhash', amount: '1' }];
    const send = any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: coins });
    const hashes: string[] = [];
    for (let count = 0; count < 60; count += 1) hashes.push(await chain.submit(from!, send));
    await commit(target);
    await all.count(60);
    expect(all.answers.map(({ data }) => data?.transactions?.hash)).toEqual(hashes);
    expect(all.answers.flatMap(({ data }) => data?.transactions?.events).length).toBeGreaterThan(200);

    await chain.node.stop();
    for (let blocks = 0; blocks < 3; blocks += 1) await chain.devnet.commit();
    await chain.node.start();
    await commit(target);
    await expectWhole(target, listeners);
    expect(new Set(gateway.sent.map(({ method, params }) => `${method} ${params.query}`))).toEqual(
      new Set(["subscribe tm.event='NewBlock'"]),
    );
    await target.isWell();
  });
});

describe('T45: a chain that stands still', () => {
  it('keeps its streams and its callers, says so, and goes on as another version', async () => {
    const target = await start({ silence: 200, limits: { 'socket.ping': 50 } });
    const { stack, gateway } = target;
    const listeners = await listen(target);
    for (const url of [stack.server.url, stack.server.adminUrl]) {
      const readiness = async (): Promise<unknown> => (await fetch(`${url}/readyz`)).json();
      await expect.poll(readiness, { timeout: 5_000 }).toMatchObject({ ready: true, chain: 'stalled' });
    }
    expect(await metrics(target)).toContain('stele_chain_stalled 1');
    const age = async (): Promise<number> => {
      const { body } = await stack.ask('{ status { lastBlockAge } }');
      return Number.parseFloat((body.data as { status: { lastBlockAge: string } }).status.lastBlockAge);
    };
    const first = await age();
    expect(first).toBeGreaterThan(0.1);
    expect(await age()).toBeGreaterThan(first);
    expect((await stack.ask(question)).body.errors).toBeUndefined();

    const later = (text: string): string => text.replaceAll('"version":{"block":"11"', '"version":{"block":"12","app":"9"');
    gateway.message = ({ socket }, own) => socket.send(later(own));
    gateway.answer = (response, own) => response.end(later(own));
    await commit(target, 2);
    const { body } = await stack.ask('{ block(height: 2) { header { version { block app } } } }');
    expect(body).toMatchObject({ data: { block: { header: { version: { block: '12', app: '9' } } } } });
    await expectWhole(target, listeners);
    const moving = async (): Promise<unknown> => {
      await commit(target);
      return (await fetch(`${stack.server.url}/readyz`)).json();
    };
    await expect.poll(moving).toEqual({ ready: true, chain: 'moving' });
    // The same streams as at the beginning.
    await expectWhole(target, listeners);
    await target.isWell();
  });
});
