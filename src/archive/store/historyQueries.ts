import type { Row } from '../database/connection.ts';
import { integerAt, numberAt, oneOf, textAt, textOrNull } from '../database/row.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { ChangeRecord, ExecutionRecord, ParticipationRecord, ProposalRecord } from '../records.ts';
import { placeIn, uncertainPlaceIn } from './decode.ts';
import { couldMiss } from './recordQuery.ts';

/** The attempts to execute a record, oldest first. */
export function executionsQuery({ id, asOf }: ProposalRecord): Sql {
  return sql`SELECT proposal_id, height, ord, time, hash, executor, result, logs FROM executions
    WHERE proposal_id = ${id} AND seen <= ${asOf} ORDER BY seen, ord`;
}

/** The execution in a row of {@link executionsQuery}. */
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

/** The change in a row of {@link changesQuery}. */
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

/** The member in a row of {@link participationQuery}. */
export function participationIn(row: Row): ParticipationRecord {
  return { address: textAt(row, 'address'), eligible: numberAt(row, 'eligible'), voted: numberAt(row, 'voted') };
}
