import { membersWithoutVote } from '../../../packages/verify/src/plans/rules/tally.ts';
import { readAll } from '../../reads/page.ts';
import { type Awaitable, andThen, both, type Pin } from '../../reads/pin.ts';
import { isOpen, memberOf } from './derived.ts';
import type { GroupMember, Proposal } from './model.ts';
import { createGroupLoaders, groupMembers, votesByProposal } from './query.ts';

// Who can vote on a proposal, and who has not. While a proposal is open, its non-voters are the members of its group without a vote, at the height of the
// pin. Once its tally is final, the chain deletes the votes. The archive still has them, so the non-voters of a closed proposal are the members at its
// close without a recorded vote: `ProposalRecord.electorate(voted: false)`, which `electorsQuery` of src/archive/store/votes.ts reads. It lists nobody if the
// voters are not all known, or if nobody else could vote because one transaction submitted and closed the proposal.

/** Reads the non-voters of a proposal, by address. Returns null unless the proposal is open. */
export function nonVoters(pin: Pin, proposal: Proposal): Awaitable<readonly GroupMember[] | null> {
  if (!isOpen(proposal)) return null;
  const loaders = pin.loaders(createGroupLoaders);
  const votes = readAll(votesByProposal(loaders, proposal.id), 'votes');
  return both(votes, loaders.groupPolicy.load(proposal.groupPolicyAddress), (cast, groupPolicy) => {
    if (groupPolicy === null) return null;
    return andThen(readAll(groupMembers(loaders, groupPolicy.groupId), 'members'), (members) =>
      membersWithoutVote(members, cast),
    );
  });
}

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
