import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../../packages/devnet/src/app/runtime/random.ts';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import type { SubscriptionStats } from '../../../src/graphql/subscriptions/subscriptions.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll, takeTurns } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Ending, type Listener, overEvents, overWebSocket, transports } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;
const listeners: Listener[] = [];

/** An event of 320 kB made of a few long names. A few such events fill a socket that is not read, including the kernel buffers. */
const eight = Array.from({ length: 8 }, (_, at) => String(at));
const heavy = `subscription ($after: Int64) { newBlock(after: $after) { height hash ${eight.map((at) => `h${at}: header { ...Long }`).join(' ')} } }
  fragment Long on Header { ${eight.map((at) => `${'x'.repeat(5_000)}${at}: height`).join(' ')} }`;
const light = 'subscription ($after: Int64) { newBlock(after: $after) { height hash } }';
// A thousand subscribers connect at once.
const limits = { 'subscription.events': 8, 'rate.concurrent': 1_000 };

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n });
  stack = await startStack([chain.node.url], { server: { limits } });
  await stack.client.head.ready();
});

afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.drop();
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

type Over = (url: string, query: string, variables?: object) => Promise<Listener>;

async function listen(over: Over, query: string, variables: object = {}): Promise<Listener> {
  const listener = await over(stack.server.url, query, variables);
  listeners.push(listener);
  return listener;
}

function many(count: number, over: Over, query: string, variables: object = {}): Promise<Listener[]> {
  return Promise.all(Array.from({ length: count }, () => listen(over, query, variables)));
}

/** A transfer of an account to itself. */
function transfer({ address }: WalletAccount) {
  return any(MsgSendSchema, { fromAddress: address, toAddress: address, amount: [{ denom: 'nhash', amount: '1' }] });
}

/** Commits this many blocks, each seen by the server before the next one. */
async function commit(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
  }
}

/** Waits until the subscription statistics of the server match. */
const stats = (expected: Partial<SubscriptionStats>): Promise<void> =>
  expect.poll(() => stack.server.subscriptions(), { interval: 2 }).toMatchObject(expected);

const heights = ({ answers }: Listener): number[] => answers.map(({ data }) => Number(data!.newBlock!.height));
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe.each(Object.entries(transports))('over %s', (_, over) => {
  const turn = takeTurns(Object.values(transports), over);

  it.runIf(turn())('fifty equal subscriptions cost one execution for each block, and all receive the same bytes', async () => {
    // The commit of the newest block is not final, so it is not cached: each execution costs a call.
    const query = 'subscription { newBlock { height commit { header { height } } } }';
    const listening = await many(50, over, query);
    await stats({ subscribers: 50, topics: 1, sources: 1 });
    chain.node.counters.reset();
    await commit(3);
    await Promise.all(listening.map((listener) => listener.count(3)));
    expect(chain.node.counters.byMethod.commit).toBe(3);
    expect(stack.server.subscriptions().executions).toBe(3);
    const [first] = listening;
    const [height] = first!.answers.map(({ data }) => data!.newBlock!.height);
    expect(first!.answers[0]).toEqual({
      data: { newBlock: { height, commit: { header: { height } } } },
      extensions: { height, index: 0, count: 1, chain: stack.client.head.fingerprint() },
    });
    for (const { texts } of listening) expect(texts).toEqual(first!.texts);
  });

  it.runIf(turn())('each event has its height, its index among the events of its block, and their number', async () => {
    const query =
      'subscription ($after: Int64) { transactions(after: $after, where: [{ key: "transfer.recipient", op: EXISTS }]) { hash } }';
    const [all, one] = await many(2, over, query);
    await stats({ subscribers: 2, sources: 1 });
    const start = chain.devnet.height;
    const senders = chain.accounts.slice(0, 3);
    const hashes = await Promise.all(senders.map((account) => chain.submit(account, transfer(account))));
    await commit(2);
    hashes.push(await chain.submit(senders[0]!, transfer(senders[0]!)));
    await commit(1);
    await Promise.all([all!.count(4), one!.count(4)]);
    const identity = stack.client.head.fingerprint();
    const places = [0n, 1n, 2n].map((index) => ({
      height: String(start + 1n),
      index: Number(index),
      count: 3,
      chain: identity,
    }));
    expect(all!.answers.map(({ extensions }) => extensions)).toEqual([
      ...places,
      { height: String(start + 3n), index: 0, count: 1, chain: identity },
    ]);
    expect(one!.texts).toEqual(all!.texts);
    expect(stack.server.subscriptions().executions).toBe(4);
    const back = await listen(over, query, { after: String(start) });
    await back.count(4);
    expect(back.texts).toEqual(all!.texts);
    expect(stack.server.subscriptions().executions).toBe(4);
  });

  it.runIf(turn())(
    'subscribers that start at different heights share one execution for each height, and then follow the head together',
    async () => {
      await commit(40);
      const query = 'subscription ($from: Int64) { newBlock(after: $from) { height blockSize } }';
      const inline = (after: number): string => query.replace('($from: Int64)', '').replace('$from', `"${after}"`);
      // The topic is the same whether `after` is a literal or a variable, and independent of other variables.
      const starts = range(1, 20);
      const listening = await Promise.all(
        starts.map((after) =>
          after % 2 === 0 ? listen(over, query, { from: after }) : listen(over, inline(after), { from: 'unused' }),
        ),
      );
      await Promise.all(listening.map((listener) => listener.until(({ extensions }) => extensions?.height === '41')));
      await stats({ topics: 1, subscribers: 20, sources: 1 });
      await commit(2);
      await Promise.all(listening.map((listener) => listener.until(({ extensions }) => extensions?.height === '43')));
      listening.forEach((listener, index) => {
        expect(heights(listener)).toEqual(range(starts[index]! + 1, 43));
      });
      expect(stack.server.subscriptions().executions).toBe(42);
      await Promise.all(listening.map((listener) => listener.leave()));
      await stats({ topics: 0, subscribers: 0, sources: 0 });
      const back = await listen(over, query, { from: '10' });
      await back.until(({ extensions }) => extensions?.height === '43');
      expect(heights(back)).toEqual(range(11, 43));
      expect(stack.server.subscriptions().executions).toBe(42);
    },
  );

  it.runIf(turn())(
    'a subscriber that does not read ends with SLOW_CONSUMER and a height to resume after, and misses no event',
    async () => {
      const fast = await listen(over, heavy, { after: '1' });
      const slow = await listen(over, heavy, { after: '1' });
      await stats({ subscribers: 2, topics: 1, sources: 1 });
      slow.pause();
      let blocks = 0;
      while (stack.server.subscriptions().subscribers === 2) {
        if (++blocks > 400) throw new Error('the slow subscriber was not ended');
        await commit(1);
        await fast.until(({ extensions }) => extensions?.height === chain.devnet.height.toString());
      }
      await commit(2);
      slow.resume();
      const ending = await slow.ended;
      const last = heights(slow).at(-1)!;
      expect(heights(slow)).toEqual(range(2, last));
      expect(ending).toEqual({
        errors: [
          {
            message: expect.stringContaining(`after: ${last}`),
            extensions: {
              code: 'SLOW_CONSUMER',
              lastHeight: String(last),
              after: String(last),
              chain: stack.client.head.fingerprint(),
            },
          },
        ],
      });
      const top = Number(chain.devnet.height);
      const { errors } = ending as Extract<Ending, { readonly errors: unknown }>;
      const again = await listen(over, heavy, { after: errors[0]!.extensions!.after });
      await Promise.all([again, fast].map((each) => each.until(({ extensions }) => extensions?.height === String(top))));
      expect([...heights(slow), ...heights(again)]).toEqual(range(2, top));
      expect(heights(fast)).toEqual(range(2, top));
      expect(slow.late).toEqual([]);
    },
  );

  it.runIf(turn())('a source that ends with an error ends every subscriber with its code', async () => {
    await commit(5);
    const listening = await many(5, over, 'subscription { newBlock(after: 1) { height } }');
    await Promise.all(listening.map((listener) => listener.count(5)));
    await stats({ subscribers: 5, sources: 1 });
    stack.client.blocks.close();
    for (const listener of listening) {
      expect(await listener.ended).toEqual({
        errors: [{ message: expect.any(String), extensions: { code: 'NODE_UNREACHABLE' } }],
      });
      expect(listener.late).toEqual([]);
    }
    await stats({ topics: 0, subscribers: 0, sources: 0 });
  });

  it.runIf(turn())(
    'a subscriber that leaves, by any means, is released at once with its source and its block stream',
    async () => {
      await commit(3);
      const { from } = stack.client.blocks;
      const reading = new Set<AbortSignal>();
      vi.spyOn(stack.client.blocks, 'from').mockImplementation((after, options) => {
        const signal = options!.signal!;
        reading.add(signal);
        signal.addEventListener('abort', () => reading.delete(signal));
        return from(after, options);
      });
      const [one, two, three] = await many(3, over, light);
      await stats({ subscribers: 3, topics: 1, sources: 1 });
      expect(reading.size).toBe(1);
      one!.complete();
      await stats({ subscribers: 2, sources: 1 });
      two!.drop();
      await stats({ subscribers: 1, sources: 1 });
      await commit(1);
      await three!.count(1);
      await three!.leave();
      await stats({ topics: 0, subscribers: 0, sources: 0 });
      expect(reading.size).toBe(0);
      expect(one!.answers).toEqual([]);
    },
  );

  it.runIf(turn())('a server that stops sends SERVER_SHUTDOWN with the height to resume after', async () => {
    const listener = await listen(over, light, { after: '0' });
    await commit(2);
    await listener.count(3);
    const ended = listener.ended;
    await stack.server.close();
    expect(await ended).toMatchObject({ interrupted: { code: 'SERVER_SHUTDOWN', lastHeight: '3', after: '3' } });
    expect(stack.server.subscriptions()).toMatchObject({ topics: 0, subscribers: 0, sources: 0 });
  });
});

it.runIf(runsAll)(
  'of many subscribers, a tenth that do not read are ended, and the others miss no event',
  {
    timeout: 180_000,
  },
  async () => {
    const start = Number(chain.devnet.height);
    const fast = [
      ...(await many(500, overWebSocket, light, { after: start })),
      ...(await many(380, overEvents, light, { after: start })),
      ...(await many(20, overWebSocket, heavy, { after: start })),
    ];
    const stalled = [
      ...(await many(40, overWebSocket, heavy, { after: start })),
      ...(await many(60, overEvents, heavy, { after: start })),
    ];
    await stats({ subscribers: fast.length + stalled.length, topics: 2, sources: 2 });
    for (const listener of stalled) listener.pause();
    let blocks = 0;
    while (stack.server.subscriptions().subscribers > fast.length) {
      if (++blocks > 400) throw new Error('the stalled subscribers were not ended');
      await commit(1);
      await Promise.all(fast.map((listener) => listener.count(blocks)));
    }
    await commit(1);
    await Promise.all(fast.map((listener) => listener.count(blocks + 1)));
    for (const listener of fast) expect(heights(listener)).toEqual(range(start + 1, start + blocks + 1));
    // Each of them has megabytes of buffered events, so only a sample is read.
    for (const listener of stalled.filter((_, index) => index % 10 === 0)) {
      listener.resume();
      const ending = await listener.ended;
      const last = start + listener.answers.length;
      expect(heights(listener)).toEqual(range(start + 1, last));
      expect(ending).toMatchObject({ errors: [{ extensions: { code: 'SLOW_CONSUMER', after: String(last) } }] });
    }
    expect(stack.server.subscriptions()).toMatchObject({ subscribers: fast.length, executions: 2 * (blocks + 1) });
  },
);

it('events that can still change, and events that failed, are executed again for later subscribers', async () => {
  await commit(4);
  const live = 'subscription { newBlock(after: 2) { height commit { header { height } } } }';
  for (const executions of [3, 6]) {
    const listener = await listen(overWebSocket, live);
    await listener.count(3);
    expect(stack.server.subscriptions()).toMatchObject({ executions, cachedHeights: 0 });
    await listener.leave();
    await stats({ topics: 0 });
  }
  const size = 'subscription { newBlock(after: 2) { height blockSize } }';
  chain.node.faults.call = ({ method }) =>
    method === 'blockchain' ? { rpc: { code: -32603, message: 'Internal error', data: 'no' } } : undefined;
  const failing = await listen(overEvents, size);
  await failing.count(3);
  expect(failing.answers[0]).toEqual({
    data: { newBlock: { height: '3', blockSize: null } },
    errors: [
      expect.objectContaining({ path: ['newBlock', 'blockSize'], extensions: expect.objectContaining({ code: 'RPC_ERROR' }) }),
    ],
    extensions: { height: '3', index: 0, count: 1, chain: stack.client.head.fingerprint() },
  });
  chain.node.faults.call = undefined;
  const better = await listen(overWebSocket, size);
  await better.count(3);
  expect(better.answers.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined]);
});

it('a start at a pruned height ends that subscription with an error, and no other', async () => {
  await commit(8);
  chain.node.prune(5n, { blocks: true });
  // Start a new server, whose cache has none of the pruned blocks.
  await stack.close();
  stack = await startStack([chain.node.url], { server: { limits } });
  const present = await listen(overWebSocket, light);
  await stats({ subscribers: 1, sources: 1 });
  for (const over of Object.values(transports)) {
    const late = await listen(over, light, { after: 2 });
    expect(await late.ended).toEqual({
      errors: [{ message: expect.any(String), extensions: { code: 'HEIGHT_PRUNED', height: '3', earliestHeight: '5' } }],
    });
  }
  await commit(1);
  await present.count(1);
  expect(heights(present)).toEqual([Number(chain.devnet.height)]);
  await stats({ subscribers: 1, sources: 1 });
});

it('a start at a future height waits for it, with and without other subscribers', async () => {
  const top = Number(chain.devnet.height);
  const opening = listen(overEvents, light, { after: top + 2 });
  const [present, other] = await many(2, overWebSocket, light);
  await stats({ subscribers: 2, sources: 1 });
  const ahead = await listen(overWebSocket, light, { after: top + 3 });
  await commit(6);
  const early = await opening;
  await Promise.all([present!.count(6), other!.count(6), early.count(4), ahead.count(3)]);
  expect(heights(other!)).toEqual(heights(present!));
  expect([present!, early, ahead].map(heights)).toEqual([1, 3, 4].map((first) => range(top + first, top + 6)));
  await stats({ subscribers: 4, sources: 1 });
});

it('different documents and variables are different topics', async () => {
  await commit(1);
  const two = 'subscription A($h: String!) { events(query: $h) { height } } subscription B { newBlock { height time } }';
  const listening = [
    await listen(overWebSocket, two.slice(0, two.indexOf(' subscription B')), { h: 'block.height > 0' }),
    await listen(overWebSocket, two.slice(0, two.indexOf(' subscription B')), { h: 'block.height > 1' }),
    await listen(overWebSocket, 'subscription { newBlock { hash } }'),
    await listen(overEvents, 'subscription { newBlock { hash } }'),
  ];
  await stats({ subscribers: 4, topics: 3 });
  await commit(1);
  await Promise.all(listening.map((listener) => listener.count(1)));
  expect(stack.server.subscriptions().executions).toBe(3);
  expect(listening[2]!.texts).toEqual(listening[3]!.texts);
});

it.runIf(runsAll).each([1, 2, 3])(
  'subscribers that join and leave at random receive each of three hundred blocks once (random seed %i)',
  async (seed) => {
    const { below, pick } = createRandom(seed);
    const all: { after: number; listener: Listener; left: boolean }[] = [];
    const joining: Promise<void>[] = [];
    const join = async (after: number): Promise<void> => {
      const over = pick(Object.values(transports))!;
      all.push({ after, listener: await listen(over, light, { after: pick([after, String(after)]) }), left: false });
    };
    while (chain.devnet.height < 300n) {
      if (below(4) === 0 && all.length < 80) {
        const top = Number(chain.devnet.height);
        joining.push(join(pick([top, below(top), top + below(5), Math.max(0, top - 2)])!));
      }
      const leaving = below(12) === 0 ? pick(all.filter(({ left }) => !left)) : undefined;
      if (leaving !== undefined) {
        leaving.left = true;
        pick([() => leaving.listener.complete(), () => leaving.listener.drop()])!();
      }
      // Sometimes wait until the server has seen the block; otherwise the chain runs ahead.
      if (below(3) === 0) await commit(1);
      else await chain.devnet.commit();
    }
    await Promise.all(joining);
    const stayed = await listen(overWebSocket, light, { after: 0 });
    await stayed.until(({ extensions }) => extensions?.height === '300');
    const hashes = stayed.answers.map(({ data }) => data!.newBlock!.hash);
    for (const { after, listener, left } of all) {
      if (!left) await listener.until(({ extensions }) => extensions?.height === '300');
      const seen = heights(listener);
      expect(seen).toEqual(range(after + 1, after + seen.length));
      expect(listener.answers.map(({ data }) => data!.newBlock!.hash)).toEqual(hashes.slice(after, after + seen.length));
    }
    expect(all.filter(({ left }) => !left).length).toBeGreaterThan(20);
    expect(stack.server.subscriptions().executions).toBe(300);
  },
);

it('distinct subscriptions read the validator set of a block with one call to the node', async () => {
  const aliases = Array.from({ length: 20 }, (_, index) => `a${index}`);
  const open = await Promise.all(
    aliases.map((alias) => listen(overWebSocket, `subscription { ${alias}: newBlock { proposer { votingPower } } }`)),
  );
  await stats({ topics: 20, sources: 20 });
  await commit(2);
  await Promise.all(open.map((listener) => listener.count(2)));
  expect(open.map(({ answers }) => Object.keys(answers[0]!.data!)[0])).toEqual(aliases);
  expect(chain.node.counters.log.filter(({ method }) => method === 'validators')).toHaveLength(2);
});
