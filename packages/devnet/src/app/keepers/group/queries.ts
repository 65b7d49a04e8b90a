import type { DescMessage } from '@bufbuild/protobuf';
import type { PageRequest } from '../../../../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { Query } from '../../../../../../src/proto/cosmos/group/v1/query_pb.js';
import { ProposalStatus } from '../../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import { type ListAnswer, onList, onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import { sizedKey, u64Key } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { paginate } from '../base/page.ts';
import { statusName } from './lifecycle.ts';
import {
  addressKey,
  groupKeys,
  groupStore,
  groups,
  indexedRows,
  loadGroup,
  loadPolicy,
  loadProposal,
  members,
  policies,
  proposals,
  storedRow,
  type Table,
  votes,
} from './state.ts';
import { tallyOf } from './tally.ts';

/** Returns a page of the rows in an index. Ignores `reverse`, as the module does (docs/chain.md, "Page requests"). */
function pageOf<D extends DescMessage>(
  state: StoreView,
  table: Table<D>,
  prefix: string,
  request: PageRequest | undefined,
): ListAnswer {
  const page = paginate(
    request,
    (from) => indexedRows(state, prefix, from),
    (entry) => entry.key,
  );
  return { rows: page.entries.map((entry) => storedRow(state, table, entry.key)), pagination: page.pagination };
}

/** All 14 methods of `cosmos.group.v1.Query`, including the bugs of the module's lists. */
export const groupQueries: readonly QueryHandler[] = [
  onQuery(Query.method.groupInfo, (state, { groupId }) => ({ info: loadGroup(state, groupId) })),
  onQuery(Query.method.groupPolicyInfo, (state, { address }) => ({ info: loadPolicy(state, address) })),
  onList(Query.method.groupMembers, (state, { groupId, pagination }) =>
    pageOf(state, members, groupKeys.memberByGroup + u64Key(groupId), pagination),
  ),
  onList(Query.method.groupsByAdmin, (state, { admin, pagination }) =>
    pageOf(state, groups, groupKeys.groupByAdmin + sizedKey(addressKey(admin)), pagination),
  ),
  onList(Query.method.groupPoliciesByGroup, (state, { groupId, pagination }) =>
    pageOf(state, policies, groupKeys.policyByGroup + u64Key(groupId), pagination),
  ),
  onList(Query.method.groupPoliciesByAdmin, (state, { admin, pagination }) =>
    pageOf(state, policies, groupKeys.policyByAdmin + sizedKey(addressKey(admin)), pagination),
  ),
  onQuery(Query.method.proposal, (state, { proposalId }) => ({ proposal: loadProposal(state, proposalId) })),
  onList(Query.method.proposalsByGroupPolicy, (state, { address, pagination }) =>
    pageOf(state, proposals, groupKeys.proposalByPolicy + sizedKey(addressKey(address)), pagination),
  ),
  onQuery(Query.method.voteByProposalVoter, (state, { proposalId, voter }) => ({
    vote: votes.load(state, u64Key(proposalId) + addressKey(voter)),
  })),
  onList(Query.method.votesByProposal, (state, { proposalId, pagination }) =>
    pageOf(state, votes, groupKeys.voteByProposal + u64Key(proposalId), pagination),
  ),
  onList(Query.method.votesByVoter, (state, { voter, pagination }) =>
    pageOf(state, votes, groupKeys.voteByVoter + sizedKey(addressKey(voter)), pagination),
  ),
  onList(Query.method.groupsByMember, (state, { address, pagination }) => {
    const prefix = groupKeys.memberByAddress + sizedKey(addressKey(address));
    const page = paginate(
      pagination,
      (from) => indexedRows(state, prefix, from),
      (entry) => entry.key,
    );
    // The row key of a member begins with that of its group.
    return { rows: page.entries.map((entry) => storedRow(state, groups, entry.key.slice(0, 8))), pagination: page.pagination };
  }),
  onQuery(Query.method.tallyResult, (state, { proposalId }) => {
    const proposal = loadProposal(state, proposalId);
    const { status, finalTallyResult } = proposal;
    if (status === ProposalStatus.WITHDRAWN || status === ProposalStatus.ABORTED) {
      throw abciError('groupInvalid', `can't get the tally of a proposal with status ${statusName(status)}`);
    }
    if (status !== ProposalStatus.SUBMITTED) return finalTallyResult === undefined ? {} : { tally: finalTallyResult };
    const { groupId } = loadPolicy(state, proposal.groupPolicyAddress);
    return { tally: tallyOf(state, proposal, groupId) };
  }),
  onList(Query.method.groups, (state, { pagination }) => {
    const skip = groupKeys.group.length;
    // The module ignores `key` in this list and starts at id 1.
    const page = paginate(
      pagination,
      () => state.entries(groupStore, groupKeys.group),
      (entry) => entry.key.slice(skip),
    );
    return { rows: page.entries.map((entry) => entry.value), pagination: page.pagination };
  }),
];
