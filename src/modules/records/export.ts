import type { KnownPlace, RecordedTally, UncertainPlace } from '../../archive/facts.ts';
import type { KeptProof } from '../../archive/proofs.ts';
import {
  type ExecutionRecord,
  type ProposalRecord,
  type ProposalRecordFilter,
  recordKey,
  type VoteRecord,
  voteKey,
} from '../../archive/records.ts';
import type { ArchiveReader, RecordPageRequest } from '../../archive/store/reader.ts';
import { timeText } from '../../chain/base/time.ts';
import type { Page } from '../../reads/page.ts';
import { optionName, resultName, statusName } from '../group/model.ts';

/** A value of a cell. `text` comes from users of the chain. Null is an empty cell. */
type Cell = { readonly text: string } | string | boolean | null;

/** Characters at the start of a cell that make a spreadsheet read it as a formula, also after it has removed white space. */
const startsFormula = /^[\s\0]*[=+\-@]|^[\t\r\n]/;

const needsQuotes = /[",\r\n]/;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/**
 * A cell of RFC 4180. A spreadsheet must not execute what a user of the chain wrote: text of users is quoted, and it gets an apostrophe before a
 * character that begins a formula.
 */
function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'boolean') return String(cell);
  if (typeof cell === 'object') {
    if (cell.text === '') return '';
    return quoted(startsFormula.test(cell.text) ? `'${cell.text}` : cell.text);
  }
  return needsQuotes.test(cell) ? quoted(cell) : cell;
}

function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

type PlaceView = ReturnType<typeof placeView>;
/** A place, or nulls if it is not known. */
export type UncertainPlaceView = PlaceView | { readonly [name in keyof PlaceView]: null };
type ProposalView = ReturnType<typeof proposalView>;
type VoteView = ReturnType<typeof voteView>;
type ProofView = ReturnType<typeof proofView>;

/** The JSON of a place that may not be known. */
export function uncertainView(at: UncertainPlace): UncertainPlaceView {
  return at.time === null ? { blockHeight: null, blockTime: null, transactionHash: null } : placeView(at);
}

/** The JSON of a place. */
export function placeView(at: KnownPlace) {
  return {
    /** Null if the place lies before the coverage. */
    blockHeight: at.height?.toString() ?? null,
    blockTime: timeText(at.time),
    /** Null for what a block did by itself, and if it is not known. */
    transactionHash: at.height === null ? null : at.hash,
  };
}

/** The JSON of a place, or null if there is none. */
export const placeOrNull = (at: KnownPlace | null | undefined): PlaceView | null => (at == null ? null : placeView(at));

export function proposalView(record: ProposalRecord, tally: RecordedTally | null) {
  const { close } = record;
  return {
    id: record.id.toString(),
    title: record.title,
    summary: record.summary,
    metadata: record.metadata,
    /** `value` is the encoded message in base64. */
    messages: record.messages.map(({ type, value }) => ({ type, value: Buffer.from(value).toString('base64') })),
    proposers: record.proposers,
    groupId: record.groupId?.toString() ?? null,
    groupPolicyAddress: record.groupPolicyAddress,
    groupVersion: record.groupVersion?.toString() ?? null,
    groupPolicyVersion: record.groupPolicyVersion?.toString() ?? null,
    submitTime: timeText(record.submitTime),
    submitted: placeOrNull(record.submitted),
    votingPeriodEnd: timeText(record.votingPeriodEnd),
    status: statusName(record.status),
    executorResult: resultName(record.executorResult),
    closed: close === null ? null : uncertainView(close.at),
    closedBy: close?.by ?? null,
    pruned: placeOrNull(record.pruned),
    tally,
    totalWeight: record.totalWeight,
    singleTransaction: record.isSingleTransaction,
    /** Whether the recomputed tally equals the chain's; null if there is nothing to compare. */
    auditAgrees: record.agrees,
    complete: record.isComplete,
  };
}

export function voteView(vote: VoteRecord) {
  return {
    proposalId: vote.proposalId.toString(),
    voter: vote.voter,
    option: optionName(vote.option),
    metadata: vote.metadata,
    origin: vote.origin,
    /** Null if the vote did not count, or the members are not known. */
    weight: vote.weight,
    ...placeView(vote.at),
  };
}

function proofView({ id }: ProposalRecord, { height, bundle }: KeptProof) {
  return { proposalId: id.toString(), height: height.toString(), bundle };
}

export function executionView({ at, executor, result, logs }: ExecutionRecord) {
  return { executor, result: resultName(result), logs, ...uncertainView(at) };
}

export type Columns<V> = Readonly<Record<string, (row: V) => Cell>>;

/** The three columns of a place. Their names begin with `prefix`. */
export function placeColumns<P extends string, V>(prefix: P, place: (row: V) => UncertainPlaceView | null): Columns<V> {
  return {
    [`${prefix}BlockHeight`]: (row) => place(row)?.blockHeight ?? null,
    [`${prefix}BlockTime`]: (row) => place(row)?.blockTime ?? null,
    [`${prefix}TransactionHash`]: (row) => place(row)?.transactionHash ?? null,
  };
}

/** The columns of proposals. Proposers and the types of messages are separated by spaces. */
export const proposalColumns: Columns<ProposalView> = {
  id: ({ id }) => id,
  title: ({ title }) => ({ text: title }),
  summary: ({ summary }) => ({ text: summary }),
  metadata: ({ metadata }) => ({ text: metadata }),
  messageTypes: ({ messages }) => ({ text: messages.map(({ type }) => type).join(' ') }),
  proposers: ({ proposers }) => ({ text: proposers.join(' ') }),
  groupId: ({ groupId }) => groupId,
  groupPolicyAddress: ({ groupPolicyAddress }) => groupPolicyAddress,
  groupVersion: ({ groupVersion }) => groupVersion,
  groupPolicyVersion: ({ groupPolicyVersion }) => groupPolicyVersion,
  submitTime: ({ submitTime }) => submitTime,
  ...placeColumns('submitted', ({ submitted }: ProposalView) => submitted),
  votingPeriodEnd: ({ votingPeriodEnd }) => votingPeriodEnd,
  status: ({ status }) => status,
  executorResult: ({ executorResult }) => executorResult,
  closedBy: ({ closedBy }) => closedBy,
  ...placeColumns('closed', ({ closed }: ProposalView) => closed),
  ...placeColumns('pruned', ({ pruned }: ProposalView) => pruned),
  yesCount: ({ tally }) => tally?.yesCount ?? null,
  abstainCount: ({ tally }) => tally?.abstainCount ?? null,
  noCount: ({ tally }) => tally?.noCount ?? null,
  noWithVetoCount: ({ tally }) => tally?.noWithVetoCount ?? null,
  totalWeight: ({ totalWeight }) => totalWeight,
  singleTransaction: ({ singleTransaction }) => singleTransaction,
  auditAgrees: ({ auditAgrees }) => auditAgrees,
  complete: ({ complete }) => complete,
};

/** The columns of votes. */
export const voteColumns: Columns<VoteView> = {
  proposalId: ({ proposalId }) => proposalId,
  voter: ({ voter }) => voter,
  option: ({ option }) => option,
  metadata: ({ metadata }) => ({ text: metadata }),
  origin: ({ origin }) => origin,
  weight: ({ weight }) => weight,
  blockHeight: ({ blockHeight }) => blockHeight,
  blockTime: ({ blockTime }) => blockTime,
  transactionHash: ({ transactionHash }) => transactionHash,
};

/** The columns of proofs. */
export const proofColumns: Columns<ProofView> = {
  proposalId: ({ proposalId }) => proposalId,
  height: ({ height }) => height,
  bundle: ({ bundle }) => ({ text: JSON.stringify(bundle) }),
};

/** The formats in which whole lists are written: one JSON object on each line, or comma-separated values with a header row. */
export const listFormats = ['ndjson', 'csv'] as const;

export type ListFormat = (typeof listFormats)[number];

/** Writes a list in a format: what precedes the first row, and a row with its line break. */
export interface ListWriter<V> {
  readonly start: string;
  row(row: V): string;
}

export function createListWriter<V>(format: ListFormat, columns: Columns<V>): ListWriter<V> {
  if (format === 'ndjson') return { start: '', row: (row) => `${JSON.stringify(row)}\n` };
  const cells = Object.values(columns);
  return { start: csvRow(Object.keys(columns)), row: (row) => csvRow(cells.map((cell) => cell(row))) };
}

/** How a whole list is read: page by page, so that only one page is in memory. */
export interface PageOptions {
  /** Items of each page. */
  readonly size: number;
  /** Runs before each page is read. Its rejection ends the list. */
  beforePage(): Promise<void>;
}

/** Reads a list to its end, page by page. */
export async function* readPages<T>(
  read: (page: RecordPageRequest) => Promise<Page<T>>,
  keyOf: (item: T) => Uint8Array,
  { size, beforePage }: PageOptions,
): AsyncGenerator<readonly T[], void> {
  let after: RecordPageRequest['after'];
  for (;;) {
    await beforePage();
    const { items, hasNext } = await read({ first: size, reverse: false, count: false, ...(after && { after }) });
    yield items;
    const last = items.at(-1);
    if (!hasNext || last === undefined) return;
    after = { key: keyOf(last), place: undefined };
  }
}

/** The records of all proposals that satisfy a filter, newest first. */
export function recordPages(
  reader: ArchiveReader,
  filter: ProposalRecordFilter,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly ProposalRecord[], void> {
  return readPages((page) => reader.recordPage(filter, page, asOf), recordKey, options);
}

/** The JSON of proposals with their tallies. */
export async function withTallies(
  reader: Pick<ArchiveReader, 'tallies'>,
  records: readonly ProposalRecord[],
): Promise<readonly ProposalView[]> {
  const tallies = await reader.tallies(records);
  return records.map((record, index) => proposalView(record, tallies[index] ?? null));
}

/** All proposals that satisfy a filter, newest first. */
export async function* proposalPages(
  reader: ArchiveReader,
  filter: ProposalRecordFilter,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly ProposalView[], void> {
  for await (const records of recordPages(reader, filter, asOf, options)) yield withTallies(reader, records);
}

/** The votes of one record, in the order in which they were cast. */
export function recordVotePages(
  reader: ArchiveReader,
  record: ProposalRecord,
  options: PageOptions,
): AsyncGenerator<readonly VoteRecord[], void> {
  return readPages(async (page) => (await reader.votes([record], page))[0] ?? noVotes, voteKey, options);
}

const noVotes: Page<VoteRecord> = { items: [], placeAt: () => undefined, hasNext: false, hasPrevious: false, total: undefined };

/** All votes on a proposal, in the order in which they were cast. */
export async function* votePages(
  reader: ArchiveReader,
  record: ProposalRecord,
  options: PageOptions,
): AsyncGenerator<readonly VoteView[], void> {
  for await (const votes of recordVotePages(reader, record, options)) yield votes.map(voteView);
}

/** All votes of an account, newest first. */
export async function* accountVotePages(
  reader: ArchiveReader,
  address: string,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly VoteView[], void> {
  const readPage = (page: RecordPageRequest) => reader.votesByAccount(address, page, asOf);
  for await (const votes of readPages(readPage, voteKey, options)) yield votes.map(voteView);
}

/** All votes on all proposals: the proposals newest first, and the votes on each in the order in which they were cast. */
export async function* allVotePages(
  reader: ArchiveReader,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly VoteView[], void> {
  for await (const records of recordPages(reader, {}, asOf, options))
    for (const record of records) yield* votePages(reader, record, options);
}

/** All kept proofs of proposals, those of the newest proposals first. */
export async function* proofPages(
  reader: ArchiveReader,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly ProofView[], void> {
  for await (const records of recordPages(reader, { closed: true }, asOf, options)) {
    const proofs = await reader.proofs(records);
    yield records.flatMap((record, index) => (proofs[index] == null ? [] : [proofView(record, proofs[index])]));
  }
}
