import {
  allOf,
  integerAt,
  integerOrNull,
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
import { type GovVoteFact, govDepositEnds, govSteps, type RecordedOption } from '../facts.ts';
import {
  type GovBallotRecord,
  type GovDepositRecord,
  type GovMissRecord,
  type GovProposalRecord,
  type GovRecordFilter,
  type GovRecordStatus,
  type GovStepRecord,
  type GovVoteRecord,
  readGovVoteKey,
} from '../govRecords.ts';
import type { Coverage } from './ranges.ts';
import { anyIn, listIn, placeIn, tallyIn, uncertainPlaceIn } from './recordQueries.ts';

/** The columns of pairs in a list that is stored as JSON. */
function pairsIn(text: string): readonly (readonly [unknown, unknown])[] {
  return listIn(text).map((item): readonly [unknown, unknown] => {
    if (!Array.isArray(item)) throw new TypeError('a list in the archive has no pairs');
    return [item[0], item[1]];
  });
}

const optionsIn = (text: string): readonly RecordedOption[] =>
  pairsIn(text).map(([option, weight]) => ({ option: Number(option), weight: String(weight) }));

const optionsOrNull = (row: Row): readonly RecordedOption[] | null => {
  const text = textOrNull(row, 'options');
  return text === null ? null : optionsIn(text);
};

/**
 * The votes on a proposal since it began, or since it became a regular one, as of a height: what the range of that height shows, which begins with the votes in
 * the state.
 */
export function openGovVotesQuery(id: bigint, asOf: bigint): Sql {
  return sql`SELECT * FROM gov_votes WHERE proposal_id = ${id} AND seen <= ${asOf}
    AND seen >= COALESCE((SELECT max(base) FROM ranges WHERE base <= ${asOf}), 0)
    AND seen > COALESCE((SELECT seen FROM gov_steps WHERE proposal_id = ${id} AND step = 'BECAME_REGULAR' AND height IS NOT NULL AND seen <= ${asOf}), -1)
    ORDER BY seen, ord, voter`;
}

/** The last vote of each account in rows of {@link openGovVotesQuery}. */
export function openGovVotesIn(rows: readonly Row[]): readonly GovVoteFact[] {
  const byVoter = new Map<string, GovVoteFact>();
  for (const row of rows) {
    const vote = govVoteFactIn(row);
    byVoter.set(vote.voter, vote);
  }
  return [...byVoter.values()];
}

function govVoteFactIn(row: Row): GovVoteFact {
  return {
    kind: 'govVote',
    proposalId: integerAt(row, 'proposal_id'),
    voter: textAt(row, 'voter'),
    options: optionsIn(textAt(row, 'options')),
    at: uncertainPlaceIn(row),
  };
}

/** The proposals that `ids` selects as its column `id`, as of a height. */
export function govRecordsQuery(ids: Sql, asOf: bigint): Sql {
  return sql`SELECT p.* FROM (${ids}) i JOIN gov_proposals p ON p.id = i.id AND p.seen <= ${asOf}`;
}

/** The steps of proposals as of a height. */
export function govStepsQuery(ids: readonly bigint[], asOf: bigint): Sql {
  return sql`SELECT * FROM gov_steps WHERE proposal_id IN ${listOf(ids)} AND seen <= ${asOf}`;
}

/** The steps that end a proposal, in SQL. */
const ends = sql`('PASSED', 'REJECTED', 'FAILED', 'CANCELLED', 'DROPPED')`;
const decisions = sql`('PASSED', 'REJECTED', 'FAILED')`;

function govStepIn(row: Row): GovStepRecord {
  const votingEnd = textOrNull(row, 'voting_end');
  return {
    proposalId: integerAt(row, 'proposal_id'),
    step: oneOf(row, 'step', govSteps),
    at: uncertainPlaceIn(row),
    account: textOrNull(row, 'account'),
    log: textAt(row, 'log'),
    votingStart: integerOrNull(row, 'voting_start'),
    votingEnd: votingEnd === null ? null : BigInt(votingEnd),
    deposits: row.deposits === null ? null : oneOf(row, 'deposits', govDepositEnds),
    tally: tallyIn(textOrNull(row, 'tally')),
    computed: tallyIn(textOrNull(row, 'computed')),
  };
}

const statusOf = ({ step }: GovStepRecord): GovRecordStatus =>
  step === 'VOTING_BEGAN' || step === 'BECAME_REGULAR' ? 'VOTING_PERIOD' : step;

/** The record in a row of {@link govRecordsQuery}, with the rows of its steps. */
export function govRecordIn(row: Row, stepRows: readonly Row[], asOf: bigint, { ranges }: Coverage): GovProposalRecord {
  const steps = stepRows.map(govStepIn).toSorted((one, other) => govSteps.indexOf(one.step) - govSteps.indexOf(other.step));
  const last = steps.at(-1);
  const status = last === undefined ? 'DEPOSIT_PERIOD' : statusOf(last);
  const end = last === undefined || status === 'VOTING_PERIOD' ? null : last;
  const submitted = placeIn(row);
  const depositEnd = textOrNull(row, 'deposit_end');
  const until = end === null ? asOf : end.at.height;
  return {
    asOf,
    id: integerAt(row, 'id'),
    proposer: textAt(row, 'proposer'),
    title: textAt(row, 'title'),
    summary: textAt(row, 'summary'),
    metadata: textAt(row, 'metadata'),
    messages: listIn(textAt(row, 'messages')).map((text) => anyIn(String(text))),
    expedited: integerAt(row, 'expedited') === 1n || steps.some(({ step }) => step === 'BECAME_REGULAR'),
    submitTime: integerAt(row, 'submit_time'),
    depositEndTime: depositEnd === null ? null : BigInt(depositEnd),
    submitted,
    status,
    steps,
    end,
    isComplete:
      submitted !== null &&
      until !== null &&
      depositEnd !== null &&
      ranges.some(({ base, to }) => base < submitted.height && until <= to),
  };
}

/** A part of a list: at most `limit` items from after `after`. */
export interface GovListPage {
  readonly limit: number;
  readonly after: Uint8Array | undefined;
  readonly reverse: boolean;
  readonly offset?: bigint | undefined;
}

function conditionsOf({ status, proposer, voter, depositor, missedBy }: GovRecordFilter, asOf: bigint): readonly Sql[] {
  const conditions = [sql`p.seen <= ${asOf}`];
  if (status !== undefined) {
    const steps = sql`SELECT 1 FROM gov_steps s WHERE s.proposal_id = p.id AND s.seen <= ${asOf}`;
    const stepOf = sql`COALESCE((SELECT s.step FROM gov_steps s WHERE s.proposal_id = p.id AND s.seen <= ${asOf} AND s.step IN ${ends}),
      CASE WHEN EXISTS (${steps}) THEN 'VOTING_PERIOD' ELSE 'DEPOSIT_PERIOD' END)`;
    conditions.push(sql`${stepOf} IN ${listOf(status)}`);
  }
  if (proposer !== undefined) conditions.push(sql`p.proposer = ${proposer}`);
  if (voter !== undefined)
    conditions.push(
      sql`EXISTS (SELECT 1 FROM gov_votes v WHERE v.proposal_id = p.id AND v.voter = ${voter} AND v.seen <= ${asOf})`,
    );
  if (depositor !== undefined)
    conditions.push(
      sql`EXISTS (SELECT 1 FROM gov_deposits d WHERE d.proposal_id = p.id AND d.depositor = ${depositor} AND d.seen <= ${asOf})`,
    );
  if (missedBy !== undefined)
    conditions.push(
      sql`EXISTS (SELECT 1 FROM gov_powers m JOIN gov_steps s ON s.proposal_id = m.proposal_id AND s.seen = m.seen AND s.step IN ${decisions}
        WHERE m.operator = ${missedBy} AND m.proposal_id = p.id AND m.options IS NULL AND m.seen <= ${asOf})`,
    );
  return conditions;
}

/** Selects the ids of a page as its column `id`. */
export function govPageIds(
  filter: GovRecordFilter,
  asOf: bigint,
  { limit, after, reverse, offset }: { limit: number; after: bigint | undefined; reverse: boolean; offset: bigint },
): Sql {
  const bound = after === undefined ? [] : [reverse ? sql`p.id > ${after}` : sql`p.id < ${storable(after)}`];
  const order = reverse ? sql`ASC` : sql`DESC`;
  return sql`SELECT p.id FROM gov_proposals p WHERE ${allOf([...conditionsOf(filter, asOf), ...bound])}
    ORDER BY p.id ${order} LIMIT ${BigInt(limit)} OFFSET ${offset}`;
}

export function govCountQuery(filter: GovRecordFilter, asOf: bigint): Sql {
  return sql`SELECT count(*) AS total FROM gov_proposals p WHERE ${allOf(conditionsOf(filter, asOf))}`;
}

/** Whether the row `v` is a vote in the state at the base of a range that an earlier row shows, too. */
const repeatsVote = sql`(v.height IS NULL AND v.options = COALESCE((SELECT e.options FROM gov_votes e WHERE e.proposal_id = v.proposal_id AND e.voter = v.voter
  AND e.seen < v.seen ORDER BY e.seen DESC, e.ord DESC LIMIT 1), ''))`;

/** Votes with their round and their power, in the order in which they were cast. `newestFirst` reverses the order that the list has by itself. */
function votesQuery(where: Sql, asOf: bigint, page: GovListPage, newestFirst: boolean): Sql {
  const { limit, after, reverse, offset = 0n } = page;
  const descends = newestFirst !== reverse;
  const key = after && readGovVoteKey(after);
  if (key === null) return sql`SELECT * FROM gov_votes WHERE 1 = 0`;
  const bound =
    key === undefined
      ? sql`1 = 1`
      : sql`(v.seen, v.ord, v.proposal_id, v.voter) ${descends ? sql`<` : sql`>`} (${key.seen}, ${key.order}, ${key.proposalId}, ${key.voter})`;
  const direction = descends ? sql`DESC` : sql`ASC`;
  return sql`SELECT v.*, CASE WHEN c.seen IS NOT NULL AND v.seen > c.seen THEN 2 ELSE 1 END AS round,
      CASE WHEN EXISTS (SELECT 1 FROM gov_votes w WHERE w.proposal_id = v.proposal_id AND w.voter = v.voter AND w.seen <= ${asOf}
        AND (w.seen, w.ord) > (v.seen, v.ord) AND (w.height IS NOT NULL OR w.options <> v.options) AND (c.seen IS NULL OR v.seen > c.seen OR w.seen <= c.seen)) THEN 1 ELSE 0 END AS replaced,
      q.operator, q.delegated, q.validator
    FROM gov_votes v
    LEFT JOIN gov_steps c ON c.proposal_id = v.proposal_id AND c.step = 'BECAME_REGULAR' AND c.height IS NOT NULL AND c.seen <= ${asOf}
    LEFT JOIN gov_powers q ON q.proposal_id = v.proposal_id AND q.address = v.voter AND q.options IS NOT NULL AND q.seen = (SELECT min(t.seen) FROM gov_steps t
      WHERE t.proposal_id = v.proposal_id AND t.computed IS NOT NULL AND t.seen >= v.seen AND t.seen <= ${asOf})
    WHERE ${where} AND v.seen <= ${asOf} AND NOT ${repeatsVote} AND ${bound}
    ORDER BY v.seen ${direction}, v.ord ${direction}, v.proposal_id ${direction}, v.voter ${direction} LIMIT ${BigInt(limit)} OFFSET ${offset}`;
}

export const govVotesQuery = ({ id, asOf }: GovProposalRecord, page: GovListPage): Sql =>
  votesQuery(sql`v.proposal_id = ${id}`, asOf, page, false);

/** The votes of an account on a proposal, the last one first. */
export const govVoteQuery = ({ id, asOf }: GovProposalRecord, voter: string): Sql =>
  votesQuery(sql`v.proposal_id = ${id} AND v.voter = ${voter}`, asOf, { limit: 1, after: undefined, reverse: false }, true);

export const govAccountVotesQuery = (voter: string, asOf: bigint, page: GovListPage): Sql =>
  votesQuery(sql`v.voter = ${voter}`, asOf, page, true);

export const govVoteCountQuery = ({ id, asOf }: GovProposalRecord): Sql =>
  sql`SELECT count(*) AS total FROM gov_votes v WHERE v.proposal_id = ${id} AND v.seen <= ${asOf} AND NOT ${repeatsVote}`;

export const govAccountVoteCountQuery = (voter: string, asOf: bigint): Sql =>
  sql`SELECT count(*) AS total FROM gov_votes v WHERE v.voter = ${voter} AND v.seen <= ${asOf} AND NOT ${repeatsVote}`;

export function govVoteIn(row: Row): GovVoteRecord {
  const { kind: _, ...vote } = govVoteFactIn(row);
  const isReplaced = integerAt(row, 'replaced') === 1n;
  return {
    ...vote,
    round: numberAt(row, 'round'),
    isReplaced,
    operator: textOrNull(row, 'operator'),
    delegated: isReplaced ? null : textOrNull(row, 'delegated'),
    validator: isReplaced ? null : textOrNull(row, 'validator'),
    seen: integerAt(row, 'seen'),
    order: integerAt(row, 'ord'),
  };
}

/** The deposits of proposals, in the order in which they were made. */
export const govDepositsQuery = (ids: readonly bigint[], asOf: bigint): Sql =>
  sql`SELECT * FROM gov_deposits d WHERE proposal_id IN ${listOf(ids)} AND seen <= ${asOf}
    AND NOT (height IS NULL AND EXISTS (SELECT 1 FROM gov_deposits e WHERE e.proposal_id = d.proposal_id AND e.depositor = d.depositor AND e.seen < d.seen))
    ORDER BY seen, ord, depositor`;

export function govDepositIn(row: Row): GovDepositRecord {
  return {
    proposalId: integerAt(row, 'proposal_id'),
    depositor: textAt(row, 'depositor'),
    amount: pairsIn(textAt(row, 'amount')).map(([denom, amount]) => ({ denom: String(denom), amount: String(amount) })),
    at: uncertainPlaceIn(row),
  };
}

/** The bonded validators that did not vote at the decision of proposals. */
export const govMissesQuery = (ids: readonly bigint[], asOf: bigint): Sql =>
  sql`SELECT m.proposal_id, m.operator, m.address FROM gov_powers m
    JOIN gov_steps s ON s.proposal_id = m.proposal_id AND s.seen = m.seen AND s.step IN ${decisions}
    WHERE m.proposal_id IN ${listOf(ids)} AND m.options IS NULL AND m.seen <= ${asOf} ORDER BY m.address`;

export function govMissIn(row: Row): GovMissRecord {
  return { proposalId: integerAt(row, 'proposal_id'), operator: textAt(row, 'operator'), address: textAt(row, 'address') };
}

/** How a validator voted on the last decided proposals that it could vote on, newest first. */
export const govBallotsQuery = (operator: string, last: number, asOf: bigint): Sql =>
  sql`SELECT m.proposal_id, m.options FROM gov_powers m JOIN gov_proposals p ON p.id = m.proposal_id
    JOIN gov_steps s ON s.proposal_id = m.proposal_id AND s.seen = m.seen AND s.step IN ${decisions}
    WHERE m.operator = ${operator} AND m.seen <= ${asOf} ORDER BY m.seen DESC, m.proposal_id DESC LIMIT ${BigInt(last)}`;

export const govBallotIn = (row: Row): GovBallotRecord => ({
  proposalId: integerAt(row, 'proposal_id'),
  options: optionsOrNull(row),
});
