import type { Nanoseconds } from '../chain/base/time.ts';
import type {
  CloseFact,
  ExecutionFact,
  GroupFact,
  KnownPlace,
  Place,
  PolicyFact,
  ProposalFact,
  RecordedAny,
  RecordedTally,
  VoteFact,
} from './facts.ts';
import type { TransactionKey } from './full/search.ts';

/** A proposal as the archive shows it at a height. Nothing that happened later is in it. */
export interface ProposalRecord extends Omit<ProposalFact, 'kind'> {
  /** The height that the record was read at. */
  readonly asOf: bigint;
  /** Number of `cosmos.group.v1.ProposalStatus`: the last one known. */
  readonly status: number;
  /** Number of `cosmos.group.v1.ProposalExecutorResult`: the last one known. */
  readonly executorResult: number;
  /** Null while votes are taken. */
  readonly close: RecordedClose | null;
  /** Where the chain deleted it. Null while the chain has it, and if it was deleted outside of the coverage. */
  readonly pruned: Place | null;
  /** Whether it was deleted outside of the coverage, where its end was not seen. */
  readonly isLost: boolean;
  /** The decision policy at the close, or now if it is open. Null if it is not known. */
  readonly decisionPolicy: RecordedAny | null;
  /** The total weight of the group at the close, or now if it is open. Null if it is not known. */
  readonly totalWeight: string | null;
  /** The version of the group whose members could vote: that of the close, or the present one if it is open. Null if it is not known. */
  readonly electorateVersion: bigint | null;
  /** Whether it was submitted, decided and deleted in one step: by one transaction, or by one block outside of its transactions. */
  readonly isSingleTransaction: boolean;
  /** Whether the chain has counted votes whose voters are not known. */
  readonly hasUnknownVotes: boolean;
  /** Whether the recomputed tally equals the chain's; null if there is nothing to compare. */
  readonly agrees: boolean | null;
  /** False if part of its life lies outside of the coverage, or votes are not known. */
  readonly isComplete: boolean;
}

/** How the voting on a proposal ended. */
export type RecordedClose = Pick<CloseFact, 'at' | 'by' | 'account' | 'status' | 'tally' | 'computed'>;

/** A vote as the archive shows it at a height. */
export interface VoteRecord extends Omit<VoteFact, 'kind'> {
  /** The weight of the voter at the close, or now if the proposal is open. Null if it was no member then, or the members are not known. */
  readonly weight: string | null;
}

export interface Elector {
  readonly address: string;
  /** The weight at the close, or now if the proposal is open. */
  readonly weight: string;
  /** Null if it did not vote. */
  readonly vote: VoteRecord | null;
}

export type ExecutionRecord = Omit<ExecutionFact, 'kind'>;

/** A change of the group or of the policy of a proposal, after its submission and up to its close. */
export interface ChangeRecord {
  readonly kind: 'group' | 'policy';
  readonly at: Place;
  readonly change: GroupFact['change'] | PolicyFact['change'];
  readonly account: string | null;
  readonly version: bigint;
}

/** How often a member of a group has voted. */
export interface ParticipationRecord {
  readonly address: string;
  /** Number of the closed proposals that it could vote on, without those of which it is not known whether it did. */
  readonly eligible: number;
  /** Number of those that it voted on. */
  readonly voted: number;
}

/** The tally after a vote. */
export interface TallyPoint {
  readonly at: KnownPlace;
  readonly tally: RecordedTally;
}

/** Conditions on proposals, combined with AND. An absent one selects all. */
export interface ProposalRecordFilter {
  readonly groupId?: bigint | undefined;
  readonly groupPolicyAddress?: string | undefined;
  /** Proposals of one of these policies. An empty list selects none. */
  readonly groupPolicyAddresses?: readonly string[] | undefined;
  readonly proposer?: string | undefined;
  /** Proposals that this account has voted on. */
  readonly voter?: string | undefined;
  /** Closed proposals that this account could vote on and did not. Without those that have votes of unknown voters, and those on which nobody else could vote. */
  readonly missedBy?: string | undefined;
  /** Whether the voting has ended, or the chain has deleted the proposal. */
  readonly closed?: boolean | undefined;
  /** Numbers of `cosmos.group.v1.ProposalStatus`. An empty list selects none. */
  readonly status?: readonly number[] | undefined;
  /** Numbers of `cosmos.group.v1.ProposalExecutorResult`. An empty list selects none. */
  readonly executorResult?: readonly number[] | undefined;
  /** Type URL of one of the messages, with its leading slash. */
  readonly messageType?: string | undefined;
  /** The first time of submission that is selected. */
  readonly submittedFrom?: Nanoseconds | undefined;
  /** The last time of submission that is selected. */
  readonly submittedTo?: Nanoseconds | undefined;
}

/** The key of a proposal in the lists of records: its id, because ids ascend in the order of submission. */
export function recordKey({ id }: Pick<ProposalRecord, 'id'>): Uint8Array {
  return bigintBytes(id);
}

/** The key of a vote in the lists of votes: its time, its order in the block, and the proposal and the voter. */
export function voteKey({ at, proposalId, voter }: Pick<VoteRecord, 'at' | 'proposalId' | 'voter'>): Uint8Array {
  const order = at.height === null ? 0 : at.order;
  return Buffer.concat([bigintBytes(at.time), bigintBytes(BigInt(order)), bigintBytes(proposalId), Buffer.from(voter)]);
}

export function electorKey({ address }: Pick<Elector, 'address'>): Uint8Array {
  return Buffer.from(address);
}

function bigintBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** The inverse of {@link recordKey}. Null for bytes that are no such key. */
export function readRecordKey(key: Uint8Array): bigint | null {
  return key.length === 8 ? Buffer.from(key).readBigInt64BE() : null;
}

/** The inverse of {@link voteKey}. Null for bytes that are no such key. */
export function readVoteKey(
  key: Uint8Array,
): { readonly time: bigint; readonly order: bigint; readonly proposalId: bigint; readonly voter: string } | null {
  if (key.length < 24) return null;
  const bytes = Buffer.from(key);
  const [time, order, proposalId] = [bytes.readBigInt64BE(), bytes.readBigInt64BE(8), bytes.readBigInt64BE(16)];
  return { time, order, proposalId, voter: bytes.subarray(24).toString() };
}

export function readElectorKey(key: Uint8Array): string {
  return Buffer.from(key).toString();
}

/** The key of a transaction in the list of an account: its height and its index in the block. */
export function transactionKey({ height, index }: TransactionKey): Uint8Array {
  return Buffer.concat([bigintBytes(height), bigintBytes(BigInt(index))]);
}

/** The inverse of {@link transactionKey}. Null for bytes that are no such key. */
export function readTransactionKey(key: Uint8Array): TransactionKey | null {
  if (key.length !== 16) return null;
  const bytes = Buffer.from(key);
  return { height: bytes.readBigInt64BE(), index: Number(bytes.readBigInt64BE(8)) };
}
