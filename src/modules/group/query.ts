import { Query } from '../../proto/cosmos/group/v1/query_pb.js';
import { addressKey } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { type Awaitable, lazyLoaders, type Pinned, pinnedValue, pinOf, ReadOnce } from '../../reads/pin.ts';
import { stateReadOrNull, valueOnce } from '../../reads/query.ts';
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
const readProposal = stateReadOrNull({
  method: Query.method.proposal,
  request: (proposalId: bigint) => ({ proposalId }),
  value: (answer): Proposal | null => (answer.proposal ? proposalFromWire(answer.proposal) : null),
  absences: ['load proposal: not found'],
});

/** Reads the tally: live for an open proposal, stored for a decided one. null for an absent, aborted or withdrawn proposal. */
const readTally = stateReadOrNull({
  method: Query.method.tallyResult,
  request: (proposalId: bigint) => ({ proposalId }),
  value: ({ tally }): TallyResult | null => tallyFromWire(tally),
  absences: ['load proposal: not found', "can't get the tally of a proposal with status"],
});

/** Reads one vote; null if the account has not voted or the votes are deleted. */
const readVote = stateReadOrNull({
  method: Query.method.voteByProposalVoter,
  request: (proposalId: bigint, voter: string) => ({ proposalId, voter }),
  value: ({ vote }): Vote | null => (vote ? voteFromWire(vote) : null),
  absences: ['not found'],
});

/** Reads a group; null if none has this id. */
const readGroup = stateReadOrNull({
  method: Query.method.groupInfo,
  request: (groupId: bigint) => ({ groupId }),
  value: ({ info }): Group | null => (info ? groupFromWire(info) : null),
  absences: ['group: not found'],
});

/** Reads a group policy; null if the address is not a group policy. */
const readPolicy = stateReadOrNull({
  method: Query.method.groupPolicyInfo,
  request: (address: string) => ({ address }),
  value: ({ info }): GroupPolicy | null => (info ? groupPolicyFromWire(info) : null),
  absences: ['group policy: not found'],
});

/** Reads the proposals of a group policy, by ascending id. */
const readPolicyProposals = stateList({
  method: Query.method.proposalsByGroupPolicy,
  request: (address: string, pagination) => ({ address, pagination }),
  part: ({ proposals, pagination }) => [proposals.map(proposalFromWire), pagination],
});

/** Reads the votes on a proposal, by the bytes of the voter's address. */
const readProposalVotes = stateList({
  method: Query.method.votesByProposal,
  request: (proposalId: bigint, pagination) => ({ proposalId, pagination }),
  part: ({ votes, pagination }) => [votes.map(voteFromWire), pagination],
});

/** Reads the stored votes of an account, by ascending proposal id. */
const readVoterVotes = stateList({
  method: Query.method.votesByVoter,
  request: (voter: string, pagination) => ({ voter, pagination }),
  part: ({ votes, pagination }) => [votes.map(voteFromWire), pagination],
});

/** Reads the members of a group, by the bytes of their address. */
const readMembers = stateList({
  method: Query.method.groupMembers,
  request: (groupId: bigint, pagination) => ({ groupId, pagination }),
  part: ({ members, pagination }) => [members.map(memberFromWire), pagination],
});

/** Reads all groups, by ascending id. The chain ignores the page key of this query (docs/chain.md, "Page requests"). */
const readGroups = stateList({
  method: Query.method.groups,
  request: (_: '', pagination) => ({ pagination }),
  part: (answer) => [answer.groups.map(groupFromWire), answer.pagination],
});

/** Reads the groups that an account administers, by ascending id. */
const readAdminGroups = stateList({
  method: Query.method.groupsByAdmin,
  request: (admin: string, pagination) => ({ admin, pagination }),
  part: (answer) => [answer.groups.map(groupFromWire), answer.pagination],
});

/** Reads the groups that an account is a member of, by ascending id. */
const readMemberGroups = stateList({
  method: Query.method.groupsByMember,
  request: (address: string, pagination) => ({ address, pagination }),
  part: (answer) => [answer.groups.map(groupFromWire), answer.pagination],
});

/** Reads the policies of a group, by the bytes of their address. */
const readGroupPolicies = stateList({
  method: Query.method.groupPoliciesByGroup,
  request: (groupId: bigint, pagination) => ({ groupId, pagination }),
  part: ({ groupPolicies, pagination }) => [groupPolicies.map(groupPolicyFromWire), pagination],
});

/** Reads the policies that an account administers, by the bytes of their address. */
const readAdminPolicies = stateList({
  method: Query.method.groupPoliciesByAdmin,
  request: (admin: string, pagination) => ({ admin, pagination }),
  part: ({ groupPolicies, pagination }) => [groupPolicies.map(groupPolicyFromWire), pagination],
});

interface VoteKey {
  readonly proposalId: bigint;
  readonly voter: string;
}

/** The loaders of these kinds, into which the lists of the module store their items, so that they are not read again. */
const keepProposals = ({ proposal }: { readonly proposal: ReadOnce<bigint, Proposal | null> }, items: readonly Proposal[]) =>
  proposal.prime(items, ({ id }) => id);
const keepGroups = ({ group }: { readonly group: ReadOnce<bigint, Group | null> }, items: readonly Group[]) =>
  group.prime(items, ({ id }) => id);
const keepPolicies = (
  { groupPolicy }: { readonly groupPolicy: ReadOnce<string, GroupPolicy | null> },
  items: readonly GroupPolicy[],
) => groupPolicy.prime(items, ({ address }) => address);
const keepVotes = ({ vote }: { readonly vote: ReadOnce<VoteKey, Vote | null> }, items: readonly Vote[]) =>
  vote.prime(items, (item) => item);

/** Loaders of the group module for one pin. An item that a list returned is not read again by its own loader. */
export const createGroupLoaders = lazyLoaders({
  proposal: valueOnce(readProposal),
  tally: valueOnce(readTally),
  vote: ({ state }) =>
    new ReadOnce(
      ({ proposalId, voter }: VoteKey) => readVote(state, proposalId, voter),
      ({ proposalId, voter }) => `${proposalId}/${voter}`,
    ),
  group: valueOnce(readGroup),
  groupPolicy: valueOnce(readPolicy),
  proposalsByGroupPolicy: listOnce(readPolicyProposals, keepProposals),
  votesByProposal: listOnce(readProposalVotes, keepVotes),
  votesByVoter: listOnce(readVoterVotes, keepVotes),
  groupMembers: listOnce(readMembers),
  groups: listOnce(readGroups, keepGroups),
  groupsByAdmin: listOnce(readAdminGroups, keepGroups),
  groupsByMember: listOnce(readMemberGroups, keepGroups),
  groupPoliciesByGroup: listOnce(readGroupPolicies, keepPolicies),
  groupPoliciesByAdmin: listOnce(readAdminPolicies, keepPolicies),
});

/** The loaders that {@link createGroupLoaders} makes. */
export type GroupLoaders = ReturnType<typeof createGroupLoaders>;

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
export const proposalsByGroupPolicy = (loaders: GroupLoaders, address: string): NamedList<Proposal> =>
  chainList('proposalsByGroupPolicy', loaders.proposalsByGroupPolicy, address, proposalKey, idPageKey);

export const votesByProposal = (loaders: GroupLoaders, id: bigint): NamedList<Vote> =>
  chainList('votesByProposal', loaders.votesByProposal, id, voterKey, (key) => Buffer.concat([idKey(id), key]));

export const votesByVoter = (loaders: GroupLoaders, voter: string): NamedList<Vote> =>
  chainList('votesByVoter', loaders.votesByVoter, voter, votedKey, idPageKey);

export const groupMembers = (loaders: GroupLoaders, id: bigint): NamedList<GroupMember> =>
  chainList('groupMembers', loaders.groupMembers, id, memberKey, (key) => Buffer.concat([idKey(id), key]));

export const groups = (loaders: GroupLoaders): NamedList<Group> => chainList('groups', loaders.groups, '', groupKey);

export const groupsByAdmin = (loaders: GroupLoaders, admin: string): NamedList<Group> =>
  chainList('groupsByAdmin', loaders.groupsByAdmin, admin, groupKey);

export const groupsByMember = (loaders: GroupLoaders, address: string): NamedList<Group> =>
  chainList('groupsByMember', loaders.groupsByMember, address, groupKey);

export const groupPoliciesByGroup = (loaders: GroupLoaders, id: bigint): NamedList<GroupPolicy> =>
  chainList('groupPoliciesByGroup', loaders.groupPoliciesByGroup, id, policyKey);

export const groupPoliciesByAdmin = (loaders: GroupLoaders, admin: string): NamedList<GroupPolicy> =>
  chainList('groupPoliciesByAdmin', loaders.groupPoliciesByAdmin, admin, policyKey);

/** Reads a proposal under the pin of `parent`; null if it does not exist. */
export function proposalAt(parent: Pinned<object>, id: bigint): Awaitable<Pinned<Proposal> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createGroupLoaders).proposal.load(id));
}

/** Reads a group; null if it does not exist. */
export function groupAt(parent: Pinned<object>, id: bigint): Awaitable<Pinned<Group> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createGroupLoaders).group.load(id));
}

/** Reads a group policy; null if the address is not a group policy. */
export function groupPolicyAt(parent: Pinned<object>, address: string): Awaitable<Pinned<GroupPolicy> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createGroupLoaders).groupPolicy.load(address));
}
