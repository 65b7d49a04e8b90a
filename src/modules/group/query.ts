import { Query } from '../../proto/cosmos/group/v1/query_pb.js';
import { type Read, type ReadRequest, readOf, toPagination } from '../../reads/page.ts';
import { stateRead, stateReadOrNull } from '../../reads/query.ts';
import {
  type Group,
  type GroupMember,
  type GroupPolicy,
  groupFromWire,
  groupPolicyFromWire,
  memberFromWire,
  type Proposal,
  proposalFromWire,
  type TallyResult,
  tallyFromWire,
  type Vote,
  voteFromWire,
} from './model.ts';

/**
 * The 14 queries of `cosmos.group.v1.Query`, each at the height of the state. An absent object is null: each query lists the
 * refusals that mean absence (docs/chain.md, "Absent objects"). A list that belongs to an absent object is empty.
 */

/** Reads a proposal; null if none has this id. */
export const proposal = stateReadOrNull({
  method: Query.method.proposal,
  request: (proposalId: bigint) => ({ proposalId }),
  value: (answer): Proposal | null => (answer.proposal ? proposalFromWire(answer.proposal) : null),
  absences: ['load proposal: not found'],
});

/** Reads the tally: live for an open proposal, stored for a decided one. null for an absent, aborted or withdrawn proposal. */
export const tallyResult = stateReadOrNull({
  method: Query.method.tallyResult,
  request: (proposalId: bigint) => ({ proposalId }),
  value: ({ tally }): TallyResult | null => tallyFromWire(tally),
  absences: ['load proposal: not found', "can't get the tally of a proposal with status"],
});

/** Reads one vote; null if the account has not voted or the votes are deleted. */
export const voteByProposalVoter = stateReadOrNull({
  method: Query.method.voteByProposalVoter,
  request: (proposalId: bigint, voter: string) => ({ proposalId, voter }),
  value: ({ vote }): Vote | null => (vote ? voteFromWire(vote) : null),
  absences: ['not found'],
});

/** Reads a group; null if none has this id. */
export const groupInfo = stateReadOrNull({
  method: Query.method.groupInfo,
  request: (groupId: bigint) => ({ groupId }),
  value: ({ info }): Group | null => (info ? groupFromWire(info) : null),
  absences: ['group: not found'],
});

/** Reads a group policy; null if the address is not a group policy. */
export const groupPolicyInfo = stateReadOrNull({
  method: Query.method.groupPolicyInfo,
  request: (address: string) => ({ address }),
  value: ({ info }): GroupPolicy | null => (info ? groupPolicyFromWire(info) : null),
  absences: ['group policy: not found'],
});

/** Reads the proposals of a group policy, by ascending id. */
export const proposalsByGroupPolicy = stateRead({
  method: Query.method.proposalsByGroupPolicy,
  request: (address: string, page: ReadRequest) => ({ address, pagination: toPagination(page) }),
  value: ({ proposals, pagination }, _address, page): Read<Proposal> =>
    readOf(proposals.map(proposalFromWire), pagination, page),
});

/** Reads the votes on a proposal, by the bytes of the voter's address. */
export const votesByProposal = stateRead({
  method: Query.method.votesByProposal,
  request: (proposalId: bigint, page: ReadRequest) => ({ proposalId, pagination: toPagination(page) }),
  value: ({ votes, pagination }, _proposalId, page): Read<Vote> => readOf(votes.map(voteFromWire), pagination, page),
});

/** Reads the stored votes of an account, by ascending proposal id. */
export const votesByVoter = stateRead({
  method: Query.method.votesByVoter,
  request: (voter: string, page: ReadRequest) => ({ voter, pagination: toPagination(page) }),
  value: ({ votes, pagination }, _voter, page): Read<Vote> => readOf(votes.map(voteFromWire), pagination, page),
});

/** Reads the members of a group, by the bytes of their address. */
export const groupMembers = stateRead({
  method: Query.method.groupMembers,
  request: (groupId: bigint, page: ReadRequest) => ({ groupId, pagination: toPagination(page) }),
  value: ({ members, pagination }, _groupId, page): Read<GroupMember> => readOf(members.map(memberFromWire), pagination, page),
});

/** Reads all groups, by ascending id. The chain ignores the page key of this query (docs/chain.md, "Page requests"). */
export const groups = stateRead({
  method: Query.method.groups,
  request: (page: ReadRequest) => ({ pagination: toPagination(page) }),
  value: (answer, page): Read<Group> => readOf(answer.groups.map(groupFromWire), answer.pagination, page),
});

/** Reads the groups that an account administers, by ascending id. */
export const groupsByAdmin = stateRead({
  method: Query.method.groupsByAdmin,
  request: (admin: string, page: ReadRequest) => ({ admin, pagination: toPagination(page) }),
  value: (answer, _admin, page): Read<Group> => readOf(answer.groups.map(groupFromWire), answer.pagination, page),
});

/** Reads the groups that an account is a member of, by ascending id. */
export const groupsByMember = stateRead({
  method: Query.method.groupsByMember,
  request: (address: string, page: ReadRequest) => ({ address, pagination: toPagination(page) }),
  value: (answer, _address, page): Read<Group> => readOf(answer.groups.map(groupFromWire), answer.pagination, page),
});

/** Reads the policies of a group, by the bytes of their address. */
export const groupPoliciesByGroup = stateRead({
  method: Query.method.groupPoliciesByGroup,
  request: (groupId: bigint, page: ReadRequest) => ({ groupId, pagination: toPagination(page) }),
  value: ({ groupPolicies, pagination }, _groupId, page): Read<GroupPolicy> =>
    readOf(groupPolicies.map(groupPolicyFromWire), pagination, page),
});

/** Reads the policies that an account administers, by the bytes of their address. */
export const groupPoliciesByAdmin = stateRead({
  method: Query.method.groupPoliciesByAdmin,
  request: (admin: string, page: ReadRequest) => ({ admin, pagination: toPagination(page) }),
  value: ({ groupPolicies, pagination }, _admin, page): Read<GroupPolicy> =>
    readOf(groupPolicies.map(groupPolicyFromWire), pagination, page),
});
