import type { RecordedTally } from '../../archive/facts.ts';
import type {
  Elector,
  ExecutionRecord,
  ParticipationRecord,
  ProposalRecord,
  TallyPoint,
  VoteRecord,
} from '../../archive/records.ts';
import type { Pinned } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type { PlaceOf } from './places.ts';
import type { TimelineEvent } from './timeline.ts';

/** The chain's final tally of a proposal beside the one that was computed from the records. */
export interface TallyAudit {
  readonly agrees: boolean;
  readonly chain: RecordedTally;
  readonly computed: RecordedTally;
}

/** An elector, with the total weight of its group. */
export interface ElectorOf extends Elector {
  readonly totalWeight: string | null;
  /** The group of the proposal; null if it is not known. */
  readonly groupId: bigint | null;
}

/** References of the module's types. */
export const ProposalRecordRef = createRef<Pinned<ProposalRecord>>('ProposalRecord');
export const VoteRecordRef = createRef<Pinned<VoteRecord>>('VoteRecord');
export const ElectorRef = createRef<Pinned<ElectorOf>>('Elector');
export const OccurrenceRef = createRef<Pinned<PlaceOf>>('Occurrence');
export const TallyPointRef = createRef<TallyPoint>('TallyPoint');
export const ProposalExecutionRef = createRef<Pinned<ExecutionRecord>>('ProposalExecution');
export const ProposalEventRef = createRef<Pinned<TimelineEvent>>('ProposalEvent');
export const TallyAuditRef = createRef<TallyAudit>('TallyAudit');
export const ParticipationRef = createRef<Pinned<ParticipationRecord>>('Participation');

export const ProposalRecordConnectionRef = createRef<Connection<Pinned<ProposalRecord>>>('ProposalRecordConnection');
export const VoteRecordConnectionRef = createRef<Connection<Pinned<VoteRecord>>>('VoteRecordConnection');
export const ElectorConnectionRef = createRef<Connection<Pinned<ElectorOf>>>('ElectorConnection');
