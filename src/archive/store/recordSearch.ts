import { allOf, joinSql, listOf, type Sql, sql } from '../database/database.ts';
import type { ProposalRecordFilter } from '../records.ts';
import { couldMiss, executorResultOf } from './recordQueries.ts';
import { type Outcomes, outcomesOf } from './storeFacts.ts';

/** Accounts in more groups than this are searched through all proposals. */
const groupsMax = 100;

/** The largest and the smallest integer of the databases. */
const largest = 9_223_372_036_854_775_807n;
const smallest = -largest;

const within = (value: bigint): bigint => (value > largest ? largest : value < smallest ? smallest : value);

/** The last status of the proposal `p`: the one it was deleted with, else that of its close, else SUBMITTED. */
const statusOf = (asOf: bigint): Sql =>
  sql`COALESCE((SELECT status FROM prunes s WHERE s.proposal_id = p.id AND s.seen <= ${asOf}), (SELECT status FROM closes t WHERE t.proposal_id = p.id AND t.seen <= ${asOf}), 1)`;

function conditionsOf(filter: ProposalRecordFilter, asOf: bigint): readonly Sql[] {
  const { groupId, groupPolicyAddress, groupPolicyAddresses, proposer, voter, missedBy, closed } = filter;
  const { status, executorResult, messageType } = filter;
  const conditions = [sql`p.seen <= ${asOf}`];
  if (groupId !== undefined) conditions.push(sql`p.group_id = ${groupId}`);
  if (groupPolicyAddress !== undefined) conditions.push(sql`p.policy_address = ${groupPolicyAddress}`);
  if (groupPolicyAddresses !== undefined) conditions.push(sql`p.policy_address IN ${listOf(groupPolicyAddresses)}`);
  if (closed !== undefined) {
    const ended = sql`(p.closed <= ${asOf} OR EXISTS (SELECT 1 FROM prunes r WHERE r.proposal_id = p.id AND r.seen <= ${asOf}))`;
    conditions.push(closed ? ended : sql`NOT ${ended}`);
  }
  if (proposer !== undefined)
    conditions.push(sql`EXISTS (SELECT 1 FROM proposers a WHERE a.address = ${proposer} AND a.proposal_id = p.id)`);
  if (voter !== undefined)
    conditions.push(
      sql`EXISTS (SELECT 1 FROM votes b WHERE b.proposal_id = p.id AND b.voter = ${voter} AND b.seen <= ${asOf})`,
    );
  if (missedBy !== undefined) {
    conditions.push(
      sql`EXISTS (SELECT 1 FROM closes c JOIN group_versions g ON g.group_id = p.group_id AND g.version = c.group_version
            JOIN members m ON m.member_set = g.member_set AND m.address = ${missedBy} WHERE c.proposal_id = p.id AND c.seen <= ${asOf} AND ${couldMiss(asOf)})`,
      sql`NOT EXISTS (SELECT 1 FROM votes e WHERE e.proposal_id = p.id AND e.voter = ${missedBy} AND e.seen <= ${asOf})`,
    );
  }
  if (status !== undefined) conditions.push(sql`${statusOf(asOf)} IN ${listOf(status.map(BigInt))}`);
  if (executorResult !== undefined) conditions.push(sql`${executorResultOf(asOf)} IN ${listOf(executorResult.map(BigInt))}`);
  if (messageType !== undefined)
    conditions.push(sql`EXISTS (SELECT 1 FROM message_types f WHERE f.type = ${messageType} AND f.proposal_id = p.id)`);
  return conditions;
}

/** The smallest or the largest of integers. */
function extremeOf(which: 'min' | 'max', bounds: readonly Sql[]): Sql {
  const rows = bounds.map((bound) => sql`SELECT CAST(${bound} AS BIGINT) AS bound`);
  return sql`(SELECT ${{ text: which, values: [] }}(bound) FROM (${joinSql(rows, ' UNION ALL ')}) AS bounds)`;
}

/**
 * Bounds of the id, one at each end at most, because SQLite starts from one and reads everything up to the other ones. Ids ascend in the order of
 * submission, so the first proposal that was submitted after the height, and the times of submission, bound them by a search in an index.
 */
function boundsOf(
  { submittedFrom, submittedTo }: ProposalRecordFilter,
  asOf: bigint,
  id: Sql,
  page: IdPage | undefined,
): readonly Sql[] {
  const upper = [sql`COALESCE((SELECT id - 1 FROM proposals WHERE height > ${asOf} ORDER BY height, id LIMIT 1), ${largest})`];
  const lower: Sql[] = [];
  // The plus keeps the databases from searching by the time itself and then sorting.
  const times: Sql[] = [];
  if (page?.after !== undefined) {
    if (page.reverse) lower.push(sql`${within(page.after + 1n)}`);
    else upper.push(sql`${within(page.after - 1n)}`);
  }
  if (submittedFrom !== undefined) {
    const from = within(submittedFrom);
    times.push(sql`+p.submit_time >= ${from}`);
    lower.push(
      sql`COALESCE((SELECT id FROM proposals WHERE submit_time >= ${from} ORDER BY submit_time, id LIMIT 1), ${largest})`,
    );
  }
  if (submittedTo !== undefined) {
    const to = within(submittedTo);
    times.push(sql`+p.submit_time <= ${to}`);
    upper.push(
      sql`COALESCE((SELECT id FROM proposals WHERE submit_time <= ${to} ORDER BY submit_time DESC, id DESC LIMIT 1), ${smallest})`,
    );
  }
  const above = lower.length === 0 ? [] : [sql`${id} >= ${extremeOf('max', lower)}`];
  return [sql`${id} <= ${extremeOf('min', upper)}`, ...above, ...times];
}

/** Where proposals are searched: the tables, the column with the id, and the condition that its index serves. */
interface Search {
  readonly from: Sql;
  readonly id: Sql;
  readonly where: Sql;
}

/** A search that starts from the rows `w` of another table. CROSS JOIN keeps SQLite from starting with the proposals. */
const fromTable = (table: Sql, where: Sql): Search => ({
  from: sql`${table} w CROSS JOIN proposals p`,
  id: sql`w.proposal_id`,
  where: sql`p.id = w.proposal_id AND ${where}`,
});

const fromProposals = (where: Sql): Search => ({ from: sql`proposals p`, id: sql`p.id`, where });

/** The open proposals as of a height. The plus keeps the databases from reading all proposals in the order of their ids. */
const fromOpen = (asOf: bigint, scope: Sql): Search => ({
  from: sql`proposals p`,
  id: sql`+p.id`,
  where: sql`p.closed > ${asOf} AND ${scope}`,
});

function searchesByOutcome(
  { values, withOpen }: Outcomes,
  asOf: bigint,
  column: 'group_id' | 'policy_address' | undefined,
  value: bigint | string | null,
): readonly Search[] {
  const scope = (table: 'p' | 'w'): Sql =>
    column === undefined ? sql`1 = 1` : sql`${{ text: `${table}.${column}`, values: [] }} = ${value}`;
  const closed = values.map((outcome) => fromTable(sql`outcomes`, sql`w.outcome = ${outcome} AND ${scope('w')}`));
  return withOpen ? [...closed, fromOpen(asOf, scope('p'))] : closed;
}

/** Conditions on the rows `w` of a table, which the databases check before they read a proposal. None if the filter selects open proposals. */
function outcomeConditions(outcomes: Outcomes | undefined): readonly Sql[] {
  if (outcomes === undefined || outcomes.withOpen) return [];
  return [
    sql`EXISTS (SELECT 1 FROM outcomes o WHERE o.outcome IN ${listOf(outcomes.values)} AND o.proposal_id = w.proposal_id)`,
  ];
}

/**
 * The searches that together find every proposal of a filter. The most selective condition that has an index comes first. `groups` are those of
 * `missedBy`.
 */
function searchesOf(filter: ProposalRecordFilter, groups: readonly bigint[] | undefined, asOf: bigint): readonly Search[] {
  const { voter, proposer, groupPolicyAddress, groupPolicyAddresses, groupId, messageType, closed } = filter;
  const outcomes = outcomesOf(filter);
  const listed = (table: Sql, where: Sql): readonly Search[] => [
    fromTable(table, allOf([where, ...outcomeConditions(outcomes)])),
  ];
  const within = (column: 'group_id' | 'policy_address', value: bigint | string): readonly Search[] =>
    outcomes === undefined
      ? [fromProposals(sql`${{ text: `p.${column}`, values: [] }} = ${value}`)]
      : searchesByOutcome(outcomes, asOf, column, value);
  if (voter !== undefined) return listed(sql`votes`, sql`w.voter = ${voter}`);
  if (proposer !== undefined) return listed(sql`proposers`, sql`w.address = ${proposer}`);
  if (groupPolicyAddress !== undefined) return within('policy_address', groupPolicyAddress);
  if (groupPolicyAddresses !== undefined) return groupPolicyAddresses.flatMap((policy) => within('policy_address', policy));
  if (groupId !== undefined) return within('group_id', groupId);
  if (groups !== undefined && groups.length <= groupsMax) {
    const searches = groups.flatMap((id) => within('group_id', id));
    return searches.length <= groupsMax ? searches : groups.map((id) => fromProposals(sql`p.group_id = ${id}`));
  }
  if (messageType !== undefined && outcomes?.areRare !== true) return listed(sql`message_types`, sql`w.type = ${messageType}`);
  if (outcomes !== undefined) return searchesByOutcome(outcomes, asOf, undefined, null);
  if (closed === false) return [fromOpen(asOf, sql`1 = 1`)];
  return [fromProposals(sql`1 = 1`)];
}

/** The ids of a page: at most `limit`, from after `after`, newest first or with `reverse` oldest first. Null if nothing can match. */
interface IdPage {
  readonly limit: number;
  readonly after: bigint | undefined;
  readonly reverse: boolean;
  /** The number of ids to skip. */
  readonly offset: bigint;
}

/** The groups whose members an account was in, for {@link pageIds} with `missedBy`. */
export function groupsQuery(address: string): Sql {
  return sql`SELECT DISTINCT g.group_id FROM members m JOIN group_versions g ON g.member_set = m.member_set WHERE m.address = ${address} LIMIT ${BigInt(groupsMax + 1)}`;
}

function idQueries(
  filter: ProposalRecordFilter,
  groups: readonly bigint[] | undefined,
  asOf: bigint,
  page?: IdPage,
): readonly Sql[] {
  const conditions = conditionsOf(filter, asOf);
  return searchesOf(filter, groups, asOf).map(({ from, id, where }) => {
    const bounds = boundsOf(filter, asOf, id, page);
    const ids = sql`SELECT DISTINCT ${id} AS id FROM ${from} WHERE ${allOf([where, ...bounds, ...conditions])}`;
    return page === undefined
      ? ids
      : sql`SELECT id FROM (${ids} ORDER BY 1 ${page.reverse ? sql`ASC` : sql`DESC`} LIMIT ${BigInt(page.limit) + page.offset}) AS found`;
  });
}

/** Selects the ids of a page as its column `id`. Null if nothing can match. */
export function pageIds(
  filter: ProposalRecordFilter,
  groups: readonly bigint[] | undefined,
  asOf: bigint,
  page: IdPage,
): Sql | null {
  const queries = idQueries(filter, groups, asOf, page);
  if (queries.length === 0) return null;
  const order = page.reverse ? sql`ASC` : sql`DESC`;
  return sql`SELECT id FROM (${joinSql(queries, ' UNION ')}) AS matching ORDER BY id ${order} LIMIT ${BigInt(page.limit)} OFFSET ${page.offset}`;
}

/** Counts the proposals of a filter. Null if nothing can match. */
export function countQuery(filter: ProposalRecordFilter, groups: readonly bigint[] | undefined, asOf: bigint): Sql | null {
  const queries = idQueries(filter, groups, asOf);
  return queries.length === 0 ? null : sql`SELECT count(*) AS total FROM (${joinSql(queries, ' UNION ')}) AS matching`;
}
