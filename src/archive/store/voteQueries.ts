import type { Row } from '../database/connection.ts';
import { integerAt, numberAt, oneOf, textAt, textOrNull } from '../database/row.ts';
import { allOf, joined, type Sql, sql } from '../database/sql.ts';
import type { RecordedOrigin } from '../facts.ts';
import { readElectorKey, readVoteKey } from '../keys.ts';
import type { Elector, ProposalRecord, VoteRecord } from '../records.ts';
import type { EqualVotes } from '../tallies.ts';
import { knownPlaceIn } from './decode.ts';

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

/** The elector in a row of {@link electorsQuery}. */
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
  return joined(
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
export function weightsQuery({ id, asOf, groupId, electorateVersion }: ProposalRecord, after: bigint | null): Sql {
  const later = after === null ? [] : [sql`b.time > ${after}`];
  return sql`SELECT b.option, m.weight, count(*) AS votes, max(b.time) AS newest FROM group_versions g
    JOIN votes b ON ${allOf([sql`b.proposal_id = ${id}`, sql`b.seen <= ${asOf}`, ...later])}
    JOIN members m ON m.member_set = g.member_set AND m.address = b.voter
    WHERE g.group_id = CAST(${groupId} AS BIGINT) AND g.version = CAST(${electorateVersion} AS BIGINT) GROUP BY b.option, m.weight`;
}

/** The votes in a row of {@link weightsQuery}. */
export function weightIn(row: Row): EqualVotes {
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

/** Counts the votes of a record. */
export function voteCountQuery({ id, asOf }: ProposalRecord): Sql {
  return sql`SELECT count(*) AS total FROM votes WHERE proposal_id = ${id} AND seen <= ${asOf}`;
}

function electorsFrom(
  { id, asOf, groupId, electorateVersion, hasUnknownVotes, submitted, close }: ProposalRecord,
  voted: boolean | undefined,
  more: readonly Sql[],
): Sql {
  const isOneStep = submitted !== null && submitted.height === close?.at.height && submitted.hash === close.at.hash;
  // Any of the others may have cast a vote whose voter is not known, or none of them could vote: see `couldMiss`.
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

/** Counts the electorate of a record. */
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

/** Counts the votes of an account. */
export function accountVoteCountQuery(address: string, asOf: bigint): Sql {
  return sql`SELECT count(*) AS total FROM votes WHERE voter = ${address} AND seen <= ${asOf}`;
}
