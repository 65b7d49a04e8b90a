import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../packages/devnet/src/app/runtime/random.ts';
import { runsAll, seed, sizeOf } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, proposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { executeAt, pagesOf, type Step, stepsOf } from './histories.ts';

const blocks = sizeOf({ full: 100_000, ci: 5_000 });
const proposals = 30;
const changes = sizeOf({ full: 40, ci: 40 });

let chain: TestChain;
let group: TestGroup;
/** The height after which all proposals are there. */
let from: bigint;
let stele: Stack;
/** A server that has read nothing of the history. */
let reference: Stack;
/** The heights of the blocks with a vote. */
const voted: bigint[] = [];

const board = `query ($policy: String!) { proposalsByGroupPolicy(address: $policy, first: ${proposals}) {
  totalCount nodes { id status title tally { yesCount noCount } votes(first: 10) { nodes { option voter { address } } } } } }`;

beforeAll(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n, keepHeights: 0, keepBlocks: 0 });
  const members = chain.accounts.slice(0, 2);
  group = await createGroup(
    chain,
    members.map((account) => [account, '1']),
    { votingSeconds: 100_000_000 },
  );
  const titles = Array.from({ length: proposals }, (_, index) => `Number ${index + 1}`);
  await chain.run(members[0]!, ...titles.map((title) => proposal(group, [members[0]!], { title })));
  from = chain.devnet.height;
  const random = createRandom(seed);
  const heights = new Set<number>();
  while (heights.size < changes) heights.add(5 + random.below(blocks - 10));
  for (let count = 0; chain.devnet.height < blocks; ) {
    if (heights.has(Number(chain.devnet.height) + 1)) {
      const voter = chain.accounts[Math.floor(count / proposals)]!;
      await chain.submit(voter, vote(voter, BigInt(1 + (count % proposals)), count % 3 === 0 ? 'NO' : 'YES'));
      count += 1;
      voted.push(await chain.devnet.commit());
    } else await chain.devnet.commit();
    // The connection to the node needs turns of the event loop.
    if (chain.devnet.height % 100n === 0n) await new Promise(setImmediate);
  }
  [stele, reference] = [await startStack([chain.node.url]), await startStack([chain.node.url])];
  for (const { client } of [stele, reference]) await client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
}, 600_000);

afterAll(async () => {
  await stele.close();
  await reference.close();
  await chain.devnet.close();
});

describe(`a board of ${proposals} proposals over ${blocks} blocks, ${changes} of which changed it`, () => {
  it.runIf(runsAll)(
    'is executed once for each result, finds them with at most 1,000 roots, and reads none again',
    {
      timeout: 120_000,
    },
    async () => {
      expect(voted).toHaveLength(changes);
      const to = String(chain.devnet.height - 1n);
      const variables = { policy: group.policy };
      const read = async (start: bigint) => {
        const before = stele.client.pastRoots.requests();
        const pages = await pagesOf(stele, board, variables, { from: String(start), to });
        expect(pages.at(-1)?.refusal).toBeUndefined();
        const executions = pages.reduce((sum, page) => sum + page.executions, 0);
        return { steps: stepsOf(pages), executions, roots: stele.client.pastRoots.requests() - before };
      };
      const { steps, executions, roots } = await read(from);
      const expected: Step[] = [];
      for (const height of [from, ...voted]) expected.push(await executeAt(reference, board, variables, height));
      expect(steps).toEqual(expected);
      expect(executions).toBe(changes + 1);
      expect(roots).toBeLessThanOrEqual(1_000);
      // From the first change on, there are as many results as changes.
      const again = await read(voted[0]!);
      expect(again).toEqual({ steps: expected.slice(1), executions: changes, roots: 0 });
      process.stdout.write(
        `${blocks} blocks: ${steps.length} results, ${executions} executions and ${roots} roots cold; from the first change on ${again.executions} executions and ${again.roots} roots\n`,
      );
    },
  );
});
