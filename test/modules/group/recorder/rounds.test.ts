import { expect, it } from 'vitest';
import { createRecorder } from '../../../../src/modules/group/recorder/recorder.ts';
import { createFactStore } from './factStore.ts';
import { readGovernanceChain } from './governanceChain.ts';

it('reads of a block that do not depend on each other are sent together', async () => {
  const chain = readGovernanceChain();
  const store = createFactStore();
  const recorder = createRecorder();
  const taken: Record<string, readonly [questions: number, rounds: number]> = {};
  for (const block of chain.blocks) {
    const { height } = block.header;
    const { pin, questions, rounds } = chain.distant();
    store.add(await recorder.block(block, pin(height - 1n), pin(height), store));
    taken[`${height}`] = [questions(), rounds()];
  }
  expect(taken).toMatchObject({
    // A submission: the group of its policy is known from an earlier one.
    14614: [2, 1],
    // The policy, the group and the members, for a tally.
    14608: [3, 1],
    // Two tallies, the second one of a proposal that the first one executed.
    14687: [6, 1],
    // The end of a voting period: also the proposal.
    14717: [4, 1],
  });
  const all = Object.values(taken);
  expect([0, 1].map((index) => all.reduce((sum, each) => sum + each[index]!, 0))).toEqual([87, 38]);
});
