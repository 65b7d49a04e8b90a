import type { KnownPlace, RecordedTally, UncertainPlace } from '../../../archive/facts.ts';
import type { ExecutionRecord, ProposalRecord, VoteRecord } from '../../../archive/records.ts';
import { timeText } from '../../../chain/base/time.ts';
import { unrecognized } from '../../../reads/input.ts';
import {
  type ProposalExecutorResult,
  type ProposalStatus,
  proposalExecutorResults,
  proposalStatuses,
  type VoteOption,
  voteOptions,
} from '../../group/state/model.ts';

/** A place in the chain's history as JSON. */
export interface PlaceView {
  /** Null if the place lies before the coverage. */
  readonly blockHeight: string | null;
  readonly blockTime: string;
  /** Null for what a block did by itself, and if it is not known. */
  readonly transactionHash: string | null;
}

/** A place as JSON of which nothing may be known. */
export type UncertainPlaceView = PlaceView | { readonly [name in keyof PlaceView]: null };

/** A recorded proposal as JSON. */
export interface ProposalView {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly metadata: string;
  /** `value` is the encoded message in base64. */
  readonly messages: readonly { readonly type: string; readonly value: string }[];
  readonly proposers: readonly string[];
  readonly groupId: string | null;
  readonly groupPolicyAddress: string;
  readonly groupVersion: string | null;
  readonly groupPolicyVersion: string | null;
  readonly submitTime: string;
  readonly submitted: PlaceView | null;
  readonly votingPeriodEnd: string;
  readonly status: ProposalStatus;
  readonly executorResult: ProposalExecutorResult;
  readonly closed: UncertainPlaceView | null;
  readonly closedBy: 'DECIDED' | 'VOTING_ENDED' | 'WITHDRAWN' | 'ABORTED' | null;
  readonly pruned: PlaceView | null;
  readonly tally: RecordedTally | null;
  readonly totalWeight: string | null;
  readonly singleTransaction: boolean;
  /** Whether the recomputed tally equals the chain's; null if there is nothing to compare. */
  readonly auditAgrees: boolean | null;
  readonly complete: boolean;
}

/** A recorded vote as JSON. */
export interface VoteView extends PlaceView {
  readonly proposalId: string;
  readonly voter: string;
  readonly option: VoteOption;
  readonly metadata: string;
  readonly origin: VoteRecord['origin'];
  /** Null if the vote did not count, or the members are not known. */
  readonly weight: string | null;
}

/** A recorded execution as JSON. */
export type ExecutionView = UncertainPlaceView & {
  readonly executor: string | null;
  readonly result: ProposalExecutorResult;
  readonly logs: string;
};

function uncertainView(at: UncertainPlace): UncertainPlaceView {
  return at.time === null ? { blockHeight: null, blockTime: null, transactionHash: null } : placeView(at);
}

function placeView(at: KnownPlace): PlaceView {
  return {
    blockHeight: at.height?.toString() ?? null,
    blockTime: timeText(at.time),
    transactionHash: at.height === null ? null : at.hash,
  };
}

const placeOrNull = (at: KnownPlace | null | undefined): PlaceView | null => (at == null ? null : placeView(at));

/** The JSON of a proposal and its tally. */
export function proposalView(record: ProposalRecord, tally: RecordedTally | null): ProposalView {
  const { close } = record;
  return {
    id: record.id.toString(),
    title: record.title,
    summary: record.summary,
    metadata: record.metadata,
    messages: record.messages.map(({ type, value }) => ({ type, value: Buffer.from(value).toString('base64') })),
    proposers: record.proposers,
    groupId: record.groupId?.toString() ?? null,
    groupPolicyAddress: record.groupPolicyAddress,
    groupVersion: record.groupVersion?.toString() ?? null,
    groupPolicyVersion: record.groupPolicyVersion?.toString() ?? null,
    submitTime: timeText(record.submitTime),
    submitted: placeOrNull(record.submitted),
    votingPeriodEnd: timeText(record.votingPeriodEnd),
    status: proposalStatuses[record.status] ?? unrecognized,
    executorResult: proposalExecutorResults[record.executorResult] ?? unrecognized,
    closed: close === null ? null : uncertainView(close.at),
    closedBy: close?.by ?? null,
    pruned: placeOrNull(record.pruned),
    tally,
    totalWeight: record.totalWeight,
    singleTransaction: record.isSingleTransaction,
    auditAgrees: record.agrees,
    complete: record.isComplete,
  };
}

/** The JSON of a vote. */
export function voteView(vote: VoteRecord): VoteView {
  return {
    proposalId: vote.proposalId.toString(),
    voter: vote.voter,
    option: voteOptions[vote.option] ?? unrecognized,
    metadata: vote.metadata,
    origin: vote.origin,
    weight: vote.weight,
    ...placeView(vote.at),
  };
}

/** The JSON of an execution. */
export function executionView({ at, executor, result, logs }: ExecutionRecord): ExecutionView {
  return { executor, result: proposalExecutorResults[result] ?? unrecognized, logs, ...uncertainView(at) };
}
