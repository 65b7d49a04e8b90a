import type { KnownPlace, UncertainPlace } from '../../archive/facts.ts';
import type { ChangeRecord, ExecutionRecord, ProposalRecord, VoteRecord } from '../../archive/records.ts';
import type { Nanoseconds } from '../../chain/base/time.ts';
import { type Pin, type Pinned, pinned } from '../../reads/pin.ts';
import { proposalExecutorResults, proposalStatuses } from '../group/model.ts';

/** A place in the chain's history as the graph shows it. */
export interface PlaceOf {
  /** Null if it lies before the coverage. */
  readonly height: bigint | null;
  /** Null if it is not known either. */
  readonly time: Nanoseconds | null;
  /** Hash of the transaction in upper case hex; null if there is none, or it is not known. */
  readonly hash: string | null;
}

/** The place under a pin; null if there is none. */
export function placeOf(pin: Pin, at: UncertainPlace): Pinned<PlaceOf>;
export function placeOf(pin: Pin, at: UncertainPlace | null | undefined): Pinned<PlaceOf> | null;
export function placeOf(pin: Pin, at: UncertainPlace | null | undefined): Pinned<PlaceOf> | null {
  if (at === null || at === undefined) return null;
  return pinned(pin, { height: at.height, time: at.time, hash: at.height === null ? null : at.hash });
}

/** Compares two places by the order in which they happened. A place without a height lies before all others of its time. */
function comparePlaces(one: KnownPlace, other: KnownPlace): number {
  if (one.time !== other.time) return one.time < other.time ? -1 : 1;
  return orderOf(one) - orderOf(other);
}

const orderOf = (at: KnownPlace): number => (at.height === null ? -1 : at.order);

/** The kinds of what happens to a proposal. Things with an equal place happened in this order. */
const eventKinds = [
  'SUBMITTED',
  'VOTED',
  'GROUP_UPDATED',
  'POLICY_UPDATED',
  'VOTING_ENDED',
  'DECIDED',
  'WITHDRAWN',
  'ABORTED',
  'CLOSED',
  'EXECUTION_FAILED',
  'EXECUTED',
  'PRUNED',
] as const;

/** Something that happened to a proposal. */
export interface TimelineEvent {
  readonly kind: (typeof eventKinds)[number];
  readonly at: UncertainPlace;
  /** The account that caused it; null if there is none, or it is not known. */
  readonly account: string | null;
  /** Only for VOTED. */
  readonly vote: VoteRecord | null;
  readonly detail: string | null;
}

/**
 * Everything that happened to a proposal, oldest first. An attempt to execute it that ran nothing, because the tally was not final, is not part of
 * it.
 */
export function timelineOf(
  record: ProposalRecord,
  {
    votes,
    executions,
    changes,
  }: {
    readonly votes: readonly VoteRecord[];
    readonly executions: readonly ExecutionRecord[];
    readonly changes: readonly ChangeRecord[];
  },
): readonly TimelineEvent[] {
  const { submitted, submitTime, proposers, close, pruned, status } = record;
  const event = (
    kind: TimelineEvent['kind'],
    at: UncertainPlace,
    account: string | null,
    detail: string | null = null,
    vote: VoteRecord | null = null,
  ): TimelineEvent => ({ kind, at, account, vote, detail });
  const events = [
    event('SUBMITTED', submitted ?? { height: null, time: submitTime }, proposers[0] ?? null),
    ...votes.map((vote) => event('VOTED', vote.at, vote.voter, null, vote)),
    ...changes.map(({ kind, at, account, change }) =>
      event(kind === 'group' ? 'GROUP_UPDATED' : 'POLICY_UPDATED', at, account, change),
    ),
    ...(close === null ? [] : [event(close.by ?? 'CLOSED', close.at, close.account, proposalStatuses[close.status] ?? null)]),
    ...executions.flatMap(({ at, executor, result, logs }) => {
      const name = proposalExecutorResults[result];
      if (name === 'PROPOSAL_EXECUTOR_RESULT_SUCCESS') return [event('EXECUTED', at, executor)];
      return name === 'PROPOSAL_EXECUTOR_RESULT_FAILURE' ? [event('EXECUTION_FAILED', at, executor, logs)] : [];
    }),
  ];
  const rank = ({ kind }: TimelineEvent): number => eventKinds.indexOf(kind);
  const placedEvents = events
    .filter(isPlaced)
    .toSorted((one, other) => comparePlaces(one.at, other.at) || rank(one) - rank(other));
  const ordered: TimelineEvent[] = [...placedEvents];
  // The close and an execution before the coverage follow all votes.
  for (const unplaced of events.filter((each) => !isPlaced(each))) {
    const after = ordered.findLastIndex(({ kind, at }) => kind === 'SUBMITTED' || kind === 'VOTED' || at.time === null);
    ordered.splice(after + 1, 0, unplaced);
  }
  // The chain deletes a proposal before it reports the execution that led to it. Nothing follows the deletion.
  return pruned === null ? ordered : [...ordered, event('PRUNED', pruned, null, proposalStatuses[status] ?? null)];
}

const isPlaced = (event: TimelineEvent): event is TimelineEvent & { readonly at: KnownPlace } => event.at.time !== null;
