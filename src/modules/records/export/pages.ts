import { recordKey, voteKey } from '../../../archive/keys.ts';
import type { ArchiveReader, RecordPageRequest } from '../../../archive/reader.ts';
import type { ProposalRecord, ProposalRecordFilter, VoteRecord } from '../../../archive/records.ts';
import type { Page } from '../../../reads/page.ts';
import { type ProposalView, proposalView, type VoteView, voteView } from './views.ts';

/** How a whole list is read: page by page, so that only one page is in memory. */
export interface PageOptions {
  /** Items of each page. */
  readonly size: number;
  /** Runs before each page is read. Its rejection ends the list. */
  beforePage(): Promise<void>;
}

/** Reads a list page by page. */
async function* readPages<T>(
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

const views = (votes: readonly VoteRecord[]): readonly VoteView[] => votes.map(voteView);

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
  for await (const votes of recordVotePages(reader, record, options)) yield views(votes);
}

/** All votes of an account, newest first. */
export async function* accountVotePages(
  reader: ArchiveReader,
  address: string,
  asOf: bigint,
  options: PageOptions,
): AsyncGenerator<readonly VoteView[], void> {
  const read = (page: RecordPageRequest) => reader.votesByAccount(address, page, asOf);
  for await (const votes of readPages(read, voteKey, options)) yield views(votes);
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
