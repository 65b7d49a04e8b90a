import type { StateAt } from '../../../chain/state/state.ts';
import { Query } from '../../../proto/cosmos/group/v1/query_pb.js';
import { readOf, toPagination } from '../../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../../reads/page.ts';
import { queryState, queryStateOrNull } from '../../../reads/query.ts';
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
export async function proposal(state: StateAt, id: bigint): Promise<Proposal | null> {
  const answer = await queryStateOrNull(state, Query.method.proposal, { proposalId: id }, ['load proposal: not found']);
  return answer?.proposal ? proposalFromWire(answer.proposal) : null;
}

/** Reads the tally: live for an open proposal, stored for a decided one. null for an absent, aborted or withdrawn proposal. */
export async function tallyResult(state: StateAt, proposalId: bigint): Promise<TallyResult | null> {
  const absences = ['load proposal: not found', "can't get the tally of a proposal with status"];
  const answer = await queryStateOrNull(state, Query.method.tallyResult, { proposalId }, absences);
  return answer === null ? null : tallyFromWire(answer.tally);
}

/** Reads one vote; null if the account has not voted or the votes are deleted. */
export async function voteByProposalVoter(state: StateAt, proposalId: bigint, voter: string): Promise<Vote | null> {
  const answer = await queryStateOrNull(state, Query.method.voteByProposalVoter, { proposalId, voter }, ['not found']);
  return answer?.vote ? voteFromWire(answer.vote) : null;
}

/** Reads a group; null if none has this id. */
export async function groupInfo(state: StateAt, groupId: bigint): Promise<Group | null> {
  const answer = await queryStateOrNull(state, Query.method.groupInfo, { groupId }, ['group: not found']);
  return answer?.info ? groupFromWire(answer.info) : null;
}

/** Reads a group policy; null if the address is not a group policy. */
export async function groupPolicyInfo(state: StateAt, address: string): Promise<GroupPolicy | null> {
  const answer = await queryStateOrNull(state, Query.method.groupPolicyInfo, { address }, ['group policy: not found']);
  return answer?.info ? groupPolicyFromWire(answer.info) : null;
}

/** Reads the proposals of a group policy, by ascending id. */
export async function proposalsByGroupPolicy(state: StateAt, address: string, page: ReadRequest): Promise<Read<Proposal>> {
  const answer = await queryState(state, Query.method.proposalsByGroupPolicy, { address, pagination: toPagination(page) });
  return readOf(answer.proposals.map(proposalFromWire), answer.pagination, page);
}

/** Reads the votes on a proposal, by the bytes of the voter's address. */
export async function votesByProposal(state: StateAt, proposalId: bigint, page: ReadRequest): Promise<Read<Vote>> {
  const answer = await queryState(state, Query.method.votesByProposal, { proposalId, pagination: toPagination(page) });
  return readOf(answer.votes.map(voteFromWire), answer.pagination, page);
}

/** Reads the stored votes of an account, by ascending proposal id. */
export async function votesByVoter(state: StateAt, voter: string, page: ReadRequest): Promise<Read<Vote>> {
  const answer = await queryState(state, Query.method.votesByVoter, { voter, pagination: toPagination(page) });
  return readOf(answer.votes.map(voteFromWire), answer.pagination, page);
}

/** Reads the members of a group, by the bytes of their address. */
export async function groupMembers(state: StateAt, groupId: bigint, page: ReadRequest): Promise<Read<GroupMember>> {
  const answer = await queryState(state, Query.method.groupMembers, { groupId, pagination: toPagination(page) });
  return readOf(answer.members.map(memberFromWire), answer.pagination, page);
}

/** Reads all groups, by ascending id. The chain ignores the page key of this query (docs/chain.md, "Page requests"). */
export async function groups(state: StateAt, page: ReadRequest): Promise<Read<Group>> {
  const answer = await queryState(state, Query.method.groups, { pagination: toPagination(page) });
  return readOf(answer.groups.map(groupFromWire), answer.pagination, page);
}

/** Reads the groups that an account administers, by ascending id. */
export async function groupsByAdmin(state: StateAt, admin: string, page: ReadRequest): Promise<Read<Group>> {
  const answer = await queryState(state, Query.method.groupsByAdmin, { admin, pagination: toPagination(page) });
  return readOf(answer.groups.map(groupFromWire), answer.pagination, page);
}

/** Reads the groups that an account is a member of, by ascending id. */
export async function groupsByMember(state: StateAt, address: string, page: ReadRequest): Promise<Read<Group>> {
  const answer = await queryState(state, Query.method.groupsByMember, { address, pagination: toPagination(page) });
  return readOf(answer.groups.map(groupFromWire), answer.pagination, page);
}

/** Reads the policies of a group, by the bytes of their address. */
export async function groupPoliciesByGroup(state: StateAt, groupId: bigint, page: ReadRequest): Promise<Read<GroupPolicy>> {
  const answer = await queryState(state, Query.method.groupPoliciesByGroup, { groupId, pagination: toPagination(page) });
  return readOf(answer.groupPolicies.map(groupPolicyFromWire), answer.pagination, page);
}

/** Reads the policies that an account administers, by the bytes of their address. */
export async function groupPoliciesByAdmin(state: StateAt, admin: string, page: ReadRequest): Promise<Read<GroupPolicy>> {
  const answer = await queryState(state, Query.method.groupPoliciesByAdmin, { admin, pagination: toPagination(page) });
  return readOf(answer.groupPolicies.map(groupPolicyFromWire), answer.pagination, page);
}
