import { deepFrozen } from '../../chain/memory/memoryBudget.ts';
import type { Page, PageRequest } from '../../reads/page.ts';
import { groupedBy, integerAt, listOf, type Row, type Sql, sql, storable, unionAll } from '../database/database.ts';
import type {
  GovBallotRecord,
  GovDepositRecord,
  GovMissRecord,
  GovProposalRecord,
  GovRecordFilter,
  GovVoteRecord,
} from '../govRecords.ts';
import { readRecordKey } from '../records.ts';
import {
  type GovListPage,
  govAccountVoteCountQuery,
  govAccountVotesQuery,
  govBallotIn,
  govBallotsQuery,
  govCountQuery,
  govDepositIn,
  govDepositsQuery,
  govMissesQuery,
  govMissIn,
  govPageIds,
  govRecordIn,
  govRecordsQuery,
  govStepsQuery,
  govVoteCountQuery,
  govVoteIn,
  govVoteQuery,
  govVotesQuery,
} from './govQueries.ts';
import type { Coverage } from './ranges.ts';

type Run = (query: Sql) => Promise<readonly Row[]>;

/** Reads the records of the governance module, as of a height. Reads by record answer in the order of the records. */
export interface GovReader {
  /** The records with these ids; null where the archive has none. 2 queries. */
  records(ids: readonly bigint[], asOf: bigint): Promise<readonly (GovProposalRecord | null)[]>;
  /** Recorded proposals, newest first. 2 queries, and 1 more if `count` is set. */
  recordPage(filter: GovRecordFilter, page: PageRequest, asOf: bigint): Promise<Page<GovProposalRecord>>;
  /** The votes on each record, in the order in which they were cast, with those that were replaced. 1 query, and 1 more if `count` is set. */
  votes(records: readonly GovProposalRecord[], page: PageRequest): Promise<readonly Page<GovVoteRecord>[]>;
  /** The last vote of an account on each record; null if none is recorded. 1 query. */
  votesOf(records: readonly GovProposalRecord[], voter: string): Promise<readonly (GovVoteRecord | null)[]>;
  /** The deposits for each record, in the order in which they were made. 1 query. */
  deposits(records: readonly GovProposalRecord[]): Promise<readonly (readonly GovDepositRecord[])[]>;
  /** The bonded validators that had not voted when each record was decided; null if that is not recorded. 1 query. */
  misses(records: readonly GovProposalRecord[]): Promise<readonly (readonly GovMissRecord[] | null)[]>;
  /** The votes that an account has cast, newest first. 1 query, and 1 more if `count` is set. */
  votesByAccount(address: string, page: PageRequest, asOf: bigint): Promise<Page<GovVoteRecord>>;
  /** How a validator voted on the last `last` decided proposals that it could vote on, newest first. 1 query. */
  ballots(operator: string, last: number, asOf: bigint): Promise<readonly GovBallotRecord[]>;
}

/** Whether the vote of each validator is recorded: the deciding block is. */
const isTallied = ({ end }: GovProposalRecord): boolean => end !== null && end.computed !== null;

function pageWith<T>(items: readonly T[], { first, after, offset = 0n }: PageRequest, total: bigint | undefined): Page<T> {
  return {
    items: items.slice(0, first),
    placeAt: () => undefined,
    hasNext: items.length > first,
    hasPrevious: after !== undefined || offset > 0n,
    total,
  };
}

const listPage = ({ first, after, reverse, offset }: PageRequest): GovListPage => ({
  limit: first + 1,
  after: after?.key,
  reverse,
  offset,
});

const grouped = (rows: readonly Row[]): ReadonlyMap<bigint, readonly Row[]> => groupedBy(rows, 'proposal_id');

async function total(run: Run, query: Sql): Promise<bigint> {
  const [row] = await run(query);
  return row === undefined ? 0n : integerAt(row, 'total');
}

/** `read` runs short statements, and `scan` those that may take longer. */
export function createGovReader(read: Run, scan: Run, coverage: () => Coverage): GovReader {
  async function withSteps(rows: readonly Row[], asOf: bigint): Promise<readonly GovProposalRecord[]> {
    const ids = rows.map((row) => integerAt(row, 'id'));
    const steps = ids.length === 0 ? new Map<bigint, readonly Row[]>() : grouped(await read(govStepsQuery(ids, asOf)));
    const covered = coverage();
    return rows.map((row) => deepFrozen(govRecordIn(row, steps.get(integerAt(row, 'id')) ?? [], asOf, covered)));
  }

  async function ofEach(records: readonly GovProposalRecord[], query: (ids: readonly bigint[], asOf: bigint) => Sql) {
    const [first] = records;
    return first === undefined
      ? new Map<bigint, readonly Row[]>()
      : grouped(
          await read(
            query(
              records.map(({ id }) => id),
              first.asOf,
            ),
          ),
        );
  }

  return {
    async records(ids, asOf) {
      if (ids.length === 0) return [];
      const rows = await read(
        govRecordsQuery(sql`SELECT id FROM gov_proposals WHERE id IN ${listOf(ids.map(storable))}`, asOf),
      );
      const byId = new Map((await withSteps(rows, asOf)).map((record) => [record.id, record]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    async recordPage(filter, page, asOf) {
      const { first, reverse, count, offset = 0n } = page;
      const key = page.after && readRecordKey(page.after.key);
      if (key === null) return pageWith<GovProposalRecord>([], page, count ? 0n : undefined);
      const ids = govPageIds(filter, asOf, { limit: first + 1, after: key, reverse, offset });
      const [rows, found] = await Promise.all([
        first === 0 ? [] : scan(govRecordsQuery(ids, asOf)),
        count ? total(scan, govCountQuery(filter, asOf)) : undefined,
      ]);
      const records = (await withSteps(rows, asOf)).toSorted((one, other) => (one.id < other.id === reverse ? -1 : 1));
      return pageWith(records, page, found);
    },
    async votes(records, page) {
      if (records.length === 0) return [];
      const [rows, counts] = await Promise.all([
        page.first === 0 ? [] : read(unionAll(records.map((record) => govVotesQuery(record, listPage(page))))),
        page.count ? read(unionAll(records.map(govVoteCountQuery))) : [],
      ]);
      const byProposal = grouped(rows);
      return records.map(({ id }, index) => {
        const countRow = counts[index];
        const votes = deepFrozen((byProposal.get(id) ?? []).map(govVoteIn));
        return pageWith(votes, page, countRow && integerAt(countRow, 'total'));
      });
    },
    async votesOf(records, voter) {
      if (records.length === 0) return [];
      const rows = grouped(await read(unionAll(records.map((record) => govVoteQuery(record, voter)))));
      return records.map(({ id }) => {
        const [row] = rows.get(id) ?? [];
        return row === undefined ? null : deepFrozen(govVoteIn(row));
      });
    },
    async deposits(records) {
      const rows = await ofEach(records, govDepositsQuery);
      return records.map(({ id }) => deepFrozen((rows.get(id) ?? []).map(govDepositIn)));
    },
    async misses(records) {
      const rows = await ofEach(records.filter(isTallied), govMissesQuery);
      return records.map((record) => (isTallied(record) ? deepFrozen((rows.get(record.id) ?? []).map(govMissIn)) : null));
    },
    async votesByAccount(address, page, asOf) {
      const [rows, found] = await Promise.all([
        page.first === 0 ? [] : read(govAccountVotesQuery(address, asOf, listPage(page))),
        page.count ? total(scan, govAccountVoteCountQuery(address, asOf)) : undefined,
      ]);
      return pageWith(deepFrozen(rows.map(govVoteIn)), page, found);
    },
    async ballots(operator, last, asOf) {
      return deepFrozen((await scan(govBallotsQuery(operator, last, asOf))).map(govBallotIn));
    },
  };
}
