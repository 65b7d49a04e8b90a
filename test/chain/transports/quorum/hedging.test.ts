import { afterEach, describe, expect, it } from 'vitest';
import { ChainError } from '../../../../src/chain/base/errors.ts';
import { type FallbackOptions, type FallbackTransport, fallback } from '../../../../src/chain/transports/fallback.ts';
import { http } from '../../../../src/chain/transports/http.ts';
import type { CallOptions, Transport } from '../../../../src/chain/transports/transport.ts';
import type { JsonObject, JsonValue } from '../../../../src/chain/wire/json.ts';
import { createStubNode, type StubNode } from '../../stubNode.ts';
import { asIs, code } from '../fallback/fallbackSetup.ts';

/** A node whose calls take as long as a test says. The calls of one tick would share an HTTP request, so each goes its own way here. */
interface TimedNode {
  readonly stub: StubNode;
  readonly transport: Transport;
  /** Ms that the next reads take. */
  delay: number;
  /** What the next reads fail with. */
  failure: ChainError | undefined;
  reads: number;
}

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function timedNode(): Promise<TimedNode> {
  const stub = await createStubNode({ height: 10n });
  const inner = http(stub.url);
  closing.push(
    () => stub.close(),
    () => inner.close(),
  );
  const node: TimedNode = {
    ...{ stub, delay: 1, failure: undefined, reads: 0 },
    transport: {
      ...inner,
      async call<T>(method: string, params: JsonObject, options: CallOptions<T>): Promise<T> {
        if (method === 'status') return inner.call(method, params, options);
        node.reads += 1;
        const { delay, failure } = node;
        await new Promise((resolve) => setTimeout(resolve, delay));
        if (failure !== undefined) throw failure;
        return options.decode({ from: stub.url });
      },
    },
  };
  return node;
}

async function over(count: number, options: FallbackOptions = {}) {
  const nodes = await Promise.all(Array.from({ length: count }, timedNode));
  const transport = fallback(
    nodes.map((node) => node.transport),
    { probeInterval: 60_000, ...options },
  );
  closing.push(() => transport.close());
  await transport.handles();
  return { nodes, transport };
}

const read = (transport: FallbackTransport, method = 'block_results', height: bigint | undefined = 5n): Promise<JsonValue> =>
  transport.call(method, { height: String(height) }, { height, decode: asIs });

/** The number of reads of all nodes. */
const total = (nodes: readonly TimedNode[]): number => nodes.reduce((sum, node) => sum + node.reads, 0);

/** Reads after which the times of nodes are known, and of which the next one may be made twice: sound nodes use what is allowed, too. */
const warmUp = 44;

/** Makes reads one after another, and returns how long each took, in ms, in ascending order. */
async function timesOf(transport: FallbackTransport, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const startedAt = performance.now();
    await read(transport);
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((a, b) => a - b);
}

describe('a read from a slow node', () => {
  it('is made on a second node, whose answer counts; the slow node does not fail', async () => {
    const { nodes, transport } = await over(2);
    await timesOf(transport, warmUp);
    const [first, second] = nodes;
    first!.delay = 300;
    const before = second!.reads;
    expect(await read(transport)).toEqual({ from: second!.stub.url });
    expect(second!.reads).toBe(before + 1);
    expect(transport.hedges().SECOND).toBeGreaterThan(0);
    expect(transport.nodes()[0]).toMatchObject({ health: 'HEALTHY', consecutiveFailures: 0, lastErrorCode: undefined });
  });

  it('is answered by the slow node if the second one fails', async () => {
    const { nodes, transport } = await over(2);
    await timesOf(transport, warmUp);
    const [first, second] = nodes;
    first!.delay = 60;
    second!.failure = new ChainError('NODE_UNREACHABLE', 'The connection to the node failed.', { sent: true });
    const before = second!.reads;
    expect(await read(transport)).toEqual({ from: first!.stub.url });
    expect(second!.reads).toBe(before + 1);
    expect(transport.nodes()[1]).toMatchObject({ consecutiveFailures: 1, lastErrorCode: 'NODE_UNREACHABLE' });
  });

  it('comes to the slow node less and less: another one is asked first, and the slow one now and then', async () => {
    const { nodes, transport } = await over(3);
    nodes[0]!.delay = 80;
    // On a busy machine the other nodes are slow at times, too.
    const ofAHundred = async (): Promise<number> => {
      const before = nodes[0]!.reads;
      await timesOf(transport, 100);
      return nodes[0]!.reads - before;
    };
    await expect.poll(ofAHundred).toBeLessThanOrEqual(1);
  });
});

describe('the budget', () => {
  it('allows one further read for each ten', async () => {
    const { nodes, transport } = await over(2);
    // Half of the reads of both nodes are slow, so that neither is better than the other.
    const flicker = setInterval(() => {
      for (const node of nodes) node.delay = node.delay === 1 ? 12 : 1;
    }, 5);
    closing.push(() => clearInterval(flicker));
    await timesOf(transport, 200);
    expect(total(nodes)).toBeGreaterThan(200);
    expect(total(nodes)).toBeLessThanOrEqual(220);
    expect(transport.hedges().OVER_BUDGET).toBeGreaterThan(0);
  });

  it('needs no second node of a single one', async () => {
    const { nodes, transport } = await over(1);
    await timesOf(transport, 30);
    expect(total(nodes)).toBe(30);
    expect(transport.hedges()).toEqual({ FIRST: 0, SECOND: 0, OVER_BUDGET: 0 });
  });

  it('is not used if it is off', async () => {
    const { nodes, transport } = await over(2, { hedges: false });
    await timesOf(transport, 30);
    nodes[0]!.delay = 100;
    await read(transport);
    expect(nodes[1]!.reads).toBe(0);
  });
});

describe('a call that is made once, however slow its node is', () => {
  it.each<[string, JsonObject, bigint | undefined]>([
    ['broadcast_tx_sync', { tx: '' }, undefined],
    ['check_tx', { tx: '' }, undefined],
    ['abci_query', { path: '/cosmos.tx.v1beta1.Service/Simulate', data: '', height: '5', prove: false }, 5n],
    ['abci_query', { path: '/app/simulate', data: '', height: '0', prove: false }, undefined],
    ['num_unconfirmed_txs', {}, undefined],
  ])('%s %j', async (method, params, height) => {
    const { nodes, transport } = await over(2);
    const call = () => transport.call(method, params, { height, decode: asIs });
    for (let done = 0; done < 20; done += 1) await call();
    nodes[0]!.delay = 100;
    await call();
    expect(nodes.map(({ reads }) => reads)).toEqual([21, 0]);
  });
});

it('fails with the error of the first node if both fail', async () => {
  const { nodes, transport } = await over(2, { retries: 0, retryBudget: 0 });
  await timesOf(transport, warmUp);
  const [first, second] = nodes;
  first!.delay = 60;
  first!.failure = new ChainError('NODE_TIMEOUT', 'The node did not respond within 60 ms.', { milliseconds: 60 });
  second!.failure = new ChainError('NODE_UNREACHABLE', 'The connection to the node failed.', { sent: true });
  expect(await code(read(transport))).toBe('NODE_TIMEOUT');
  expect(transport.nodes().map(({ consecutiveFailures }) => consecutiveFailures)).toEqual([1, 1]);
});
