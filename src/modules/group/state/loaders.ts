import { createListLoader, type ListKey } from '../../../reads/chainList.ts';
import { createLoader, type Loader, type Source } from '../../../reads/loader.ts';
import type { Read } from '../../../reads/page.ts';
import type { Group, GroupMember, GroupPolicy, Proposal, TallyResult, Vote } from './model.ts';
import * as query from './query.ts';

/** Loaders of the group module for one pin. An item that a list returned is not read again by its own loader. */
export interface GroupLoaders {
  readonly proposal: Loader<bigint, Proposal | null>;
  readonly tally: Loader<bigint, TallyResult | null>;
  readonly vote: Loader<{ readonly proposalId: bigint; readonly voter: string }, Vote | null>;
  readonly group: Loader<bigint, Group | null>;
  readonly groupPolicy: Loader<string, GroupPolicy | null>;
  readonly proposalsByGroupPolicy: Loader<ListKey<string>, Read<Proposal>>;
  readonly votesByProposal: Loader<ListKey<bigint>, Read<Vote>>;
  readonly votesByVoter: Loader<ListKey<string>, Read<Vote>>;
  readonly groupMembers: Loader<ListKey<bigint>, Read<GroupMember>>;
  readonly groups: Loader<ListKey<''>, Read<Group>>;
  readonly groupsByAdmin: Loader<ListKey<string>, Read<Group>>;
  readonly groupsByMember: Loader<ListKey<string>, Read<Group>>;
  readonly groupPoliciesByGroup: Loader<ListKey<bigint>, Read<GroupPolicy>>;
  readonly groupPoliciesByAdmin: Loader<ListKey<string>, Read<GroupPolicy>>;
}

/** Creates the loaders of one pin. */
export function createGroupLoaders({ state }: Source): GroupLoaders {
  const proposal = createLoader((id: bigint) => query.proposal(state, id));
  const group = createLoader((id: bigint) => query.groupInfo(state, id));
  const groupPolicy = createLoader((address: string) => query.groupPolicyInfo(state, address));
  const vote = createLoader(
    (key: { readonly proposalId: bigint; readonly voter: string }) =>
      query.voteByProposalVoter(state, key.proposalId, key.voter),
    (key) => `${key.proposalId}/${key.voter}`,
  );
  const keepProposal = (item: Proposal): void => proposal.prime(item.id, item);
  const keepGroup = (item: Group): void => group.prime(item.id, item);
  const keepPolicy = (item: GroupPolicy): void => groupPolicy.prime(item.address, item);
  const keepVote = (item: Vote): void => vote.prime(item, item);
  return {
    proposal,
    group,
    groupPolicy,
    vote,
    tally: createLoader((id: bigint) => query.tallyResult(state, id)),
    proposalsByGroupPolicy: createListLoader((of: string, page) => query.proposalsByGroupPolicy(state, of, page), keepProposal),
    votesByProposal: createListLoader((of: bigint, page) => query.votesByProposal(state, of, page), keepVote),
    votesByVoter: createListLoader((of: string, page) => query.votesByVoter(state, of, page), keepVote),
    groupMembers: createListLoader((of: bigint, page) => query.groupMembers(state, of, page)),
    groups: createListLoader((_: '', page) => query.groups(state, page), keepGroup),
    groupsByAdmin: createListLoader((of: string, page) => query.groupsByAdmin(state, of, page), keepGroup),
    groupsByMember: createListLoader((of: string, page) => query.groupsByMember(state, of, page), keepGroup),
    groupPoliciesByGroup: createListLoader((of: bigint, page) => query.groupPoliciesByGroup(state, of, page), keepPolicy),
    groupPoliciesByAdmin: createListLoader((of: string, page) => query.groupPoliciesByAdmin(state, of, page), keepPolicy),
  };
}
