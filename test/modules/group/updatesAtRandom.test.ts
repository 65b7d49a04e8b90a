import { afterEach, expect, it } from 'vitest';
import { createRandom, type Random } from '../../../packages/devnet/src/app/runtime/random.ts';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { parseTime } from '../../../src/chain/base/time.ts';
import { decodeBlockResults } from '../../../src/chain/blocks/committedBlock.ts';
import type { Client } from '../../../src/chain/client.ts';
import type { Proposal, TallyResult } from '../../../src/modules/group/model.ts';
import type { ProposalUpdate, Target } from '../../../src/modules/group/proposalUpdates.ts';
import {
  createGroupLoaders,
  groupMembers,
  groupPoliciesByGroup,
  groups,
  proposalsByGroupPolicy,
  votesByProposal,
} from '../../../src/modules/group/query.ts';
import { type Reminder, reminders } from '../../../src/modules/group/reminders.ts';
import { proposalUpdates, tallyUpdates } from '../../../src/modules/group/updateSchema.ts';
import { readAll } from '../../../src/reads/page.ts';
import { createPin, type Pin } from '../../../src/reads/pin.ts';
import type { BlockStream } from '../../../src/reads/stream.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import * as acts from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { eventsUpTo, rootAt } from '../../support/streams.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A chain with six accounts and three groups. Each block has random transactions of some accounts, valid and invalid. */
interface Life {
  readonly people: readonly WalletAccount[];
  readonly groups: readonly acts.TestGroup[];
  /** Commits one block. */
  block(): Promise<void>;
}

async function startLife(chain: TestChain, client: Client, { below, pick }: Random): Promise<Life> {
  const people = chain.accounts.slice(0, 6);
  const weights = ['0.5', '1', '1.5', '2'];
  const made: (acts.TestGroup & { readonly admin: WalletAccount })[] = [];
  for (const first of [0, 2, 4]) {
    const members = [0, 1, 2].map((n) => [people[(first + n) % 6]!, weights[n]!] as const);
    // Proposals of one group can be executed by the second voter, those of another not before their fourth second.
    const options = { threshold: first === 4 ? '2' : '0.5', minExecutionSeconds: first === 0 ? 4 : 0 };
    made.push({
      ...(await acts.createGroup(chain, members, { votingSeconds: 6, ...options })),
      admin: people[first]!,
    });
  }
  let newest = 0n;

  function act(): [WalletAccount, Parameters<TestChain['submit']>[1]] {
    const who = pick(people)!;
    const group = pick(made)!;
    const { admin } = group;
    // The newest proposals are open.
    const guess = newest - BigInt(below(6));
    const id = guess > 0n ? guess : 1n;
    const kind = below(20);
    if (kind < 5) return [who, acts.proposal(group, [who], { amount: pick(['0', '7'])!, exec: below(4) === 0 })];
    if (kind < 10) return [who, acts.vote(who, id, pick(['YES', 'NO', 'ABSTAIN'])!, below(3) === 0)];
    if (kind < 11) return [who, acts.exec(who, id)];
    if (kind < 13) return [admin, acts.withdraw(admin, id)];
    if (kind < 16) return [admin, acts.weigh(admin, group, [[who, pick([...weights, '0'])!]])];
    if (kind === 16) return [who, acts.leave(who, group)];
    if (kind === 17) return [admin, acts.describeGroup(admin, group, `${below(9)}`)];
    if (kind === 18) return [admin, acts.describePolicy(admin, group, `${below(9)}`)];
    return [admin, acts.addPolicy(admin, group, { votingSeconds: 4 })];
  }

  return {
    people,
    groups: made,
    async block() {
      for (let count = below(6); count > 0; count -= 1) await chain.submit(...act());
      const height = await chain.devnet.commit({ elapse: 300 + below(4) * 700 });
      const { txs } = decodeBlockResults(await client.call('block_results', { height: height.toString() }));
      const events = txs.flatMap((tx) => tx.events).filter(({ type }) => type === 'cosmos.group.v1.EventSubmitProposal');
      newest += BigInt(events.length);
    },
  };
}

/** The state of all proposals at a height, read from the lists of the chain. */
interface State {
  readonly time: bigint;
  readonly proposals: ReadonlyMap<bigint, Proposal & { readonly group: bigint; readonly tally: TallyResult | null }>;
  /** The voters of each proposal, and what its policy requires: the weight and the nanoseconds before an execution. */
  readonly votes: ReadonlyMap<
    bigint,
    { readonly voters: readonly string[]; readonly threshold: number; readonly wait: bigint }
  >;
  /** Weights by group id and member address. */
  readonly members: ReadonlyMap<bigint, Readonly<Record<string, string>>>;
}

async function stateOf(pin: Pin): Promise<State> {
  const loaders = pin.loaders(createGroupLoaders);
  const proposals = new Map<bigint, Proposal & { group: bigint; tally: TallyResult | null }>();
  const members = new Map<bigint, Record<string, string>>();
  const votes = new Map<bigint, { voters: string[]; threshold: number; wait: bigint }>();
  for (const { id } of await readAll(groups(loaders), 'groups')) {
    const all = await readAll(groupMembers(loaders, id), 'members');
    members.set(id, Object.fromEntries(all.map(({ address, weight }) => [address, weight])));
    for (const { address, decisionPolicy } of await readAll(groupPoliciesByGroup(loaders, id), 'policies')) {
      if (decisionPolicy.kind !== 'threshold') throw new TypeError('another policy');
      const { threshold, windows } = decisionPolicy;
      for (const proposal of await readAll(proposalsByGroupPolicy(loaders, address), 'proposals')) {
        proposals.set(proposal.id, { ...proposal, group: id, tally: await loaders.tally.load(proposal.id) });
        const voters = (await readAll(votesByProposal(loaders, proposal.id), 'votes')).map(({ voter }) => voter);
        votes.set(proposal.id, { voters, threshold: Number(threshold), wait: windows.minExecutionPeriod });
      }
    }
  }
  const { header } = await pin.client.block(pin.height);
  return { time: parseTime(header.time), proposals, members, votes };
}

/** The reasons that follow from the states before and after a block, without its events. */
function reasonsBetween(was: State, is: State, id: bigint): string[] {
  const [before, after] = [was.proposals.get(id), is.proposals.get(id)];
  const open = before?.status === 'PROPOSAL_STATUS_SUBMITTED';
  const reasons: string[] = [];
  if (before === undefined && after !== undefined) reasons.push('SUBMITTED');
  if (after?.status === 'PROPOSAL_STATUS_WITHDRAWN' && before?.status !== after.status) reasons.push('WITHDRAWN');
  if (open && before.votingPeriodEnd < is.time) reasons.push('VOTING_ENDED');
  if (after?.status === 'PROPOSAL_STATUS_ABORTED' && before?.status !== after.status) reasons.push('POLICY_UPDATED');
  if (open && JSON.stringify(was.members.get(before.group)) !== JSON.stringify(is.members.get(before.group)))
    reasons.push('GROUP_UPDATED');
  if (before !== undefined && after === undefined) reasons.push('PRUNED');
  return reasons;
}

const second = 1_000_000_000n;
/** The windows of the reminders. */
const windows = [5n * second, 2n * second, second];

/** Whether an execution would succeed in deciding the proposal and running it, by its votes and its age. */
function isExecutable({ time, proposals, members, votes }: State, id: bigint): boolean {
  const [proposal, rule] = [proposals.get(id), votes.get(id)];
  if (proposal === undefined || rule === undefined || proposal.submitTime + rule.wait > time) return false;
  if (proposal.executorResult === 'PROPOSAL_EXECUTOR_RESULT_SUCCESS') return false;
  if (proposal.status === 'PROPOSAL_STATUS_ACCEPTED') return true;
  if (proposal.status !== 'PROPOSAL_STATUS_SUBMITTED') return false;
  const total = Object.values(members.get(proposal.group)!).reduce((sum, weight) => sum + Number(weight), 0);
  return Number(proposal.tally!.yesCount) >= Math.min(rule.threshold, total);
}

/** The reminders that follow from the states before and after a block: of the whole chain, a policy or a member. */
function remindersBetween(was: State, is: State, target: Target): string[] {
  const texts: string[] = [];
  const covers = ({ members }: State, { group, groupPolicyAddress }: { group: bigint; groupPolicyAddress: string }): boolean =>
    target.of === 'chain' ||
    (target.of === 'policy'
      ? groupPolicyAddress === target.address
      : target.of === 'member' && target.address in members.get(group)!);
  for (const [id, proposal] of [...is.proposals].sort(([a], [b]) => Number(a - b))) {
    if (!covers(is, proposal)) continue;
    const earlier = was.proposals.get(id);
    const rest = proposal.votingPeriodEnd - is.time;
    if (proposal.status === 'PROPOSAL_STATUS_SUBMITTED' && rest >= 0n) {
      const wasOpen = earlier?.status === 'PROPOSAL_STATUS_SUBMITTED' && covers(was, earlier);
      const reached = windows.filter((window) => rest <= window && !(wasOpen && earlier.votingPeriodEnd - was.time <= window));
      const hasVoted = target.of === 'member' && is.votes.get(id)!.voters.includes(target.address);
      if (reached.length > 0 && !hasVoted) texts.push(`${id} VOTING_ENDS ${reached.at(-1)}`);
    }
    if (isExecutable(is, id) && !isExecutable(was, id)) texts.push(`${id} EXECUTABLE null`);
  }
  return texts;
}

/** Reasons that states cannot show reliably: votes and execution attempts appear in events. */
const byEvent = new Set(['VOTED', 'EXECUTED']);

interface Entry<U> {
  readonly height: bigint;
  readonly text: string;
  readonly update: U;
}

async function follow<U extends { readonly height: bigint }>(stream: BlockStream<U>, end: bigint): Promise<Entry<U>[]> {
  const shown = (update: U): string =>
    JSON.stringify(update, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  return (await eventsUpTo(stream, end)).map((update) => ({ height: update.height, text: shown(update), update }));
}

it.runIf(runsAll).each([8, 10])('streams agree with the states of the chain, wherever they start (seed %i)', async (seed) => {
  const random = createRandom(seed);
  const chain = await startChain({ bare: true, genesisTime: 1_900_000_000_000_000_000n, maxExecutionSeconds: 8 });
  closing.push(() => chain.devnet.close());
  const open = async (): Promise<Stack> => {
    const stack = await startStack([chain.node.url]);
    closing.push(() => stack.close());
    await stack.client.head.ready();
    return stack;
  };
  const live = await open();
  const { block, people, groups: made } = await startLife(chain, live.client, random);
  await live.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  const start = chain.devnet.height;
  const blocks = 45n;
  const end = start + blocks;
  const read = ({ client }: Stack, target: Target, after: bigint): Promise<Entry<ProposalUpdate>[]> =>
    follow(proposalUpdates(rootAt(client, start), target, { after, present: false }), end);

  const ids = Array.from({ length: 24 }, (_, index) => BigInt(index + 1));
  const targets: Target[] = [
    ...made.map(({ policy }): Target => ({ of: 'policy', address: policy })),
    ...people.map(({ address }): Target => ({ of: 'member', address })),
    ...ids.map((id): Target => ({ of: 'id', id })),
  ];
  const reading = Promise.all(targets.map((target) => read(live, target, start)));
  const tallying = Promise.all(
    ids.map((id) => follow(tallyUpdates(rootAt(live.client, start), id, { after: start, present: false }), end)),
  );
  const watched: Target[] = [{ of: 'chain' }, ...targets.slice(0, targets.length - ids.length)];
  const remindersOf = ({ client }: Stack, target: Target, after: bigint): Promise<Reminder[]> => {
    const member = target.of === 'member' ? target.address : undefined;
    return eventsUpTo(reminders(rootAt(client, start), { target, member, windows, after }), end);
  };
  const reminding = Promise.all(watched.map((target) => remindersOf(live, target, start)));
  // A failure is reported where `reading` is awaited.
  for (const each of [reading, tallying, reminding]) each.catch(() => undefined);
  // The chain does not wait for the streams, except every few blocks.
  while (chain.devnet.height < end) {
    await block();
    if (random.below(12) === 0) chain.node.closeSockets();
    if (random.below(3) === 0) await live.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  }
  const received = await reading;
  const tallies = await tallying;
  const reminded = await reminding;

  // The states, read by an independent client.
  const other = await open();
  const states = new Map<bigint, State>();
  for (let height = start; height <= end; height += 1n) states.set(height, await stateOf(createPin(other.client, height)));

  const first = targets.length - ids.length;
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    const updates = received[first + index]!.map(({ update }) => update);
    let tally: TallyResult | null | undefined;
    for (let height = start + 1n; height <= end; height += 1n) {
      const update = updates.find((each) => each.height === height);
      const [was, is] = [states.get(height - 1n)!, states.get(height)!];
      const state = is.proposals.get(id);
      const where = `seed ${seed}, proposal ${id}, height ${height}`;
      for (const reason of update?.reasons ?? []) seen.add(reason);
      // Submitted and deleted within one block: no state has the proposal.
      if (update?.reasons.includes('SUBMITTED') && update.proposal === null) {
        expect(update.reasons, where).toEqual(['SUBMITTED', 'VOTED', 'EXECUTED', 'PRUNED']);
        continue;
      }
      const reasons = reasonsBetween(was, is, id);
      const plain = (update?.reasons ?? []).filter((reason) => !byEvent.has(reason));
      // The states do not show why a proposal was deleted.
      if (state === undefined) expect(plain, where).toEqual(expect.arrayContaining(reasons));
      else expect(plain, where).toEqual(reasons);
      if (state === undefined) continue;
      const { group: _, tally: now, ...proposal } = state;
      if (update === undefined) expect(was.proposals.get(id), where).toEqual(state);
      else expect(update.proposal, where).toEqual(proposal);
      // A tally update is sent for every change of the tally, and the last one equals the state.
      const moved = tallies[index]!.find((each) => each.height === height);
      if (moved !== undefined) tally = moved.update.tally;
      if (was.proposals.has(id) || moved !== undefined) expect(tally, where).toEqual(now);
    }
  }
  expect([...seen].sort()).toEqual(
    ['SUBMITTED', 'VOTED', 'EXECUTED', 'WITHDRAWN', 'VOTING_ENDED', 'POLICY_UPDATED', 'GROUP_UPDATED', 'PRUNED'].sort(),
  );

  const textOf = ({ proposal, reason, before }: Reminder): string => `${proposal.id} ${reason} ${before}`;
  const kinds = new Set<string>();
  for (const [index, target] of watched.entries()) {
    for (let height = start + 1n; height <= end; height += 1n) {
      const texts = reminded[index]!.filter((each) => each.height === height).map(textOf);
      const where = `seed ${seed}, reminders of ${JSON.stringify(target)}, height ${height}`;
      expect(texts, where).toEqual(remindersBetween(states.get(height - 1n)!, states.get(height)!, target));
      for (const text of texts) kinds.add(text.replace(/^\d+ /, ''));
    }
    const after = start + BigInt(random.below(Number(blocks)));
    const rest = reminded[index]!.filter(({ height }) => height > after);
    expect((await remindersOf(other, target, after)).map(textOf), `after ${after}`).toEqual(rest.map(textOf));
  }
  expect([...kinds].sort()).toEqual([...windows.map((window) => `VOTING_ENDS ${window}`), 'EXECUTABLE null'].sort());

  // Streams of policies and members have all events of their proposals, identical to those of the chain's stream.
  const everything = received.slice(first).flat();
  const sorted = (list: readonly Entry<ProposalUpdate>[]): string[] =>
    list.map(({ height, text }) => `${height} ${text}`).sort();
  const policyOf = (id: bigint): string | undefined =>
    [...states.values()].map(({ proposals }) => proposals.get(id)?.groupPolicyAddress).find((address) => address !== undefined);
  for (const [index, target] of targets.slice(0, first).entries()) {
    const own = everything.filter(({ height, update }) => {
      const { proposalId } = update;
      const policy = policyOf(proposalId);
      // The policy of a proposal that is in no state appears only in its transaction.
      if (policy === undefined) return received[index]!.some((each) => each.update.proposalId === proposalId);
      if (target.of === 'policy') return policy === target.address;
      const group = [...states.values()]
        .map(({ proposals }) => proposals.get(proposalId)?.group)
        .find((each) => each !== undefined)!;
      const address = (target as { address: string }).address;
      return [height - 1n, height].some((at) => address in states.get(at)!.members.get(group)!);
    });
    expect(sorted(received[index]!), JSON.stringify(target)).toEqual(sorted(own));
  }

  // A resumed stream has the remaining events, unchanged.
  for (let after = start; after < end; after += 1n) {
    for (const [index, target] of targets.entries()) {
      if (random.below(index < first ? 3 : 24) > 0) continue;
      const rest = received[index]!.filter(({ height }) => height > after);
      expect(
        (await read(other, target, after)).map(({ text }) => text),
        `seed ${seed} after ${after}`,
      ).toEqual(rest.map(({ text }) => text));
    }
  }
});
