import type { Nanoseconds } from '../../chain/base/time.ts';
import { type Pinned, weakMemo } from '../../reads/pin.ts';
import { type Builder, createInterfaceRef, createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type {
  DecisionPolicy,
  DecisionPolicyWindows,
  Group,
  GroupMember,
  GroupPolicy,
  Proposal,
  ProposalOutcome,
  TallyResult,
  Vote,
} from './model.ts';

/** References of the module's types, for its own files and for modules that extend the types. */
export const ProposalRef = createRef<Pinned<Proposal>>('Proposal');
export const VoteRef = createRef<Pinned<Vote>>('Vote');
export const GroupRef = createRef<Pinned<Group>>('Group');
export const GroupMemberRef = createRef<Pinned<GroupMember>>('GroupMember');
export const GroupPolicyRef = createRef<Pinned<GroupPolicy>>('GroupPolicy');
export const TallyResultRef = createRef<TallyResult>('TallyResult');
export const ProposalOutcomeRef = createRef<ProposalOutcome>('ProposalOutcome');
export const DecisionPolicyWindowsRef = createRef<DecisionPolicyWindows>('DecisionPolicyWindows');
export const DecisionPolicyRef = createInterfaceRef<Pinned<DecisionPolicy>>('DecisionPolicy');
export const ThresholdDecisionPolicyRef =
  createRef<Pinned<Extract<DecisionPolicy, { kind: 'threshold' }>>>('ThresholdDecisionPolicy');
export const PercentageDecisionPolicyRef =
  createRef<Pinned<Extract<DecisionPolicy, { kind: 'percentage' }>>>('PercentageDecisionPolicy');
export const OtherDecisionPolicyRef = createRef<Pinned<Extract<DecisionPolicy, { kind: 'other' }>>>('OtherDecisionPolicy');

/** What proposals of both kinds have. */
interface EitherProposal {
  readonly id: bigint;
  readonly title: string;
  readonly summary: string;
  readonly metadata: string;
  readonly submitTime: Nanoseconds;
}

/** A proposal of a group policy, or one of x/gov. */
export const GovernanceProposalRef = createInterfaceRef<Pinned<EitherProposal>>('GovernanceProposal');

export const ProposalConnectionRef = createRef<Connection<Pinned<Proposal>>>('ProposalConnection');
export const VoteConnectionRef = createRef<Connection<Pinned<Vote>>>('VoteConnection');
export const GroupConnectionRef = createRef<Connection<Pinned<Group>>>('GroupConnection');
export const GroupMemberConnectionRef = createRef<Connection<Pinned<GroupMember>>>('GroupMemberConnection');
export const GroupPolicyConnectionRef = createRef<Connection<Pinned<GroupPolicy>>>('GroupPolicyConnection');

export type GroupEnums = ReturnType<typeof addGroupEnums>;

/** The enums of the group module. The first call adds them to the schema. */
export const groupEnums: (builder: Builder) => GroupEnums = weakMemo(addGroupEnums);

function addGroupEnums(builder: Builder) {
  return {
    ProposalStatus: builder.enumType('ProposalStatus', {
      description: 'Status of a proposal. A proposal leaves PROPOSAL_STATUS_SUBMITTED once and never returns to it.',
      values: {
        PROPOSAL_STATUS_UNSPECIFIED: { description: 'No status. Stored proposals never have it.' },
        PROPOSAL_STATUS_SUBMITTED: { description: 'Open for voting: no decision yet.' },
        PROPOSAL_STATUS_ACCEPTED: { description: 'The final tally met the decision policy. The messages can be executed.' },
        PROPOSAL_STATUS_REJECTED: { description: 'The final tally did not meet the decision policy.' },
        PROPOSAL_STATUS_ABORTED: { description: 'The group policy changed before the proposal was decided. It has no tally.' },
        PROPOSAL_STATUS_WITHDRAWN: { description: 'A proposer or the admin of the policy withdrew it. It has no tally.' },
        UNRECOGNIZED: { description: 'A value that this server does not recognize.' },
      },
    }),
    ProposalExecutorResult: builder.enumType('ProposalExecutorResult', {
      description: 'Result of executing the messages of a proposal.',
      values: {
        PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED: { description: 'No result. Stored proposals never have it.' },
        PROPOSAL_EXECUTOR_RESULT_NOT_RUN: { description: 'The messages have not been executed.' },
        PROPOSAL_EXECUTOR_RESULT_SUCCESS: {
          description:
            'All messages succeeded. The chain deletes the proposal in the same block, so only `ProposalUpdate` has this value.',
        },
        PROPOSAL_EXECUTOR_RESULT_FAILURE: {
          description: 'A message failed, and all were rolled back. Execution can be retried.',
        },
        UNRECOGNIZED: { description: 'A value that this server does not recognize.' },
      },
    }),
    VoteOption: builder.enumType('VoteOption', {
      description:
        'Option of a vote. Only YES counts towards acceptance. The other three options only reduce the undecided weight.',
      values: {
        VOTE_OPTION_UNSPECIFIED: { description: 'No option. Stored votes never have it.' },
        VOTE_OPTION_YES: { description: 'Yes.' },
        VOTE_OPTION_ABSTAIN: { description: 'Abstain. Counted like NO by the decision policies of the chain.' },
        VOTE_OPTION_NO: { description: 'No.' },
        VOTE_OPTION_NO_WITH_VETO: { description: 'No with veto. Counted like NO by the decision policies of the chain.' },
        UNRECOGNIZED: { description: 'A value that this server does not recognize.' },
      },
    }),
    TallyDecision: builder.enumType('TallyDecision', {
      description: 'Decision of a decision policy on a tally.',
      values: {
        ACCEPTED: {
          description: 'The yes weight suffices. Execution now would accept the proposal, whatever the remaining members vote.',
        },
        REJECTED: { description: 'The yes weight can no longer suffice. Execution now would reject the proposal.' },
        UNDECIDED: {
          description:
            'The remaining votes can still decide. If the voting period ended with this tally, the proposal would be rejected.',
        },
      },
    }),
  };
}
