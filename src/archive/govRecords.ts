import type { GovDepositFact, GovProposalFact, GovStepFact, GovVoteFact, RecordedOption } from './facts.ts';

/** A step in the life of a proposal, without the powers of its tally. */
export type GovStepRecord = Omit<GovStepFact, 'kind' | 'powers'>;

/** The status of a recorded proposal of the governance module: the last step, or DEPOSIT_PERIOD before the first one. */
export const govRecordStatuses = [
  'DEPOSIT_PERIOD',
  'VOTING_PERIOD',
  'PASSED',
  'REJECTED',
  'FAILED',
  'CANCELLED',
  'DROPPED',
] as const;
export type GovRecordStatus = (typeof govRecordStatuses)[number];

/** A proposal of the governance module as the archive shows it at a height. Nothing that happened later is in it. */
export interface GovProposalRecord extends Omit<GovProposalFact, 'kind'> {
  /** The height that the record was read at. */
  readonly asOf: bigint;
  readonly status: GovRecordStatus;
  /** In the order in which they happened. */
  readonly steps: readonly GovStepRecord[];
  /** The step that decided or deleted it; null while it is open. */
  readonly end: GovStepRecord | null;
  /** False if part of its life lies outside of the coverage. */
  readonly isComplete: boolean;
}

/** A vote as the archive shows it at a height. Powers are decimal text with 18 decimals. */
export interface GovVoteRecord extends Omit<GovVoteFact, 'kind'> {
  /** 1, and 2 after an expedited proposal has become a regular one. */
  readonly round: number;
  /** Whether a later vote of the account in the same round replaces it. */
  readonly isReplaced: boolean;
  /** The operator address if the voter operates a bonded validator; null if not, or before the tally. */
  readonly operator: string | null;
  /** Null before the tally, for a replaced vote, and if the tally was not recorded. */
  readonly delegated: string | null;
  /** The power of the vote of a validator without the delegators who voted themselves. Null without such a vote, and as `delegated`. */
  readonly validator: string | null;
  /** Order of the vote among those of its block, for cursors. */
  readonly seen: bigint;
  readonly order: bigint;
}

export type GovDepositRecord = Omit<GovDepositFact, 'kind'>;

/** A bonded validator that did not vote. */
export interface GovMissRecord {
  readonly proposalId: bigint;
  readonly operator: string;
  readonly address: string;
}

/** How a validator voted in a tally; null if it did not. */
export interface GovBallotRecord {
  readonly proposalId: bigint;
  readonly options: readonly RecordedOption[] | null;
}

/** Conditions on recorded proposals of the governance module, combined with AND. An absent one selects all. */
export interface GovRecordFilter {
  readonly status?: readonly GovRecordStatus[] | undefined;
  readonly proposer?: string | undefined;
  /** Proposals that this account has voted on. */
  readonly voter?: string | undefined;
  /** Proposals that this account has deposited for. */
  readonly depositor?: string | undefined;
  /** Decided proposals that the validator with this operator address could vote on and did not. */
  readonly missedBy?: string | undefined;
}

/** The key of a vote in the lists of votes: its place, the proposal and the voter. */
export function govVoteKey({ seen, order, proposalId, voter }: GovVoteRecord): Uint8Array {
  const bytes = Buffer.alloc(24);
  bytes.writeBigInt64BE(seen);
  bytes.writeBigInt64BE(order, 8);
  bytes.writeBigInt64BE(proposalId, 16);
  return Buffer.concat([bytes, Buffer.from(voter)]);
}

/** The inverse of {@link govVoteKey}. Null for bytes that are no such key. */
export function readGovVoteKey(
  key: Uint8Array,
): { readonly seen: bigint; readonly order: bigint; readonly proposalId: bigint; readonly voter: string } | null {
  if (key.length < 24) return null;
  const bytes = Buffer.from(key);
  const [seen, order, proposalId] = [bytes.readBigInt64BE(), bytes.readBigInt64BE(8), bytes.readBigInt64BE(16)];
  return { seen, order, proposalId, voter: bytes.subarray(24).toString() };
}
