import { addressKey } from '../../reads/input.ts';
import { createLoader, type Loader, lazyLoaders } from '../../reads/loader.ts';
import { type ChainList, chainList, createListLoader, type ListKey, type Read } from '../../reads/page.ts';
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

/** Encodes an id as the chain's store does: eight bytes, big endian. */
export function idKey(id: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(id);
  return bytes;
}

/** The sort keys of the module's lists. */
export const proposalKey = ({ id }: Proposal): Uint8Array => idKey(id);
export const memberKey = ({ address }: GroupMember): Uint8Array => addressKey(address);
const groupKey = ({ id }: Group): Uint8Array => idKey(id);
const policyKey = ({ address }: GroupPolicy): Uint8Array => addressKey(address);
const voterKey = ({ voter }: Vote): Uint8Array => addressKey(voter);
const votedKey = ({ proposalId }: Vote): Uint8Array => idKey(proposalId);

/**
 * Returns the first id of eight bytes at or after `key`. A list that is sorted by id has row ids that start with eight bytes,
 * so a longer key means the next id.
 */
function idPageKey(key: Uint8Array): Uint8Array {
  const id = Buffer.concat([key, Buffer.alloc(8)]).readBigUInt64BE(0);
  return idKey(key.length > 8 && id < 2n ** 64n - 1n ? id + 1n : id);
}

/**
 * The lists of the module. A page key is a row id (docs/chain.md, "Page requests"): the id of a proposal; for a vote or member,
 * the id of its proposal or group, then the address. Lists of groups ignore page keys, and no page key of a list of policies
 * was recorded, so these are paged by offset.
 */
export const proposalsByGroupPolicy = (loaders: GroupLoaders, address: string): ChainList<Proposal> =>
  chainList(loaders.proposalsByGroupPolicy, address, proposalKey, idPageKey);

export const votesByProposal = (loaders: GroupLoaders, id: bigint): ChainList<Vote> =>
  chainList(loaders.votesByProposal, id, voterKey, (key) => Buffer.concat([idKey(id), key]));

export const votesByVoter = (loaders: GroupLoaders, voter: string): ChainList<Vote> =>
  chainList(loaders.votesByVoter, voter, votedKey, idPageKey);

export const groupMembers = (loaders: GroupLoaders, id: bigint): ChainList<GroupMember> =>
  chainList(loaders.groupMembers, id, memberKey, (key) => Buffer.concat([idKey(id), key]));

export const groups = (loaders: GroupLoaders): ChainList<Group> => chainList(loaders.groups, '', groupKey);

export const groupsByAdmin = (loaders: GroupLoaders, admin: string): ChainList<Group> =>
  chainList(loaders.groupsByAdmin, admin, groupKey);

export const groupsByMember = (loaders: GroupLoaders, address: string): ChainList<Group> =>
  chainList(loaders.groupsByMember, address, groupKey);

export const groupPoliciesByGroup = (loaders: GroupLoaders, id: bigint): ChainList<GroupPolicy> =>
  chainList(loaders.groupPoliciesByGroup, id, policyKey);

export const groupPoliciesByAdmin = (loaders: GroupLoaders, admin: string): ChainList<GroupPolicy> =>
  chainList(loaders.groupPoliciesByAdmin, admin, policyKey);
