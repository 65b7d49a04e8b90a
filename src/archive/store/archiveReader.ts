import { ChainError } from '../../chain/base/errors.ts';
import { abortable, onAbort } from '../../chain/base/waiting.ts';
import { deepFrozen } from '../../chain/memory/memoryBudget.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import type { Page } from '../../reads/page.ts';
import { heightRanges, holdingOf } from '../coverage.ts';
import type { Row, SqlValue } from '../database/connection.ts';
import { integerAt, textAt } from '../database/row.ts';
import { listOf, type Sql, sql, unionAll } from '../database/sql.ts';
import type { IndexSearch } from '../full/indexSearch.ts';
import { readRecordKey, readTransactionKey, voteKey } from '../keys.ts';
import { type ArchiveReader, type ArchiveStats, ArchiveUnavailable, type RecordPageRequest } from '../reader.ts';
import type { ProposalRecord, ProposalRecordFilter, TallyPoint, VoteRecord } from '../records.ts';
import { createTallyHistory } from '../tallies.ts';
import { readAccountTransactions } from './accountTransactions.ts';
import type { ArchiveReads } from './archiveStore.ts';
import { changeIn, changesQuery, executionIn, executionsQuery, participationIn, participationQuery } from './historyQueries.ts';
import { createOpenTallies } from './openTallies.ts';
import { countQuery, groupsQuery, pageIds } from './recordPages.ts';
import { recordIn, recordsQuery } from './recordQuery.ts';
import {
  accountVoteCountQuery,
  accountVotesQuery,
  electorCountQuery,
  electorIn,
  electorsQuery,
  type ListPage,
  voteCountQuery,
  voteIn,
  voteQuery,
  votesQuery,
} from './voteQueries.ts';

/** How long the numbers of the whole archive are kept: in ms, and at least so many times as long as it took to read them. */
const statsAge = 2_000;
const statsAgeFactor = 50;

/** The rows that a statement about several records or members reads about, at most. It then takes some milliseconds. */
const statementRows = 5_000;

/** Rows of votes that are sent to the thread of the server at once. */
const pageRows = 1_000;

/** The rows that a count of votes costs: it reads an index alone. */
const countedRows = 1_000;

type Run = (query: Sql) => Promise<readonly Row[]>;

/** Returns what a read of the database returns. Its failure is an {@link ArchiveUnavailable}, unless the signal is aborted. */
async function available<T>(read: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await read;
  } catch (error) {
    signal?.throwIfAborted();
    throw new ArchiveUnavailable('The archive cannot be read at the moment.', { cause: error });
  }
}

function groupedBy(rows: readonly Row[], column: string): ReadonlyMap<bigint, readonly Row[]> {
  const groups = new Map<bigint, Row[]>();
  for (const row of rows) {
    const key = integerAt(row, column);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function listPage({ first, after, reverse, offset }: RecordPageRequest): ListPage {
  // One more item than asked for shows whether there is a next page.
  return { limit: first + 1, after: after?.key, reverse, offset };
}

/** What a page costs in rows of a statement: they are sent to the thread of the server, and the offset is read, too. */
const rowsOf = ({ first, offset = 0n }: RecordPageRequest): number => (first * statementRows) / pageRows + Number(offset);

function pageWith<T>(
  items: readonly T[],
  { first, after, offset = 0n }: RecordPageRequest,
  total: bigint | undefined,
): Page<T> {
  const page = items.slice(0, first);
  return {
    items: page,
    placeAt: () => undefined,
    hasNext: items.length > first,
    hasPrevious: after !== undefined || offset > 0n,
    total,
  };
}

async function totals(run: Run, queries: readonly Sql[]): Promise<readonly bigint[]> {
  if (queries.length === 0) return [];
  const rows = await run(unionAll(queries));
  return rows.map((row) => integerAt(row, 'total'));
}

/** Whether the members that could vote on a record are known. */
const hasElectorate = ({ groupId, electorateVersion }: ProposalRecord): boolean =>
  groupId !== null && electorateVersion !== null;

/** The numbers of the whole archive. They are kept for a while. */
function createStats(store: ArchiveReads, mode: ArchiveStats['mode']): () => Promise<Omit<ArchiveStats, 'coverage'>> {
  let stats: { until: number; readonly value: ReturnType<typeof readStats> } | undefined;

  async function readStats(): Promise<Omit<ArchiveStats, 'coverage'>> {
    const { text, values } = sql`SELECT (SELECT count(*) FROM proposals) AS proposals, (SELECT count(*) FROM votes) AS votes,
      (SELECT count(*) FROM closes WHERE disagrees = 1) AS failures, (SELECT count(*) FROM unexplained) AS unexplained`;
    const [[row], sizeBytes] = await Promise.all([
      store.scan(text, values, undefined, 'numbers of the archive'),
      store.sizeBytes(),
    ]);
    const count = (column: string): bigint => (row === undefined ? 0n : integerAt(row, column));
    return {
      mode,
      storage: store.storage,
      proposals: count('proposals'),
      votes: count('votes'),
      transactions: mode === 'FULL' ? store.coverage().transactions : null,
      sizeBytes,
      auditFailures: count('failures'),
      unexplained: count('unexplained'),
    };
  }

  return () => {
    if (stats === undefined || performance.now() > stats.until) {
      const begun = performance.now();
      const value = readStats();
      const made = { until: Number.POSITIVE_INFINITY, value };
      stats = made;
      const settle = (): void => {
        const took = performance.now() - begun;
        made.until = performance.now() + Math.max(statsAge, statsAgeFactor * took);
      };
      value.then(settle, () => undefined);
      value.catch(() => {
        stats = undefined;
      });
    }
    return stats.value;
  };
}

/** Creates the reader of an archive. */
export function createArchiveReader(store: ArchiveReads, mode: ArchiveStats['mode']): ArchiveReader {
  const shared: Run = ({ text, values }) => store.scan(text, values, undefined, 'tallies for all callers');
  return readerUnder(
    store,
    mode,
    { stats: createStats(store, mode), tallies: createOpenTallies(shared) },
    undefined,
    undefined,
  );
}

/** The reader of a caller, whose reads end when `signal` is aborted. */
function readerUnder(
  store: ArchiveReads,
  mode: ArchiveStats['mode'],
  common: { readonly stats: ReturnType<typeof createStats>; readonly tallies: ReturnType<typeof createOpenTallies> },
  signal: AbortSignal | undefined,
  caller: string | undefined,
): ArchiveReader {
  const read: Run = ({ text, values }) => available(store.read(text, values, signal, caller), signal);
  const scan: Run = ({ text, values }) => available(store.scan(text, values, signal, caller), signal);

  const openTally = common.tallies(scan);

  async function readRecords(run: Run, ids: Sql, asOf: bigint): Promise<readonly ProposalRecord[]> {
    const coverage = store.coverage();
    return (await run(recordsQuery(ids, asOf))).map((row) => deepFrozen(recordIn(row, asOf, coverage)));
  }

  /** The rows of one query for each record, in their order. A query reads `rows` rows about. */
  async function inPortions(queries: readonly Sql[], rows: number): Promise<readonly Row[]> {
    const size = Math.max(1, Math.floor(statementRows / rows));
    const found: Row[] = [];
    // One after the other, so that other callers get their turn between them.
    for (let start = 0; start < queries.length; start += size)
      found.push(...(await read(unionAll(queries.slice(start, start + size)))));
    return found;
  }

  /** The rows of one query for each record, by record. `column` has the id of the record. A query reads `rows` rows about. */
  async function ofEach(
    records: readonly ProposalRecord[],
    query: (record: ProposalRecord) => Sql,
    column: string,
    rows: number,
  ): Promise<ReadonlyMap<bigint, readonly Row[]>> {
    return groupedBy(await inPortions(records.map(query), rows), column);
  }

  /** The number of rows of one query for each record, if they are counted. A query reads `rows` rows about. */
  async function counts(queries: readonly Sql[], { count }: RecordPageRequest, rows: number): Promise<readonly bigint[]> {
    return count ? (await inPortions(queries, rows)).map((row) => integerAt(row, 'total')) : [];
  }

  /** All votes of a record, in the order in which they were cast, in pages. */
  async function* votePages(record: ProposalRecord): AsyncGenerator<readonly VoteRecord[], void> {
    let after: Uint8Array | undefined;
    for (;;) {
      const votes = (await read(votesQuery(record, { limit: pageRows, after, reverse: false }))).map(voteIn);
      yield votes;
      const last = votes.at(-1);
      if (last === undefined || votes.length < pageRows) return;
      after = voteKey(last);
    }
  }

  function notHeld(height: bigint): ChainError<'HEIGHT_NOT_YET_AVAILABLE'> {
    return new ChainError('HEIGHT_NOT_YET_AVAILABLE', `The archive has not recorded height ${height}.`, { height });
  }

  return {
    coverage: store.coverage,
    holding: (height) => holdingOf(store.coverage(), height),
    waitFor(height, { milliseconds, signal: own = signal }) {
      const holding = holdingOf(store.coverage(), height);
      if (holding === 'HELD') return Promise.resolve();
      if (holding === 'OUTSIDE') return Promise.reject(notHeld(height));
      if (own?.aborted) return Promise.reject(own.reason);
      return new Promise((resolve, reject) => {
        const settle = (work: () => void): void => {
          clearTimeout(timer);
          removeListener();
          stopListening();
          work();
        };
        const timer = setTimeout(() => settle(() => reject(notHeld(height))), milliseconds);
        const removeListener = onAbort(own, () => settle(() => reject(own?.reason)));
        const stopListening = store.onCoverage(() => {
          const now = holdingOf(store.coverage(), height);
          if (now === 'HELD') settle(resolve);
          else if (now === 'OUTSIDE') settle(() => reject(notHeld(height)));
        });
      });
    },
    under: (own, of) => readerUnder(store, mode, common, own, of),
    async stats() {
      const numbers = await available(abortable(common.stats(), signal), signal);
      return deepFrozen({ ...numbers, coverage: heightRanges(store.coverage()) });
    },
    async records(ids, asOf) {
      if (ids.length === 0) return [];
      const found = await readRecords(read, sql`SELECT id FROM proposals WHERE id IN ${listOf(ids)}`, asOf);
      const byId = new Map(found.map((record) => [record.id, record]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    async recordPage(filter: ProposalRecordFilter, page, asOf) {
      const { first, reverse, count, offset = 0n } = page;
      const key = page.after && readRecordKey(page.after.key);
      if (key === null) return pageWith<ProposalRecord>([], page, count ? 0n : undefined);
      const { missedBy, groupId, groupPolicyAddress, groupPolicyAddresses, voter, proposer } = filter;
      const needsGroups =
        missedBy !== undefined &&
        [groupId, groupPolicyAddress, groupPolicyAddresses, voter, proposer].every((given) => given === undefined);
      const groups = needsGroups ? (await read(groupsQuery(missedBy))).map((row) => integerAt(row, 'group_id')) : undefined;
      const ids = first === 0 ? null : pageIds(filter, groups, asOf, { limit: first + 1, after: key, reverse, offset });
      const counting = count ? countQuery(filter, groups, asOf) : null;
      const [records, [total = 0n]] = await Promise.all([
        ids === null ? [] : readRecords(scan, ids, asOf),
        totals(scan, counting === null ? [] : [counting]),
      ]);
      const ordered = records.toSorted((one, other) => (one.id < other.id === reverse ? -1 : 1));
      return pageWith(ordered, page, count ? total : undefined);
    },
    tallies: (records) =>
      Promise.all(
        records.map(async (record) => {
          if (record.close !== null) return record.close.tally;
          if (!hasElectorate(record)) return null;
          const tally = abortable(openTally(record, store.coverage().generation), signal);
          return deepFrozen(await available(tally, signal));
        }),
      ),
    async votes(records, page) {
      const [rows, found] = await Promise.all([
        ofEach(records, (record) => votesQuery(record, listPage(page)), 'proposal_id', rowsOf(page)),
        counts(records.map(voteCountQuery), page, countedRows),
      ]);
      return records.map(({ id }, index) => pageWith(deepFrozen((rows.get(id) ?? []).map(voteIn)), page, found[index]));
    },
    async votesOf(records, voter) {
      const rows = await ofEach(records, (record) => voteQuery(record, voter), 'proposal_id', 1);
      return records.map(({ id }) => {
        const [row] = rows.get(id) ?? [];
        return row === undefined ? null : deepFrozen(voteIn(row));
      });
    },
    async electorate(records, page, voted) {
      const known = records.filter(hasElectorate);
      // To find those who did not vote, or did, all may have to be read.
      const most = voted === undefined ? rowsOf(page) : statementRows;
      const [rows, found] = await Promise.all([
        ofEach(known, (record) => electorsQuery(record, voted, listPage(page)), 'record_id', most),
        counts(
          known.map((record) => electorCountQuery(record, voted)),
          page,
          statementRows,
        ),
      ]);
      return records.map((record) =>
        hasElectorate(record)
          ? pageWith(deepFrozen((rows.get(record.id) ?? []).map(electorIn)), page, found[known.indexOf(record)])
          : null,
      );
    },
    async executions(records) {
      const rows = await ofEach(records, executionsQuery, 'proposal_id', 20);
      return records.map(({ id }) => deepFrozen((rows.get(id) ?? []).map(executionIn)));
    },
    async tallyHistory(records, points) {
      const found: (readonly TallyPoint[] | null)[] = [];
      for (const record of records) {
        const history = createTallyHistory();
        if (hasElectorate(record)) for await (const votes of votePages(record)) history.add(votes);
        found.push(hasElectorate(record) ? deepFrozen(history.points(record, points)) : null);
      }
      return found;
    },
    async changes(records) {
      const rows = await ofEach(records, changesQuery, 'record_id', 20);
      return records.map(({ id }) => deepFrozen((rows.get(id) ?? []).map(changeIn)));
    },
    async votesByAccount(address, page, asOf) {
      const [rows, [total]] = await Promise.all([
        page.first === 0 ? [] : read(accountVotesQuery(address, asOf, listPage(page))),
        page.count ? totals(scan, [accountVoteCountQuery(address, asOf)]) : [],
      ]);
      return pageWith(deepFrozen(rows.map(voteIn)), page, total);
    },
    async accountTransactions(account, page, asOf) {
      if (mode !== 'FULL') return null;
      const after = page.after && readTransactionKey(page.after.key);
      if (after === null) return pageWith<JsonValue>([], page, page.count ? 0n : undefined);
      const reads = {
        scan: (text: string, values: readonly SqlValue[]) => store.scan(text, values, signal, caller),
        search: (search: IndexSearch) => store.search(search, signal, caller),
        signal,
      };
      const found = await available(readAccountTransactions(reads, { ...account, asOf }, page, after), signal);
      return pageWith(deepFrozen(found.items), page, page.count ? found.total : undefined);
    },
    async participation(groupId, last, asOf) {
      const size = Math.max(20, Math.floor(statementRows / last));
      const rows: Row[] = [];
      for (let portion: readonly Row[] | undefined; portion === undefined || portion.length === size; rows.push(...portion)) {
        const after = rows.at(-1);
        portion = await scan(participationQuery(groupId, last, asOf, { after: after && textAt(after, 'address'), size }));
      }
      return rows.length === 0 ? null : deepFrozen(rows.map(participationIn));
    },
  };
}
