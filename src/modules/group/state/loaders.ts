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
  const keepProposals = (items: readonly Proposal[]): void => proposal.prime(items, ({ id }) => id);
  const keepGroups = (items: readonly Group[]): void => group.prime(items, ({ id }) => id);
  const keepPolicies = (items: readonly GroupPolicy[]): void => groupPolicy.prime(items, ({ address }) => address);
  const keepVotes = (items: readonly Vote[]): void => vote.prime(items, (item) => item);
  return {
    proposal,
    group,
    groupPolicy,
    vote,
    tally: createLoader((id: bigint) => query.tallyResult(state, id)),
    proposalsByGroupPolicy: createListLoader(
      (of: string, page) => query.proposalsByGroupPolicy(state, of, page),
      keepProposals,
    ),
    votesByProposal: createListLoader((of: bigint, page) => query.votesByProposal(state, of, page), keepVotes),
    votesByVoter: createListLoader((of: string, page) => query.votesByVoter(state, of, page), keepVotes),
    groupMembers: createListLoader((of: bigint, page) => query.groupMembers(state, of, page)),
    groups: createListLoader((_: '', page) => query.groups(state, page), keepGroups),
    groupsByAdmin: createListLoader((of: string, page) => query.groupsByAdmin(state, of, page), keepGroups),
    groupsByMember: createListLoader((of: string, page) => query.groupsByMember(state, of, page), keepGroups),
    groupPoliciesByGroup: createListLoader((of: bigint, page) => query.groupPoliciesByGroup(state, of, page), keepPolicies),
    groupPoliciesByAdmin: createListLoader((of: string, page) => query.groupPoliciesByAdmin(state, of, page), keepPolicies),
  };
}
