import { afterEach, expect, it } from 'vitest';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Answer, type Stack, type StackOptions, startStack } from '../../support/stack.ts';

interface Upstream {
  readonly nodes: readonly Record<string, unknown>[];
}

const facts =
  'alias health inUse chainId height lag earliestHeight catchingUp txIndex latency consecutiveFailures lastError ejectedUntil';

const running: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

async function over(chain: TestChain, options: StackOptions = {}): Promise<Stack> {
  running.push(() => chain.devnet.close());
  const stack = await startStack(
    chain.devnet.nodes.map(({ url }) => url),
    options,
  );
  running.push(() => stack.close());
  return stack;
}

const ask = (stack: Stack, selection: string): Promise<Answer<Upstream>> =>
  stack.ask(`{ nodes { ${selection} } }`) as Promise<Answer<Upstream>>;

it('returns the view of each node', async () => {
  const chain = await startChain({ bare: true, nodes: 2, chainId: 'watched' });
  chain.devnet.nodes[1]!.faults.noIndex = true;
  await chain.devnet.commit();
  const stack = await over(chain);
  await stack.client.head.waitFor(2n, { milliseconds: 30_000 });
  const { body } = await ask(stack, facts);
  const node = {
    health: 'HEALTHY',
    chainId: 'watched',
    height: '2',
    lag: '0',
    earliestHeight: '1',
    catchingUp: false,
    latency: expect.stringMatching(/^0\.\d{1,9}s$/),
    consecutiveFailures: 0,
    lastError: null,
    ejectedUntil: null,
  };
  expect(body).toEqual({
    data: {
      nodes: [
        { alias: 'node-1', inUse: true, txIndex: true, ...node },
        { alias: 'node-2', inUse: false, txIndex: false, ...node },
      ],
    },
    extensions: { height: '2' },
  });
});

it('calls each node once for its own status, independent of the current node', async () => {
  const chain = await startChain({ bare: true, nodes: 2 });
  const stack = await over(chain);
  await stack.client.head.ready();
  await expect.poll(() => stack.client.head.stats().isComplete, { interval: 5 }).toBe(true);
  for (const node of chain.devnet.nodes) node.counters.reset();
  const { body } = await ask(stack, 'status { nodeInfo { moniker } } netInfo { listening nPeers }');
  expect(body.errors).toBeUndefined();
  expect(body.data?.nodes.map(({ status }) => status)).toEqual(
    chain.devnet.nodes.map(({ moniker }) => ({ nodeInfo: { moniker } })),
  );
  for (const { counters } of chain.devnet.nodes) expect(counters.byMethod).toMatchObject({ status: 1, net_info: 1 });
});

it('is read again for each operation', async () => {
  const chain = await startChain({ bare: true, nodes: 2 });
  const stack = await over(chain);
  const [, second] = chain.devnet.nodes;
  second!.freeze();
  await chain.devnet.commit();
  await stack.client.head.waitFor(2n, { milliseconds: 30_000 });
  const heights = async (): Promise<unknown> =>
    (await ask(stack, 'status { syncInfo { latestBlockHeight } }')).body.data?.nodes;
  const of = (height: string): object => ({ status: { syncInfo: { latestBlockHeight: height } } });
  expect(await heights()).toEqual([of('2'), of('1')]);
  second!.thaw();
  await expect.poll(() => second!.height).toBe(2n);
  expect(await heights()).toEqual([of('2'), of('2')]);
});

it('reports a node that lags and one that has failed; reads go to other nodes', async () => {
  const chain = await startChain({ bare: true, nodes: 3 });
  const [, lagging, dead] = chain.devnet.nodes;
  const stack = await over(chain, { upstream: { probeInterval: 20 } });
  await stack.client.head.ready();
  lagging!.freeze();
  await dead!.stop();
  for (let height = 0; height < 5; height++) await chain.devnet.commit();
  await expect
    .poll(async () => (await ask(stack, 'health lag lastError consecutiveFailures ejectedUntil inUse')).body.data?.nodes)
    .toEqual([
      { health: 'HEALTHY', lag: '0', lastError: null, consecutiveFailures: 0, ejectedUntil: null, inUse: true },
      { health: 'LAGGING', lag: '5', lastError: null, consecutiveFailures: 0, ejectedUntil: null, inUse: false },
      {
        health: 'EJECTED',
        lag: '5',
        lastError: 'NODE_UNREACHABLE',
        consecutiveFailures: expect.any(Number),
        ejectedUntil: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/),
        inUse: false,
      },
    ]);
  const { body } = await ask(stack, 'alias status { nodeInfo { network } }');
  expect(body.data?.nodes.map(({ status }) => status === null)).toEqual([false, false, true]);
  expect(body.errors).toMatchObject([{ path: ['nodes', 2, 'status'], extensions: { code: 'NODE_UNREACHABLE' } }]);
});

it('reports the chain of a rejected node, and its status', async () => {
  const chain = await startChain({ bare: true, nodes: 2, chainId: 'ours' });
  const [, other] = chain.devnet.nodes;
  const stack = await over(chain, { upstream: { probeInterval: 20 } });
  await stack.client.head.ready();
  other!.faults.chainId = 'theirs';
  const shown = 'chainId health lag height inUse lastError status { nodeInfo { network } }';
  await expect
    .poll(async () => (await ask(stack, shown)).body)
    .toMatchObject({
      data: {
        nodes: [
          { chainId: 'ours', health: 'HEALTHY', inUse: true },
          {
            chainId: 'theirs',
            health: 'WRONG_CHAIN',
            lag: null,
            height: '1',
            inUse: false,
            lastError: 'NODE_INVALID_RESPONSE',
            status: { nodeInfo: { network: 'theirs' } },
          },
        ],
      },
    });
});

it.runIf(runsAll)('answers even if no node has ever responded', async () => {
  const chain = await startChain({ bare: true });
  await chain.node.stop();
  const stack = await over(chain);
  const { body } = await ask(stack, `${facts} status { lastBlockAge }`);
  expect(body.data?.nodes).toEqual([
    {
      alias: 'node-1',
      health: 'DOWN',
      inUse: true,
      chainId: null,
      height: null,
      lag: null,
      earliestHeight: null,
      catchingUp: null,
      txIndex: null,
      latency: null,
      consecutiveFailures: expect.any(Number),
      lastError: 'NODE_UNREACHABLE',
      ejectedUntil: null,
      status: null,
    },
  ]);
  expect(body.errors).toMatchObject([{ path: ['nodes', 0, 'status'], extensions: { code: 'NODE_UNREACHABLE' } }]);
  expect(JSON.stringify(body)).not.toContain(new URL(chain.node.url).port);
});

it('answers from its view while a node does not respond', async () => {
  const chain = await startChain({ bare: true, nodes: 2 });
  const stack = await over(chain, { upstream: { timeout: 200 } });
  await stack.client.head.ready();
  chain.devnet.nodes[1]!.faults.answer = 'never';
  const { body } = await ask(stack, 'alias status { nodeInfo { network } }');
  expect(body.data?.nodes.map(({ status }) => status === null)).toEqual([false, true]);
  expect(body.errors).toMatchObject([{ path: ['nodes', 1, 'status'], extensions: { code: 'NODE_TIMEOUT' } }]);
});
