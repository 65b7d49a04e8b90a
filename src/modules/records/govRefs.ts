import type { RecordedTally } from '../../archive/facts.ts';
import type {
  GovDepositRecord,
  GovMissRecord,
  GovProposalRecord,
  GovStepRecord,
  GovVoteRecord,
} from '../../archive/govRecords.ts';
import type { Pinned } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';

/** A voting period of a proposal: an expedited one that becomes a regular one has two. */
export interface GovRound {
  readonly number: number;
  readonly end: GovStepRecord | null;
}

/** The chain's tally of a round beside the one that was computed from the records. */
export interface GovAudit {
  readonly chain: RecordedTally;
  readonly computed: RecordedTally;
}

/** How a validator voted on the last decided proposals that it could vote on. */
export interface GovParticipation {
  readonly decided: number;
  readonly voted: number;
  /** Votes with the whole power for one option, by its number; those that split it are under 0. */
  readonly votes: ReadonlyMap<number, number>;
}

export const GovProposalRecordRef = createRef<Pinned<GovProposalRecord>>('GovProposalRecord');
export const GovProposalRecordConnectionRef = createRef<Connection<Pinned<GovProposalRecord>>>('GovProposalRecordConnection');
export const GovVoteRecordRef = createRef<Pinned<GovVoteRecord>>('GovVoteRecord');
export const GovVoteRecordConnectionRef = createRef<Connection<Pinned<GovVoteRecord>>>('GovVoteRecordConnection');
export const GovDepositRecordRef = createRef<Pinned<GovDepositRecord>>('GovDepositRecord');
export const GovMissedVoteRef = createRef<Pinned<GovMissRecord>>('GovMissedVote');
export const GovRoundRef = createRef<Pinned<GovRound>>('GovRound');
export const GovAuditRef = createRef<GovAudit>('GovAudit');
export const GovParticipationRef = createRef<GovParticipation>('GovParticipation');
