import { type Nanoseconds, parseTime } from '../../../chain/base/time.ts';
import { addressKey } from '../../../reads/input.ts';
import { checkScan, readAll } from '../../../reads/page.ts';
import type { Pin } from '../../../reads/pin.ts';
import { createBlockLoaders } from '../../blocks/loaders.ts';
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

/** Reads the block time at the height of the pin. */
export async function blockTime(pin: Pin): Promise<Nanoseconds> {
  const block = await pin.loaders(createBlockLoaders).block.load(pin.height);
  return parseTime(block.header.time);
}

/**
 * Returns whether a proposal is open for voting. The chain decides it at the latest in the first block after its voting period
 * (docs/chain.md, "Life cycle of a proposal").
 */
export function isOpen(proposal: Proposal): boolean {
  return proposal.status === 'PROPOSAL_STATUS_SUBMITTED';
}

/**
 * Reads the tally of a proposal at the height of the pin: the stored one of a decided proposal, the live count of an open one.
 * Returns null for an aborted or withdrawn proposal.
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

/**
 * Applies the decision policy to the tally. Returns null unless the proposal is open, and for a decision policy of an unknown
 * type.
 */
export async function outcomeOf(pin: Pin, proposal: Proposal): Promise<ProposalOutcome | null> {
  if (!isOpen(proposal)) return null;
  const { tally, groupPolicy, group } = pin.loaders(createGroupLoaders);
  const [count, policy] = await Promise.all([tally.load(proposal.id), groupPolicy.load(proposal.groupPolicyAddress)]);
  if (count === null || policy === null) return null;
  const owner = await group.load(policy.groupId);
  return owner === null ? null : proposalOutcome(policy.decisionPolicy, count, owner.totalWeight);
}

/**
 * Returns the rest of the voting period at the block time of the pin, in nanoseconds. Returns null unless the proposal is open.
 */
export async function votingTimeLeft(pin: Pin, proposal: Proposal): Promise<Nanoseconds | null> {
  return isOpen(proposal) ? proposal.votingPeriodEnd - (await blockTime(pin)) : null;
}

/**
 * Returns the earliest block time at which the proposal can be executed. Returns null if its policy is deleted or of an unknown
 * type.
 */
export async function executableFrom(pin: Pin, proposal: Proposal): Promise<Nanoseconds | null> {
  const policy = await pin.loaders(createGroupLoaders).groupPolicy.load(proposal.groupPolicyAddress);
  if (policy === null || policy.decisionPolicy.kind === 'other') return null;
  return proposal.submitTime + policy.decisionPolicy.windows.minExecutionPeriod;
}

/** Reads the members who have not voted, by address. Returns null unless the proposal is open. */
export async function pendingVoters(pin: Pin, proposal: Proposal): Promise<readonly GroupMember[] | null> {
  if (!isOpen(proposal)) return null;
  const loaders = pin.loaders(createGroupLoaders);
  const votes = readAll(votesByProposal(loaders, proposal.id), 'votes');
  const policy = loaders.groupPolicy.load(proposal.groupPolicyAddress);
  const [cast, groupPolicy] = await Promise.all([votes, policy]);
  if (groupPolicy === null) return null;
  const voted = new Set(cast.map(({ voter }) => voter));
  const members = await readAll(groupMembers(loaders, groupPolicy.groupId), 'members');
  return members.filter(({ address }) => !voted.has(address));
}

/**
 * Reads one member of a group. Returns null if the account is not a member. Costs one read for a group of up to 100 members,
 * two for a larger group; the first read serves all members of the group under the same pin.
 */
export async function memberOf(pin: Pin, groupId: bigint, address: string): Promise<GroupMember | null> {
  const list = groupMembers(pin.loaders(createGroupLoaders), groupId);
  const key = addressKey(address);
  const whole = await list.read({ limit: membersAtOnce });
  const found = whole.items.find((member) => member.address === address);
  if (found !== undefined || !whole.more) return found ?? null;
  const { items } = await list.read({ key: list.pageKey?.(key) ?? key, limit: 1 });
  const [first] = items;
  return first !== undefined && Buffer.compare(memberKey(first), key) === 0 ? first : null;
}

/** Number of members that the first read of `memberOf` returns. */
const membersAtOnce = 100;

/**
 * Reads the voter's membership in the group of a proposal. Returns null if the voter left the group or the proposal is deleted.
 */
export async function memberOfVote(pin: Pin, proposalId: bigint, voter: string): Promise<GroupMember | null> {
  const proposal = await pin.loaders(createGroupLoaders).proposal.load(proposalId);
  const policy = proposal && (await pin.loaders(createGroupLoaders).groupPolicy.load(proposal.groupPolicyAddress));
  return policy ? memberOf(pin, policy.groupId, voter) : null;
}

/**
 * Reads the proposals of a policy that have one of `statuses`, by ascending id. The chain cannot filter, so all are read, at
 * most 5,000.
 */
export async function policyProposals(
  pin: Pin,
  address: string,
  statuses: readonly ProposalStatus[],
): Promise<readonly Proposal[]> {
  const all = await readAll(proposalsByGroupPolicy(pin.loaders(createGroupLoaders), address), 'proposals');
  return all.filter(({ status }) => statuses.includes(status));
}

/** Reads the proposals of all policies of these groups, by ascending id, at most 5,000. `statuses` selects statuses. */
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
  const selected = statuses === undefined ? all : all.filter(({ status }) => statuses.includes(status));
  return selected.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/**
 * Reads the proposals of all groups of an account. With `awaitingVote`, only open proposals that the account has not voted on.
 */
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
