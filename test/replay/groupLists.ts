import * as query from '../../src/proto/cosmos/group/v1/query_pb.js';
import { addressBytes, bigEndian, listOf, type ReplayList } from './replayList.ts';

/**
 * The lists of `cosmos.group.v1.Query` by method, paged as the chain does (docs/chain.md, "Page requests"): ascending by row
 * id; `reverse` is ignored, and `Groups` ignores `key` as well. Row ids of proposals, votes and groups are recorded; those of
 * members are the keys of the recorded store. Row ids of policies and of GroupsByMember are not recorded and are guesses: the
 * store key, and the row of the membership (docs/chain.md, "Keys of stores").
 */
export const groupLists: Readonly<Record<string, ReplayList>> = {
  ProposalsByGroupPolicy: listOf({
    request: query.QueryProposalsByGroupPolicyRequestSchema,
    response: query.QueryProposalsByGroupPolicyResponseSchema,
    items: (response) => response.proposals,
    rowId: ({ id }) => bigEndian(id),
  }),
  VotesByProposal: listOf({
    request: query.QueryVotesByProposalRequestSchema,
    response: query.QueryVotesByProposalResponseSchema,
    items: (response) => response.votes,
    rowId: ({ proposalId, voter }) => Buffer.concat([bigEndian(proposalId), addressBytes(voter)]),
  }),
  VotesByVoter: listOf({
    request: query.QueryVotesByVoterRequestSchema,
    response: query.QueryVotesByVoterResponseSchema,
    items: (response) => response.votes,
    rowId: ({ proposalId, voter }) => Buffer.concat([bigEndian(proposalId), addressBytes(voter)]),
  }),
  GroupMembers: listOf({
    request: query.QueryGroupMembersRequestSchema,
    response: query.QueryGroupMembersResponseSchema,
    items: (response) => response.members,
    rowId: ({ groupId, member }) => Buffer.concat([bigEndian(groupId), addressBytes(member?.address ?? '')]),
  }),
  Groups: listOf({
    request: query.QueryGroupsRequestSchema,
    response: query.QueryGroupsResponseSchema,
    items: (response) => response.groups,
    rowId: ({ id }) => bigEndian(id),
    obeysKey: false,
  }),
  GroupsByAdmin: listOf({
    request: query.QueryGroupsByAdminRequestSchema,
    response: query.QueryGroupsByAdminResponseSchema,
    items: (response) => response.groups,
    rowId: ({ id }) => bigEndian(id),
  }),
  GroupsByMember: listOf({
    request: query.QueryGroupsByMemberRequestSchema,
    response: query.QueryGroupsByMemberResponseSchema,
    items: (response) => response.groups,
    rowId: ({ id }, { address }) => Buffer.concat([bigEndian(id), addressBytes(address)]),
  }),
  GroupPoliciesByGroup: listOf({
    request: query.QueryGroupPoliciesByGroupRequestSchema,
    response: query.QueryGroupPoliciesByGroupResponseSchema,
    items: (response) => response.groupPolicies,
    rowId: ({ address }) => policyRow(address),
  }),
  GroupPoliciesByAdmin: listOf({
    request: query.QueryGroupPoliciesByAdminRequestSchema,
    response: query.QueryGroupPoliciesByAdminResponseSchema,
    items: (response) => response.groupPolicies,
    rowId: ({ address }) => policyRow(address),
  }),
};

function policyRow(address: string): Uint8Array {
  const bytes = addressBytes(address);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}
