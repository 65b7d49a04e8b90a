import { votingTimeLeft } from '../../../packages/verify/src/plans/rules/tally.ts';
import { type Nanoseconds, parseTime } from '../../chain/base/time.ts';
import { addressKey } from '../../reads/input.ts';
import { checkScan, readAll } from '../../reads/page.ts';
import { type Awaitable, all, andThen, both, type Pin } from '../../reads/pin.ts';
import { createBlockLoaders } from '../blocks/query.ts';
import {
  type Group,
  type GroupMember,
  type Proposal,
  type ProposalOutcome,
  type ProposalStatus,
  proposalOutcome,
  type TallyResult,
} from './model.ts';
import {
  createGroupLoaders,
  groupMembers,
  groupPoliciesByGroup,
  groupsByMember,
  memberKey,
  proposalsByGroupPolicy,
  votesByVoter,
} from './query.ts';

export function blockTime(pin: Pin): Awaitable<Nanoseconds> {
  return andThen(pin.loaders(createBlockLoaders).block.load(pin.height), ({ header }) => parseTime(header.time));
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
export function tallyOf(pin: Pin, proposal: Proposal): Awaitable<TallyResult | null> {
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
export function outcomeOf(pin: Pin, proposal: Proposal): Awaitable<ProposalOutcome | null> {
  if (!isOpen(proposal)) return null;
  const { tally, groupPolicy, group } = pin.loaders(createGroupLoaders);
  return both(tally.load(proposal.id), groupPolicy.load(proposal.groupPolicyAddress), (count, policy) => {
    if (count === null || policy === null) return null;
    return andThen(
      group.load(policy.groupId),
      (owner) => owner && proposalOutcome(policy.decisionPolicy, count, owner.totalWeight),
    );
  });
}

/**
 * Returns the rest of the voting period at the block time of the pin, in nanoseconds. Returns null unless the proposal is open.
 */
export function timeLeftOf(pin: Pin, proposal: Proposal): Awaitable<Nanoseconds | null> {
  return isOpen(proposal) ? andThen(blockTime(pin), (time) => votingTimeLeft(proposal.votingPeriodEnd, time)) : null;
}

/**
 * Returns the earliest block time at which the proposal can be executed. Returns null if its policy is deleted or of an unknown
 * type.
 */
export function executableFrom(pin: Pin, proposal: Proposal): Awaitable<Nanoseconds | null> {
  return andThen(pin.loaders(createGroupLoaders).groupPolicy.load(proposal.groupPolicyAddress), (policy) =>
    policy === null || policy.decisionPolicy.kind === 'other'
      ? null
      : proposal.submitTime + policy.decisionPolicy.windows.minExecutionPeriod,
  );
}

/**
 * Reads the proposals of a policy that have one of `statuses`, by ascending id. The chain cannot filter, so all are read, at
 * most 5,000.
 */
export function policyProposals(
  pin: Pin,
  address: string,
  statuses: readonly ProposalStatus[],
): Awaitable<readonly Proposal[]> {
  return andThen(readAll(proposalsByGroupPolicy(pin.loaders(createGroupLoaders), address), 'proposals'), (proposals) =>
    proposals.filter(({ status }) => statuses.includes(status)),
  );
}

/** Reads the proposals of all policies of these groups, by ascending id, at most 5,000. `statuses` selects statuses. */
export function groupsProposals(
  pin: Pin,
  groups: readonly Group[],
  statuses: readonly ProposalStatus[] | undefined,
): Awaitable<readonly Proposal[]> {
  const loaders = pin.loaders(createGroupLoaders);
  const policies = all(groups.map(({ id }) => readAll(groupPoliciesByGroup(loaders, id), 'group policies')));
  const lists = andThen(policies, (policyPage) => {
    const addresses = policyPage.flat().map(({ address }) => address);
    checkScan(addresses.length, 'group policies');
    return all(addresses.map((address) => readAll(proposalsByGroupPolicy(loaders, address), 'proposals')));
  });
  return andThen(lists, (proposalLists) => {
    const proposals = proposalLists.flat();
    checkScan(proposals.length, 'proposals');
    const selected = statuses === undefined ? proposals : proposals.filter(({ status }) => statuses.includes(status));
    return selected.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  });
}

/**
 * Reads one member of a group. Returns null if the account is not a member. Costs one read for a group of up to 100 members,
 * two for a larger group; the first read serves all members of the group under the same pin.
 */
export function memberOf(pin: Pin, groupId: bigint, address: string): Awaitable<GroupMember | null> {
  const list = groupMembers(pin.loaders(createGroupLoaders), groupId);
  return andThen(list.read({ limit: membersAtOnce }), (whole) => {
    const member = whole.items.find((member) => member.address === address);
    if (member !== undefined || !whole.more) return member ?? null;
    const key = addressKey(address);
    return andThen(list.read({ key: list.pageKey?.(key) ?? key, limit: 1 }), ({ items: [first] }) =>
      first !== undefined && Buffer.compare(memberKey(first), key) === 0 ? first : null,
    );
  });
}

/** Number of members that the first read of `memberOf` returns. */
const membersAtOnce = 100;

/** Reads what an account is in each group that it is a member of, by ascending group id. */
export function memberships(pin: Pin, address: string): Awaitable<readonly GroupMember[]> {
  return andThen(readAll(groupsByMember(pin.loaders(createGroupLoaders), address), 'groups'), (groups) =>
    andThen(all(groups.map(({ id }) => memberOf(pin, id, address))), (members) => members.filter((member) => member !== null)),
  );
}

/**
 * Reads the proposals of all groups of an account. With `awaitingVote`, only open proposals that the account has not voted on.
 */
export function accountProposals(
  pin: Pin,
  address: string,
  statuses: readonly ProposalStatus[] | undefined,
  awaitingVote: boolean,
): Awaitable<readonly Proposal[]> {
  const loaders = pin.loaders(createGroupLoaders);
  const groups = readAll(groupsByMember(loaders, address), 'groups');
  if (!awaitingVote) return andThen(groups, (foundGroups) => groupsProposals(pin, foundGroups, statuses));
  return both(groups, readAll(votesByVoter(loaders, address), 'votes'), (foundGroups, votes) => {
    const voted = new Set(votes.map(({ proposalId }) => proposalId));
    return andThen(groupsProposals(pin, foundGroups, statuses), (proposals) =>
      proposals.filter((proposal) => isOpen(proposal) && !voted.has(proposal.id)),
    );
  });
}
