import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  GroupMemberSchema,
  GroupPolicyInfoSchema,
  ProposalSchema,
  ProposalStatus,
  TallyResultSchema,
  type Vote,
  VoteOption,
  VoteSchema,
} from '../../../../../src/proto/cosmos/group/v1/types_pb.js';
import type { Lie } from '../../abci/abci.ts';
import { balancePrefix, bankKeys, bankStore, ownerPrefix } from '../keepers/bank/state.ts';
import { add } from '../keepers/group/decimal.ts';
import { addressKey, groupKeys, groupStore, indexedRows } from '../keepers/group/state.ts';
import { encodeAddress } from '../runtime/address.ts';
import { bytesOf, keyOf, sizedKey, u64At, u64Key } from '../state/bytes.ts';
import type { StoreView } from '../state/store.ts';
import type { Trees } from '../state/storeProof.ts';
import { treeDelete, treeSet } from '../state/tree.ts';

/** A change of a store. Without a value, the key is deleted. */
interface Edit {
  readonly store: string;
  readonly key: string;
  readonly value?: Uint8Array;
}

/** The denomination of the balances that do not exist. */
export const inventedDenom = 'invented';

/** The store whose contents replace those of the store `group`. The keys of both have no common prefix. */
export const swappedStore = 'acc';

const present = new Uint8Array();
const outsider = new Uint8Array(20).fill(0x77);

/** The edits that set or delete a vote. */
function voteEdits(proposalId: bigint, voter: string, vote: Vote | undefined): Edit[] {
  const row = u64Key(proposalId) + voter;
  const edit = (key: string, value: Uint8Array): Edit => ({
    store: groupStore,
    key: key + row,
    ...(vote !== undefined && { value }),
  });
  return [
    edit(groupKeys.vote, vote === undefined ? present : toBinary(VoteSchema, vote)),
    edit(groupKeys.voteByProposal + u64Key(proposalId), present),
    edit(groupKeys.voteByVoter + sizedKey(voter), present),
  ];
}

/** The votes of each proposal that has some, with the key parts of their voters. */
function votesByProposal(state: StoreView): ReadonlyMap<bigint, readonly { readonly voter: string; readonly vote: Vote }[]> {
  const votes = new Map<bigint, { voter: string; vote: Vote }[]>();
  for (const { key, value } of state.entries(groupStore, groupKeys.vote)) {
    const row = key.slice(groupKeys.vote.length);
    const before = votes.get(u64At(row)) ?? [];
    votes.set(u64At(row), [...before, { voter: row.slice(8), vote: fromBinary(VoteSchema, value) }]);
  }
  return votes;
}

function* changedVotes(state: StoreView): Generator<Edit> {
  for (const [proposal, [first]] of votesByProposal(state)) {
    if (first === undefined) continue;
    const option = first.vote.option === VoteOption.YES ? VoteOption.NO : VoteOption.YES;
    yield* voteEdits(proposal, first.voter, create(VoteSchema, { ...first.vote, option }));
  }
}

function* leftOutVotes(state: StoreView): Generator<Edit> {
  for (const [proposal, votes] of votesByProposal(state)) {
    // One between others, if there are.
    const vote = votes[Math.floor(votes.length / 2)];
    if (vote !== undefined) yield* voteEdits(proposal, vote.voter, undefined);
  }
}

function* addedVotes(state: StoreView): Generator<Edit> {
  const votes = votesByProposal(state);
  for (const { value } of state.entries(groupStore, groupKeys.proposal)) {
    const proposal = fromBinary(ProposalSchema, value);
    if (proposal.status !== ProposalStatus.SUBMITTED) continue;
    const policy = state.get(groupStore, groupKeys.policy + sizedKey(addressKey(proposal.groupPolicyAddress)));
    if (policy === undefined) continue;
    const { groupId } = fromBinary(GroupPolicyInfoSchema, policy);
    const voters = new Set(votes.get(proposal.id)?.map(({ voter }) => voter));
    const members = [...state.entries(groupStore, groupKeys.member + u64Key(groupId))];
    const memberKeys = members.map(({ key }) => key.slice(groupKeys.member.length + 8));
    const voter = memberKeys.find((member) => !voters.has(member)) ?? keyOf(outsider);
    const vote = create(VoteSchema, {
      proposalId: proposal.id,
      voter: encodeAddress(bytesOf(voter)),
      option: VoteOption.YES,
      ...(proposal.submitTime && { submitTime: proposal.submitTime }),
    });
    yield* voteEdits(proposal.id, voter, vote);
  }
}

function* changedWeights(state: StoreView): Generator<Edit> {
  for (const { key, value } of state.entries(groupStore, groupKeys.member)) {
    const row = fromBinary(GroupMemberSchema, value);
    if (row.member === undefined) continue;
    const member = { ...row.member, weight: add(row.member.weight, '1') };
    yield { store: groupStore, key, value: toBinary(GroupMemberSchema, { ...row, member }) };
  }
}

/** One more yes in the tally of each proposal that is decided. */
function* changedTallies(state: StoreView): Generator<Edit> {
  for (const { key, value } of state.entries(groupStore, groupKeys.proposal)) {
    const row = fromBinary(ProposalSchema, value);
    const tally = row.finalTallyResult;
    if (tally === undefined || row.status === ProposalStatus.SUBMITTED) continue;
    const finalTallyResult = create(TallyResultSchema, { ...tally, yesCount: add(tally.yesCount, '1') });
    yield { store: groupStore, key, value: toBinary(ProposalSchema, { ...row, finalTallyResult }) };
  }
}

function* accountsOf(state: StoreView): Generator<Uint8Array> {
  const addresses = new Set<string>();
  for (const { key } of state.entries(bankStore, bankKeys.balance)) addresses.add(key.slice(2, 2 + key.charCodeAt(1)));
  for (const address of addresses) yield bytesOf(address);
}

function* inventedBalances(state: StoreView): Generator<Edit> {
  const amount = Buffer.from('1000000');
  for (const address of accountsOf(state)) {
    yield { store: bankStore, key: balancePrefix(address) + inventedDenom, value: amount };
    yield { store: bankStore, key: ownerPrefix(inventedDenom) + sizedKey(keyOf(address)), value: present };
  }
  yield { store: bankStore, key: bankKeys.supply + inventedDenom, value: amount };
}

/** Without the balances in nhash and the newest proposal. */
function* hiddenRows(state: StoreView): Generator<Edit> {
  for (const address of accountsOf(state)) {
    const key = `${balancePrefix(address)}nhash`;
    if (state.get(bankStore, key) === undefined) continue;
    yield { store: bankStore, key };
    yield { store: bankStore, key: ownerPrefix('nhash') + sizedKey(keyOf(address)) };
  }
  const proposal = [...state.entries(groupStore, groupKeys.proposal)].at(-1);
  if (proposal === undefined) return;
  const row = proposal.key.slice(groupKeys.proposal.length);
  const { groupPolicyAddress } = fromBinary(ProposalSchema, proposal.value);
  yield { store: groupStore, key: proposal.key };
  const index = groupKeys.proposalByPolicy + sizedKey(addressKey(groupPolicyAddress));
  for (const { key } of indexedRows(state, index)) if (key === row) yield { store: groupStore, key: index + row };
}

const edits: { readonly [kind in Exclude<Lie['kind'], 'oldState' | 'swappedStore'>]: (state: StoreView) => Iterable<Edit> } = {
  tally: changedTallies,
  changedVote: changedVotes,
  changedWeight: changedWeights,
  leftOutVote: leftOutVotes,
  addedVote: addedVotes,
  absentAsPresent: inventedBalances,
  presentAsAbsent: hiddenRows,
};

/** Returns the stores as a lie has them, made from the true ones. */
export function falseTrees(kind: Exclude<Lie['kind'], 'oldState'>, trees: Trees, state: StoreView, height: bigint): Trees {
  const changed = new Map(trees);
  if (kind === 'swappedStore') return changed.set(groupStore, trees.get(swappedStore) ?? null);
  for (const { store, key, value } of edits[kind](state)) {
    const tree = changed.get(store) ?? null;
    const version = Number(height);
    changed.set(store, value === undefined ? treeDelete(tree, key, version) : treeSet(tree, key, value, version));
  }
  return changed;
}
