import { concat } from '../bytes.ts';
import { bytesOf, idBytes, lengthPrefixed } from './keyParts.ts';

// The keys of the store `group` (SDK x/group/keeper/keeper.go and internal/orm/key_codec.go). A table has a prefix of two bytes, an index of one. The
// entries of an index have empty values; what follows the indexed part of their key is the key of a row in the table.

/** The name of the store. */
export const groupStore = 'group';

/** The tables. What follows is the key of a row: an id, a group or proposal id and an address, or an address with its length. */
export const groupRows = bytesOf(0x00, 0);
export const memberRows = bytesOf(0x10, 0);
export const policyRows = bytesOf(0x20, 0);
export const proposalRows = bytesOf(0x30, 0);
export const voteRows = bytesOf(0x40, 0);

export const groupKey = (id: bigint): Uint8Array => concat(groupRows, idBytes(id));
export const membersOf = (groupId: bigint): Uint8Array => concat(memberRows, idBytes(groupId));
export const policyKey = (address: Uint8Array): Uint8Array => concat(policyRows, lengthPrefixed(address));
export const proposalKey = (id: bigint): Uint8Array => concat(proposalRows, idBytes(id));
export const votesOf = (proposalId: bigint): Uint8Array => concat(voteRows, idBytes(proposalId));
export const voteKey = (proposalId: bigint, voter: Uint8Array): Uint8Array => concat(votesOf(proposalId), voter);

/** The indexes. */
export const groupsOfAdmin = (admin: Uint8Array): Uint8Array => concat(bytesOf(0x02), lengthPrefixed(admin));
export const membershipsOf = (member: Uint8Array): Uint8Array => concat(bytesOf(0x12), lengthPrefixed(member));
export const policiesOfGroup = (groupId: bigint): Uint8Array => concat(bytesOf(0x22), idBytes(groupId));
export const policiesOfAdmin = (admin: Uint8Array): Uint8Array => concat(bytesOf(0x23), lengthPrefixed(admin));
export const proposalsOfPolicy = (policy: Uint8Array): Uint8Array => concat(bytesOf(0x32), lengthPrefixed(policy));
export const votesOfVoter = (voter: Uint8Array): Uint8Array => concat(bytesOf(0x42), lengthPrefixed(voter));
