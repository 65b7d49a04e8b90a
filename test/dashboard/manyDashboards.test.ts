import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { HomeLiveDocument, ProposalLiveDocument } from '../../dashboard/src/gen/graphql.ts';
import { type Client, createClient } from '../../packages/client/src/index.ts';
import { rounds, runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { vote } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** Each has a WebSocket of its own. */
const dashboards = rounds(200);

/** The stores whose roots are read at once. */
const rootStores = 4;

let chain: TestChain;
let stack: Stack;
const clients: Client[] = [];

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
});

afterAll(async () => {
  for (const client of clients) client.close();
  await stack.close();
  await chain.devnet.close();
});

/** Calls to the node while `work` runs, by method. */
async function callsOf(work: () => Promise<void>): Promise<Record<string, number>> {
  const calls: Record<string, number> = {};
  chain.node.onCall = ({ method }) => {
    calls[method] = (calls[method] ?? 0) + 1;
  };
  await work();
  chain.node.onCall = undefined;
  return calls;
}

const total = (calls: Readonly<Record<string, number>>): number => Object.values(calls).reduce((sum, count) => sum + count, 0);

it.runIf(runsAll).each([
  ['proposal', ProposalLiveDocument, { id: '38' }, [9, 7]],
  ['home', HomeLiveDocument, {}, [8, 6]],
])(
  `${dashboards} open pages (%s) over one server cost the node no more calls than one, at quiet blocks and at a vote`,
  async (_, document, variables, voters) => {
    const heights: number[] = [];
    const open = async (index: number): Promise<void> => {
      const client = createClient({ url: `${stack.server.url}/graphql`, webSocket: WebSocket });
      clients.push(client);
      for await (const { height } of client.live<unknown, object>(String(document), variables)) heights[index] = Number(height);
    };
    const commit = async (): Promise<void> => {
      const height = Number(await chain.devnet.commit());
      await expect.poll(() => heights.filter((each) => each < height), { timeout: 60_000 }).toEqual([]);
    };
    const opened = (count: number): Promise<unknown> =>
      expect.poll(() => heights.filter(() => true).length, { timeout: 30_000 }).toBe(count);
    const fiveBlocks = async (): Promise<void> => {
      for (let block = 0; block < 5; block += 1) await commit();
    };

    void open(0);
    await opened(1);
    await fiveBlocks();
    const one = await callsOf(fiveBlocks);
    const voteOf = async (index: number): Promise<number> => {
      const account = chain.accounts[index]!;
      await chain.submit(account, vote(account, 38n));
      return total(await callsOf(commit));
    };
    const oneVote = await voteOf(voters[0]!);
    for (let index = 1; index < dashboards; index += 1) void open(index);
    await opened(dashboards);
    await commit();
    const all = await callsOf(fiveBlocks);
    // The roots of stores are checked from time to time, all at once.
    expect(total(all)).toBeLessThanOrEqual(total(one) + 2 * rootStores);
    const allVote = await voteOf(voters[1]!);
    // The first vote also costs the proofs of what is followed from then on.
    expect(allVote).toBeLessThanOrEqual(oneVote);
    expect(allVote).toBeLessThan(60);
  },
);
