import { addressKey } from '../../reads/input.ts';
import { checkScan, readAll } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { type Nanoseconds, parseTime } from '../../reads/time.ts';
import { createBlockLoaders } from '../blocks/loaders.ts';
import {
  groupMembers,
  groupPoliciesByGroup,
  groupsByMember,
  memberKey,
  proposalsByGroupPolicy,
  votesByProposal,
  votesByVoter,
} from './lists.ts';
import { createGroupLoaders } from './loaders.ts';
import type { Group, GroupMember, Proposal, ProposalStatus, TallyResult } from './model.ts';
import { type ProposalOutcome, proposalOutcome } from './outcome.ts';

/** Time of the block that is read. */
export async function blockTime(pin: Pin): Promise<Nanoseconds> {
  const block = await pin.loaders(createBlockLoaders).block.load(pin.height);
  return parseTime(block.header.time);
}

/** Whether votes are being taken: the end blocker settles a proposal in the first block after its voting period (chain.md 3.6). */
export function isOpen(proposal: Proposal): boolean {
  return proposal.status === 'PROPOSAL_STATUS_SUBMITTED';
}

/**
 * The tally of a proposal at its height. The status tells where it is: stored once final, none for aborted and withdrawn ones,
 * else asked of the chain. null when the chain gives none.
 */
export async function tallyOf(pin: Pin, proposal: Proposal): Promise<TallyResult | null> {
  switch (proposal.status) {
    case 'PROPOSAL_STATUS_ACCEPTED':
    case 'PROPOSAL_STATUS_REJECTED':
      return proposal.finalTallyResult;
    case 'PROPOSAL_STATUS_ABORTED':
    case 'PROPOSAL_STATUS_WITHDRAWN':
      return null;
    default:
      return pin.loaders(createGroupLoaders).tally.load(proposal.id);
  }
}

/** What the decision policy says of the tally; null unless votes are being taken, and for policies of unknown type. */
export async function outcomeOf(pin: Pin, proposal: Proposal): Promise<ProposalOutcome | null> {
  if (!isOpen(proposal)) return null;
  const { tally, groupPolicy, group } = pin.loaders(createGroupLoaders);
  const [count, policy] = await Promise.all([tally.load(proposal.id), groupPolicy.load(proposal.groupPolicyAddress)]);
  if (count === null || policy === null) return null;
  const weighed = await group.load(policy.groupId);
  return weighed === null ? null : proposalOutcome(policy.decisionPolicy, count, weighed.totalWeight);
}

/** What is left of the voting period at the block read; null when no more votes are taken. */
export async function votingTimeLeft(pin: Pin, proposal: Proposal): Promise<Nanoseconds | null> {
  return isOpen(proposal) ? proposal.votingPeriodEnd - (await blockTime(pin)) : null;
}

/** Block time before which executing fails; null when the policy is gone or of unknown type. */
export async function executableFrom(pin: Pin, proposal: Proposal): Promise<Nanoseconds | null> {
  const policy = await pin.loaders(createGroupLoaders).groupPolicy.load(proposal.groupPolicyAddress);
  if (policy === null || policy.decisionPolicy.kind === 'other') return null;
  return proposal.submitTime + policy.decisionPolicy.windows.minExecutionPeriod;
}

/** Members who may still vote and have not, by address; null when no more votes are taken. */
export async function pendingVoters(pin: Pin, proposal: Proposal): Promise<readonly GroupMember[] | null> {
  if (!isOpen(proposal)) return null;
  const loaders = pin.loaders(createGroupLoaders);
  const votes = readAll(votesByProposal(loaders, proposal.id), 'votes');
  const policy = loaders.groupPolicy.load(proposal.groupPolicyAddress);
  const [cast, rule] = await Promise.all([votes, policy]);
  if (rule === null) return null;
  const voted = new Set(cast.map(({ voter }) => voter));
  const members = await readAll(groupMembers(loaders, rule.groupId), 'members');
  return members.filter(({ address }) => !voted.has(address));
}

/**
 * One member of a group; null when the account is none. Reads the page of members that starts with this address, so it costs
 * one read of one item however large the group is, or none when that page was read before.
 */
export async function memberOf(pin: Pin, groupId: bigint, address: string): Promise<GroupMember | null> {
  const list = groupMembers(pin.loaders(createGroupLoaders), groupId);
  const key = addressKey(address);
  const whole = await list.read({ limit: membersAtOnce });
  const known = whole.items.find((member) => member.address === address);
  if (known !== undefined || !whole.more) return known ?? null;
  const { items } = await list.read({ key: list.pageKey?.(key) ?? key, limit: 1 });
  const [first] = items;
  return first !== undefined && Buffer.compare(memberKey(first), key) === 0 ? first : null;
}

/** Members read together when single ones are looked for: one read serves all voters of a proposal in groups up to this size. */
const membersAtOnce = 100;

/** The voter's membership in the group of the proposal; null when it has left, or the proposal is gone. */
export async function memberOfVote(pin: Pin, proposalId: bigint, voter: string): Promise<GroupMember | null> {
  const proposal = await pin.loaders(createGroupLoaders).proposal.load(proposalId);
  const policy = proposal && (await pin.loaders(createGroupLoaders).groupPolicy.load(proposal.groupPolicyAddress));
  return policy ? memberOf(pin, policy.groupId, voter) : null;
}

/** Proposals of a policy that are of one of `statuses`, by ascending id. The chain cannot filter: all are read, 5,000 at most. */
export async function policyProposals(
  pin: Pin,
  address: string,
  statuses: readonly ProposalStatus[],
): Promise<readonly Proposal[]> {
  const all = await readAll(proposalsByGroupPolicy(pin.loaders(createGroupLoaders), address), 'proposals');
  return all.filter(({ status }) => statuses.includes(status));
}

/** Proposals of all policies of these groups, by ascending id; with `statuses`, only these. 5,000 in all at most. */
export async function groupsProposals(
  pin: Pin,
  groups: readonly Group[],
  statuses: readonly ProposalStatus[] | undefined,
): Promise<readonly Proposal[]> {
  const loaders = pin.loaders(createGroupLoaders);
  const policies = await Promise.all(groups.map(({ id }) => readAll(groupPoliciesByGroup(loaders, id), 'group policies')));
  const addresses = policies.flat().map(({ address }) => address);
  checkScan(addresses.length, 'group policies');
  const lists = await Promise.all(addresses.map((address) => readAll(proposalsByGroupPolicy(loaders, address), 'proposals')));
  const all = lists.flat();
  checkScan(all.length, 'proposals');
  const wanted = statuses === undefined ? all : all.filter(({ status }) => statuses.includes(status));
  return wanted.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** Proposals of all groups that an account is a member of; with `awaitingVote`, those that it may still vote on and has not. */
export async function accountProposals(
  pin: Pin,
  address: string,
  statuses: readonly ProposalStatus[] | undefined,
  awaitingVote: boolean,
): Promise<readonly Proposal[]> {
  const loaders = pin.loaders(createGroupLoaders);
  const [groups, votes] = await Promise.all([
    readAll(groupsByMember(loaders, address), 'groups'),
    awaitingVote ? readAll(votesByVoter(loaders, address), 'votes') : [],
  ]);
  const proposals = await groupsProposals(pin, groups, statuses);
  if (!awaitingVote) return proposals;
  const voted = new Set(votes.map(({ proposalId }) => proposalId));
  return proposals.filter((proposal) => isOpen(proposal) && !voted.has(proposal.id));
}
