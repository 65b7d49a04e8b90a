import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { PageRequest } from '../../../../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { Query } from '../../../../proto/cosmos/group/v1/query_pb.js';
import { ProposalStatus } from '../../../../proto/cosmos/group/v1/types_pb.js';
import { abciError } from '../../abciErrors.ts';
import { sizedKey, u64Key } from '../../bytes.ts';
import { onQuery, type QueryHandler } from '../../keeper.ts';
import type { StoreView } from '../../store.ts';
import { type Page, paginate } from '../page.ts';
import { statusName } from './lifecycle.ts';
import {
  addressKey,
  groupKeys,
  groups,
  indexedRows,
  loadGroup,
  loadPolicy,
  loadProposal,
  members,
  policies,
  proposals,
  type Table,
  votes,
} from './state.ts';
import { tallyOf } from './tally.ts';

interface Rows<D extends DescMessage> extends Pick<Page, 'pagination'> {
  readonly rows: MessageShape<D>[];
}

/** A page of the rows that an index names. `reverse` is not looked at, as in the module (chain.md 6.1). */
function pageOf<D extends DescMessage>(
  state: StoreView,
  table: Table<D>,
  prefix: string,
  request: PageRequest | undefined,
): Rows<D> {
  const page = paginate(
    request,
    (from) => indexedRows(state, prefix, from),
    (entry) => entry.key,
  );
  return { rows: page.entries.map((entry) => table.load(state, entry.key)), pagination: page.pagination };
}

/** All 14 methods of `cosmos.group.v1.Query`, with the faults of the module's lists. */
export const groupQueries: readonly QueryHandler[] = [
  onQuery(Query.method.groupInfo, (state, { groupId }) => ({ info: loadGroup(state, groupId) })),
  onQuery(Query.method.groupPolicyInfo, (state, { address }) => ({ info: loadPolicy(state, address) })),
  onQuery(Query.method.groupMembers, (state, { groupId, pagination }) => {
    const page = pageOf(state, members, groupKeys.memberByGroup + u64Key(groupId), pagination);
    return { members: page.rows, pagination: page.pagination };
  }),
  onQuery(Query.method.groupsByAdmin, (state, { admin, pagination }) => {
    const page = pageOf(state, groups, groupKeys.groupByAdmin + sizedKey(addressKey(admin)), pagination);
    return { groups: page.rows, pagination: page.pagination };
  }),
  onQuery(Query.method.groupPoliciesByGroup, (state, { groupId, pagination }) => {
    const page = pageOf(state, policies, groupKeys.policyByGroup + u64Key(groupId), pagination);
    return { groupPolicies: page.rows, pagination: page.pagination };
  }),
  onQuery(Query.method.groupPoliciesByAdmin, (state, { admin, pagination }) => {
    const page = pageOf(state, policies, groupKeys.policyByAdmin + sizedKey(addressKey(admin)), pagination);
    return { groupPolicies: page.rows, pagination: page.pagination };
  }),
  onQuery(Query.method.proposal, (state, { proposalId }) => ({ proposal: loadProposal(state, proposalId) })),
  onQuery(Query.method.proposalsByGroupPolicy, (state, { address, pagination }) => {
    const page = pageOf(state, proposals, groupKeys.proposalByPolicy + sizedKey(addressKey(address)), pagination);
    return { proposals: page.rows, pagination: page.pagination };
  }),
  onQuery(Query.method.voteByProposalVoter, (state, { proposalId, voter }) => ({
    vote: votes.load(state, u64Key(proposalId) + addressKey(voter)),
  })),
  onQuery(Query.method.votesByProposal, (state, { proposalId, pagination }) => {
    const page = pageOf(state, votes, groupKeys.voteByProposal + u64Key(proposalId), pagination);
    return { votes: page.rows, pagination: page.pagination };
  }),
  onQuery(Query.method.votesByVoter, (state, { voter, pagination }) => {
    const page = pageOf(state, votes, groupKeys.voteByVoter + sizedKey(addressKey(voter)), pagination);
    return { votes: page.rows, pagination: page.pagination };
  }),
  onQuery(Query.method.groupsByMember, (state, { address, pagination }) => {
    const page = pageOf(state, members, groupKeys.memberByAddress + sizedKey(addressKey(address)), pagination);
    return { groups: page.rows.map((row) => loadGroup(state, row.groupId)), pagination: page.pagination };
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
  onQuery(Query.method.groups, (state, { pagination }) => {
    const skip = groupKeys.group.length;
    // The module starts this list at id 1 whatever `key` says.
    const page = paginate(
      pagination,
      () => state.entries('group', groupKeys.group),
      (entry) => entry.key.slice(skip),
    );
    return { groups: page.entries.map((entry) => groups.decode(entry.value)), pagination: page.pagination };
  }),
];
