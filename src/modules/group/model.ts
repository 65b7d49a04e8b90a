import { type Any, anyIs, anyUnpack } from '@bufbuild/protobuf/wkt';
import {
  proposalOutcome as outcomeOfRule,
  type ProposalOutcome,
  type TallyDecision,
} from '../../../packages/verify/src/plans/rules/outcome.ts';
import { fromSecondsAndNanos, type Nanoseconds } from '../../chain/base/time.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import type * as wire from '../../proto/cosmos/group/v1/types_pb.js';
import { PercentageDecisionPolicySchema, ThresholdDecisionPolicySchema } from '../../proto/cosmos/group/v1/types_pb.js';
import { unrecognized } from '../../reads/input.ts';
import { fromAny } from '../any/codec.ts';

export type { ProposalOutcome, TallyDecision };

/** Names of `cosmos.group.v1.ProposalStatus` by number. */
export const proposalStatuses = [
  'PROPOSAL_STATUS_UNSPECIFIED',
  'PROPOSAL_STATUS_SUBMITTED',
  'PROPOSAL_STATUS_ACCEPTED',
  'PROPOSAL_STATUS_REJECTED',
  'PROPOSAL_STATUS_ABORTED',
  'PROPOSAL_STATUS_WITHDRAWN',
] as const;

/** Names of `cosmos.group.v1.ProposalExecutorResult` by number. */
export const proposalExecutorResults = [
  'PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED',
  'PROPOSAL_EXECUTOR_RESULT_NOT_RUN',
  'PROPOSAL_EXECUTOR_RESULT_SUCCESS',
  'PROPOSAL_EXECUTOR_RESULT_FAILURE',
] as const;

/** Names of `cosmos.group.v1.VoteOption` by number. */
export const voteOptions = [
  'VOTE_OPTION_UNSPECIFIED',
  'VOTE_OPTION_YES',
  'VOTE_OPTION_ABSTAIN',
  'VOTE_OPTION_NO',
  'VOTE_OPTION_NO_WITH_VETO',
] as const;

export type ProposalStatus = (typeof proposalStatuses)[number] | typeof unrecognized;
export type ProposalExecutorResult = (typeof proposalExecutorResults)[number] | typeof unrecognized;
export type VoteOption = (typeof voteOptions)[number] | typeof unrecognized;

export const statusName = (number: number): ProposalStatus => proposalStatuses[number] ?? unrecognized;
export const resultName = (number: number): ProposalExecutorResult => proposalExecutorResults[number] ?? unrecognized;
export const optionName = (number: number): VoteOption => voteOptions[number] ?? unrecognized;

/** Voting weights by option, as decimal text; weights can be fractions. */
export interface TallyResult {
  readonly yesCount: string;
  readonly abstainCount: string;
  readonly noCount: string;
  readonly noWithVetoCount: string;
}

/** A proposal as the chain stores it. Times are nanoseconds since 1970. */
export interface Proposal {
  readonly id: bigint;
  readonly groupPolicyAddress: string;
  readonly metadata: string;
  readonly proposers: readonly string[];
  readonly submitTime: Nanoseconds;
  readonly groupVersion: bigint;
  readonly groupPolicyVersion: bigint;
  readonly status: ProposalStatus;
  readonly finalTallyResult: TallyResult;
  readonly votingPeriodEnd: Nanoseconds;
  readonly executorResult: ProposalExecutorResult;
  readonly messages: readonly AnyMessage[];
  readonly title: string;
  readonly summary: string;
}

export interface Vote {
  readonly proposalId: bigint;
  readonly voter: string;
  readonly option: VoteOption;
  readonly metadata: string;
  readonly submitTime: Nanoseconds;
}

export interface Group {
  readonly id: bigint;
  readonly admin: string;
  readonly metadata: string;
  readonly version: bigint;
  readonly totalWeight: string;
  readonly createdAt: Nanoseconds;
}

export interface GroupMember {
  readonly groupId: bigint;
  readonly address: string;
  readonly weight: string;
  readonly metadata: string;
  readonly addedAt: Nanoseconds;
}

/** Time limits of proposals, in nanoseconds: the time for voting, and the minimum time from submission to execution. */
export interface DecisionPolicyWindows {
  readonly votingPeriod: Nanoseconds;
  readonly minExecutionPeriod: Nanoseconds;
}

/** The decision policy of a group policy. The kind `other` is a type that this server does not recognize. */
export type DecisionPolicy = { readonly any: AnyMessage } & (
  | { readonly kind: 'threshold'; readonly threshold: string; readonly windows: DecisionPolicyWindows }
  | { readonly kind: 'percentage'; readonly percentage: string; readonly windows: DecisionPolicyWindows }
  | { readonly kind: 'other' }
);

export interface GroupPolicy {
  readonly address: string;
  readonly groupId: bigint;
  readonly admin: string;
  readonly metadata: string;
  readonly version: bigint;
  readonly decisionPolicy: DecisionPolicy;
  readonly createdAt: Nanoseconds;
}

/** Converts a tally from protobuf. A missing count is "0". */
export function tallyFromWire(tally: wire.TallyResult | undefined): TallyResult {
  return {
    yesCount: tally?.yesCount || '0',
    abstainCount: tally?.abstainCount || '0',
    noCount: tally?.noCount || '0',
    noWithVetoCount: tally?.noWithVetoCount || '0',
  };
}

export function proposalFromWire(proposal: wire.Proposal): Proposal {
  return {
    id: proposal.id,
    groupPolicyAddress: proposal.groupPolicyAddress,
    metadata: proposal.metadata,
    proposers: proposal.proposers,
    submitTime: fromSecondsAndNanos(proposal.submitTime),
    groupVersion: proposal.groupVersion,
    groupPolicyVersion: proposal.groupPolicyVersion,
    status: statusName(proposal.status),
    finalTallyResult: tallyFromWire(proposal.finalTallyResult),
    votingPeriodEnd: fromSecondsAndNanos(proposal.votingPeriodEnd),
    executorResult: resultName(proposal.executorResult),
    messages: proposal.messages.map(fromAny),
    title: proposal.title,
    summary: proposal.summary,
  };
}

export function voteFromWire(vote: wire.Vote): Vote {
  return {
    proposalId: vote.proposalId,
    voter: vote.voter,
    option: optionName(vote.option),
    metadata: vote.metadata,
    submitTime: fromSecondsAndNanos(vote.submitTime),
  };
}

export function groupFromWire(group: wire.GroupInfo): Group {
  return {
    id: group.id,
    admin: group.admin,
    metadata: group.metadata,
    version: group.version,
    totalWeight: group.totalWeight || '0',
    createdAt: fromSecondsAndNanos(group.createdAt),
  };
}

export function memberFromWire({ groupId, member }: wire.GroupMember): GroupMember {
  return {
    groupId,
    address: member?.address ?? '',
    weight: member?.weight || '0',
    metadata: member?.metadata ?? '',
    addedAt: fromSecondsAndNanos(member?.addedAt),
  };
}

function windowsFromWire(windows: wire.DecisionPolicyWindows | undefined): DecisionPolicyWindows {
  return {
    votingPeriod: fromSecondsAndNanos(windows?.votingPeriod),
    minExecutionPeriod: fromSecondsAndNanos(windows?.minExecutionPeriod),
  };
}

export function decisionPolicyFromWire(policy: Any | undefined): DecisionPolicy {
  if (policy === undefined) return { kind: 'other', any: { type: '', value: new Uint8Array() } };
  const any = fromAny(policy);
  if (anyIs(policy, ThresholdDecisionPolicySchema)) {
    const threshold = anyUnpack(policy, ThresholdDecisionPolicySchema);
    return { kind: 'threshold', any, threshold: threshold?.threshold || '0', windows: windowsFromWire(threshold?.windows) };
  }
  if (anyIs(policy, PercentageDecisionPolicySchema)) {
    const percentage = anyUnpack(policy, PercentageDecisionPolicySchema);
    return {
      kind: 'percentage',
      any,
      percentage: percentage?.percentage || '0',
      windows: windowsFromWire(percentage?.windows),
    };
  }
  return { kind: 'other', any };
}

export function groupPolicyFromWire(policy: wire.GroupPolicyInfo): GroupPolicy {
  return {
    address: policy.address,
    groupId: policy.groupId,
    admin: policy.admin,
    metadata: policy.metadata,
    version: policy.version,
    decisionPolicy: decisionPolicyFromWire(policy.decisionPolicy),
    createdAt: fromSecondsAndNanos(policy.createdAt),
  };
}

/** Applies a decision policy to a tally and the total weight of the group, all at one height. Returns null for a policy of an unknown type. */
export const proposalOutcome: (policy: DecisionPolicy, tally: TallyResult, totalWeight: string) => ProposalOutcome | null =
  outcomeOfRule;
