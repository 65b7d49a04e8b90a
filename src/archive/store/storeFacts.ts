import { createHash } from 'node:crypto';
import { type Connection, mostRows, portions, type SqlValue } from '../database/database.ts';
import { type Fact, type GroupGovernanceFact, isGovFact, type RecordedMember } from '../facts.ts';
import type { ProposalRecordFilter } from '../records.ts';
import { anyText, insertOnce, insertPlaced, placeColumns, type StoredRow, tallyText } from './insertRows.ts';
import { storeGovFacts } from './storeGovFacts.ts';
import { storeGroupTexts, storePolicyText, storeProposalTexts } from './texts.ts';

/** `closed` of a proposal that has no close: above every height. */
export const never = 9_223_372_036_854_775_807n;

/** The text for a reason of a close that is not known. */
export const unknownClosing = '';

/** Names a set of members by its content, so that versions with equal members share one set. */
function setName(members: readonly RecordedMember[]): string {
  const ordered = members.map(({ address, weight, metadata }) => [address, weight, metadata]).toSorted();
  return createHash('sha256').update(JSON.stringify(ordered)).digest('base64url').slice(0, 22);
}

function noRows() {
  const none = (): StoredRow[] => [];
  return {
    group_versions: none(),
    members: none(),
    policy_versions: none(),
    proposals: none(),
    proposers: none(),
    message_types: none(),
    votes: none(),
    executions: none(),
    closes: none(),
    prunes: none(),
    unexplained: none(),
  };
}

/** Rows of facts, by table. */
type FactRows = ReturnType<typeof noRows>;

function addFact(rows: FactRows, fact: GroupGovernanceFact, base: bigint): void {
  switch (fact.kind) {
    case 'group': {
      const { groupId, version, at, change, account, admin, metadata, totalWeight, members } = fact;
      const place = placeColumns(at, base);
      const set = members === null ? null : setName(members);
      const columns = { change, account, admin, metadata, total_weight: totalWeight, member_set: set };
      rows.group_versions.push({ group_id: groupId, version, ...place, ...columns });
      for (const member of members ?? [])
        rows.members.push({ member_set: set, address: member.address, weight: member.weight, metadata: member.metadata });
      return;
    }
    case 'policy': {
      const { address, version, at, change, account, groupId, admin, metadata, decisionPolicy } = fact;
      const place = placeColumns(at, base);
      const columns = { change, account, group_id: groupId, admin, metadata, policy: anyText(decisionPolicy) };
      rows.policy_versions.push({ address, version, ...place, ...columns });
      return;
    }
    case 'proposal': {
      const { id, messages, proposers } = fact;
      rows.proposals.push({
        id,
        ...placeColumns(fact.submitted, base),
        policy_address: fact.groupPolicyAddress,
        group_id: fact.groupId,
        group_version: fact.groupVersion,
        policy_version: fact.groupPolicyVersion,
        title: fact.title,
        summary: fact.summary,
        metadata: fact.metadata,
        messages: JSON.stringify(messages.map(anyText)),
        proposers: JSON.stringify(proposers),
        submit_time: fact.submitTime,
        voting_end: fact.votingPeriodEnd.toString(),
        closed: never,
      });
      for (const address of new Set(proposers)) rows.proposers.push({ address, proposal_id: id });
      for (const type of new Set(messages.map((message) => message.type))) rows.message_types.push({ type, proposal_id: id });
      return;
    }
    case 'close': {
      const [tally, computed] = [tallyText(fact.tally), tallyText(fact.computed)];
      rows.closes.push({
        proposal_id: fact.proposalId,
        ...placeColumns(fact.at, base),
        closing: fact.by ?? unknownClosing,
        account: fact.account,
        status: BigInt(fact.status),
        tally,
        group_version: fact.groupVersion,
        policy_version: fact.policyVersion,
        total_weight: fact.totalWeight,
        computed,
        disagrees: tally !== null && computed !== null && tally !== computed ? 1n : 0n,
      });
      return;
    }
  }
  const { proposalId: proposal_id } = fact;
  const place = placeColumns(fact.at, base);
  if (fact.kind === 'vote') {
    const { voter, option, metadata, origin } = fact;
    rows.votes.push({ proposal_id, voter, ...place, option: BigInt(option), metadata, origin });
  } else if (fact.kind === 'execution') {
    const { executor, result, logs } = fact;
    rows.executions.push({ proposal_id, ...place, executor, result: BigInt(result), logs });
  } else if (fact.kind === 'prune') rows.prunes.push({ proposal_id, ...place, status: BigInt(fact.status) });
  else rows.unexplained.push({ what: fact.what, proposal_id, ...place });
}

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

const listFor = (values: readonly SqlValue[]): string => `(${values.map(() => '?').join(', ')})`;

/**
 * Stores executions. The start of a range shows only that an earlier attempt failed; that row is left out or deleted where the attempt itself is
 * recorded, or was shown at a lower height. What was found before a range is visible from a lower range on, and is deleted where its block is recorded.
 */
async function storeExecutions(connection: Connection, rows: readonly StoredRow[]): Promise<void> {
  const fresh: StoredRow[] = [];
  /** The proposals with a fresh row, by the height from which it is visible. */
  const idsBySeen = new Map<SqlValue, SqlValue[]>();
  for (const row of rows) {
    const { proposal_id = null, seen = null, height = null } = row;
    if (height === null) {
      await connection.run('UPDATE executions SET seen = ? WHERE proposal_id = ? AND ord < 0 AND height <= ? AND seen > ?', [
        seen,
        proposal_id,
        seen,
        seen,
      ]);
      const [earlier] = await connection.run(
        'SELECT seen FROM executions WHERE proposal_id = ? AND seen <= ? AND result <> 1 LIMIT 1',
        [proposal_id, seen],
      );
      if (earlier !== undefined) continue;
    }
    const ids = idsBySeen.get(seen) ?? [];
    ids.push(proposal_id);
    idsBySeen.set(seen, ids);
    fresh.push(row);
  }
  for (const [seenHeight, ids] of idsBySeen)
    for (const portion of portions(ids, mostRows))
      await connection.run(
        `DELETE FROM executions WHERE proposal_id IN ${listFor(portion)} AND (height IS NULL AND seen >= ? OR ord < 0 AND height = ?)`,
        [...portion, seenHeight, seenHeight],
      );
  await insertOnce(connection, 'executions', ['proposal_id', 'seen', 'ord'], fresh);
}

/** Repeats what closes, executions, deletions and policies say about proposals, for the indexes. */
async function updateProposals(connection: Connection, rows: FactRows): Promise<void> {
  const { proposals, closes, executions, prunes, policy_versions } = rows;
  const ids = new Set([...proposals.map(({ id = null }) => id), ...closes.map(({ proposal_id = null }) => proposal_id)]);
  for (const portion of portions([...ids], mostRows)) {
    await connection.run(
      `UPDATE proposals SET closed = (SELECT seen FROM closes WHERE proposal_id = proposals.id)
        WHERE id IN ${listFor(portion)} AND EXISTS (SELECT 1 FROM closes WHERE proposal_id = proposals.id)`,
      portion,
    );
  }
  const addresses = new Set([
    ...proposals.flatMap(({ group_id, policy_address = null }) => (group_id === null ? [policy_address] : [])),
    ...policy_versions.map(({ address = null }) => address),
  ]);
  for (const address of addresses) {
    await connection.run(
      'UPDATE proposals SET group_id = (SELECT min(group_id) FROM policy_versions WHERE address = ?) WHERE policy_address = ? AND group_id IS NULL',
      [address, address],
    );
    await connection.run(
      'UPDATE outcomes SET group_id = (SELECT min(group_id) FROM policy_versions WHERE address = ?) WHERE policy_address = ? AND group_id IS NULL',
      [address, address],
    );
  }
  for (const { proposal_id = null } of [...executions, ...prunes]) ids.add(proposal_id);
  for (const portion of portions([...ids], mostRows)) await storeOutcomes(connection, portion);
}

/**
 * Stores facts, within the caller's transaction. Facts without a height are visible from `base` on. A fact that is stored already with its place is
 * left as it is.
 */
export async function storeFacts(connection: Connection, facts: readonly Fact[], base: bigint): Promise<void> {
  if (facts.length === 0) return;
  const govFacts = facts.filter(isGovFact);
  if (govFacts.length > 0) await storeGovFacts(connection, govFacts, base);
  if (govFacts.length === facts.length) return;
  const rows = noRows();
  for (const fact of facts) if (!isGovFact(fact)) addFact(rows, fact, base);
  await insertOnce(connection, 'members', ['member_set', 'address'], rows.members);
  await insertPlaced(connection, 'group_versions', ['group_id', 'version'], rows.group_versions, ['member_set']);
  for (const { group_id = null, version = null, member_set = null } of rows.group_versions) {
    if (member_set === null) continue;
    await connection.run('UPDATE group_versions SET member_set = ? WHERE group_id = ? AND version = ? AND member_set IS NULL', [
      member_set,
      group_id,
      version,
    ]);
  }
  await insertPlaced(connection, 'policy_versions', ['address', 'version'], rows.policy_versions);
  await insertPlaced(connection, 'proposals', ['id'], rows.proposals, ['group_id', 'group_version', 'policy_version']);
  await storeProposalTexts(connection, 'PROPOSAL', rows.proposals);
  for (const fact of facts) {
    if (fact.kind === 'group') await storeGroupTexts(connection, fact);
    if (fact.kind === 'policy') await storePolicyText(connection, fact);
  }
  await insertOnce(connection, 'proposers', ['address', 'proposal_id'], rows.proposers);
  await insertOnce(connection, 'message_types', ['type', 'proposal_id'], rows.message_types);
  await insertPlaced(connection, 'votes', ['proposal_id', 'voter'], rows.votes);
  await storeExecutions(connection, rows.executions);
  await insertPlaced(connection, 'closes', ['proposal_id'], rows.closes);
  await insertPlaced(connection, 'prunes', ['proposal_id'], rows.prunes);
  await insertOnce(connection, 'unexplained', ['what', 'proposal_id', 'seen', 'ord'], rows.unexplained);
  await updateProposals(connection, rows);
}
