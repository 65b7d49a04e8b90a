import { type Connection, integerAt, integerOrNull, listOf, type Row, type Sql, sql, textAt } from '../database/database.ts';
import type { ComparedRehearsal, KeptRehearsal } from '../rehearsals.ts';

/** Keeps the last rehearsal of a proposal, within the caller's transaction. One of an earlier block does not replace it. */
export async function storeRehearsal(
  connection: Connection,
  { proposalId, height, outcome, content }: KeptRehearsal,
): Promise<void> {
  await connection.run(
    `INSERT INTO rehearsals (proposal_id, height, outcome, content) VALUES (?, ?, ?, ?)
       ON CONFLICT (proposal_id) DO UPDATE SET height = excluded.height, outcome = excluded.outcome, content = excluded.content
       WHERE excluded.height >= rehearsals.height`,
    [proposalId, height, outcome, content],
  );
}

/** The result of the first execution of the proposal of rehearsal `r` that ran after it, as of a height; null if none did. 2 is success, 3 failure. */
const resultAfter = (asOf: Sql): Sql =>
  sql`(SELECT x.result FROM executions x WHERE x.proposal_id = r.proposal_id AND x.result <> 1 AND x.height > r.height AND x.seen <= ${asOf}
        ORDER BY x.seen, x.ord LIMIT 1)`;

/** Whether a rehearsal `r` agrees with that result: 1 or 0; null if there is none. */
const agreement = (asOf: Sql): Sql =>
  sql`CASE ${resultAfter(asOf)} WHEN 2 THEN (CASE r.outcome WHEN 'SUCCEEDS' THEN 1 ELSE 0 END)
        WHEN 3 THEN (CASE r.outcome WHEN 'FAILS' THEN 1 ELSE 0 END) END`;

/** The rehearsals of some proposals, as of a height. */
export const rehearsalsQuery = (proposalIds: readonly bigint[], asOf: bigint): Sql =>
  sql`SELECT r.proposal_id, r.height, r.outcome, r.content, ${agreement(sql`${asOf}`)} AS agreed FROM rehearsals r
    WHERE r.height <= ${asOf} AND r.proposal_id IN ${listOf(proposalIds)}`;

/** The rehearsal in a row of {@link rehearsalsQuery}. */
export function rehearsalIn(row: Row): ComparedRehearsal {
  const agreed = integerOrNull(row, 'agreed');
  return {
    proposalId: integerAt(row, 'proposal_id'),
    height: integerAt(row, 'height'),
    outcome: textAt(row, 'outcome'),
    content: textAt(row, 'content'),
    agreed: agreed === null ? null : agreed === 1n,
  };
}

/** The kept rehearsals whose proposals were executed later, and those that agreed with it. */
export const agreementQuery: Sql = sql`SELECT count(agreed) AS compared, COALESCE(sum(agreed), 0) AS agreed FROM
  (SELECT ${agreement(sql`9223372036854775807`)} AS agreed FROM rehearsals r) AS compared_rehearsals`;
