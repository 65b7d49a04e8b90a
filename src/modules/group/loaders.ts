import { addressKey } from '../../reads/input.ts';
import { type ChainList, chainList, type ListKey, type Read, readListOnce } from '../../reads/page.ts';
import { lazyLoaders, type ReadOnce, readOnce } from '../../reads/pin.ts';
import type { Group, GroupMember, GroupPolicy, Proposal, TallyResult, Vote } from './model.ts';
import * as query from './query.ts';

/** Loaders of the group module for one pin. An item that a list returned is not read again by its own loader. */
export interface GroupLoaders {
  readonly proposal: ReadOnce<bigint, Proposal | null>;
  readonly tally: ReadOnce<bigint, TallyResult | null>;
  readonly vote: ReadOnce<{ readonly proposalId: bigint; readonly voter: string }, Vote | null>;
  readonly group: ReadOnce<bigint, Group | null>;
  readonly groupPolicy: ReadOnce<string, GroupPolicy | null>;
  readonly proposalsByGroupPolicy: ReadOnce<ListKey<string>, Read<Proposal>>;
  readonly votesByProposal: ReadOnce<ListKey<bigint>, Read<Vote>>;
  readonly votesByVoter: ReadOnce<ListKey<string>, Read<Vote>>;
  readonly groupMembers: ReadOnce<ListKey<bigint>, Read<GroupMember>>;
  readonly groups: ReadOnce<ListKey<''>, Read<Group>>;
  readonly groupsByAdmin: ReadOnce<ListKey<string>, Read<Group>>;
  readonly groupsByMember: ReadOnce<ListKey<string>, Read<Group>>;
  readonly groupPoliciesByGroup: ReadOnce<ListKey<bigint>, Read<GroupPolicy>>;
  readonly groupPoliciesByAdmin: ReadOnce<ListKey<string>, Read<GroupPolicy>>;
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
  proposal: ({ state }) => readOnce((id) => query.proposal(state, id)),
  tally: ({ state }) => readOnce((id) => query.tallyResult(state, id)),
  vote: ({ state }) =>
    readOnce(
      ({ proposalId, voter }) => query.voteByProposalVoter(state, proposalId, voter),
      ({ proposalId, voter }) => `${proposalId}/${voter}`,
    ),
  group: ({ state }) => readOnce((id) => query.groupInfo(state, id)),
  groupPolicy: ({ state }) => readOnce((address) => query.groupPolicyInfo(state, address)),
  proposalsByGroupPolicy: ({ state }, loaders) =>
    readListOnce((of, page) => query.proposalsByGroupPolicy(state, of, page), keepProposals(loaders)),
  votesByProposal: ({ state }, loaders) =>
    readListOnce((of, page) => query.votesByProposal(state, of, page), keepVotes(loaders)),
  votesByVoter: ({ state }, loaders) => readListOnce((of, page) => query.votesByVoter(state, of, page), keepVotes(loaders)),
  groupMembers: ({ state }) => readListOnce((of, page) => query.groupMembers(state, of, page)),
  groups: ({ state }, loaders) => readListOnce((_, page) => query.groups(state, page), keepGroups(loaders)),
  groupsByAdmin: ({ state }, loaders) => readListOnce((of, page) => query.groupsByAdmin(state, of, page), keepGroups(loaders)),
  groupsByMember: ({ state }, loaders) =>
    readListOnce((of, page) => query.groupsByMember(state, of, page), keepGroups(loaders)),
  groupPoliciesByGroup: ({ state }, loaders) =>
    readListOnce((of, page) => query.groupPoliciesByGroup(state, of, page), keepPolicies(loaders)),
  groupPoliciesByAdmin: ({ state }, loaders) =>
    readListOnce((of, page) => query.groupPoliciesByAdmin(state, of, page), keepPolicies(loaders)),
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
