import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { CoinSchema } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import {
  type Deposit,
  DepositSchema,
  type Params,
  ParamsSchema,
  type Proposal,
  ProposalSchema,
  ProposalStatus,
  type TallyResult,
  TallyResultSchema,
  type Vote,
  VoteSchema,
} from '../../../../../../src/proto/cosmos/gov/v1/gov_pb.js';
import { decodeAddress, encodeAddress, moduleAddress } from '../../runtime/address.ts';
import type { Amount } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { momentOf, timeKey } from '../../runtime/time.ts';
import { bytesOf, keyOf, u64At, u64Key } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';

/** The store of the gov module. */
export const govStore = 'gov';
/** The account that holds deposits and signs the messages of proposals. */
export const govAccount = moduleAddress('gov');
export const govAddress = encodeAddress(govAccount);

/** Key prefixes of the Cosmos SDK. Inferred; times in keys are text. */
export const govKeys = {
  proposal: '\x00',
  active: '\x01',
  inactive: '\x02',
  nextId: '\x03',
  deposit: '\x10',
  vote: '\x20',
  params: '\x30',
} as const;

const present = new Uint8Array();
const { DEPOSIT_PERIOD, VOTING_PERIOD } = ProposalStatus;

/** The key of a vote or a deposit, without its prefix. */
export const partOf = (id: bigint, address: string): string => u64Key(id) + keyOf(decodeAddress(address));

/** A tally without votes: every count is `"0"`. */
export const emptyTally = (): TallyResult =>
  create(TallyResultSchema, { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' });

/** Returns the parameters. */
export function readParams(state: StoreView): Params {
  return fromBinary(ParamsSchema, state.get(govStore, govKeys.params) ?? new Uint8Array());
}

/** Returns the next number of a proposal, from 1. */
export function nextProposalId(context: Context): bigint {
  const stored = context.get(govStore, govKeys.nextId);
  const id = stored === undefined ? 1n : u64At(keyOf(stored));
  context.set(govStore, govKeys.nextId, bytesOf(u64Key(id + 1n)));
  return id;
}

/** Returns a proposal. undefined if there is none. */
export function findProposal(state: StoreView, id: bigint): Proposal | undefined {
  const stored = state.get(govStore, govKeys.proposal + u64Key(id));
  return stored === undefined ? undefined : fromBinary(ProposalSchema, stored);
}

/** The key of a proposal in the queue in which it waits. undefined if it waits in none. */
function queueKey(proposal: Proposal): string | undefined {
  const { status, id, depositEndTime, votingEndTime } = proposal;
  if (status === DEPOSIT_PERIOD) return govKeys.inactive + timeKey(momentOf(depositEndTime)) + u64Key(id);
  return status === VOTING_PERIOD ? govKeys.active + timeKey(momentOf(votingEndTime)) + u64Key(id) : undefined;
}

function leaveQueue(context: Context, id: bigint): void {
  const stored = findProposal(context, id);
  const key = stored && queueKey(stored);
  if (key !== undefined) context.delete(govStore, key);
}

/** Stores a proposal, and keeps the queues of those that wait. */
export function saveProposal(context: Context, proposal: Proposal): void {
  leaveQueue(context, proposal.id);
  context.set(govStore, govKeys.proposal + u64Key(proposal.id), toBinary(ProposalSchema, proposal));
  const key = queueKey(proposal);
  if (key !== undefined) context.set(govStore, key, present);
}

/** Deletes a proposal. */
export function removeProposal(context: Context, id: bigint): void {
  leaveQueue(context, id);
  context.delete(govStore, govKeys.proposal + u64Key(id));
}

/** Returns the proposals whose period is over, in the order of time. */
export function dueProposals(state: StoreView, queue: 'active' | 'inactive', now: bigint): Proposal[] {
  const limit = timeKey(now);
  const due: Proposal[] = [];
  for (const { key } of state.entries(govStore, govKeys[queue])) {
    const part = key.slice(1);
    if (part.slice(0, limit.length) > limit) break;
    const proposal = findProposal(state, u64At(part, limit.length));
    if (proposal !== undefined) due.push(proposal);
  }
  return due;
}

/** Stores a vote. It replaces an earlier one. */
export function saveVote(context: Context, vote: Vote): void {
  context.set(govStore, govKeys.vote + partOf(vote.proposalId, vote.voter), toBinary(VoteSchema, vote));
}

/** Returns the votes on a proposal, ordered by the bytes of the voter. */
export function votesOn(state: StoreView, id: bigint): Vote[] {
  return [...state.entries(govStore, govKeys.vote + u64Key(id))].map(({ value }) => fromBinary(VoteSchema, value));
}

/** Deletes all votes on a proposal. */
export function removeVotes(context: Context, id: bigint): void {
  for (const { key } of [...context.entries(govStore, govKeys.vote + u64Key(id))]) context.delete(govStore, key);
}

/** Returns the deposit of an account. undefined if there is none. */
export function findDeposit(state: StoreView, id: bigint, depositor: string): Deposit | undefined {
  const stored = state.get(govStore, govKeys.deposit + partOf(id, depositor));
  return stored === undefined ? undefined : fromBinary(DepositSchema, stored);
}

/** Stores a deposit. */
export function saveDeposit(context: Context, deposit: Deposit): void {
  context.set(govStore, govKeys.deposit + partOf(deposit.proposalId, deposit.depositor), toBinary(DepositSchema, deposit));
}

/** Deletes the deposits on a proposal, and returns them, ordered by the bytes of the depositor. */
export function takeDeposits(context: Context, id: bigint): Deposit[] {
  const entries = [...context.entries(govStore, govKeys.deposit + u64Key(id))];
  for (const { key } of entries) context.delete(govStore, key);
  return entries.map(({ value }) => fromBinary(DepositSchema, value));
}

/** Adds coins, ordered by denomination. */
export function sumOf(lists: readonly (readonly { readonly denom: string; readonly amount: string | bigint }[])[]): Amount[] {
  const sums = new Map<string, bigint>();
  for (const { denom, amount } of lists.flat()) sums.set(denom, (sums.get(denom) ?? 0n) + BigInt(amount));
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([denom, amount]) => ({ denom, amount }))
    .filter(({ amount }) => amount > 0n);
}

/** Coins in the form of messages. */
export const wireCoins = (coins: readonly Amount[]) =>
  coins.map(({ denom, amount }) => create(CoinSchema, { denom, amount: String(amount) }));
