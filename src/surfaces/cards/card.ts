import type { RecordedTally } from '../../archive/facts.ts';
import type { GovRecordStatus } from '../../archive/govRecords.ts';
import { type Nanoseconds, timeText } from '../../chain/base/time.ts';
import { outcomeOf as govOutcomeOf, tallyOf as govTallyOf, isVoting } from '../../modules/gov/outcome.ts';
import { type GovProposal, govProposalAt } from '../../modules/gov/query.ts';
import type { GovReason } from '../../modules/gov/tally.ts';
import { isOpen, outcomeOf, tallyOf } from '../../modules/group/derived.ts';
import {
  type GroupPolicy,
  type Proposal,
  type ProposalExecutorResult,
  type ProposalOutcome,
  type ProposalStatus,
  resultName,
  statusName,
} from '../../modules/group/model.ts';
import { createGroupLoaders } from '../../modules/group/query.ts';
import { govRecordsOf } from '../../modules/records/govLoaders.ts';
import { recordsOf } from '../../modules/records/loaders.ts';
import { type Pin, pinned } from '../../reads/pin.ts';
import { orIfAbsent } from '../../reads/query.ts';

/** A part of the bar. `open` is the weight that has not voted. */
export interface CardPart {
  readonly option: 'yes' | 'abstain' | 'no' | 'veto' | 'open';
  /** Share of the bar, 0 to 100. */
  readonly share: number;
}

/** What a card says of a proposal. Texts of users are as they are on the chain. */
export interface Card {
  /** Such as `Proposal 38`. */
  readonly name: string;
  /** The group and its policy, or the governance of the chain. */
  readonly board: string;
  /** Empty if it has none. */
  readonly title: string;
  readonly summary: string;
  /** What it comes to with the tally that it has, or what became of it, such as `Passing`. */
  readonly state: string;
  readonly tone: 'good' | 'bad' | 'open';
  /** Empty if nothing is counted. */
  readonly parts: readonly CardPart[];
  /** Where the needed yes weight, or the quorum, is on the bar, 0 to 100. null if it is not known. */
  readonly mark: number | null;
  /** When the voting ends or ended. Empty if it is not known. */
  readonly deadline: string;
}

type Verdict = Pick<Card, 'state' | 'tone'>;

const good = (state: string): Verdict => ({ state, tone: 'good' });
const bad = (state: string): Verdict => ({ state, tone: 'bad' });
const open = (state: string): Verdict => ({ state, tone: 'open' });

/** The time to the minute. */
const minuteText = (time: Nanoseconds): string => `${timeText(time).slice(0, 16).replace('T', ' ')} UTC`;

const deadlineText = (end: Nanoseconds | null, hasEnded: boolean): string =>
  end === null ? '' : `Voting ${hasEnded ? 'ended' : 'ends'} ${minuteText(end)}`;

/** The parts of a bar over `total`, or over the votes if there are more of them. */
function partsOf({ yesCount, abstainCount, noCount, noWithVetoCount }: RecordedTally, total: number): readonly CardPart[] {
  const [yes, abstain, no, veto] = [Number(yesCount), Number(abstainCount), Number(noCount), Number(noWithVetoCount)];
  const voted = yes + abstain + no + veto;
  const whole = Math.max(total, voted);
  if (!(whole > 0)) return [];
  const share = (weight: number): number => Math.round((weight / whole) * 10_000) / 100;
  return [
    { option: 'yes', share: share(yes) },
    { option: 'abstain', share: share(abstain) },
    { option: 'no', share: share(no) },
    { option: 'veto', share: share(veto) },
    { option: 'open', share: share(whole - voted) },
  ];
}

const percentOf = (weight: number, total: number): number | null => (total > 0 ? Math.min(100, (weight / total) * 100) : null);

const executed: Readonly<Record<ProposalExecutorResult, Verdict>> = {
  PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED: good('Passed'),
  PROPOSAL_EXECUTOR_RESULT_NOT_RUN: good('Passed, not executed yet'),
  PROPOSAL_EXECUTOR_RESULT_SUCCESS: good('Passed and executed'),
  PROPOSAL_EXECUTOR_RESULT_FAILURE: bad('Passed, execution failed'),
  UNRECOGNIZED: good('Passed'),
};

function verdictOf(status: ProposalStatus, result: ProposalExecutorResult, outcome: ProposalOutcome | null): Verdict {
  switch (status) {
    case 'PROPOSAL_STATUS_ACCEPTED':
      return executed[result];
    case 'PROPOSAL_STATUS_REJECTED':
      return bad('Rejected');
    case 'PROPOSAL_STATUS_WITHDRAWN':
      return open('Withdrawn');
    case 'PROPOSAL_STATUS_ABORTED':
      return open('Aborted');
    default:
      if (outcome?.decision === 'ACCEPTED') return good('Passing');
      if (outcome?.decision === 'REJECTED') return bad('Can no longer pass');
      return open(outcome === null ? 'Open' : `Open: needs ${outcome.yesNeeded} more yes`);
  }
}

/** Where the needed yes weight is on the bar. */
function markOf(policy: GroupPolicy | null, totalWeight: number): number | null {
  if (policy?.decisionPolicy.kind === 'threshold') return percentOf(Number(policy.decisionPolicy.threshold), totalWeight);
  return policy?.decisionPolicy.kind === 'percentage' ? Number(policy.decisionPolicy.percentage) * 100 : null;
}

/** The names of a group and its policy, as far as they have any. */
async function boardOf(
  pin: Pin,
  policy: GroupPolicy | null,
): Promise<{ readonly board: string; readonly totalWeight: number }> {
  const group = policy && (await pin.loaders(createGroupLoaders).group.load(policy.groupId));
  const names = [group?.metadata || (policy === null ? '' : `Group ${policy.groupId}`), policy?.metadata ?? ''];
  return { board: names.filter((name) => name !== '').join(' · '), totalWeight: Number(group?.totalWeight ?? 0) };
}

async function cardOfState(pin: Pin, proposal: Proposal): Promise<Card> {
  const { id, title, summary, status, executorResult, votingPeriodEnd } = proposal;
  const policy = await pin.loaders(createGroupLoaders).groupPolicy.load(proposal.groupPolicyAddress);
  const [{ board, totalWeight }, tally, outcome] = await Promise.all([
    boardOf(pin, policy),
    tallyOf(pin, proposal),
    outcomeOf(pin, proposal),
  ]);
  return {
    ...{ name: `Proposal ${id}`, board, title, summary, ...verdictOf(status, executorResult, outcome) },
    parts: tally === null ? [] : partsOf(tally, totalWeight),
    mark: isOpen(proposal) ? markOf(policy, totalWeight) : null,
    deadline: deadlineText(votingPeriodEnd, !isOpen(proposal)),
  };
}

/** The card from the archive. null if it has no record of the proposal, or cannot be read. */
async function cardOfRecord(pin: Pin, id: bigint, freshness: number): Promise<Card | null> {
  const loaders = await recordsOf(pin, freshness);
  const record = await loaders?.record.load(id);
  if (loaders === null || record == null) return null;
  const [tally, policy] = await Promise.all([
    loaders.tally.load(record),
    orIfAbsent(pin.loaders(createGroupLoaders).groupPolicy.load(record.groupPolicyAddress), null),
  ]);
  const { title, summary, status, executorResult, close, votingPeriodEnd, totalWeight } = record;
  const { board } = await boardOf(pin, policy);
  const end = close === null ? votingPeriodEnd : close.at.time;
  return {
    ...{ name: `Proposal ${id}`, board: board || (record.groupId === null ? '' : `Group ${record.groupId}`) },
    ...{ title, summary, ...verdictOf(statusName(status), resultName(executorResult), null) },
    parts: tally === null ? [] : partsOf(tally, Number(totalWeight ?? 0)),
    mark: null,
    deadline: deadlineText(end, close !== null),
  };
}

/**
 * The card of a proposal of a group at the height of a pin: from the state while it takes votes, then from the archive, which knows the weights of then, else
 * from the state. null if there is neither.
 */
export async function groupCard(pin: Pin, id: bigint, freshness: number): Promise<Card | null> {
  const proposal = await orIfAbsent(pin.loaders(createGroupLoaders).proposal.load(id), null);
  if (proposal !== null && isOpen(proposal)) return cardOfState(pin, proposal);
  const recorded = await cardOfRecord(pin, id, freshness).catch((error: unknown) => {
    if (proposal === null) throw error;
    return null;
  });
  return recorded ?? (proposal && cardOfState(pin, proposal));
}

const govBoard = 'Governance of the chain';

const reasons: Readonly<Record<GovReason, string>> = {
  PASSES: 'Passing',
  NO_STAKE: 'Failing: nothing is bonded',
  NO_QUORUM: 'Failing: below the quorum',
  ALL_ABSTAIN: 'Failing: only abstentions',
  VETO: 'Failing: vetoed',
  BELOW_THRESHOLD: 'Failing: too few yes',
};

const govVerdicts: Readonly<Record<GovRecordStatus, Verdict>> = {
  DEPOSIT_PERIOD: open('Collecting deposits'),
  VOTING_PERIOD: open('Open'),
  PASSED: good('Passed'),
  REJECTED: bad('Rejected'),
  FAILED: bad('Passed, execution failed'),
  CANCELLED: open('Cancelled'),
  DROPPED: bad('Deleted without its deposit'),
};

/** Statuses of the state, which has no proposals that were cancelled or dropped. */
const statesOfGov: Readonly<Record<GovProposal['status'], GovRecordStatus>> = {
  PROPOSAL_STATUS_UNSPECIFIED: 'DEPOSIT_PERIOD',
  PROPOSAL_STATUS_DEPOSIT_PERIOD: 'DEPOSIT_PERIOD',
  PROPOSAL_STATUS_VOTING_PERIOD: 'VOTING_PERIOD',
  PROPOSAL_STATUS_PASSED: 'PASSED',
  PROPOSAL_STATUS_REJECTED: 'REJECTED',
  PROPOSAL_STATUS_FAILED: 'FAILED',
  UNRECOGNIZED: 'VOTING_PERIOD',
};

async function govCardOfState(pin: Pin, id: bigint): Promise<Card | null> {
  const proposal = await orIfAbsent(govProposalAt(pinned(pin, {}), id), null);
  if (proposal === null) return null;
  const [tally, outcome] = await Promise.all([govTallyOf(proposal), govOutcomeOf(proposal)]);
  const counts = tally?.counts;
  const isCounted = counts !== undefined && (outcome !== null || Object.values(counts).some((part) => part > 0n));
  return {
    ...{ name: `Governance proposal ${id}`, board: govBoard, title: proposal.title, summary: proposal.summary },
    ...(outcome === null
      ? govVerdicts[statesOfGov[proposal.status]]
      : { state: reasons[outcome.reason], tone: outcome.passes ? 'good' : 'open' }),
    // Before the end, the bar is over the bonded stake: that of then is not known later.
    parts: isCounted ? partsOf(textsOf(counts), Number(outcome?.bonded ?? 0n)) : [],
    mark: outcome === null ? null : Number((outcome.quorum * 10_000n) / 10n ** 18n) / 100,
    deadline: deadlineText(proposal.votingEndTime, !isVoting(proposal)),
  };
}

function textsOf({
  YES,
  ABSTAIN,
  NO,
  NO_WITH_VETO,
}: Readonly<Record<'YES' | 'ABSTAIN' | 'NO' | 'NO_WITH_VETO', bigint>>): RecordedTally {
  return { yesCount: `${YES}`, abstainCount: `${ABSTAIN}`, noCount: `${NO}`, noWithVetoCount: `${NO_WITH_VETO}` };
}

/** The card of a proposal of the governance module at the height of a pin: from the state, or from the archive once the chain has deleted it. null if there is neither. */
export async function govCard(pin: Pin, id: bigint, freshness: number): Promise<Card | null> {
  const card = await govCardOfState(pin, id);
  if (card !== null) return card;
  const record = await (await govRecordsOf(pin, freshness))?.record.load(id);
  if (record == null) return null;
  const { title, summary, status, end } = record;
  const endTime = end?.at.time ?? null;
  return {
    ...{ name: `Governance proposal ${id}`, board: govBoard, title, summary, ...govVerdicts[status], mark: null },
    parts: end?.tally == null ? [] : partsOf(end.tally, 0),
    deadline: endTime === null ? '' : `Closed ${minuteText(endTime)}`,
  };
}

export const optionNames: Readonly<Record<CardPart['option'], string>> = {
  yes: 'Yes',
  abstain: 'Abstain',
  no: 'No',
  veto: 'No with veto',
  open: 'Not voted',
};

/** The parts of a bar in words, such as `Yes 60%, No 10%`. Those of nothing are left out. */
export function tallyText({ parts }: Pick<Card, 'parts'>): string {
  return parts
    .filter(({ share }) => share > 0)
    .map(({ option, share }) => `${optionNames[option]} ${share < 1 ? '<1' : Math.round(share)}%`)
    .join(', ');
}
