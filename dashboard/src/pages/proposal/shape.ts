import Big from 'big.js';
import { type Counts, percentOf, type Rule } from '../../format/tally.ts';
import type { ProposalQuery, ProposalRecordQuery } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';

/** A proposal as the chain has it. */
export type ProposalData = NonNullable<ProposalQuery['proposal']>;

/** A proposal as the archive has recorded it. */
export type RecordData = NonNullable<ProposalRecordQuery['proposalRecord']>;

/** A vote, of the chain or of the record. */
export interface VoteView {
  readonly address: string;
  /** What the group calls the voter. */
  readonly name: string | undefined;
  readonly option: string;
  /** null if it does not count: the voter had left the group, or the members are not known. */
  readonly weight: string | null;
  readonly share: string | null;
  readonly time: string;
  readonly hash: string | null;
}

/** A member who has not voted. */
export interface PendingView {
  readonly address: string;
  readonly name: string | undefined;
  readonly weight: string;
  readonly share: string | null;
}

/** The tally at a time. */
export interface TallyAt {
  readonly time: string;
  readonly tally: Counts;
}

/** What the page shows of a proposal: the state of the chain while it has it, and the record for what the chain has deleted. */
export interface ProposalView {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly status: string;
  readonly executorResult: string;
  readonly submitTime: string;
  readonly votingPeriodEnd: string;
  readonly isOpen: boolean;
  readonly proposers: readonly { readonly address: string }[];
  readonly messages: RecordData['messages'];
  readonly tally: Counts | null;
  readonly outcome: ProposalData['outcome'];
  /** The weight that the tally is measured against. undefined if it is not known. */
  readonly totalWeight: string | undefined;
  readonly rule: Rule | undefined;
  readonly policy: { readonly address: string; readonly name: string };
  /** undefined if it is not known. */
  readonly group: { readonly id: string; readonly name: string } | undefined;
  /** Newest first. */
  readonly votes: readonly VoteView[];
  readonly voteCount: string;
  readonly pending: readonly PendingView[];
  /** undefined if it is not known who has not voted. */
  readonly pendingCount: string | undefined;
  /** The tally after each vote, oldest first. undefined if the votes or their weights are not known. */
  readonly history: readonly TallyAt[] | undefined;
  readonly record: RecordData | null;
  /** What the group calls its members, by address. */
  readonly names: ReadonlyMap<string, string>;
}

/** The names of members, by address. */
function namesOf(proposal: ProposalData | null, record: RecordData | null): ReadonlyMap<string, string> {
  return new Map([
    ...(record?.groupPolicy?.group?.members?.nodes ?? []).map((one) => [one.account.address, one.metadata] as const),
    ...(proposal?.pendingVoters?.nodes ?? []).map((one) => [one.account.address, one.metadata] as const),
    ...(proposal?.votes?.nodes ?? []).map(({ voter, member }) => [voter.address, member?.metadata ?? ''] as const),
  ]);
}

const counts: readonly (readonly [string, keyof Counts])[] = [
  ['VOTE_OPTION_YES', 'yesCount'],
  ['VOTE_OPTION_NO', 'noCount'],
  ['VOTE_OPTION_ABSTAIN', 'abstainCount'],
  ['VOTE_OPTION_NO_WITH_VETO', 'noWithVetoCount'],
];

/** The tally after each of the votes, newest first. Votes of those who left the group do not count. */
function historyOf(votes: readonly VoteView[]): readonly TallyAt[] {
  let tally: Counts = { yesCount: '0', noCount: '0', abstainCount: '0', noWithVetoCount: '0' };
  return votes.toReversed().map(({ option, weight, time }) => {
    const [, name] = counts.find(([of]) => of === option) ?? [];
    if (name !== undefined) tally = { ...tally, [name]: new Big(tally[name]).plus(weight ?? 0).toFixed() };
    return { time, tally };
  });
}

function votesOf(
  proposal: ProposalData | null,
  record: RecordData | null,
  names: ReadonlyMap<string, string>,
): readonly VoteView[] {
  const recorded = record?.votes?.nodes ?? [];
  const total = record?.totalWeight ?? null;
  const fromRecord = recorded.map(
    ({ voter, option, weight, at: { time, hash } }): VoteView => ({
      // The time of a vote is always known.
      ...{ address: voter.address, name: names.get(voter.address), option, weight, time: time ?? '', hash },
      share: weight === null || total === null ? null : percentOf(weight, total),
    }),
  );
  if (proposal?.status !== 'PROPOSAL_STATUS_SUBMITTED') return fromRecord;
  const hashes = new Map(fromRecord.map(({ address, hash }) => [address, hash]));
  return (proposal.votes?.nodes ?? [])
    .map(
      ({ voter: { address }, member, option, submitTime }): VoteView => ({
        ...{ address, name: member?.metadata, option, time: submitTime, hash: hashes.get(address) ?? null },
        ...{ weight: member?.weight ?? null, share: member?.weightPercent ?? null },
      }),
    )
    .toSorted((one, other) => Date.parse(other.time) - Date.parse(one.time));
}

/** Joins the state of the chain and the record. undefined if there is neither. */
export function viewOf(proposal: ProposalData | null, record: RecordData | null): ProposalView | undefined {
  const main = proposal ?? record;
  if (main === null) return undefined;
  const names = namesOf(proposal, record);
  const isOpen = main.status === 'PROPOSAL_STATUS_SUBMITTED';
  const votes = votesOf(proposal, record, names);
  const voteCount = (isOpen ? proposal?.votes?.totalCount : undefined) ?? record?.votes?.totalCount ?? String(votes.length);
  const group = proposal?.groupPolicy?.group ?? null;
  const groupId = group?.id ?? record?.groupId ?? undefined;
  const policyName = proposal?.groupPolicy?.metadata ?? record?.groupPolicy?.metadata;
  const isLive = isOpen && proposal !== null;
  const missing = record?.missing ?? undefined;
  const rule = isLive
    ? proposal.groupPolicy?.decisionPolicy
    : (record?.decisionPolicy ?? proposal?.groupPolicy?.decisionPolicy);
  const { id, title, summary, status, executorResult, submitTime, votingPeriodEnd, proposers, messages } = main;
  return {
    ...{ id, title, summary, status, executorResult, submitTime, votingPeriodEnd, isOpen, proposers, messages },
    tally: proposal?.tally ?? record?.tally ?? null,
    outcome: proposal?.outcome ?? null,
    totalWeight: (isLive ? undefined : record?.totalWeight) ?? proposal?.outcome?.totalWeight ?? group?.totalWeight,
    rule: rule ?? undefined,
    policy: {
      address: proposal?.groupPolicy?.address ?? record?.groupPolicyAddress ?? '',
      name: policyName || texts.value.proposal.policy,
    },
    group:
      groupId === undefined
        ? undefined
        : { id: groupId, name: group?.metadata || record?.groupPolicy?.group?.metadata || texts.value.proposal.group(groupId) },
    votes,
    voteCount,
    pending: isLive
      ? (proposal.pendingVoters?.nodes ?? []).map(({ account, metadata, weight, weightPercent }) => ({
          ...{ address: account.address, name: metadata, weight, share: weightPercent },
        }))
      : (missing?.nodes ?? []).map(({ account: { address }, weight, weightPercent }) => ({
          ...{ address, name: names.get(address), weight, share: weightPercent },
        })),
    pendingCount: (isLive ? proposal.pendingVoters?.totalCount : missing?.totalCount) ?? undefined,
    history: isLive && String(votes.length) === voteCount ? historyOf(votes) : (record?.tallyHistory ?? undefined),
    record,
    names,
  };
}
