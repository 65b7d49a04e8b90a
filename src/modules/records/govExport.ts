import type {
  GovDepositRecord,
  GovMissRecord,
  GovProposalRecord,
  GovRecordFilter,
  GovVoteRecord,
} from '../../archive/govRecords.ts';
import { govVoteKey } from '../../archive/govRecords.ts';
import { recordKey } from '../../archive/records.ts';
import type { GovReader } from '../../archive/store/govReader.ts';
import type { RecordPageRequest } from '../../archive/store/reader.ts';
import { timeText } from '../../chain/base/time.ts';
import { canonicalDecimal } from '../../reads/decimal.ts';
import type { Page } from '../../reads/page.ts';
import { optionName } from '../group/model.ts';
import { type Columns, type PageOptions, placeColumns, placeOrNull, readPages, uncertainView } from './export.ts';
import { auditAgrees, auditOf, powersOf, roundsOf, votingBegan, votingOf } from './govParts.ts';
import type { GovRound } from './govRefs.ts';

type ProposalView = ReturnType<typeof govProposalView>;
type VoteView = ReturnType<typeof govVoteView>;
type DepositView = ReturnType<typeof govDepositView>;

const timeOrNull = (time: bigint | null | undefined): string | null => (time == null ? null : timeText(time));

/** The JSON of a proposal of the governance module. */
export function govProposalView(record: GovProposalRecord) {
  const { end } = record;
  const began = votingBegan(record);
  const voting = votingOf(record);
  const audit = auditOf(end);
  return {
    id: record.id.toString(),
    title: record.title,
    summary: record.summary,
    metadata: record.metadata,
    /** `value` is the encoded message in base64. */
    messages: record.messages.map(({ type, value }) => ({ type, value: Buffer.from(value).toString('base64') })),
    proposer: record.proposer || null,
    expedited: record.expedited,
    submitTime: timeText(record.submitTime),
    submitted: placeOrNull(record.submitted),
    depositEndTime: timeOrNull(record.depositEndTime),
    votingBegan: began && uncertainView(began.at),
    votingStartTime: timeOrNull(voting?.votingStart),
    votingEndTime: timeOrNull(voting?.votingEnd),
    status: record.status,
    decided: end && uncertainView(end.at),
    decidedBy: end?.account ?? null,
    log: end?.log ?? null,
    depositEnd: end?.deposits ?? null,
    tally: end?.tally ?? null,
    /** Whether the recomputed tally equals the chain's; null if there is nothing to compare. */
    auditAgrees: audit && auditAgrees(audit),
    complete: record.isComplete,
  };
}

function roundView({ number, end }: GovRound) {
  const audit = auditOf(end);
  return {
    number,
    ended: end && uncertainView(end.at),
    log: end?.log ?? null,
    tally: end?.tally ?? null,
    computedTally: audit?.computed ?? null,
    auditAgrees: audit && auditAgrees(audit),
  };
}

/** The JSON of the voting periods of a proposal. */
export const govRoundViews = (record: GovProposalRecord) => roundsOf(record).map(roundView);

/** The JSON of a bonded validator that did not vote. */
export const govMissView = ({ operator, address }: GovMissRecord) => ({ operatorAddress: operator, account: address });

/** The JSON of a vote. */
export function govVoteView(vote: GovVoteRecord) {
  return {
    proposalId: vote.proposalId.toString(),
    voter: vote.voter,
    options: vote.options.map(({ option, weight }) => ({ option: optionName(option), weight: canonicalDecimal(weight) })),
    round: vote.round,
    replaced: vote.isReplaced,
    operatorAddress: vote.operator,
    ...powersOf(vote),
    ...uncertainView(vote.at),
  };
}

/** The JSON of a deposit. */
export function govDepositView({ proposalId, depositor, amount, at }: GovDepositRecord) {
  return { proposalId: proposalId.toString(), depositor, amount, ...uncertainView(at) };
}

/** The columns of proposals. The types of messages are separated by spaces. */
export const govProposalColumns: Columns<ProposalView> = {
  id: ({ id }) => id,
  title: ({ title }) => ({ text: title }),
  summary: ({ summary }) => ({ text: summary }),
  metadata: ({ metadata }) => ({ text: metadata }),
  messageTypes: ({ messages }) => ({ text: messages.map(({ type }) => type).join(' ') }),
  proposer: ({ proposer }) => proposer,
  expedited: ({ expedited }) => expedited,
  submitTime: ({ submitTime }) => submitTime,
  ...placeColumns('submitted', ({ submitted }: ProposalView) => submitted),
  depositEndTime: ({ depositEndTime }) => depositEndTime,
  ...placeColumns('votingBegan', ({ votingBegan: began }: ProposalView) => began),
  votingStartTime: ({ votingStartTime }) => votingStartTime,
  votingEndTime: ({ votingEndTime }) => votingEndTime,
  status: ({ status }) => status,
  ...placeColumns('decided', ({ decided }: ProposalView) => decided),
  decidedBy: ({ decidedBy }) => decidedBy,
  log: ({ log }) => (log === null ? null : { text: log }),
  depositEnd: ({ depositEnd }) => depositEnd,
  yesCount: ({ tally }) => tally?.yesCount ?? null,
  abstainCount: ({ tally }) => tally?.abstainCount ?? null,
  noCount: ({ tally }) => tally?.noCount ?? null,
  noWithVetoCount: ({ tally }) => tally?.noWithVetoCount ?? null,
  auditAgrees: ({ auditAgrees }) => auditAgrees,
  complete: ({ complete }) => complete,
};

const weightOf =
  (name: string) =>
  ({ options }: VoteView): string | null =>
    options.find(({ option }) => option === name)?.weight ?? null;

/** The columns of votes: the weight of each option, which is 1 for a vote with a single option. */
export const govVoteColumns: Columns<VoteView> = {
  proposalId: ({ proposalId }) => proposalId,
  voter: ({ voter }) => voter,
  yesWeight: weightOf('VOTE_OPTION_YES'),
  abstainWeight: weightOf('VOTE_OPTION_ABSTAIN'),
  noWeight: weightOf('VOTE_OPTION_NO'),
  noWithVetoWeight: weightOf('VOTE_OPTION_NO_WITH_VETO'),
  round: ({ round }) => String(round),
  replaced: ({ replaced }) => replaced,
  operatorAddress: ({ operatorAddress }) => operatorAddress,
  power: ({ power }) => power,
  delegatedPower: ({ delegatedPower }) => delegatedPower,
  validatorPower: ({ validatorPower }) => validatorPower,
  blockHeight: ({ blockHeight }) => blockHeight,
  blockTime: ({ blockTime }) => blockTime,
  transactionHash: ({ transactionHash }) => transactionHash,
};

/** The columns of deposits. Coins are written as the chain writes them: `5nhash,2uusd`. */
export const govDepositColumns: Columns<DepositView> = {
  proposalId: ({ proposalId }) => proposalId,
  depositor: ({ depositor }) => depositor,
  amount: ({ amount }) => amount.map((coin) => coin.amount + coin.denom).join(','),
  blockHeight: ({ blockHeight }) => blockHeight,
  blockTime: ({ blockTime }) => blockTime,
  transactionHash: ({ transactionHash }) => transactionHash,
};

/** The records of all proposals that satisfy a filter, newest first. */
export function govRecordPages(
  gov: GovReader,
  filter: GovRecordFilter,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly GovProposalRecord[], void> {
  return readPages((page) => gov.recordPage(filter, page, asOf), recordKey, options);
}

const noVotes: Page<GovVoteRecord> = {
  items: [],
  placeAt: () => undefined,
  hasNext: false,
  hasPrevious: false,
  total: undefined,
};

/** The votes of one record, in the order in which they were cast. */
export function govRecordVotePages(
  gov: GovReader,
  record: GovProposalRecord,
  options: PageOptions,
): AsyncGenerator<readonly GovVoteRecord[], void> {
  return readPages(async (page) => (await gov.votes([record], page))[0] ?? noVotes, govVoteKey, options);
}

/** All proposals that satisfy a filter, newest first. */
export async function* govProposalPages(
  gov: GovReader,
  filter: GovRecordFilter,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly ProposalView[], void> {
  for await (const records of govRecordPages(gov, filter, asOf, options)) yield records.map(govProposalView);
}

/** All votes on a proposal, in the order in which they were cast. */
export async function* govVotePages(
  gov: GovReader,
  record: GovProposalRecord,
  options: PageOptions,
): AsyncGenerator<readonly VoteView[], void> {
  for await (const votes of govRecordVotePages(gov, record, options)) yield votes.map(govVoteView);
}

/** All votes of an account, newest first. */
export async function* govAccountVotePages(
  gov: GovReader,
  address: string,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly VoteView[], void> {
  const readPage = (page: RecordPageRequest) => gov.votesByAccount(address, page, asOf);
  for await (const votes of readPages(readPage, govVoteKey, options)) yield votes.map(govVoteView);
}

/** All votes on all proposals: the proposals newest first, and the votes on each in the order in which they were cast. */
export async function* allGovVotePages(
  gov: GovReader,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly VoteView[], void> {
  for await (const records of govRecordPages(gov, {}, asOf, options))
    for (const record of records) yield* govVotePages(gov, record, options);
}

/** All deposits for all proposals: the proposals newest first, and the deposits for each in the order in which they were made. */
export async function* allGovDepositPages(
  gov: GovReader,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly DepositView[], void> {
  for await (const records of govRecordPages(gov, {}, asOf, options))
    for (const deposits of await gov.deposits(records)) yield deposits.map(govDepositView);
}
