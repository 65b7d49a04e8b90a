import { addressKey } from '../../../reads/input.ts';
import { type ChainList, chainList } from '../../../reads/page.ts';
import type { GroupLoaders } from './loaders.ts';
import type { Group, GroupMember, GroupPolicy, Proposal, Vote } from './model.ts';

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
