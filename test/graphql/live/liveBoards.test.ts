import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../../packages/devnet/src/app/runtime/random.ts';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, proposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Listener, overEvents, overWebSocket } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;

/** The full size in CI, and a smaller one otherwise, which keeps `npm test` short. */
const [clients, blocks] = process.env.CI === undefined ? [60, 20] : [1_000, 100];

const list = (fields: string): string =>
  `proposalsByGroupPolicy(address: $policy, first: 10, reverse: true) { nodes { ${fields} } }`;
const card = 'asOfHeight id status tally { yesCount noCount } votes(first: 20) { nodes { option voter { address } } }';
const board = `query Board($policy: String!) @live { ${list(card)} }`;
/** The same with 80 kB for each proposal. Some results fill a socket that is not read, with the buffers of the kernel. */
const wide = `query Wide($policy: String!) @live { ${list(`${card} ...Long`)} again: ${list('...Long')} }
  fragment Long on Proposal { ${Array.from({ length: 8 }, (_, at) => `${'x'.repeat(5_000)}${at}: status`).join(' ')} }`;

beforeAll(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n });
  const members = chain.accounts.slice(0, 10).map((account) => [account, '1'] as const);
  group = await createGroup(chain, members, { threshold: '10', votingSeconds: 1_000_000 });
  stack = await startStack([chain.node.url], {
    server: { limits: { 'rate.concurrent': 2 * clients, 'socket.ping': 120_000 } },
  });
  await seen();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

const seen = () => stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });

/** The number of times that a live query was executed or found unchanged. */
const looks = (): number => {
  const { executions, unchanged } = stack.server.subscriptions().live;
  return executions + unchanged;
};

/** A result without its heights. */
const content = (text: string): string =>
  text.replaceAll(/"asOfHeight":"\d+"/g, '"asOfHeight":""').replace(/,?"extensions":.*$/, '}');

/** The results of a query at each height, read by a server that has not seen these blocks, so that it carries nothing over. */
async function readAll(query: string, from: number, to: number): Promise<Map<number, string>> {
  const other = await startStack([chain.node.url]);
  const read = new Map<number, string>();
  for (let height = from; height <= to; height += 1) {
    const headers = { 'x-cosmos-block-height': String(height) };
    const { body } = await other.ask(query.replace('@live ', ''), { policy: group.policy }, headers);
    read.set(height, content(JSON.stringify(body)));
  }
  expect(other.client.roots.stats().learnt).toBeLessThan(3);
  await other.close();
  return read;
}

it.runIf(runsAll)(
  `${clients} live boards through ${blocks} blocks with random votes: each client gets the distinct results of uncached reads`,
  {
    timeout: 180_000,
  },
  async () => {
    const { below, pick } = createRandom(16);
    const fast: Listener[] = [];
    const slow: Listener[] = [];
    const listen = async (over: typeof overWebSocket, query: string, into: Listener[]): Promise<void> => {
      into.push(await over(stack.server.url, query, { policy: group.policy }));
    };
    const joining: Promise<void>[] = [];
    /** Votes that were not cast yet. */
    const open: (readonly [voter: number, proposal: bigint])[] = [];
    let proposals = 0n;
    let changes = 0;
    const propose = async (account: WalletAccount): Promise<void> => {
      proposals += 1n;
      await chain.submit(account, proposal(group, [account]));
      for (let voter = 1; voter < 10; voter += 1) open.push([voter, proposals]);
    };
    for (const account of chain.accounts.slice(0, 8)) await propose(account);
    await chain.devnet.commit();
    await seen();
    const begin = Number(chain.devnet.height);
    for (let at = 0; at < 6; at += 1) joining.push(listen(at % 2 === 0 ? overWebSocket : overEvents, wide, slow));
    await Promise.all(joining);
    await listen(overWebSocket, board, fast);
    await Promise.all([...slow, ...fast].map((listener) => listener.count(1)));
    /** Waits until the server has looked at the newest block for both queries. */
    const base = looks();
    const looked = (): Promise<void> =>
      expect.poll(looks, { interval: 1 }).toBeGreaterThanOrEqual(base + 2 * (Number(chain.devnet.height) - begin));
    for (const listener of slow) listener.pause();
    for (let block = 0; block < blocks; block += 1) {
      for (let join = Math.max(1, Math.ceil((block * clients) / blocks)); join < ((block + 1) * clients) / blocks; join += 1)
        joining.push(listen(below(10) === 0 ? overEvents : overWebSocket, board, fast));
      if (below(5) > 1) {
        changes += 1;
        if (below(5) === 0 || open.length === 0) await propose(chain.accounts[0]!);
        else {
          const [[voter, id] = [1, 1n]] = open.splice(below(open.length), 1);
          await chain.submit(chain.accounts[voter]!, vote(chain.accounts[voter]!, id, pick(['YES', 'NO', 'ABSTAIN'])!));
        }
      }
      await chain.devnet.commit();
      // Sometimes the next block comes before the server has looked at this one.
      if (below(4) > 0) await looked();
    }
    await Promise.all(joining);
    await seen();
    const end = Number(chain.devnet.height);
    const reads = { [board]: await readAll(board, begin, end), [wide]: await readAll(wide, begin, end) };
    const newest = { [board]: reads[board]!.get(end)!, [wide]: reads[wide]!.get(end)! };
    for (const listener of slow) listener.resume();

    const check = async (listener: Listener, query: string, keepsUp: boolean): Promise<void> => {
      await listener.until(() => content(listener.texts.at(-1)!) === newest[query]);
      const heights = listener.answers.map(({ extensions }) => Number(extensions!.height));
      const results = listener.texts.map(content);
      const first = heights[0]!;
      // Each result is that of its height, in order, and differs from the one before it.
      expect(heights).toEqual([...new Set(heights)].toSorted((one, other) => one - other));
      for (const [index, result] of results.entries()) {
        expect(result === reads[query]!.get(heights[index]!)).toBe(true);
        expect(result === results[index - 1]).toBe(false);
      }
      if (!keepsUp) return;
      const distinct: string[] = [];
      for (let height = first; height <= end; height += 1) {
        const read = reads[query]!.get(height)!;
        if (read !== distinct.at(-1)) distinct.push(read);
      }
      expect(results).toEqual(distinct);
    };
    expect(fast).toHaveLength(clients);
    for (const listener of fast) await check(listener, board, true);
    for (const listener of slow) await check(listener, wide, false);
    const distinct = new Set(reads[wide]!.values()).size;
    expect(slow.filter(({ texts }) => texts.length === distinct)).toEqual([]);

    const { live } = stack.server.subscriptions();
    expect(live).toMatchObject({ topics: 2, listeners: clients + slow.length });
    // One execution of each query for each block that changes the board, and one more at the start, before the roots are known.
    expect(live.executions).toBeLessThanOrEqual(2 * (changes + 2));
    expect(live.executions + live.unchanged).toBeLessThanOrEqual(2 * (end - begin + 1));
    await Promise.all([...fast, ...slow].map((listener) => listener.leave()));
    await expect.poll(() => stack.server.subscriptions().live.listeners).toBe(0);
  },
);
