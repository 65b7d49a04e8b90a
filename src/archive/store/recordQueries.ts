import {
  allOf,
  integerAt,
  integerOrNull,
  joinSql,
  largestInteger,
  listOf,
  numberAt,
  oneOf,
  type Row,
  type Sql,
  sql,
  storable,
  textAt,
  textOrNull,
} from '../database/database.ts';
import type { KnownPlace, Place, ProposalFact, RecordedAny, RecordedTally, UncertainPlace } from '../facts.ts';
import type {
  ChangeRecord,
  ExecutionRecord,
  ParticipationRecord,
  ProposalRecord,
  ProposalRecordFilter,
  RecordedClose,
} from '../records.ts';
import type { Coverage } from './ranges.ts';
import { type Outcomes, outcomesOf } from './storeFacts.ts';

export function listIn(text: string): readonly unknown[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new TypeError('a list in the archive is not a list');
  return list;
}

function textsIn(text: string): readonly string[] {
  return listIn(text).map(String);
}

/** The protobuf `Any` of a stored text. */
export function anyIn(text: string): RecordedAny {
  const [type = '', value = ''] = textsIn(text);
  return { type, value: new Uint8Array(Buffer.from(value, 'base64')) };
}

/** The tally of a stored text; null if there is none. */
export function tallyIn(text: string | null): RecordedTally | null {
  if (text === null) return null;
  const [yesCount = '0', abstainCount = '0', noCount = '0', noWithVetoCount = '0'] = textsIn(text);
  return { yesCount, abstainCount, noCount, noWithVetoCount };
}

/** The place in the columns `height`, `ord`, `time` and `hash` with a prefix; null if the height is. */
export function placeIn(row: Row, prefix = ''): Place | null {
  const height = integerOrNull(row, `${prefix}height`);
  if (height === null) return null;
  return {
    height,
    order: numberAt(row, `${prefix}ord`),
    time: integerAt(row, `${prefix}time`),
    hash: textOrNull(row, `${prefix}hash`),
  };
}

/** As {@link placeIn}, where at least the time is known. */
export function knownPlaceIn(row: Row, prefix = ''): KnownPlace {
  return placeIn(row, prefix) ?? { height: null, time: integerAt(row, `${prefix}time`) };
}

/** As {@link placeIn}, where nothing may be known. */
export function uncertainPlaceIn(row: Row, prefix = ''): UncertainPlace {
  const time = integerOrNull(row, `${prefix}time`);
  return time === null ? { height: null, time } : knownPlaceIn(row, prefix);
}

/** Number of `PROPOSAL_STATUS_SUBMITTED`. */
const submittedStatus = 1;

/** The values of `CloseFact.by`, and the empty text for null. */
const closings = ['DECIDED', 'VOTING_ENDED', 'WITHDRAWN', 'ABORTED', ''] as const;

/** The last result of an execution of the proposal `p` that ran, as of a height; `NOT_RUN` if none did. */
const executorResultOf = (asOf: bigint): Sql =>
  sql`COALESCE((SELECT result FROM executions x WHERE x.proposal_id = p.id AND x.seen <= ${asOf} AND x.result <> 1 ORDER BY x.seen DESC, x.ord DESC LIMIT 1), 1)`;

/** Whether votes on the proposal `p` were counted whose voters are not known, as of a height: 1 or 0. */
const hasUnknownVotes = (asOf: bigint): Sql =>
  sql`CASE WHEN EXISTS (SELECT 1 FROM unexplained u WHERE u.what = 'vote' AND u.proposal_id = p.id AND u.seen <= ${asOf}) THEN 1 ELSE 0 END`;

/**
 * Whether a member can have missed the vote on the proposal `p` with the close `c`: all voters are known, and the proposal was not submitted and closed in
 * one step, by one transaction or by the block itself, so that nobody else could vote.
 */
const couldMiss = (asOf: bigint): Sql =>
  sql`NOT (p.height IS NOT NULL AND c.height IS NOT NULL AND p.height = c.height AND COALESCE(p.hash, '') = COALESCE(c.hash, ''))
    AND ${hasUnknownVotes(asOf)} = 0`;

/**
 * The records of the proposals that `ids` selects as its column `id`, as of a height. The versions of the policy and of the group are those of the
 * close, or the newest ones while the proposal is open.
 */
export function recordsQuery(ids: Sql, asOf: bigint): Sql {
  return sql`SELECT p.*, ${executorResultOf(asOf)} AS executor_result,
    c.proposal_id AS closed_id, c.height AS c_height, c.ord AS c_ord, c.time AS c_time, c.hash AS c_hash, c.closing, c.account AS c_account,
    c.status AS c_status, c.tally, c.computed, c.disagrees, c.total_weight AS c_total_weight,
    d.proposal_id AS pruned_id, d.height AS d_height, d.ord AS d_ord, d.time AS d_time, d.hash AS d_hash, d.status AS d_status,
    v.policy, g.version AS electorate_version, g.total_weight, g.member_set, ${hasUnknownVotes(asOf)} AS has_unknown_votes
  FROM (${ids}) i JOIN proposals p ON p.id = i.id AND p.seen <= ${asOf}
  LEFT JOIN closes c ON c.proposal_id = p.id AND c.seen <= ${asOf}
  LEFT JOIN prunes d ON d.proposal_id = p.id AND d.seen <= ${asOf}
  LEFT JOIN policy_versions v ON v.address = p.policy_address AND v.version = CASE WHEN c.proposal_id IS NULL
    THEN (SELECT max(version) FROM policy_versions w WHERE w.address = p.policy_address AND w.seen <= ${asOf}) ELSE c.policy_version END
  LEFT JOIN group_versions g ON g.group_id = p.group_id AND g.version = CASE WHEN c.proposal_id IS NULL
    THEN (SELECT max(version) FROM group_versions h WHERE h.group_id = p.group_id AND h.seen <= ${asOf}) ELSE c.group_version END`;
}

function closeIn(row: Row): RecordedClose | null {
  if (row.closed_id === null) return null;
  return {
    at: uncertainPlaceIn(row, 'c_'),
    by: oneOf(row, 'closing', closings) || null,
    account: textOrNull(row, 'c_account'),
    status: numberAt(row, 'c_status'),
    tally: tallyIn(textOrNull(row, 'tally')),
    computed: tallyIn(textOrNull(row, 'computed')),
  };
}

/** The columns of a row of `proposals` that never change. */
export function proposalIn(row: Row): Omit<ProposalFact, 'kind'> {
  return {
    id: integerAt(row, 'id'),
    groupPolicyAddress: textAt(row, 'policy_address'),
    groupId: integerOrNull(row, 'group_id'),
    groupVersion: integerOrNull(row, 'group_version'),
    groupPolicyVersion: integerOrNull(row, 'policy_version'),
    title: textAt(row, 'title'),
    summary: textAt(row, 'summary'),
    metadata: textAt(row, 'metadata'),
    messages: textsIn(textAt(row, 'messages')).map(anyIn),
    proposers: textsIn(textAt(row, 'proposers')),
    submitTime: integerAt(row, 'submit_time'),
    votingPeriodEnd: BigInt(textAt(row, 'voting_end')),
    submitted: placeIn(row),
  };
}

/** The record in a row of {@link recordsQuery}. */
export function recordIn(row: Row, asOf: bigint, { ranges }: Coverage): ProposalRecord {
  const proposal = proposalIn(row);
  const { submitted } = proposal;
  const close = closeIn(row);
  const isDeleted = row.pruned_id !== null;
  const pruned = placeIn(row, 'd_');
  // Of a deleted proposal that has no close, what applied to its tally is not known.
  const isOpen = close === null && !isDeleted;
  const applies = isOpen || close !== null;
  const hasElectorate = applies && row.member_set !== null;
  const unknownVotes = integerAt(row, 'has_unknown_votes') === 1n;
  const end = pruned?.height ?? asOf;
  const policy = textOrNull(row, 'policy');
  const isCovered = submitted !== null && ranges.some(({ base, to }) => base < submitted.height && end <= to);
  const prunedStatus = integerOrNull(row, 'd_status');
  return {
    asOf,
    ...proposal,
    status: prunedStatus === null ? (close?.status ?? submittedStatus) : Number(prunedStatus),
    executorResult: numberAt(row, 'executor_result'),
    close,
    pruned,
    isLost: isDeleted && pruned === null,
    decisionPolicy: !applies || policy === null ? null : anyIn(policy),
    totalWeight: hasElectorate ? (textOrNull(row, 'c_total_weight') ?? textOrNull(row, 'total_weight')) : null,
    electorateVersion: hasElectorate ? integerOrNull(row, 'electorate_version') : null,
    isSingleTransaction:
      submitted !== null && pruned !== null && submitted.height === pruned.height && submitted.hash === pruned.hash,
    hasUnknownVotes: unknownVotes,
    agrees: close === null || close.tally === null || close.computed === null ? null : integerAt(row, 'disagrees') === 0n,
    isComplete: isCovered && !unknownVotes && !(isDeleted && pruned === null),
  };
}

/** The attempts to execute a record, oldest first. */
export function executionsQuery({ id, asOf }: ProposalRecord): Sql {
  return sql`SELECT proposal_id, height, ord, time, hash, executor, result, logs FROM executions
    WHERE proposal_id = ${id} AND seen <= ${asOf} ORDER BY seen, ord`;
}

export function executionIn(row: Row): ExecutionRecord {
  return {
    proposalId: integerAt(row, 'proposal_id'),
    at: uncertainPlaceIn(row),
    executor: textOrNull(row, 'executor'),
    result: numberAt(row, 'result'),
    logs: textAt(row, 'logs'),
  };
}

/** Follows every order within a block. */
const afterBlock = 1n << 40n;

/** The changes of the group and the policy after the submission and up to the close, oldest first. */
export function changesQuery({ id, asOf, groupId, groupPolicyAddress, submitTime, submitted, close }: ProposalRecord): Sql {
  const from = sql`(${submitTime}, ${submitted === null ? afterBlock : BigInt(submitted.order)})`;
  const at = close?.at;
  // A close that is not known lies before the recorded range, and all changes that are known after it.
  const until =
    at === undefined
      ? sql``
      : at.time === null
        ? sql`AND 1 = 0`
        : sql`AND (time, ord) <= (${at.time}, ${at.height === null ? afterBlock : BigInt(at.order)})`;
  const life = sql`height IS NOT NULL AND seen <= ${asOf} AND (time, ord) > ${from} ${until}`;
  const columns = sql`CAST(${id} AS BIGINT) AS record_id, height, ord, time, hash, change, account, version`;
  return sql`SELECT 'group' AS kind, ${columns} FROM group_versions WHERE group_id = CAST(${groupId} AS BIGINT) AND ${life}
    UNION ALL SELECT 'policy' AS kind, ${columns} FROM policy_versions WHERE address = ${groupPolicyAddress} AND ${life}
    ORDER BY time, ord, kind, version`;
}

const changeKinds = ['created', 'members', 'admin', 'metadata', 'left', 'decisionPolicy', 'other'] as const;

export function changeIn(row: Row): ChangeRecord {
  const at = placeIn(row);
  if (at === null) throw new TypeError('a change in the archive has no place');
  return {
    kind: oneOf(row, 'kind', ['group', 'policy']),
    at,
    change: oneOf(row, 'change', changeKinds),
    account: textOrNull(row, 'account'),
    version: integerAt(row, 'version'),
  };
}

/**
 * How often present members of a group have voted on its last closed proposals, by address: `size` members after an address. A proposal that a member did not vote on counts only if the
 * member could have missed it.
 */
export function participationQuery(
  groupId: bigint,
  last: number,
  asOf: bigint,
  { after = '', size }: { readonly after: string | undefined; readonly size: number },
): Sql {
  return sql`WITH ballots AS (
      SELECT p.id, g.member_set, CASE WHEN ${couldMiss(asOf)} THEN 1 ELSE 0 END AS missable FROM proposals p JOIN closes c ON c.proposal_id = p.id
        JOIN group_versions g ON g.group_id = p.group_id AND g.version = c.group_version AND g.member_set IS NOT NULL
        WHERE p.group_id = ${groupId} AND p.seen <= ${asOf} AND p.closed <= ${asOf} ORDER BY p.closed DESC, p.id DESC LIMIT ${BigInt(last)}),
    present AS (SELECT member_set FROM group_versions WHERE group_id = ${groupId} AND seen <= ${asOf} ORDER BY version DESC LIMIT 1)
    SELECT m.address, count(CASE WHEN b.missable = 1 OR v.voter IS NOT NULL THEN e.address END) AS eligible, count(v.voter) AS voted FROM present n JOIN members m ON m.member_set = n.member_set
      LEFT JOIN ballots b ON 1 = 1
      LEFT JOIN members e ON e.member_set = b.member_set AND e.address = m.address
      LEFT JOIN votes v ON v.proposal_id = b.id AND v.voter = e.address AND v.seen <= ${asOf}
      WHERE m.address > ${after} GROUP BY m.address ORDER BY m.address LIMIT ${BigInt(size)}`;
}

export function participationIn(row: Row): ParticipationRecord {
  return { address: textAt(row, 'address'), eligible: numberAt(row, 'eligible'), voted: numberAt(row, 'voted') };
}

/** Accounts in more groups than this are searched through all proposals. */
const groupsMax = 100;

/** The last status of the proposal `p`: the one it was deleted with, else that of its close, else SUBMITTED. */
const statusOf = (asOf: bigint): Sql =>
  sql`COALESCE((SELECT status FROM prunes s WHERE s.proposal_id = p.id AND s.seen <= ${asOf}), (SELECT status FROM closes t WHERE t.proposal_id = p.id AND t.seen <= ${asOf}), 1)`;

function conditionsOf(filter: ProposalRecordFilter, asOf: bigint): readonly Sql[] {
  const { groupId, groupPolicyAddress, groupPolicyAddresses, proposer, voter, missedBy, closed } = filter;
  const { status, executorResult, messageType } = filter;
  const conditions = [sql`p.seen <= ${asOf}`];
  if (groupId !== undefined) conditions.push(sql`p.group_id = ${storable(groupId)}`);
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
  const upper = [
    sql`COALESCE((SELECT id - 1 FROM proposals WHERE height > ${asOf} ORDER BY height, id LIMIT 1), ${largestInteger})`,
  ];
  const lower: Sql[] = [];
  // The plus keeps the databases from searching by the time itself and then sorting.
  const times: Sql[] = [];
  if (page?.after !== undefined) {
    if (page.reverse) lower.push(sql`${storable(page.after + 1n)}`);
    else upper.push(sql`${storable(page.after - 1n)}`);
  }
  if (submittedFrom !== undefined) {
    const from = storable(submittedFrom);
    times.push(sql`+p.submit_time >= ${from}`);
    lower.push(
      sql`COALESCE((SELECT id FROM proposals WHERE submit_time >= ${from} ORDER BY submit_time, id LIMIT 1), ${largestInteger})`,
    );
  }
  if (submittedTo !== undefined) {
    const to = storable(submittedTo);
    times.push(sql`+p.submit_time <= ${to}`);
    upper.push(
      sql`COALESCE((SELECT id FROM proposals WHERE submit_time <= ${to} ORDER BY submit_time DESC, id DESC LIMIT 1), ${-largestInteger})`,
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
  if (groupId !== undefined) return within('group_id', storable(groupId));
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
