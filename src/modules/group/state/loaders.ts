import { createLoader, type Loader, lazyLoaders } from '../../../reads/loader.ts';
import { createListLoader, type ListKey, type Read } from '../../../reads/page.ts';
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

type KeepItems<T> = (items: readonly T[]) => void;

const keepProposals = ({ proposal }: GroupLoaders): KeepItems<Proposal> => {
  return (items) => proposal.prime(items, ({ id }) => id);
};
const keepGroups = ({ group }: GroupLoaders): KeepItems<Group> => {
  return (items) => group.prime(items, ({ id }) => id);
};
const keepPolicies = ({ groupPolicy }: GroupLoaders): KeepItems<GroupPolicy> => {
  return (items) => groupPolicy.prime(items, ({ address }) => address);
};
const keepVotes = ({ vote }: GroupLoaders): KeepItems<Vote> => {
  return (items) => vote.prime(items, (item) => item);
};

/** Creates the loaders of one pin. */
export const createGroupLoaders = lazyLoaders<GroupLoaders>({
  proposal: ({ state }) => createLoader((id) => query.proposal(state, id)),
  tally: ({ state }) => createLoader((id) => query.tallyResult(state, id)),
  vote: ({ state }) =>
    createLoader(
      ({ proposalId, voter }) => query.voteByProposalVoter(state, proposalId, voter),
      ({ proposalId, voter }) => `${proposalId}/${voter}`,
    ),
  group: ({ state }) => createLoader((id) => query.groupInfo(state, id)),
  groupPolicy: ({ state }) => createLoader((address) => query.groupPolicyInfo(state, address)),
  proposalsByGroupPolicy: ({ state }, loaders) =>
    createListLoader((of, page) => query.proposalsByGroupPolicy(state, of, page), keepProposals(loaders)),
  votesByProposal: ({ state }, loaders) =>
    createListLoader((of, page) => query.votesByProposal(state, of, page), keepVotes(loaders)),
  votesByVoter: ({ state }, loaders) => createListLoader((of, page) => query.votesByVoter(state, of, page), keepVotes(loaders)),
  groupMembers: ({ state }) => createListLoader((of, page) => query.groupMembers(state, of, page)),
  groups: ({ state }, loaders) => createListLoader((_, page) => query.groups(state, page), keepGroups(loaders)),
  groupsByAdmin: ({ state }, loaders) =>
    createListLoader((of, page) => query.groupsByAdmin(state, of, page), keepGroups(loaders)),
  groupsByMember: ({ state }, loaders) =>
    createListLoader((of, page) => query.groupsByMember(state, of, page), keepGroups(loaders)),
  groupPoliciesByGroup: ({ state }, loaders) =>
    createListLoader((of, page) => query.groupPoliciesByGroup(state, of, page), keepPolicies(loaders)),
  groupPoliciesByAdmin: ({ state }, loaders) =>
    createListLoader((of, page) => query.groupPoliciesByAdmin(state, of, page), keepPolicies(loaders)),
});
