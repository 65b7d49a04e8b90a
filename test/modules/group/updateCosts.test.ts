import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProposalUpdate, Target } from '../../../src/modules/group/proposalUpdates.ts';
import { proposalUpdates, type TallyUpdate, tallyUpdates } from '../../../src/modules/group/updateSchema.ts';
import type { BlockStream } from '../../../src/reads/stream.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import * as groups from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { rootAt } from '../../support/streams.ts';

let chain: TestChain;
let stack: Stack;
let group: groups.TestGroup;
let other: groups.TestGroup;
/** Proposals of `group` and of `other`. */
let mine: bigint;
let theirs: bigint;
let streams: BlockStream<ProposalUpdate | TallyUpdate>[];

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_900_000_000_000_000_000n });
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
  const [one, two, three] = chain.accounts;
  group = await groups.createGroup(chain, [
    [one!, '1'],
    [two!, '1.5'],
  ]);
  other = await groups.createGroup(chain, [
    [three!, '1'],
    [two!, '1.5'],
  ]);
  mine = await groups.submitProposal(chain, group, one!);
  theirs = await groups.submitProposal(chain, other, three!);
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  streams = [];
  chain.node.counters.reset();
});

afterEach(async () => {
  await Promise.all(streams.map((stream) => stream.return?.()));
  await stack.close();
  await chain.devnet.close();
});

/** Starts a hundred streams at the current height. Each has received one block, so its initial state is read. */
async function watch(begin: () => BlockStream<ProposalUpdate | TallyUpdate>): Promise<void> {
  streams = Array.from({ length: 100 }, begin);
  await chain.devnet.commit();
  await nextBlock();
}

function watchProposals(target: Target): Promise<void> {
  const { height } = chain.devnet;
  return watch(() => proposalUpdates(rootAt(stack.client, height), target, { after: height, present: false }));
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}` : inner));

/** The events of the next block, which are the same on all streams. */
async function nextBlock(): Promise<readonly (ProposalUpdate | TallyUpdate)[]> {
  const steps = await Promise.all(streams.map((stream) => stream.nextBlock()));
  const [first] = steps;
  const texts = steps.map(({ value }) => textOf(value));
  expect(new Set(texts).size).toBe(1);
  return first!.value.events;
}

/** Number of state queries since the last call, by the last segment of the path. */
function reads(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, params } of chain.node.counters.log) {
    // Read by the test itself, to sign a transaction.
    if (method === 'broadcast_tx_sync' || method === 'block_results') continue;
    const name = method === 'abci_query' ? (params as { path: string }).path.split('/').at(-1)! : method;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  chain.node.counters.reset();
  return counts;
}

describe('node reads of a hundred streams of one proposal', () => {
  it('a change of the proposal costs one read; blocks without a change and changes of other proposals cost none', async () => {
    const [one, two, three] = chain.accounts;
    await watchProposals({ of: 'id', id: mine });
    // The state before the first block, and the policy of the proposal.
    expect(reads()).toEqual({ Proposal: 1, GroupPolicyInfo: 1 });
    await chain.devnet.commit();
    expect(await nextBlock()).toEqual([]);
    // A proposal of another policy of another group.
    await chain.submit(two!, groups.vote(two!, theirs));
    await chain.submit(three!, groups.describePolicy(three!, other, 'new'), groups.weigh(three!, other, [[one!, '1']]));
    await chain.devnet.commit();
    expect(await nextBlock()).toEqual([]);
    expect(reads()).toEqual({});
    await chain.run(two!, groups.vote(two!, mine));
    expect(await nextBlock()).toMatchObject([{ reasons: ['VOTED'] }]);
    expect(reads()).toEqual({ Proposal: 1 });
    await chain.devnet.commit({ elapse: 30_000 });
    expect(await nextBlock()).toMatchObject([{ reasons: ['VOTING_ENDED'] }]);
    expect(reads()).toEqual({ Proposal: 1 });
    // A closed proposal changes only by events that name it.
    await chain.run(one!, groups.describePolicy(one!, group, 'new'), groups.weigh(one!, group, [[one!, '2']]));
    expect(await nextBlock()).toEqual([]);
    expect(reads()).toEqual({});
  });

  it('an execution costs no read, because its events are complete', async () => {
    const [one, two] = chain.accounts;
    await watchProposals({ of: 'id', id: mine });
    reads();
    await chain.submit(one!, groups.vote(one!, mine));
    await chain.submit(two!, groups.vote(two!, mine, 'YES', true));
    await chain.devnet.commit();
    expect(await nextBlock()).toMatchObject([{ reasons: ['VOTED', 'EXECUTED', 'PRUNED'], lastTally: { yesCount: '2.5' } }]);
    expect(reads()).toEqual({});
  });

  it('an update of the group costs the reads that compare the group before and after', async () => {
    const [one] = chain.accounts;
    await watchProposals({ of: 'id', id: mine });
    reads();
    await chain.run(one!, groups.describeGroup(one!, group, 'new'));
    expect(await nextBlock()).toEqual([]);
    expect(reads()).toEqual({ GroupInfo: 2, GroupMembers: 2 });
    await chain.run(one!, groups.weigh(one!, group, [[one!, '2']]));
    expect(await nextBlock()).toMatchObject([{ reasons: ['GROUP_UPDATED'] }]);
    // The group before the block is cached; a different total weight needs no comparison of members.
    expect(reads()).toEqual({ GroupInfo: 1, Proposal: 1 });
  });

  it.runIf(runsAll)('a stream of the tally costs the reads of tally, policy and group', async () => {
    const [, two] = chain.accounts;
    const { height } = chain.devnet;
    await watch(() => tallyUpdates(rootAt(stack.client, height), mine, { after: height, present: false }));
    reads();
    await chain.devnet.commit();
    expect(await nextBlock()).toEqual([]);
    expect(reads()).toEqual({});
    await chain.run(two!, groups.vote(two!, mine));
    expect(await nextBlock()).toMatchObject([{ tally: { yesCount: '1.5' }, final: false }]);
    expect(reads()).toEqual({ Proposal: 1, TallyResult: 1, GroupPolicyInfo: 1, GroupInfo: 1 });
  });
});

describe('node reads of a hundred streams of many proposals', () => {
  it.each([
    ['a policy', (): Target => ({ of: 'policy', address: group.policy })],
    ['a member', (): Target => ({ of: 'member', address: chain.accounts[0]!.address })],
  ])('each new, executed or deleted proposal costs one read; votes on other proposals cost none: %s', async (_, target) => {
    const [one, two, three] = chain.accounts;
    await watchProposals(target());
    reads();
    await chain.devnet.commit();
    expect(await nextBlock()).toEqual([]);
    await chain.run(two!, groups.vote(two!, theirs));
    expect(await nextBlock()).toEqual([]);
    expect(reads()).toEqual({});
    await groups.submitProposal(chain, other, three!);
    expect(await nextBlock()).toEqual([]);
    expect(reads()).toEqual({ Proposal: 1 });
    await chain.submit(one!, groups.proposal(group, [one!]));
    await chain.submit(two!, groups.vote(two!, mine));
    await chain.devnet.commit();
    expect(await nextBlock()).toMatchObject([{ reasons: ['VOTED'] }, { reasons: ['SUBMITTED'] }]);
    expect(reads()).toEqual({ Proposal: 2 });
  });

  it('a block that changes many proposals of a policy costs one list read', async () => {
    const [one] = chain.accounts;
    for (let count = 0; count < 5; count += 1) await chain.submit(one!, groups.proposal(group, [one!]));
    await chain.devnet.commit();
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    await watchProposals({ of: 'member', address: one!.address });
    reads();
    await chain.run(one!, groups.describePolicy(one!, group, 'new'));
    const updates = await nextBlock();
    expect(updates).toHaveLength(6);
    for (const update of updates) expect(update).toMatchObject({ reasons: ['POLICY_UPDATED'] });
    expect(reads()).toEqual({ ProposalsByGroupPolicy: 1 });
  });
});
