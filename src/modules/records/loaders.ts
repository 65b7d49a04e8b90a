import DataLoader from 'dataloader';
import type { ProposalRecord, VoteRecord } from '../../archive/records.ts';
import { archiveOf } from '../../archive/setup/archive.ts';
import { ArchiveUnavailable, type RecordPageRequest } from '../../archive/store/reader.ts';
import { RequestError } from '../../reads/errors.ts';
import { checkScan } from '../../reads/page.ts';
import { type Awaitable, andThen, type Pin, type Pinned, pinOf, type Source } from '../../reads/pin.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { recordVotePages } from './export.ts';
import { type TimelineEvent, timelineOf } from './timeline.ts';

/** The most points of a tally history. Longer ones are thinned. */
const historyPoints = 500;

/** Reads of the parts of records, joined for all records of a tick: the number of queries does not depend on the number of records. */
type PartLoader<V> = DataLoader<ProposalRecord, V, bigint>;

/** The reads of an archive at the height of one pin. */
export type RecordLoaders = NonNullable<ReturnType<typeof createRecordLoaders>>;

/**
 * Records change only in blocks that write to the group module's store. What changes them otherwise, as a backfill does, raises the generation of the
 * archive, which is part of the keys of cached answers.
 */
export const recordStores = ['group'] as const;

/** Counts votes and reads none. */
const voteCount: RecordPageRequest = { first: 0, reverse: false, count: true };

/** How a timeline reads its votes: in pages, so that the thread of the server decodes few at once. */
const wholeList = { size: 1_000, beforePage: async () => undefined };

function createRecordLoaders({ archive: recorded, state, signal, caller }: Source) {
  const archive = archiveOf(recorded);
  if (archive === undefined) return null;
  const reader = archive.reader.under(signal, caller);
  const asOf = state.height;

  function parts<V>(read: (records: readonly ProposalRecord[]) => Promise<readonly V[]>): PartLoader<V> {
    return new DataLoader((records) => readForRequest(read(records)), { cacheKeyFn: ({ id }) => id });
  }

  /** One loader for each page or account that is asked for. */
  function byKey<V, A extends readonly unknown[]>(
    keyOf: (...args: A) => string,
    read: (records: readonly ProposalRecord[], ...args: A) => Promise<readonly V[]>,
  ): (...args: A) => PartLoader<V> {
    const loaders = new Map<string, PartLoader<V>>();
    return (...args) => {
      const key = keyOf(...args);
      const loader = loaders.get(key) ?? parts((records) => read(records, ...args));
      loaders.set(key, loader);
      return loader;
    };
  }

  const executions = parts((records) => reader.executions(records));
  const changes = parts((records) => reader.changes(records));

  /** Votes of the timelines so far. Timelines have the only lists without a page, so they share one bound. */
  let timelineVotes = 0;

  async function timelines(records: readonly ProposalRecord[]): Promise<readonly (readonly TimelineEvent[] | Error)[]> {
    const others = Promise.all(records.map((record) => Promise.all([executions.load(record), changes.load(record)])));
    const [counts, rest] = await Promise.all([reader.votes(records, voteCount), others]);
    const timelinesOrErrors: (readonly TimelineEvent[] | Error)[] = [];
    for (const [index, record] of records.entries()) {
      const total = Number(counts[index]?.total ?? 0n);
      try {
        checkScan(timelineVotes + total, 'votes');
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        timelinesOrErrors.push(error);
        continue;
      }
      timelineVotes += total;
      const votes: VoteRecord[] = [];
      for await (const votesOfPage of recordVotePages(reader, record, wholeList)) votes.push(...votesOfPage);
      const [attempts, changed] = rest[index] ?? [[], []];
      timelinesOrErrors.push(timelineOf(record, { votes: votes, executions: attempts, changes: changed }));
    }
    return timelinesOrErrors;
  }

  return {
    reader,
    /** Why nothing is recorded; undefined if nothing is wrong. */
    trouble: () => archive.recording.status().trouble,
    /** As of `Recording`. */
    checking: (milliseconds: number) => archive.recording.checking(milliseconds),
    record: new DataLoader((ids: readonly bigint[]) => readForRequest(reader.records(ids, asOf))),
    tally: parts((records) => reader.tallies(records)),
    executions,
    proof: parts((records) => reader.proofs(records)),
    rehearsal: parts((records) => reader.rehearsals(records)),
    tallyHistory: parts((records) => reader.tallyHistory(records, historyPoints)),
    /** Fails with OPERATION_TOO_COMPLEX for more than 5,000 votes, those of the timelines before it included. */
    timeline: new DataLoader((records: readonly ProposalRecord[]) => readForRequest(timelines(records)), {
      cacheKeyFn: ({ id }) => id,
    }),
    /** The vote of an account. */
    vote: byKey(String, (records, voter: string) => reader.votesOf(records, voter)),
    votes: byKey(pageKey, (records, page: RecordPageRequest) => reader.votes(records, page)),
    electorate: byKey(
      (page: RecordPageRequest, voted: boolean | undefined) => `${pageKey(page)} ${voted}`,
      (records, page: RecordPageRequest, voted: boolean | undefined) => reader.electorate(records, page, voted),
    ),
  };
}

export function pageKey({ first, after, reverse, count, offset }: RecordPageRequest): string {
  return [first, reverse, count, offset, after && Buffer.from(after.key).toString('hex')].join(' ');
}

/** The error that a caller sees if the archive cannot be read. */
export async function readForRequest<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ArchiveUnavailable)
      throw new RequestError('ARCHIVE_UNAVAILABLE', 'The archive cannot be read at the moment. Retry later.', {});
    throw error;
  }
}

/** What every kind of reads of an archive has. */
type ArchiveReads = Pick<RecordLoaders, 'reader' | 'trouble' | 'checking'>;

/**
 * The reads of the archive, once it holds the height of the pin; null if the server has none. They change only in blocks that write to `stores`. Waits up to
 * `freshness` ms, then fails with HEIGHT_NOT_YET_AVAILABLE. Fails with ARCHIVE_UNAVAILABLE if the archive has recorded another chain with the same id.
 */
export function onceHeld<L extends ArchiveReads>(
  pin: Pin,
  loaders: L | null,
  stores: readonly string[],
  freshness: number,
): Awaitable<L | null> {
  return andThen(loaders?.checking(freshness), () => heldBy(loaders, pin.heightOf(stores), freshness));
}

function heldBy<L extends ArchiveReads>(loaders: L | null, height: bigint, freshness: number): Awaitable<L | null> {
  if (loaders?.trouble() === 'ARCHIVE_OTHER_CHAIN')
    throw new RequestError('ARCHIVE_UNAVAILABLE', 'The archive has recorded another chain with the same id.', {});
  if (loaders === null || loaders.reader.holding(height) === 'HELD') return loaders;
  const wait = loaders.reader.waitFor(height, { milliseconds: freshness });
  return readForRequest(wait).then(() => loaders);
}

/** The reads of the archive at the height of a pin, as {@link onceHeld}. */
export const recordsOf = (pin: Pin, freshness: number): Awaitable<RecordLoaders | null> =>
  onceHeld(pin, pin.loaders(createRecordLoaders), recordStores, freshness);

/** The reads of the archive at the height of `parent`, as {@link recordsOf}. Waits up to `request.freshness`. */
export function recordsAt(parent: Pinned<object>, { limits }: GraphQLContext): Awaitable<RecordLoaders | null> {
  return recordsOf(pinOf(parent), limits['request.freshness']);
}
