import type { Coverage } from '../coverage.ts';
import type { Row } from '../database/connection.ts';
import { integerAt, integerOrNull, numberAt, oneOf, textAt, textOrNull } from '../database/row.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { ProposalFact } from '../facts.ts';
import type { ProposalRecord, RecordedClose } from '../records.ts';
import { anyIn, placeIn, tallyIn, textsIn, uncertainPlaceIn } from './decode.ts';

/** Number of `PROPOSAL_STATUS_SUBMITTED`. */
const submittedStatus = 1;

/** The values of `CloseFact.by`, and the empty text for null. */
const closings = ['DECIDED', 'VOTING_ENDED', 'WITHDRAWN', 'ABORTED', ''] as const;

/** The last result of an execution of the proposal `p` that ran, as of a height; `NOT_RUN` if none did. */
export const executorResultOf = (asOf: bigint): Sql =>
  sql`COALESCE((SELECT result FROM executions x WHERE x.proposal_id = p.id AND x.seen <= ${asOf} AND x.result <> 1 ORDER BY x.seen DESC, x.ord DESC LIMIT 1), 1)`;

/** Whether votes on the proposal `p` were counted whose voters are not known, as of a height: 1 or 0. */
export const hasUnknownVotes = (asOf: bigint): Sql =>
  sql`CASE WHEN EXISTS (SELECT 1 FROM unexplained u WHERE u.what = 'vote' AND u.proposal_id = p.id AND u.seen <= ${asOf}) THEN 1 ELSE 0 END`;

/**
 * Whether a member can have missed the vote on the proposal `p` with the close `c`: all voters are known, and the proposal was not submitted and closed in
 * one step, by one transaction or by the block itself, so that nobody else could vote.
 */
export const couldMiss = (asOf: bigint): Sql =>
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
