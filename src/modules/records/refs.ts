import type { RecordedTally } from '../../archive/facts.ts';
import type { KeptProof } from '../../archive/proofs.ts';
import type {
  Elector,
  ExecutionRecord,
  ParticipationRecord,
  ProposalRecord,
  TallyPoint,
  VoteRecord,
} from '../../archive/records.ts';
import type { Pinned } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type { PlaceOf, TimelineEvent } from './timeline.ts';

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

export const ProposalRecordRef = createRef<Pinned<ProposalRecord>>('ProposalRecord');
export const VoteRecordRef = createRef<Pinned<VoteRecord>>('VoteRecord');
export const ElectorRef = createRef<Pinned<ElectorOf>>('Elector');
export const OccurrenceRef = createRef<Pinned<PlaceOf>>('Occurrence');
export const TallyPointRef = createRef<TallyPoint>('TallyPoint');
export const ProposalExecutionRef = createRef<Pinned<ExecutionRecord>>('ProposalExecution');
export const ProposalEventRef = createRef<Pinned<TimelineEvent>>('ProposalEvent');
export const ProposalProofRef = createRef<KeptProof>('ProposalProof');
export const TallyAuditRef = createRef<TallyAudit>('TallyAudit');
export const ParticipationRef = createRef<Pinned<ParticipationRecord>>('Participation');

export const ProposalRecordConnectionRef = createRef<Connection<Pinned<ProposalRecord>>>('ProposalRecordConnection');
export const VoteRecordConnectionRef = createRef<Connection<Pinned<VoteRecord>>>('VoteRecordConnection');
export const ElectorConnectionRef = createRef<Connection<Pinned<ElectorOf>>>('ElectorConnection');

export type RecordEnums = ReturnType<typeof addRecordEnums>;

export function addRecordEnums(builder: Builder) {
  return {
    ProposalClosing: builder.enumType('ProposalClosing', {
      description: 'How the voting on a proposal ended.',
      values: {
        DECIDED: { description: 'An execution found the tally final.' },
        VOTING_ENDED: { description: 'The voting period ended.' },
        WITHDRAWN: { description: 'A proposer or the admin of the policy withdrew it.' },
        ABORTED: { description: 'The group policy changed before the proposal was decided.' },
      },
    }),
    VoteOrigin: builder.enumType('VoteOrigin', {
      description: 'How a vote was cast.',
      values: {
        MESSAGE: { description: 'By a message of its own.' },
        PROPOSER: { description: 'Implied: the proposer of a proposal submitted with EXEC_TRY.' },
        AUTHORIZATION: { description: 'Within an authorization (cosmos.authz.v1beta1.MsgExec).' },
        PROPOSAL: { description: 'By a group policy, as a message of an executed proposal.' },
        OTHER: { description: 'By other means, such as a contract. It was seen in the state only.' },
      },
    }),
    ProposalEventKind: builder.enumType('ProposalEventKind', {
      description: 'What happened to a proposal.',
      values: {
        SUBMITTED: { description: 'It was submitted.' },
        VOTED: { description: 'A member voted.' },
        VOTING_ENDED: { description: 'The voting period ended, and the tally became final.' },
        DECIDED: { description: 'An execution found the tally final.' },
        EXECUTED: { description: 'Its messages ran.' },
        EXECUTION_FAILED: { description: 'One of its messages failed, and all were rolled back. `detail` is the log.' },
        WITHDRAWN: { description: 'It was withdrawn.' },
        ABORTED: { description: 'A change of the group policy ended it.' },
        CLOSED: { description: 'The voting ended. How is not known, because it lies before the coverage.' },
        GROUP_UPDATED: { description: 'The group or its members changed while votes were taken. `detail` names the change.' },
        POLICY_UPDATED: { description: 'The group policy changed while votes were taken. `detail` names the change.' },
        PRUNED: { description: 'The chain deleted it.' },
      },
    }),
  };
}
