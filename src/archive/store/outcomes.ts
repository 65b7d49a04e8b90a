import type { Connection, SqlValue } from '../database/connection.ts';
import type { ProposalRecordFilter } from '../records.ts';

/** Number of `PROPOSAL_STATUS_SUBMITTED`, `PROPOSAL_STATUS_ACCEPTED`, `PROPOSAL_EXECUTOR_RESULT_NOT_RUN` and `PROPOSAL_EXECUTOR_RESULT_SUCCESS`. */
const [submitted, accepted, notRun, success] = [1, 2, 1, 2];

/** The table `outcomes` has statuses by their number, and results of executions by theirs plus this. */
const resultBase = 100;

/** The outcomes that every proposal of a filter has had, and whether few proposals have one of them. */
export interface Outcomes {
  readonly values: readonly bigint[];
  /** Whether the filter also selects proposals that are open. */
  readonly withOpen: boolean;
  readonly areRare: boolean;
}

/**
 * The outcomes that a filter selects by: of its results if they are rare, else of its statuses, else of its results. Undefined if it has none, or
 * selects proposals that were never executed, which have no outcome in common.
 */
export function outcomesOf({ status, executorResult }: ProposalRecordFilter): Outcomes | undefined {
  const results = executorResult?.includes(notRun) ? undefined : executorResult;
  const areResultsRare = results !== undefined && !results.includes(success);
  if (results !== undefined && (areResultsRare || status === undefined)) {
    const values = [...new Set(results)].map((result) => BigInt(resultBase + result));
    return { values, withOpen: false, areRare: areResultsRare };
  }
  if (status === undefined) return undefined;
  const closed = new Set(status.filter((value) => value !== submitted));
  return { values: [...closed].map(BigInt), withOpen: status.includes(submitted), areRare: !closed.has(accepted) };
}

/**
 * Stores the outcomes of proposals from their closes, executions and deletions, within the caller's transaction. A row stays when a better fact replaces
 * the one that it came from, so a search checks what it finds.
 */
export async function storeOutcomes(connection: Connection, ids: readonly SqlValue[]): Promise<void> {
  const list = `(${ids.map(() => '?').join(', ')})`;
  await connection.run(
    `INSERT INTO outcomes (outcome, proposal_id, group_id, policy_address)
      SELECT o.outcome, p.id, p.group_id, p.policy_address FROM (
        SELECT proposal_id, status AS outcome FROM closes WHERE proposal_id IN ${list}
        UNION SELECT proposal_id, status FROM prunes WHERE proposal_id IN ${list} AND status IS NOT NULL
        UNION SELECT proposal_id, ${resultBase} + result FROM executions WHERE proposal_id IN ${list} AND result <> ${notRun}
      ) o JOIN proposals p ON p.id = o.proposal_id WHERE 1 = 1
      ON CONFLICT (outcome, proposal_id) DO UPDATE SET group_id = excluded.group_id`,
    [...ids, ...ids, ...ids],
  );
}
