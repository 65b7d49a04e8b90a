import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import {
  type GroupInfo,
  GroupInfoSchema,
  type GroupMember,
  GroupMemberSchema,
  type GroupPolicyInfo,
  GroupPolicyInfoSchema,
  type Proposal,
  ProposalSchema,
  type Vote,
  VoteSchema,
} from '../../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { abciError, wrapping } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { momentOf, timeKey } from '../../runtime/time.ts';
import { keyOf, sizedKey, u64At, u64Key } from '../../state/bytes.ts';
import type { StoreEntry, StoreView } from '../../state/store.ts';

/** The store of the group module. */
export const groupStore = 'group';

/**
 * The keys of the store. Rows and their prefixes are those of the real module (docs/chain.md, "Keys of stores"; recorded).
 * Index keys consist of a prefix byte, the indexed part (bytes with a length prefix, integers in 8 bytes) and the row key, as
 * in the module's ORM. Only the index by policy is recorded.
 */
export const groupKeys = {
  group: '\x00\x00',
  groupByAdmin: '\x02',
  member: '\x10\x00',
  memberByGroup: '\x11',
  memberByAddress: '\x12',
  policy: '\x20\x00',
  policyByGroup: '\x22',
  policyByAdmin: '\x23',
  proposal: '\x30\x00',
  proposalByPolicy: '\x32',
  proposalByVotingPeriodEnd: '\x33',
  vote: '\x40\x00',
  voteByProposal: '\x41',
  voteByVoter: '\x42',
} as const;

// Keys of the counters: the byte of the table and 0x01 (inferred).
const counters = { group: '\x01\x01', policy: '\x21\x01', proposal: '\x31\x01' } as const;
const present = new Uint8Array();

/** Encodes an address as a key part, without its length. */
export function addressKey(address: string): string {
  return keyOf(decodeAddress(address));
}

/** Returns the next number of a counter, from 1. */
export function nextNumber(context: Context, counter: keyof typeof counters): bigint {
  const stored = context.get(groupStore, counters[counter]);
  const next = (stored === undefined ? 0n : u64At(keyOf(stored))) + 1n;
  context.set(groupStore, counters[counter], new Uint8Array(Buffer.from(u64Key(next), 'latin1')));
  return next;
}

/** A table: rows under a prefix, with indexes. */
export interface Table<D extends DescMessage> {
  readonly prefix: string;
  readonly rowKey: (row: MessageShape<D>) => string;
  /** Returns a row. undefined if there is none. */
  readonly find: (state: StoreView, rowKey: string) => MessageShape<D> | undefined;
  /** Returns a row. Throws code 38 `not found` if there is none. */
  readonly load: (state: StoreView, rowKey: string) => MessageShape<D>;
  readonly save: (context: Context, row: MessageShape<D>) => void;
  readonly remove: (context: Context, row: MessageShape<D>) => void;
  readonly decode: (value: Uint8Array) => MessageShape<D>;
}

function createTable<D extends DescMessage>(
  schema: D,
  prefix: string,
  rowKey: (row: MessageShape<D>) => string,
  indexes: (row: MessageShape<D>) => readonly string[],
): Table<D> {
  const decode = (value: Uint8Array): MessageShape<D> => fromBinary(schema, value);
  const find = (state: StoreView, key: string): MessageShape<D> | undefined => {
    const value = state.get(groupStore, prefix + key);
    return value === undefined ? undefined : decode(value);
  };
  return {
    prefix,
    rowKey,
    find,
    decode,
    load(state, key) {
      const row = find(state, key);
      if (row === undefined) throw abciError('notFound');
      return row;
    },
    save(context, row) {
      const key = rowKey(row);
      const before = find(context, key);
      const stale = new Set(before === undefined ? [] : indexes(before));
      context.set(groupStore, prefix + key, toBinary(schema, row));
      for (const index of indexes(row)) {
        if (!stale.delete(index)) context.set(groupStore, index + key, present);
      }
      for (const index of stale) context.delete(groupStore, index + key);
    },
    remove(context, row) {
      const key = rowKey(row);
      context.delete(groupStore, prefix + key);
      for (const index of indexes(row)) context.delete(groupStore, index + key);
    },
  };
}

export const groups: Table<typeof GroupInfoSchema> = createTable(
  GroupInfoSchema,
  groupKeys.group,
  (row) => u64Key(row.id),
  (row) => [groupKeys.groupByAdmin + sizedKey(addressKey(row.admin))],
);

export const members: Table<typeof GroupMemberSchema> = createTable(
  GroupMemberSchema,
  groupKeys.member,
  (row) => u64Key(row.groupId) + addressKey(row.member?.address ?? ''),
  (row) => [
    groupKeys.memberByGroup + u64Key(row.groupId),
    groupKeys.memberByAddress + sizedKey(addressKey(row.member?.address ?? '')),
  ],
);

export const policies: Table<typeof GroupPolicyInfoSchema> = createTable(
  GroupPolicyInfoSchema,
  groupKeys.policy,
  (row) => sizedKey(addressKey(row.address)),
  (row) => [groupKeys.policyByGroup + u64Key(row.groupId), groupKeys.policyByAdmin + sizedKey(addressKey(row.admin))],
);

export const proposals: Table<typeof ProposalSchema> = createTable(
  ProposalSchema,
  groupKeys.proposal,
  (row) => u64Key(row.id),
  (row) => [
    groupKeys.proposalByPolicy + sizedKey(addressKey(row.groupPolicyAddress)),
    groupKeys.proposalByVotingPeriodEnd + sizedKey(timeKey(momentOf(row.votingPeriodEnd))),
  ],
);

export const votes: Table<typeof VoteSchema> = createTable(
  VoteSchema,
  groupKeys.vote,
  (row) => u64Key(row.proposalId) + addressKey(row.voter),
  (row) => [groupKeys.voteByProposal + u64Key(row.proposalId), groupKeys.voteByVoter + sizedKey(addressKey(row.voter))],
);

/** Returns a group. Throws `group: not found` if there is none. */
export function loadGroup(state: StoreView, id: bigint): GroupInfo {
  return wrapping('group', () => groups.load(state, u64Key(id)));
}

/** Returns a policy. Throws `group policy: not found` if there is none. */
export function loadPolicy(state: StoreView, address: string): GroupPolicyInfo {
  const key = sizedKey(addressKey(address));
  return wrapping('group policy', () => policies.load(state, key));
}

/** Returns a proposal. Throws `load proposal: not found` if there is none. */
export function loadProposal(state: StoreView, id: bigint): Proposal {
  return wrapping('load proposal', () => proposals.load(state, u64Key(id)));
}

/** Returns a member. undefined if the address is not in the group. `address` is a key part ({@link addressKey}). */
export function findMember(state: StoreView, groupId: bigint, address: string): GroupMember | undefined {
  return members.find(state, u64Key(groupId) + address);
}

/** Yields the row keys of an index from `from` on, in order. `prefix` is the prefix of the index and the indexed part. */
export function* indexedRows(state: StoreView, prefix: string, from?: string): Generator<StoreEntry> {
  for (const entry of state.entries(groupStore, prefix, from))
    yield { key: entry.key.slice(prefix.length), value: entry.value };
}

/** Returns the stored bytes of a row. */
export function storedRow<D extends DescMessage>(state: StoreView, table: Table<D>, rowKey: string): Uint8Array {
  const stored = state.get(groupStore, table.prefix + rowKey);
  if (stored === undefined) throw abciError('notFound');
  return stored;
}

/** Yields the votes of a proposal with the key parts of their voters, ordered by the bytes of the voter. */
export function* votesOf(state: StoreView, proposalId: bigint): Generator<{ readonly voter: string; readonly vote: Vote }> {
  const prefix = groupKeys.vote + u64Key(proposalId);
  for (const entry of state.entries(groupStore, prefix)) {
    yield { voter: entry.key.slice(prefix.length), vote: votes.decode(entry.value) };
  }
}

/** Returns the policies of a group, ordered by address. */
export function policiesOf(state: StoreView, groupId: bigint): GroupPolicyInfo[] {
  const rows = [...indexedRows(state, groupKeys.policyByGroup + u64Key(groupId))];
  return rows.map((row) => policies.load(state, row.key));
}
