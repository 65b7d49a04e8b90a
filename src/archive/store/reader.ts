import { ChainError } from '../../chain/base/errors.ts';
import { abortable, onAbort } from '../../chain/base/time.ts';
import { deepFrozen } from '../../chain/memory/memoryBudget.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import type { Page, PageRequest } from '../../reads/page.ts';
import { groupedBy, integerAt, listOf, type Row, type Sql, sql, storable, textAt, unionAll } from '../database/database.ts';
import type { RecordedTally } from '../facts.ts';
import { type AccountRole, type IndexSearch, readAccountTransactions } from '../full/search.ts';
import type { KeptProof } from '../proofs.ts';
import {
  type ChangeRecord,
  type Elector,
  type ExecutionRecord,
  type ParticipationRecord,
  type ProposalRecord,
  type ProposalRecordFilter,
  readRecordKey,
  readTransactionKey,
  type TallyPoint,
  type VoteRecord,
  voteKey,
} from '../records.ts';
import type { ComparedRehearsal } from '../rehearsals.ts';
import type { ArchiveReads } from './archiveStore.ts';
import { createGovReader, type GovReader } from './govReader.ts';
import { proofIn, proofsQuery } from './proofs.ts';
import { type Coverage, type HeightRange, type Holding, heightRanges, holdingOf } from './ranges.ts';
import {
  changeIn,
  changesQuery,
  countQuery,
  executionIn,
  executionsQuery,
  groupsQuery,
  pageIds,
  participationIn,
  participationQuery,
  recordIn,
  recordsQuery,
} from './recordQueries.ts';
import { agreementQuery, rehearsalIn, rehearsalsQuery } from './rehearsals.ts';
import { type FoundText, searchTexts, type TextPlace, type TextSearch } from './textSearch.ts';
import {
  accountVoteCountQuery,
  accountVotesQuery,
  createOpenTallies,
  createTallyHistory,
  electorCountQuery,
  electorIn,
  electorsQuery,
  type ListPage,
  voteCountQuery,
  voteIn,
  voteQuery,
  votesQuery,
} from './votes.ts';

/** The part of a list to read. `reverse` reverses the order that the list has by itself; a cursor works in both directions. */
export type RecordPageRequest = PageRequest;

/** What an archive contains, for operators and `Query.archive`. */
export interface ArchiveStats {
  readonly mode: 'GOVERNANCE' | 'FULL';
  readonly storage: 'MEMORY' | 'SQLITE' | 'POSTGRES';
  /** Ascending. */
  readonly coverage: readonly HeightRange[];
  readonly proposals: bigint;
  readonly votes: bigint;
  /** Indexed transactions; null in mode GOVERNANCE. */
  readonly transactions: bigint | null;
  readonly sizeBytes: bigint;
  /** Proposals whose recomputed tally differs from the chain's. */
  readonly auditFailures: bigint;
  /** Rehearsed proposals that were executed later. */
  readonly rehearsalsCompared: bigint;
  /** Those of them whose execution ended as the rehearsal said. */
  readonly rehearsalsAgreed: bigint;
  /** Proposals and votes that events name and neither a message nor the state explains. */
  readonly unexplained: bigint;
}

interface WaitOptions {
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the archive. Every read is as of a height: facts of later heights are left out. The caller first waits until the archive holds the height.
 * Values are frozen. Rejects with an `ArchiveUnavailable` if the database cannot be read.
 *
 * Reads by record take the records themselves and answer in their order. A statement reads some thousands of rows at most, so that no caller waits long for
 * that of another: reads of more rows are several statements.
 */
export interface ArchiveReader {
  /**
   * The same reader for a request of a caller: its reads reject with the signal's reason when it is aborted, and those that still wait are dropped. Reads take
   * turns by caller; those without one share the turns of one caller.
   */
  under(signal: AbortSignal | undefined, caller?: string): ArchiveReader;
  /** What is covered, as last seen by this process. Its `generation` belongs in the keys of cached answers. */
  coverage(): Coverage;
  /** Whether records can be read as of a height. */
  holding(height: bigint): Holding;
  /**
   * Resolves when the archive holds the height. Rejects with HEIGHT_NOT_YET_AVAILABLE after `milliseconds`, and with the same error at once if
   * the height is outside of the coverage and below its end.
   */
  waitFor(height: bigint, options: WaitOptions): Promise<void>;
  /** The records of the governance module. */
  readonly gov: GovReader;
  /** 2 queries. Numbers of a large archive may be up to some seconds old. */
  stats(): Promise<ArchiveStats>;
  /** The records with these ids; null where the archive has none. 1 query. */
  records(ids: readonly bigint[], asOf: bigint): Promise<readonly (ProposalRecord | null)[]>;
  /** Recorded proposals, newest first. 1 query, 1 more for `missedBy`, and 1 more if `count` is set. */
  recordPage(filter: ProposalRecordFilter, page: RecordPageRequest, asOf: bigint): Promise<Page<ProposalRecord>>;
  /**
   * The tally of each record: the final one, or the present one while votes are taken. Null if the chain computed none or the members are not
   * known. At most 1 query.
   */
  tallies(records: readonly ProposalRecord[]): Promise<readonly (RecordedTally | null)[]>;
  /** The votes of each record, in the order in which they were cast. 1 query, and 1 more if `count` is set. */
  votes(records: readonly ProposalRecord[], page: RecordPageRequest): Promise<readonly Page<VoteRecord>[]>;
  /** The vote of an account on each record; null if none is recorded. 1 query. */
  votesOf(records: readonly ProposalRecord[], voter: string): Promise<readonly (VoteRecord | null)[]>;
  /**
   * Those who could vote on each record, by address; null if they are not known. `voted` keeps only those who did, or did not. 1 query, and 1
   * more if `count` is set.
   */
  electorate(
    records: readonly ProposalRecord[],
    page: RecordPageRequest,
    voted?: boolean,
  ): Promise<readonly (Page<Elector> | null)[]>;
  /** The attempts to execute each record, oldest first. 1 query. */
  executions(records: readonly ProposalRecord[]): Promise<readonly (readonly ExecutionRecord[])[]>;
  /**
   * The tally after each vote at the weights of the close, or of now while it is open: at most `points` points, thinned evenly, the first and the
   * last kept. Null if the members are not known. 1 query.
   */
  tallyHistory(records: readonly ProposalRecord[], points: number): Promise<readonly (readonly TallyPoint[] | null)[]>;
  /** The kept proof of each record; null if there is none, and before the close. 1 query. */
  proofs(records: readonly ProposalRecord[]): Promise<readonly (KeptProof | null)[]>;
  /** The last rehearsal of each record, beside the execution that followed; null if there is none. 1 query. */
  rehearsals(records: readonly ProposalRecord[]): Promise<readonly (ComparedRehearsal | null)[]>;
  /** The changes of the group and of the policy of each record, after its submission and up to its close, oldest first. 1 query. */
  changes(records: readonly ProposalRecord[]): Promise<readonly (readonly ChangeRecord[])[]>;
  /** As {@link searchTexts}. */
  texts(
    search: TextSearch,
    page: { readonly limit: number; readonly after: TextPlace | undefined },
    asOf: bigint,
  ): Promise<readonly FoundText[]>;
  /** The votes that an account has cast, newest first. 1 query, and 1 more if `count` is set. */
  votesByAccount(address: string, page: RecordPageRequest, asOf: bigint): Promise<Page<VoteRecord>>;
  /**
   * The transactions that an account signed or took part in, newest first, as results of `tx_search`. Null in mode GOVERNANCE. At most 9
   * queries.
   */
  accountTransactions(
    account: { readonly address: string; readonly role: AccountRole },
    page: RecordPageRequest,
    asOf: bigint,
  ): Promise<Page<JsonValue> | null>;
  /**
   * For each present member of the group, by address: how many of the last `last` closed proposals of the group it could vote on and did.
   * Proposals whose electorate is not known are left out. Null if the members are not known. 1 query.
   */
  participation(groupId: bigint, last: number, asOf: bigint): Promise<readonly ParticipationRecord[] | null>;
}

/** The database of the archive cannot be read or written at the moment. */
export class ArchiveUnavailable extends Error {
  override readonly name = 'ArchiveUnavailable';
}

/** How long the numbers of the whole archive are kept: in ms, and at least so many times as long as it took to read them. */
const statsAge = 2_000;
const statsAgeFactor = 50;

/** The rows that a statement about several records or members reads about, at most. It then takes some milliseconds. */
const statementRows = 5_000;

/** Rows of votes that are sent to the thread of the server at once. */
const pageRows = 1_000;

/** The rows that a count of votes costs: it reads an index alone. */
const countedRows = 1_000;

/** Rows that a proof counts for: it has some ten thousand bytes. */
const proofRows = 200;

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

const hasElectorate = ({ groupId, electorateVersion }: ProposalRecord): boolean =>
  groupId !== null && electorateVersion !== null;

function createStats(store: ArchiveReads, mode: ArchiveStats['mode']): () => Promise<Omit<ArchiveStats, 'coverage'>> {
  let stats: { until: number; readonly value: ReturnType<typeof readStats> } | undefined;

  async function readStats(): Promise<Omit<ArchiveStats, 'coverage'>> {
    // Counting the votes themselves takes seconds if there are millions.
    const { text, values } = sql`SELECT
      CAST((SELECT COALESCE(sum(total), 0) FROM row_counts WHERE name = 'proposals') + (SELECT count(*) FROM proposals WHERE height IS NULL) AS BIGINT) AS proposals,
      CAST((SELECT COALESCE(sum(total), 0) FROM row_counts WHERE name = 'votes') + (SELECT count(*) FROM votes WHERE height IS NULL) AS BIGINT) AS votes,
      (SELECT count(*) FROM closes WHERE disagrees = 1) + (SELECT count(*) FROM gov_steps WHERE disagrees = 1) AS failures, (SELECT count(*) FROM unexplained) AS unexplained`;
    const [[row], [rehearsals], sizeBytes] = await Promise.all([
      store.scan(text, values, undefined, 'numbers of the archive'),
      store.scan(agreementQuery.text, agreementQuery.values, undefined, 'numbers of the archive'),
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
      rehearsalsCompared: rehearsals === undefined ? 0n : integerAt(rehearsals, 'compared'),
      rehearsalsAgreed: rehearsals === undefined ? 0n : integerAt(rehearsals, 'agreed'),
      unexplained: count('unexplained'),
    };
  }

  return () => {
    if (stats === undefined || performance.now() > stats.until) {
      const beginning = performance.now();
      const value = readStats();
      const entry = { until: Number.POSITIVE_INFINITY, value };
      stats = entry;
      const settle = (): void => {
        const took = performance.now() - beginning;
        entry.until = performance.now() + Math.max(statsAge, statsAgeFactor * took);
      };
      value.then(settle, () => undefined);
      value.catch(() => {
        stats = undefined;
      });
    }
    return stats.value;
  };
}

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

  async function inPortions(queries: readonly Sql[], rows: number): Promise<readonly Row[]> {
    const size = Math.max(1, Math.floor(statementRows / rows));
    const allRows: Row[] = [];
    // One after the other, so that other callers get their turn between them.
    for (let start = 0; start < queries.length; start += size)
      allRows.push(...(await read(unionAll(queries.slice(start, start + size)))));
    return allRows;
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
    waitFor(height, { milliseconds, signal: waitSignal = signal }) {
      const holding = holdingOf(store.coverage(), height);
      if (holding === 'HELD') return Promise.resolve();
      if (holding === 'OUTSIDE') return Promise.reject(notHeld(height));
      if (waitSignal?.aborted) return Promise.reject(waitSignal.reason);
      return new Promise((resolve, reject) => {
        const settle = (work: () => void): void => {
          clearTimeout(timer);
          removeListener();
          stopListening();
          work();
        };
        const timer = setTimeout(() => settle(() => reject(notHeld(height))), milliseconds);
        const removeListener = onAbort(waitSignal, () => settle(() => reject(waitSignal?.reason)));
        const stopListening = store.onCoverage(() => {
          const now = holdingOf(store.coverage(), height);
          if (now === 'HELD') settle(resolve);
          else if (now === 'OUTSIDE') settle(() => reject(notHeld(height)));
        });
      });
    },
    gov: createGovReader(read, scan, store.coverage),
    under: (ownSignal, of) => readerUnder(store, mode, common, ownSignal, of),
    async stats() {
      const numbers = await available(abortable(common.stats(), signal), signal);
      return deepFrozen({ ...numbers, coverage: heightRanges(store.coverage()) });
    },
    async records(ids, asOf) {
      if (ids.length === 0) return [];
      const recordList = await readRecords(read, sql`SELECT id FROM proposals WHERE id IN ${listOf(ids.map(storable))}`, asOf);
      const byId = new Map(recordList.map((record) => [record.id, record]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    texts: (search, page, asOf) => searchTexts(scan, store.storage === 'POSTGRES' ? 'postgres' : 'sqlite', search, page, asOf),
    async recordPage(filter: ProposalRecordFilter, page, asOf) {
      const { first, reverse, count, offset = 0n } = page;
      const key = page.after && readRecordKey(page.after.key);
      if (key === null) return pageWith<ProposalRecord>([], page, count ? 0n : undefined);
      const { missedBy, groupId, groupPolicyAddress, groupPolicyAddresses, voter, proposer } = filter;
      const needsGroups =
        missedBy !== undefined &&
        [groupId, groupPolicyAddress, groupPolicyAddresses, voter, proposer].every((value) => value === undefined);
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
      const [rows, totalsFound] = await Promise.all([
        ofEach(records, (record) => votesQuery(record, listPage(page)), 'proposal_id', rowsOf(page)),
        counts(records.map(voteCountQuery), page, countedRows),
      ]);
      return records.map(({ id }, index) => pageWith(deepFrozen((rows.get(id) ?? []).map(voteIn)), page, totalsFound[index]));
    },
    async votesOf(records, voter) {
      const rows = await ofEach(records, (record) => voteQuery(record, voter), 'proposal_id', 1);
      return records.map(({ id }) => {
        const [row] = rows.get(id) ?? [];
        return row === undefined ? null : deepFrozen(voteIn(row));
      });
    },
    async electorate(records, page, voted) {
      const withElectorate = records.filter(hasElectorate);
      // To find those who did not vote, or did, all may have to be read.
      const most = voted === undefined ? rowsOf(page) : statementRows;
      const [rows, totalsFound] = await Promise.all([
        ofEach(withElectorate, (record) => electorsQuery(record, voted, listPage(page)), 'record_id', most),
        counts(
          withElectorate.map((record) => electorCountQuery(record, voted)),
          page,
          statementRows,
        ),
      ]);
      return records.map((record) =>
        hasElectorate(record)
          ? pageWith(deepFrozen((rows.get(record.id) ?? []).map(electorIn)), page, totalsFound[withElectorate.indexOf(record)])
          : null,
      );
    },
    async executions(records) {
      const rows = await ofEach(records, executionsQuery, 'proposal_id', 20);
      return records.map(({ id }) => deepFrozen((rows.get(id) ?? []).map(executionIn)));
    },
    async tallyHistory(records, points) {
      const histories: (readonly TallyPoint[] | null)[] = [];
      for (const record of records) {
        const history = createTallyHistory();
        if (hasElectorate(record)) for await (const votes of votePages(record)) history.add(votes);
        histories.push(hasElectorate(record) ? deepFrozen(history.points(record, points)) : null);
      }
      return histories;
    },
    async proofs(records) {
      const closedRecords = records.filter(({ close }) => close !== null);
      const rows = await inPortions(
        closedRecords.map(({ id }) => proofsQuery([id])),
        proofRows,
      );
      const byId = new Map(rows.map((row) => [integerAt(row, 'proposal_id'), row]));
      return records.map(({ id, close }) => {
        const row = close === null ? undefined : byId.get(id);
        return row === undefined ? null : deepFrozen(proofIn(row));
      });
    },
    async rehearsals(records) {
      const [first] = records;
      if (first === undefined) return [];
      const rows = await read(
        rehearsalsQuery(
          records.map(({ id }) => id),
          first.asOf,
        ),
      );
      const byId = new Map(rows.map((row) => [integerAt(row, 'proposal_id'), rehearsalIn(row)]));
      return records.map(({ id }) => byId.get(id) ?? null);
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
        read: ({ text, values }: Sql) => store.scan(text, values, signal, caller),
        search: (search: IndexSearch) => store.search(search, signal, caller),
      };
      const transactions = await available(readAccountTransactions(reads, { ...account, asOf }, page, after), signal);
      return pageWith(deepFrozen(transactions.items), page, page.count ? transactions.total : undefined);
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
