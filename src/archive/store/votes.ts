import { LRUCache } from 'lru-cache';
import { type Decimal, decimal, decimalText, isDecimal } from '../../reads/decimal.ts';
import {
  allOf,
  integerAt,
  joinSql,
  numberAt,
  oneOf,
  type Row,
  type Sql,
  sql,
  textAt,
  textOrNull,
} from '../database/database.ts';
import type { RecordedOrigin, RecordedTally } from '../facts.ts';
import {
  type Elector,
  type ProposalRecord,
  readElectorKey,
  readVoteKey,
  type TallyPoint,
  type VoteRecord,
} from '../records.ts';
import { knownPlaceIn } from './recordQueries.ts';

/** The name of the count of each option, by the number of `cosmos.group.v1.VoteOption`. */
const counts: readonly (keyof RecordedTally | undefined)[] = [
  undefined,
  'yesCount',
  'abstainCount',
  'noCount',
  'noWithVetoCount',
];

interface EqualVotes extends Pick<VoteRecord, 'option' | 'weight'> {
  readonly votes: bigint;
}

/** The tally of no votes. */
export const emptyTally: RecordedTally = { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' };

/** The tally with one more vote. A vote without a weight or with an unknown option does not count. */
function withVote(tally: RecordedTally, { option, weight }: Pick<VoteRecord, 'option' | 'weight'>): RecordedTally {
  const count = counts[option];
  if (count === undefined || weight === null || !isDecimal(weight)) return tally;
  return { ...tally, [count]: decimalText(decimal(tally[count]).plus(decimal(weight))) };
}

/** The sum of the weights of the votes by option. A vote without a weight or with an unknown option does not count. */
export function tallyOf(votes: readonly Pick<VoteRecord, 'option' | 'weight'>[]): RecordedTally {
  const sums = new Map<keyof RecordedTally, Decimal>();
  for (const { option, weight } of votes) {
    const count = counts[option];
    if (count !== undefined && weight !== null && isDecimal(weight))
      sums.set(count, (sums.get(count) ?? decimal('0')).plus(decimal(weight)));
  }
  return { ...emptyTally, ...Object.fromEntries([...sums].map(([count, sum]) => [count, decimalText(sum)])) };
}

function tallyOfWeights(groups: readonly EqualVotes[]): RecordedTally {
  return tallyOf(
    groups.map(({ option, weight, votes }) => ({
      option,
      weight: weight === null || !isDecimal(weight) ? null : decimalText(decimal(weight).times(decimal(votes.toString()))),
    })),
  );
}

/** The tally after each vote, from votes that are added in the order in which they were cast. */
export function createTallyHistory() {
  let tally = emptyTally;
  const points: TallyPoint[] = [];
  return {
    add(votes: readonly VoteRecord[]): void {
      for (const vote of votes) {
        tally = withVote(tally, vote);
        points.push({ at: vote.at, tally });
      }
    },
    /**
     * At most `most` points, thinned evenly, with the first and the last one. If the chain has counted votes whose voters are not known, the last point is
     * the close with the final tally.
     */
    points({ close, hasUnknownVotes }: Pick<ProposalRecord, 'close' | 'hasUnknownVotes'>, most: number): readonly TallyPoint[] {
      const isLastClose = hasUnknownVotes && close?.tally != null && close.at.time !== null;
      const all = isLastClose ? [...points, { at: close.at, tally: close.tally }] : points;
      if (all.length <= most) return all;
      const step = (all.length - 1) / (most - 1);
      return Array.from({ length: most }, (_, index) => all[Math.round(index * step)] ?? []).flat();
    },
  };
}

const origins: readonly RecordedOrigin[] = ['MESSAGE', 'PROPOSER', 'AUTHORIZATION', 'PROPOSAL', 'OTHER'];

/** What a list of votes or electors is read from: at most `limit` items after a key, or after `offset` items. */
export interface ListPage {
  readonly limit: number;
  readonly after: Uint8Array | undefined;
  readonly reverse: boolean;
  readonly offset?: bigint | undefined;
}

const voteColumns = sql`b.proposal_id, b.voter, b.height, b.ord, b.time, b.hash, b.option, b.metadata, b.origin`;

/** The vote in a row with {@link voteColumns} and the weight. */
export function voteIn(row: Row): VoteRecord {
  return {
    proposalId: integerAt(row, 'proposal_id'),
    voter: textAt(row, 'voter'),
    option: numberAt(row, 'option'),
    metadata: textAt(row, 'metadata'),
    at: knownPlaceIn(row),
    origin: oneOf(row, 'origin', origins),
    weight: textOrNull(row, 'weight'),
  };
}

export function electorIn(row: Row): Elector {
  const vote = row.voter === null ? null : voteIn(row);
  return { address: textAt(row, 'address'), weight: textAt(row, 'weight'), vote };
}

/** The condition that an item comes after a key of its list. */
function past(columns: Sql, { after, reverse }: ListPage, values: (key: Uint8Array) => Sql | null): readonly Sql[] {
  if (after === undefined) return [];
  const key = values(after);
  // A key that is none of this list has nothing after it.
  if (key === null) return [sql`1 = 0`];
  return [reverse ? sql`${columns} < ${key}` : sql`${columns} > ${key}`];
}

function ordered(columns: readonly Sql[], isAscending: boolean): Sql {
  return joinSql(
    columns.map((column) => (isAscending ? sql`${column} ASC` : sql`${column} DESC`)),
    ', ',
  );
}

const limitOf = ({ limit, offset = 0n }: ListPage): Sql => sql`LIMIT ${BigInt(limit)} OFFSET ${offset}`;

const memberOf = (
  { groupId, electorateVersion }: ProposalRecord,
  address: Sql,
): Sql => sql`(SELECT m.weight FROM group_versions g
  JOIN members m ON m.member_set = g.member_set AND m.address = ${address}
  WHERE g.group_id = CAST(${groupId} AS BIGINT) AND g.version = CAST(${electorateVersion} AS BIGINT))`;

/** A page of the votes of a record, in the order in which they were cast. */
export function votesQuery(record: ProposalRecord, page: ListPage): Sql {
  const after = past(sql`(b.time, b.ord, b.voter)`, page, (bytes) => {
    const key = readVoteKey(bytes);
    return key && sql`(${key.time}, ${key.order}, ${key.voter})`;
  });
  return sql`SELECT ${voteColumns}, ${memberOf(record, sql`b.voter`)} AS weight FROM votes b
    WHERE ${allOf([sql`b.proposal_id = ${record.id}`, sql`b.seen <= ${record.asOf}`, ...after])}
    ORDER BY ${ordered([sql`b.time`, sql`b.ord`, sql`b.voter`], !page.reverse)} ${limitOf(page)}`;
}

/**
 * How many votes on a record have each option and weight, with the time of the newest one. With `after`, only votes with a later time. A vote of somebody who is
 * no member has no weight and is left out. The weights are added up by the caller, because SQLite has no decimals.
 */
function weightsQuery({ id, asOf, groupId, electorateVersion }: ProposalRecord, after: bigint | null): Sql {
  const later = after === null ? [] : [sql`b.time > ${after}`];
  return sql`SELECT b.option, m.weight, count(*) AS votes, max(b.time) AS newest FROM group_versions g
    JOIN votes b ON ${allOf([sql`b.proposal_id = ${id}`, sql`b.seen <= ${asOf}`, ...later])}
    JOIN members m ON m.member_set = g.member_set AND m.address = b.voter
    WHERE g.group_id = CAST(${groupId} AS BIGINT) AND g.version = CAST(${electorateVersion} AS BIGINT) GROUP BY b.option, m.weight`;
}

function weightIn(row: Row): EqualVotes {
  return { option: numberAt(row, 'option'), weight: textAt(row, 'weight'), votes: integerAt(row, 'votes') };
}

/** The vote of an account on a record. */
export function voteQuery(record: ProposalRecord, voter: string): Sql {
  return sql`SELECT ${voteColumns}, ${memberOf(record, sql`b.voter`)} AS weight FROM votes b
    WHERE b.proposal_id = ${record.id} AND b.voter = ${voter} AND b.seen <= ${record.asOf}`;
}

/** All votes on a proposal as of a height, in the order in which they were cast, without weights. */
export function recordedVotesQuery(id: bigint, asOf: bigint): Sql {
  return sql`SELECT ${voteColumns}, NULL AS weight FROM votes b WHERE b.proposal_id = ${id} AND b.seen <= ${asOf} ORDER BY b.time, b.ord, b.voter`;
}

export function voteCountQuery({ id, asOf }: ProposalRecord): Sql {
  return sql`SELECT count(*) AS total FROM votes WHERE proposal_id = ${id} AND seen <= ${asOf}`;
}

/**
 * The electorate of a record: the members of its group at the version at which the proposal closed, or the newest one while it is open
 * (`electorateVersion`), as src/modules/group/recorder/groups.ts recorded them. Those without a vote are the non-voters, `voted` false. There are none if
 * voters are unknown, or if the proposal was submitted and closed in one step.
 */
function electorsFrom(
  { id, asOf, groupId, electorateVersion, hasUnknownVotes, submitted, close }: ProposalRecord,
  voted: boolean | undefined,
  more: readonly Sql[],
): Sql {
  const isOneStep = submitted !== null && submitted.height === close?.at.height && submitted.hash === close.at.hash;
  // Any of the others may have cast a vote whose voter is not known, or none of them could vote: see `couldMiss` in recordQueries.ts.
  const nobodyMissed = voted === false && (hasUnknownVotes || isOneStep);
  const conditions = [
    ...(nobodyMissed ? [sql`1 = 0`] : []),
    sql`g.group_id = CAST(${groupId} AS BIGINT)`,
    sql`g.version = CAST(${electorateVersion} AS BIGINT)`,
    ...(voted === undefined ? [] : [voted ? sql`b.voter IS NOT NULL` : sql`b.voter IS NULL`]),
    ...more,
  ];
  return sql`FROM group_versions g JOIN members m ON m.member_set = g.member_set
    LEFT JOIN votes b ON b.proposal_id = ${id} AND b.voter = m.address AND b.seen <= ${asOf} WHERE ${allOf(conditions)}`;
}

/** A page of the electorate of a record, by address. The rows have the record's id, because a vote may be absent. */
export function electorsQuery(record: ProposalRecord, voted: boolean | undefined, page: ListPage): Sql {
  const after = past(sql`m.address`, page, (key) => sql`${readElectorKey(key)}`);
  return sql`SELECT CAST(${record.id} AS BIGINT) AS record_id, m.address, m.weight, ${voteColumns} ${electorsFrom(record, voted, after)}
    ORDER BY ${ordered([sql`m.address`], !page.reverse)} ${limitOf(page)}`;
}

export function electorCountQuery(record: ProposalRecord, voted: boolean | undefined): Sql {
  return sql`SELECT count(*) AS total ${electorsFrom(record, voted, [])}`;
}

/** A page of the votes of an account as of a height, newest first, each with its weight. */
export function accountVotesQuery(address: string, asOf: bigint, page: ListPage): Sql {
  // The list is in descending order by itself.
  const opposite = { ...page, reverse: !page.reverse };
  const after = past(sql`(b.time, b.ord, b.proposal_id)`, opposite, (bytes) => {
    const key = readVoteKey(bytes);
    return key && sql`(${key.time}, ${key.order}, ${key.proposalId})`;
  });
  return sql`SELECT ${voteColumns}, (SELECT m.weight FROM proposals p
      LEFT JOIN closes c ON c.proposal_id = p.id AND c.seen <= ${asOf}
      LEFT JOIN prunes d ON d.proposal_id = p.id AND d.seen <= ${asOf}
      JOIN group_versions g ON g.group_id = p.group_id AND g.version = CASE WHEN c.proposal_id IS NOT NULL THEN c.group_version
        WHEN d.proposal_id IS NULL THEN (SELECT max(version) FROM group_versions h WHERE h.group_id = p.group_id AND h.seen <= ${asOf}) END
      JOIN members m ON m.member_set = g.member_set AND m.address = b.voter
      WHERE p.id = b.proposal_id) AS weight
    FROM votes b WHERE ${allOf([sql`b.voter = ${address}`, sql`b.seen <= ${asOf}`, ...after])}
    ORDER BY ${ordered([sql`b.time`, sql`b.ord`, sql`b.proposal_id`], page.reverse)} ${limitOf(page)}`;
}

export function accountVoteCountQuery(address: string, asOf: bigint): Sql {
  return sql`SELECT count(*) AS total FROM votes WHERE voter = ${address} AND seen <= ${asOf}`;
}

/** Open proposals whose sums are kept. */
const keptTallies = 5_000;

interface Running {
  readonly asOf: bigint;
  readonly votes: readonly EqualVotes[];
  /** Time of the newest vote that is counted; null if there is none. Votes of later blocks have a later time. */
  readonly newest: bigint | null;
}

type Run = (query: Sql) => Promise<readonly Row[]>;

type OpenTally = (record: ProposalRecord, generation: bigint) => Promise<RecordedTally>;

function withoutRepeats(votes: readonly EqualVotes[]): readonly EqualVotes[] {
  const byKey = new Map<string, EqualVotes>();
  for (const one of votes) {
    const key = `${one.option} ${one.weight}`;
    byKey.set(key, { ...one, votes: one.votes + (byKey.get(key)?.votes ?? 0n) });
  }
  return [...byKey.values()];
}

async function count(run: Run, record: ProposalRecord, before: Running | undefined): Promise<Running> {
  const rows = await run(weightsQuery(record, before?.newest ?? null));
  const newest = rows
    .map((row) => integerAt(row, 'newest'))
    .reduce((one, other) => (one > other ? one : other), before?.newest ?? 0n);
  return {
    asOf: record.asOf,
    votes: withoutRepeats([...(before?.votes ?? []), ...rows.map(weightIn)]),
    newest: newest === 0n ? null : newest,
  };
}

/**
 * Keeps running sums of the votes on open proposals: a later height reads only the votes since then. All votes are read again when the group or the recorded
 * past changes, once for all callers. `shared` reads for all callers, and the argument of the result for one of them, at a height below that of the sums.
 */
export function createOpenTallies(shared: Run): (runForCaller: Run) => OpenTally {
  const runningSums = new LRUCache<string, Promise<Running>>({ max: keptTallies });

  async function running(runForCaller: Run, record: ProposalRecord, generation: bigint): Promise<Running> {
    const key = `${record.id} ${record.groupId} ${record.electorateVersion} ${generation}`;
    for (;;) {
      const last = runningSums.get(key);
      const before = await last?.catch(() => undefined);
      if (before?.asOf === record.asOf) return before;
      if (before !== undefined && before.asOf > record.asOf) return count(runForCaller, record, undefined);
      // Another caller may have begun meanwhile.
      if (runningSums.get(key) !== last) continue;
      const next = count(shared, record, before);
      runningSums.set(key, next);
      next.catch(() => runningSums.get(key) === next && runningSums.delete(key));
      return next;
    }
  }

  return (runForCaller) => async (record, generation) =>
    tallyOfWeights((await running(runForCaller, record, generation)).votes);
}
