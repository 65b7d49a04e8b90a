import { addressKey } from '../../reads/input.ts';
import { type Awaitable, andThen, both } from '../../reads/loader.ts';
import { readAll } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { groupsProposals, isOpen } from './derived.ts';
import { createGroupLoaders, groupMembers, groupsByMember, memberKey, votesByProposal, votesByVoter } from './loaders.ts';
import type { GroupMember, Proposal, ProposalStatus } from './model.ts';

// Who can vote on a proposal, and who has not. While a proposal is open, its non-voters are the members of its group without a vote, at the height of the
// pin. Once its tally is final, the chain deletes the votes. The archive still has them, so the non-voters of a closed proposal are the members at its
// close without a recorded vote: `ProposalRecord.electorate(voted: false)`, which `electorsQuery` of src/archive/store/votes.ts reads. It lists nobody if the
// voters are not all known, or if nobody else could vote because one transaction submitted and closed the proposal.

/** Reads the non-voters of a proposal, by address. Returns null unless the proposal is open. */
export function pendingVoters(pin: Pin, proposal: Proposal): Awaitable<readonly GroupMember[] | null> {
  if (!isOpen(proposal)) return null;
  const loaders = pin.loaders(createGroupLoaders);
  const votes = readAll(votesByProposal(loaders, proposal.id), 'votes');
  return both(votes, loaders.groupPolicy.load(proposal.groupPolicyAddress), (cast, groupPolicy) => {
    if (groupPolicy === null) return null;
    const voted = new Set(cast.map(({ voter }) => voter));
    return andThen(readAll(groupMembers(loaders, groupPolicy.groupId), 'members'), (members) =>
      members.filter(({ address }) => !voted.has(address)),
    );
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

/**
 * Reads the voter's membership in the group of a proposal. Returns null if the voter left the group or the proposal is deleted.
 */
export function memberOfVote(pin: Pin, proposalId: bigint, voter: string): Awaitable<GroupMember | null> {
  const { proposal, groupPolicy } = pin.loaders(createGroupLoaders);
  const policy = andThen(
    proposal.load(proposalId),
    (foundProposal) => foundProposal && groupPolicy.load(foundProposal.groupPolicyAddress),
  );
  return andThen(policy, (foundPolicy) => foundPolicy && memberOf(pin, foundPolicy.groupId, voter));
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
