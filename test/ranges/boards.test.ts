import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { askAt, rootsKnown, type SourcedAnswer } from '../roots/heights.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup, submitProposal, type TestGroup, vote } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

const count = 6;

let chain: TestChain;
let stack: Stack;
let voters: readonly WalletAccount[];
const boards: { readonly group: TestGroup; readonly proposal: bigint }[] = [];

/** What one board shows. */
const query = (policy: string): string =>
  `{ proposalsByGroupPolicy(address: "${policy}", first: 20, reverse: true) { totalCount nodes {
       id title status executorResult votingPeriodEnd proposers { address } tally { yesCount noCount abstainCount }
       votes(first: 20) { nodes { option submitTime voter { address } } }
       groupPolicy { address group { id totalWeight members(first: 20) { nodes { weight account { address } } } } }
       messages { type value json } } } }`;

beforeAll(async () => {
  chain = await startChain();
  voters = chain.accounts.slice(0, 6);
  for (let made = 0; made < count; made += 1) {
    const group = await createGroup(
      chain,
      voters.map((account) => [account, '1'] as const),
      { threshold: '6', votingSeconds: 100_000 },
    );
    boards.push({ group, proposal: await submitProposal(chain, group, voters[0]!) });
  }
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
}, 60_000);

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Asks for all boards at the newest height, which the server has seen. */
const askAll = (of: Stack): Promise<readonly SourcedAnswer[]> =>
  Promise.all(boards.map(({ group }) => askAt(of, query(group.policy))));

/** Waits until the ranges of what was read are proven. */
async function followed(): Promise<void> {
  while ((stack.client.roots.keptReads()?.pending ?? 0) > 0) await new Promise((resolve) => setImmediate(resolve));
}

/** Makes a block with a vote of an account on a board, and another block in which its fee moves. Returns what was asked after each. */
async function cast(voter: number, board: number) {
  await chain.submit(voters[voter]!, vote(voters[voter]!, boards[board]!.proposal));
  const rounds: { readonly answers: readonly SourcedAnswer[]; readonly calls: number }[] = [];
  for (let block = 0; block < 2; block += 1) {
    chain.node.counters.reset();
    const height = await chain.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    await rootsKnown(stack, height);
    const answers = await askAll(stack);
    await followed();
    rounds.push({ answers, calls: chain.node.counters.calls });
  }
  return rounds;
}

describe('a vote', () => {
  it('executes the board that shows its proposal, and no other, once the boards were executed twice', async () => {
    await askAll(stack);
    await cast(0, 0);
    await cast(1, 0);
    for (const board of [2, 4]) {
      const [first] = await cast(2, board);
      const sources = first!.answers.map(({ source }) => source);
      expect(sources).toEqual(boards.map((_, index) => (index === board ? 'made' : 'carried')));
      if (process.env.STELE_PRINT !== undefined) console.log(first!.calls, stack.client.roots.keptReads());
      expect(first!.calls).toBeLessThanOrEqual(25);
      const fresh = await startStack([chain.node.url]);
      await fresh.client.head.ready();
      const [[, second]] = [await cast(3, board)];
      const read = await askAll(fresh);
      expect(second!.answers.map(({ data }) => data)).toEqual(read.map(({ data }) => data));
      await fresh.close();
    }
  }, 60_000);
});
