import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProposalUpdate, Target } from '../../../src/modules/group/proposalUpdates.ts';
import { proposalUpdates, tallyUpdates } from '../../../src/modules/group/updateSchema.ts';
import { type Pinned, pinOf } from '../../../src/reads/pin.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import * as groups from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { eventsUpTo, rootAt } from '../../support/streams.ts';

/**
 * A group with members of weights 1, 1.5 and 1, a threshold of 2 and a voting period of 20 s. Accepted proposals are deleted 60
 * s later. Blocks are one second apart.
 */
let chain: TestChain;
let stack: Stack;
let group: groups.TestGroup;

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_900_000_000_000_000_000n, maxExecutionSeconds: 60 });
  stack = await startStack([chain.node.url]);
  const [one, two, three] = chain.accounts;
  group = await groups.createGroup(chain, [
    [one!, '1'],
    [two!, '1.5'],
    [three!, '1'],
  ]);
});

function root(): Pinned<object> {
  return rootAt(stack.client, chain.devnet.height);
}

afterEach(async () => {
  await stack.close();
  await chain.devnet.close();
});

async function updatesAfter(after: bigint, target: Target): Promise<Pinned<ProposalUpdate>[]> {
  const { height } = chain.devnet;
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
  const updates = await eventsUpTo(proposalUpdates(root(), target, { after, present: false }), height);
  for (const update of updates) expect(pinOf(update).height).toBe(update.height);
  return updates;
}

/** Formats updates as `height after the start: reasons status result`. */
function shown(start: bigint, updates: readonly ProposalUpdate[]): string[] {
  const short = (text: string): string => text.replace(/^PROPOSAL_(STATUS|EXECUTOR_RESULT)_/, '');
  return updates.map(
    ({ height, reasons, status, executorResult, proposal }) =>
      `${height - start}: ${reasons.join()} ${short(status)} ${short(executorResult)}${proposal === null ? ' gone' : ''}`,
  );
}

describe('proposalUpdates of one proposal', () => {
  it('reports submission, votes, execution attempts, weight changes, and the end of the voting period in an empty block', async () => {
    const [one, two, three] = chain.accounts;
    const start = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, groups.vote(one!, id));
    await chain.run(one!, groups.exec(one!, id));
    await chain.devnet.commit();
    await chain.run(one!, groups.describeGroup(one!, group, 'no weight in this'));
    await chain.run(one!, groups.weigh(one!, group, [[two!, '0.5']]));
    await chain.run(three!, groups.leave(three!, group));
    await chain.devnet.commit({ elapse: 14_000 });
    await chain.devnet.commit();
    await chain.devnet.commit();
    await chain.devnet.commit({ elapse: 60_000 });
    const updates = await updatesAfter(start, { of: 'id', id });
    expect(shown(start, updates)).toEqual([
      '1: SUBMITTED SUBMITTED NOT_RUN',
      '2: VOTED SUBMITTED NOT_RUN',
      '3: EXECUTED SUBMITTED NOT_RUN',
      '6: GROUP_UPDATED SUBMITTED NOT_RUN',
      '7: GROUP_UPDATED SUBMITTED NOT_RUN',
      // Submitted at second 1. Block 8 is at second 21, the last moment for a vote.
      '9: VOTING_ENDED REJECTED NOT_RUN',
      '11: PRUNED REJECTED NOT_RUN gone',
    ]);
    expect(updates.at(-1)!.lastTally).toEqual({ yesCount: '1', abstainCount: '0', noCount: '0', noWithVetoCount: '0' });
  });

  it('reports a withdrawal, and the deletion after the voting period', async () => {
    const [one] = chain.accounts;
    const start = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, groups.withdraw(one!, id));
    await chain.run(one!, groups.weigh(one!, group, [[one!, '2']]));
    await chain.run(one!, groups.describePolicy(one!, group, 'new'));
    await chain.devnet.commit({ elapse: 20_000 });
    const updates = await updatesAfter(start, { of: 'id', id });
    expect(shown(start, updates)).toEqual([
      '1: SUBMITTED SUBMITTED NOT_RUN',
      '2: WITHDRAWN WITHDRAWN NOT_RUN',
      '5: PRUNED WITHDRAWN NOT_RUN gone',
    ]);
    expect(updates.at(-1)!.lastTally).toBeNull();
  });

  it('reports that a policy change aborted the proposal, alone and together with other changes of the block', async () => {
    const [one, two] = chain.accounts;
    const start = chain.devnet.height;
    const first = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, groups.describePolicy(one!, group, 'new'));
    const second = await groups.submitProposal(chain, group, one!);
    await chain.submit(two!, groups.vote(two!, second));
    await chain.submit(one!, groups.describePolicy(one!, group, 'newer'), groups.weigh(one!, group, [[one!, '3']]));
    await chain.devnet.commit({ elapse: 30_000 });
    expect(shown(start, await updatesAfter(start, { of: 'id', id: first }))).toEqual([
      '1: SUBMITTED SUBMITTED NOT_RUN',
      '2: POLICY_UPDATED ABORTED NOT_RUN',
      '4: PRUNED ABORTED NOT_RUN gone',
    ]);
    // The vote is too late. The policy changes before the end blocker ends the voting period.
    expect(shown(start, await updatesAfter(start, { of: 'id', id: second }))).toEqual([
      '3: SUBMITTED SUBMITTED NOT_RUN',
      '4: VOTING_ENDED,POLICY_UPDATED,GROUP_UPDATED,PRUNED ABORTED NOT_RUN gone',
    ]);
  });

  it('reports changed members with an unchanged total weight, and several reasons in one block', async () => {
    const [one, two, three, four] = chain.accounts;
    const start = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, groups.weigh(one!, group, [[one!, '1.5']]), groups.weigh(one!, group, [[two!, '1']]));
    const swap = [[three!, '0'] as const, [four!, '1'] as const];
    await chain.run(one!, groups.weigh(one!, group, swap));
    // A change that the same block reverts is no change.
    await chain.run(one!, groups.weigh(one!, group, [[one!, '3']]), groups.weigh(one!, group, [[one!, '1.50']]));
    expect(shown(start, await updatesAfter(start, { of: 'id', id }))).toEqual([
      '1: SUBMITTED SUBMITTED NOT_RUN',
      '2: GROUP_UPDATED SUBMITTED NOT_RUN',
      '3: GROUP_UPDATED SUBMITTED NOT_RUN',
    ]);
    const later = chain.devnet.height;
    const both = [groups.proposal(group, [one!]), groups.describePolicy(one!, group, 'new'), groups.proposal(group, [one!])];
    await chain.run(one!, ...both);
    expect(shown(later, await updatesAfter(later, { of: 'policy', address: group.policy }))).toEqual([
      '1: POLICY_UPDATED ABORTED NOT_RUN',
      '1: SUBMITTED,POLICY_UPDATED ABORTED NOT_RUN',
      '1: SUBMITTED SUBMITTED NOT_RUN',
    ]);
  });

  it('reports changes by the execution of another proposal', async () => {
    const [one, two] = chain.accounts;
    const own = await groups.createGroup(chain, [[one!, '1']], { threshold: '1', own: true });
    const open = await groups.submitProposal(chain, own, one!);
    const start = chain.devnet.height;
    const messages = [groups.weigh({ address: own.policy }, own, [[two!, '1']])];
    const first = await groups.submitProposal(chain, own, one!, { messages, exec: true });
    await groups.submitProposal(chain, own, one!, {
      messages: [groups.describePolicy({ address: own.policy }, own, 'new')],
      exec: true,
    });
    expect(shown(start, await updatesAfter(start, { of: 'id', id: open }))).toEqual([
      '1: GROUP_UPDATED SUBMITTED NOT_RUN',
      '2: POLICY_UPDATED ABORTED NOT_RUN',
    ]);
    const joined = await updatesAfter(start, { of: 'member', address: two!.address });
    expect(joined.map(({ proposalId, height, reasons }) => [proposalId, height - start, ...reasons])).toEqual([
      [open, 1n, 'GROUP_UPDATED'],
      [first, 1n, 'SUBMITTED', 'VOTED', 'EXECUTED', 'PRUNED'],
      [open, 2n, 'POLICY_UPDATED'],
      [first + 1n, 2n, 'SUBMITTED', 'VOTED', 'EXECUTED', 'PRUNED'],
    ]);
  });

  it('reports a failed execution, a retry, and the deletion after the execution period', async () => {
    const [one, two] = chain.accounts;
    const start = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, one!, { amount: '1000' });
    await chain.run(two!, groups.vote(two!, id));
    await chain.run(one!, groups.vote(one!, id, 'YES', true));
    await chain.run(one!, groups.describePolicy(one!, group, 'new'), groups.weigh(one!, group, [[one!, '3']]));
    await chain.run(one!, groups.exec(one!, id));
    await chain.devnet.commit({ elapse: 100_000 });
    const updates = await updatesAfter(start, { of: 'id', id });
    expect(shown(start, updates)).toEqual([
      '1: SUBMITTED SUBMITTED NOT_RUN',
      '2: VOTED SUBMITTED NOT_RUN',
      '3: VOTED,EXECUTED ACCEPTED FAILURE',
      '5: EXECUTED ACCEPTED FAILURE',
      '6: PRUNED ACCEPTED FAILURE gone',
    ]);
    expect(updates.at(-1)!.lastTally).toMatchObject({ yesCount: '2.5' });
  });

  it('reports a proposal that is submitted, voted on, executed and deleted in one block', async () => {
    const [, two] = chain.accounts;
    await chain.run(chain.accounts[0]!, groups.weigh(chain.accounts[0]!, group, [[two!, '5']]));
    const start = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, two!, { exec: true });
    const once = ['1: SUBMITTED,VOTED,EXECUTED,PRUNED ACCEPTED SUCCESS gone'];
    for (const target of [
      { of: 'id', id },
      { of: 'policy', address: group.policy },
      { of: 'member', address: two!.address },
    ] as const) {
      const updates = await updatesAfter(start, target);
      expect(shown(start, updates), target.of).toEqual(once);
      expect(updates[0]).toMatchObject({ proposalId: id, lastTally: { yesCount: '5' } });
    }
  });

  it('begins with the current state, and waits for a proposal that is not submitted yet', async () => {
    const [one] = chain.accounts;
    const id = await groups.submitProposal(chain, group, one!);
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const height = chain.devnet.height;
    const stream = proposalUpdates(root(), { of: 'id', id }, { after: height, present: true });
    expect(await stream.present()).toMatchObject({
      height,
      isPresent: true,
      events: [{ proposalId: id, reasons: ['CURRENT'] }],
    });
    const later = proposalUpdates(root(), { of: 'id', id: id + 1n }, { after: height, present: true });
    expect(await later.present()).toBeUndefined();
    expect(await groups.submitProposal(chain, group, one!)).toBe(id + 1n);
    expect((await later.nextBlock()).value).toMatchObject({ height: height + 1n, events: [{ reasons: ['SUBMITTED'] }] });
    expect((await stream.nextBlock()).value).toEqual({ height: height + 1n, events: [], last: false });
    await Promise.all([stream.return?.(), later.return?.()]);
  });

  it('ends if the chain has deleted the proposal', async () => {
    const [, two] = chain.accounts;
    await chain.run(chain.accounts[0]!, groups.weigh(chain.accounts[0]!, group, [[two!, '5']]));
    const height = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, two!, { exec: true });
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const stream = proposalUpdates(root(), { of: 'id', id }, { after: height, present: false });
    const reasons: unknown[] = [];
    for await (const update of stream) reasons.push(update.reasons.at(-1));
    expect(reasons).toEqual(['PRUNED']);
  });

  it('can start above the newest block', async () => {
    const [one] = chain.accounts;
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const { height } = chain.devnet;
    const stream = proposalUpdates(root(), { of: 'policy', address: group.policy }, { after: height + 1n, present: false });
    const next = stream.next();
    await groups.submitProposal(chain, group, one!);
    const second = await groups.submitProposal(chain, group, one!);
    expect((await next).value).toMatchObject({ height: height + 2n, proposalId: second, reasons: ['SUBMITTED'] });
    await stream.return?.();
  });
});

describe('a chain whose genesis has groups and proposals', () => {
  it.runIf(runsAll)('a stream from the first block has the same events as a stream from a later one', async () => {
    const world = await startChain({ genesisTime: 1_900_000_000_000_000_000n });
    const other = await startStack([world.node.url]);
    await world.devnet.commit({ elapse: 100_000 });
    await world.devnet.commit({ elapse: 100_000_000 });
    await other.client.head.waitFor(world.devnet.height, { milliseconds: 30_000 });
    const eventsAfter = async (after: bigint): Promise<unknown[]> => {
      const target: Target = { of: 'member', address: world.accounts[0]!.address };
      const stream = proposalUpdates(rootAt(other.client, 1n), target, { after, present: false });
      const updates = await eventsUpTo(stream, world.devnet.height);
      return updates.map(({ proposalId, height, reasons }) => [proposalId, height, ...reasons]);
    };
    const updates = await eventsAfter(1n);
    expect(updates).toEqual(expect.arrayContaining([expect.arrayContaining([3n, 'VOTING_ENDED'])]));
    expect(await eventsAfter(0n)).toEqual(updates);
    await other.close();
    await world.devnet.close();
  });
});

describe('proposalUpdates of a policy and of a member', () => {
  it.runIf(runsAll)('reports only the proposals of the target, including those of a policy that is created later', async () => {
    const [one, two] = chain.accounts;
    const other = await groups.createGroup(chain, [[two!, '1']], { threshold: '5' });
    const start = chain.devnet.height;
    const mine = await groups.submitProposal(chain, group, one!);
    const theirs = await groups.submitProposal(chain, other, two!);
    await chain.submit(one!, groups.vote(one!, mine));
    await chain.submit(two!, groups.vote(two!, theirs));
    await chain.devnet.commit();
    await chain.run(two!, groups.describePolicy(two!, other, 'new'));
    const created = await chain.run(one!, groups.addPolicy(one!, group));
    const policy = JSON.parse(created.get('cosmos.group.v1.EventCreateGroupPolicy')!.address!) as string;
    const third = await groups.submitProposal(chain, { ...group, policy }, one!);
    const summarize = (updates: readonly ProposalUpdate[]): unknown[] =>
      updates.map(({ proposalId, height, reasons }) => [proposalId, height - start, ...reasons]);
    expect(summarize(await updatesAfter(start, { of: 'policy', address: group.policy }))).toEqual([
      [mine, 1n, 'SUBMITTED'],
      [mine, 3n, 'VOTED'],
    ]);
    expect(summarize(await updatesAfter(start, { of: 'policy', address: policy }))).toEqual([[third, 6n, 'SUBMITTED']]);
    expect(summarize(await updatesAfter(start, { of: 'member', address: one!.address }))).toEqual([
      [mine, 1n, 'SUBMITTED'],
      [mine, 3n, 'VOTED'],
      [third, 6n, 'SUBMITTED'],
    ]);
    expect(summarize(await updatesAfter(start, { of: 'member', address: two!.address }))).toEqual([
      [mine, 1n, 'SUBMITTED'],
      [theirs, 2n, 'SUBMITTED'],
      [mine, 3n, 'VOTED'],
      [theirs, 3n, 'VOTED'],
      [theirs, 4n, 'POLICY_UPDATED'],
      [third, 6n, 'SUBMITTED'],
    ]);
  });

  it('follows a member who joins and leaves groups', async () => {
    const [one, , , four] = chain.accounts;
    const start = chain.devnet.height;
    const first = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, groups.weigh(one!, group, [[four!, '1']]));
    await chain.run(one!, groups.vote(one!, first));
    const second = await groups.submitProposal(chain, group, four!);
    await chain.run(four!, groups.leave(four!, group));
    await chain.run(one!, groups.vote(one!, second));
    const own = await groups.createGroup(chain, [[four!, '1']], { threshold: '5' });
    const third = await groups.submitProposal(chain, own, four!);
    const updates = await updatesAfter(start, { of: 'member', address: four!.address });
    expect(updates.map(({ proposalId, height, reasons }) => [proposalId, height - start, ...reasons])).toEqual([
      [first, 2n, 'GROUP_UPDATED'],
      [first, 3n, 'VOTED'],
      [second, 4n, 'SUBMITTED'],
      [first, 5n, 'GROUP_UPDATED'],
      [second, 5n, 'GROUP_UPDATED'],
      [third, 8n, 'SUBMITTED'],
    ]);
  });
});

describe('tallyUpdates', () => {
  async function standings(after: bigint, id: bigint): Promise<unknown[]> {
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const updates = await eventsUpTo(tallyUpdates(root(), id, { after, present: false }), chain.devnet.height);
    return updates.map(({ height, tally, outcome, final, proposal }) => [
      Number(height - after),
      tally?.yesCount ?? null,
      outcome?.yesNeeded ?? null,
      ...(final ? ['final'] : []),
      ...(proposal === null ? ['gone'] : []),
    ]);
  }

  it.runIf(runsAll)('reports each change of the tally or the outcome, and ends with the stored tally', async () => {
    const [one, two, three] = chain.accounts;
    const start = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, groups.vote(one!, id));
    await chain.run(one!, groups.exec(one!, id));
    await chain.run(one!, groups.describeGroup(one!, group, 'no weight in this'));
    // The tally is unchanged, but the undecided weight is not.
    await chain.run(one!, groups.weigh(one!, group, [[three!, '0']]));
    await chain.run(one!, groups.weigh(one!, group, [[one!, '1.25']]));
    await chain.run(two!, groups.vote(two!, id));
    await chain.devnet.commit({ elapse: 30_000 });
    await chain.devnet.commit({ elapse: 90_000 });
    expect(await standings(start, id)).toEqual([
      [1, '0', '2'],
      [2, '1', '1'],
      [5, '1', '1'],
      [6, '1.25', '0.75'],
      [7, '2.75', '0'],
      [8, '2.75', null, 'final'],
    ]);
    expect(await standings(start + 8n, id)).toEqual([]);
  });

  it.each([
    ['aborted', (by: never, id: bigint) => groups.describePolicy(by, group, `new ${id}`), [null, null, 'final']],
    ['withdrawn', (by: never, id: bigint) => groups.withdraw(by, id), [null, null, 'final']],
  ])('ends without a tally if the proposal is %s', async (_, message, end) => {
    const [one] = chain.accounts;
    const start = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, message(one as never, id));
    expect(await standings(start, id)).toEqual([
      [1, '0', '2'],
      [2, ...end],
    ]);
  });

  it('ends with the final tally of a deleted proposal', async () => {
    const [one, two] = chain.accounts;
    const start = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, groups.vote(one!, id));
    await chain.run(two!, groups.vote(two!, id, 'YES', true));
    expect(await standings(start, id)).toEqual([
      [1, '0', '2'],
      [2, '1', '1'],
      [3, '2.5', null, 'final', 'gone'],
    ]);
  });

  it('begins with the current tally, and ends at once if it is final', async () => {
    const [one] = chain.accounts;
    const id = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, groups.withdraw(one!, id));
    const { height } = chain.devnet;
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    const seen: unknown[] = [];
    const stream = tallyUpdates(root(), id, { after: height, present: true });
    for await (const { final, tally, proposal } of stream) seen.push([final, tally, proposal?.status]);
    expect(seen).toEqual([[true, null, 'PROPOSAL_STATUS_WITHDRAWN']]);
    const resumed = tallyUpdates(root(), id, { after: height, present: false });
    expect(await resumed.next()).toMatchObject({ done: true });
    // Also if the tally becomes final before the stream begins.
    const open = await groups.submitProposal(chain, group, one!);
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const later = tallyUpdates(root(), open, { after: chain.devnet.height + 1n, present: false });
    const next = later.next();
    await chain.run(one!, groups.withdraw(one!, open));
    await chain.devnet.commit();
    expect(await next).toMatchObject({ done: true });
  });
});
