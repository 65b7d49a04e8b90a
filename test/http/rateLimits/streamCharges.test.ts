import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/config/limits/limits.ts';
import { runsAll, takeTurns } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Listener, overEvents, overWebSocket, transports } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { longPoll } from '../attacks/setup.ts';

let issuer: TestIssuer;
let chain: TestChain;
let stack: Stack;
const listeners: Listener[] = [];

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

beforeEach(async () => {
  chain = await startChain({ bare: true });
});

afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.drop();
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

async function start(limits: Partial<Limits>): Promise<void> {
  stack = await startStack([chain.node.url], { server: { auth: authenticatorOf(issuer), limits } });
  await stack.client.head.ready();
}

const tokenOf = (subject: string): Promise<string> => issuer.sign({ sub: subject });

async function listen(over: typeof overEvents, token: string, query: string, variables: object = {}): Promise<Listener> {
  const listener = await over(stack.server.url, query, variables, token);
  listeners.push(listener);
  return listener;
}

async function commit(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1)
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
}

/** Returns the remaining points of a caller. The request itself takes one. */
async function remaining(token: string): Promise<number> {
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{ head { height } }', extensions: { cost: true } }),
  });
  const { extensions } = (await response.json()) as { extensions: { cost: { remaining: number } } };
  return extensions.cost.remaining;
}

const members = (count: number): Promise<void> =>
  expect.poll(() => stack.server.subscriptions().subscribers, longPoll).toBe(count);
const heights = ({ answers }: Listener): number[] => answers.map(({ data }) => Number(data!.newBlock!.height));

describe.each(Object.entries(transports))('over %s', (_, over) => {
  const turn = takeTurns(Object.values(transports), over);

  it.runIf(turn() && runsAll)(
    'rate.points: a stream whose caller has too few points ends, and resumes without a gap',
    async () => {
      await start({ 'rate.points': 3_000, 'rate.burst': 40 });
      const token = await tokenOf('alice');
      const query = 'subscription ($after: Int64) { newBlock(after: $after) { height header { height } } }';
      const first = await listen(over, token, query, { after: '0' });
      await first.count(1);
      let ending: unknown;
      void first.ended.then((how) => {
        ending = how;
      });
      // Many blocks at once cost more than is given back meanwhile.
      for (let round = 0; round < 20 && ending === undefined; round += 1) {
        for (let block = 0; block < 40; block += 1) await chain.devnet.commit();
        await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
      }
      await expect.poll(() => ending, longPoll).toBeDefined();
      const last = heights(first).at(-1)!;
      expect(ending).toEqual({
        errors: [
          {
            message: expect.stringContaining(`Resume with \`after: ${last}\``),
            extensions: {
              code: 'RATE_LIMITED',
              limit: 'rate.points',
              max: 3_000,
              retryAfter: 1,
              lastHeight: String(last),
              after: String(last),
              chain: stack.client.head.fingerprint(),
            },
          },
        ],
      });
      const seen = heights(first);
      await expect
        .poll(
          async () => {
            const more = await listen(over, token, query, { after: seen.at(-1) }).catch(() => undefined);
            await more?.until(({ extensions }) => extensions?.height === String(chain.devnet.height)).catch(() => undefined);
            seen.push(
              ...(more?.answers.filter(({ data }) => data?.newBlock).map(({ data }) => Number(data!.newBlock!.height)) ?? []),
            );
            await more?.leave();
            return seen.at(-1);
            // Each attempt takes points as well.
          },
          { ...longPoll, interval: 200 },
        )
        .toBe(Number(chain.devnet.height));
      expect(seen).toEqual(Array.from({ length: Number(chain.devnet.height) }, (__, index) => index + 1));
    },
  );

  it.runIf(turn())(
    'subscriptions.distinct: a subscription above the limit is refused, an equal one is not, and the end of one frees a slot',
    async () => {
      await start({ 'subscriptions.distinct': 2 });
      const [alice, bob] = [await tokenOf('alice'), await tokenOf('bob')];
      const alias = (name: string): string => `subscription { ${name}: newBlock(after: 0) { height } }`;
      const refusal = async (): Promise<unknown> => {
        if (over === overEvents) return over(stack.server.url, alias('c'), {}, alice).catch(({ message }) => message);
        const third = await listen(over, alice, alias('c'));
        await third.count(1);
        return third.answers[0]!.errors![0]!.extensions;
      };
      const [first, second, same] = [
        await listen(over, alice, alias('a')),
        await listen(over, alice, alias('b')),
        await listen(over, alice, alias('a').replace('0', '1')),
      ];
      await first.count(1);
      await second.count(1);
      await members(3);
      const full = { code: 'RATE_LIMITED', limit: 'subscriptions.distinct', max: 2 };
      expect(await refusal()).toEqual(over === overEvents ? 'status 429' : full);
      // Other callers have their own limits, and a topic counts for each of them.
      await (await listen(over, bob, alias('a'))).count(1);
      await (await listen(over, bob, alias('c'))).count(1);
      await same.leave();
      await members(4);
      expect(await refusal()).toEqual(over === overEvents ? 'status 429' : full);
      await first.leave();
      await members(3);
      await (await listen(over, alice, alias('c'))).count(1);
    },
  );
});

it('subscriptions.points: the cost of one event of all subscriptions is limited, and returned', async () => {
  await start({ 'subscriptions.points': 50 });
  const token = await tokenOf('alice');
  const wide = (name: string): string => `subscription { ${name}: newBlock { transactions(first: 20) { nodes { hash } } } }`;
  await listen(overWebSocket, token, wide('a'));
  await listen(overWebSocket, token, wide('b'));
  await members(2);
  const third = await listen(overWebSocket, token, wide('c'));
  expect(await third.ended).toBe('complete');
  expect(third.answers).toMatchObject([
    { errors: [{ extensions: { code: 'RATE_LIMITED', limit: 'subscriptions.points', max: 50 } }] },
  ]);
  expect(third.answers[0]!.errors![0]!.extensions).not.toHaveProperty('retryAfter');
  await listen(overWebSocket, token, 'subscription { newBlock { height } }');
  await members(3);
});

it.runIf(runsAll)('the cost of an event is shared by all its subscribers; a cached event costs one point', async () => {
  // The bucket gains nothing during the test.
  await start({ 'rate.points': 1, 'rate.burst': 10_000 });
  const [alice, bob] = [await tokenOf('alice'), await tokenOf('bob')];
  const query =
    'subscription ($after: Int64) { newBlock(after: $after) { height transactions(first: 38) { nodes { hash } } } }';
  const blocks = 10;
  const all = [
    ...(await Promise.all([1, 2, 3].map(() => listen(overWebSocket, alice, query)))),
    await listen(overEvents, bob, query),
  ];
  await members(4);
  const before = [await remaining(alice), await remaining(bob)];
  await commit(blocks);
  await Promise.all(all.map((listener) => listener.count(blocks)));
  const after = [await remaining(alice), await remaining(bob)];
  // An event has 40 points: the block, the page, and 38 transactions. `remaining` itself takes one.
  const paid = before.map((points, index) => points - after[index]! - 1);
  expect(paid).toEqual([300, 100]);
  // From the cache: each block costs one point, in addition to the 40 of the subscription.
  const late = await listen(overWebSocket, bob, query, { after: String(Number(chain.devnet.height) - blocks) });
  await late.count(blocks);
  expect(after[1]! - (await remaining(bob))).toBe(40 + blocks + 1);
});

it.runIf(runsAll)(
  'other requests get responses while many different subscriptions are executed at one block',
  {
    timeout: 180_000,
  },
  async () => {
    await start({});
    const [alice, bob] = [await tokenOf('alice'), await tokenOf('bob')];
    const count = 150;
    const fields = Array.from({ length: 25 }, (_, index) => `h${index}: header { height time }`).join(' ');
    const all = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        listen(overWebSocket, alice, `subscription { a${index}: newBlock { ${fields} } }`),
      ),
    );
    await members(count);
    await remaining(bob);
    const answered: number[] = [];
    const height = await chain.devnet.commit();
    const { executions: before } = stack.server.subscriptions();
    while (stack.server.subscriptions().executions === before) await new Promise((resolve) => setImmediate(resolve));
    while (stack.server.subscriptions().executions < before + count) {
      await remaining(bob);
      answered.push(stack.server.subscriptions().executions - before);
    }
    expect(answered[0]).toBeLessThan(count);
    await Promise.all(all.map((listener) => listener.count(1)));
    for (const listener of all) expect(listener.answers[0]!.extensions!.height).toBe(String(height));
  },
);
