import type { Connection } from '../database/connection.ts';
import { integerAt, integerOrNull, textAt, textOrNull } from '../database/row.ts';
import type { EarlierFacts, EarlierKey, EarlierLife } from '../facts.ts';
import type { RunRead } from './archiveStore.ts';
import { anyIn, tallyIn } from './decode.ts';
import { unknownClosing } from './factRows.ts';
import { storeOutcomes } from './outcomes.ts';
import { nextGeneration } from './ranges.ts';
import { proposalIn } from './recordQuery.ts';

/** The proposals of which blocks and events may show more than the state did, and that were not looked for yet, newest first. */
export async function readUnsearched(run: RunRead, most: number): Promise<readonly EarlierKey[]> {
  const rows = await run(
    `SELECT id, base FROM (
        SELECT id, seen AS base FROM proposals WHERE height IS NULL
        UNION SELECT proposal_id, seen FROM closes WHERE height IS NULL
        UNION SELECT proposal_id, seen FROM executions WHERE height IS NULL) AS unplaced
      WHERE NOT EXISTS (SELECT 1 FROM searched s WHERE s.proposal_id = unplaced.id AND s.base = unplaced.base)
      ORDER BY id DESC, base DESC LIMIT ?`,
    [BigInt(most)],
  );
  return rows.map((row) => ({ id: integerAt(row, 'id'), base: integerAt(row, 'base') }));
}

/** What the archive knows of such a proposal; null if it is not recorded. */
export async function readEarlierLife(run: RunRead, { id, base }: EarlierKey): Promise<EarlierLife | null> {
  const [row] = await run(
    `SELECT p.*, c.status AS c_status, c.tally, g.version AS g_version, g.total_weight, v.version AS v_version, v.policy FROM proposals p
      LEFT JOIN closes c ON c.proposal_id = p.id AND c.height IS NULL AND c.seen = ?
      LEFT JOIN group_versions g ON g.group_id = p.group_id
        AND g.version = (SELECT max(version) FROM group_versions WHERE group_id = p.group_id AND seen <= ?)
      LEFT JOIN policy_versions v ON v.address = p.policy_address
        AND v.version = (SELECT max(version) FROM policy_versions WHERE address = p.policy_address AND seen <= ?)
      WHERE p.id = ?`,
    [base, base, base, id],
  );
  if (row === undefined) return null;
  const status = integerOrNull(row, 'c_status');
  const [groupVersion, policyVersion] = [integerOrNull(row, 'g_version'), integerOrNull(row, 'v_version')];
  return {
    proposal: { kind: 'proposal', ...proposalIn(row) },
    base,
    status: status === null ? null : Number(status),
    tally: status === null ? null : tallyIn(textOrNull(row, 'tally')),
    group: groupVersion === null ? null : { version: groupVersion, totalWeight: textAt(row, 'total_weight') },
    policy: policyVersion === null ? null : { version: policyVersion, decisionPolicy: anyIn(textAt(row, 'policy')) },
  };
}

/**
 * Stores what was found of a proposal, within the caller's transaction. It is visible from the base on, like what the state showed. Returns whether
 * something changed.
 */
export async function storeEarlier(connection: Connection, found: EarlierKey & EarlierFacts): Promise<boolean> {
  const { id, base, close, executions } = found;
  const run = connection.run;
  await run('INSERT INTO searched (proposal_id, base) VALUES (?, ?) ON CONFLICT (proposal_id, base) DO NOTHING', [id, base]);
  if (close !== null) {
    const { at, by, account } = close;
    await run(
      'UPDATE closes SET height = ?, ord = ?, time = ?, hash = ?, closing = ?, account = ? WHERE proposal_id = ? AND height IS NULL AND seen = ?',
      [at.height, BigInt(at.order), at.time, at.hash, by ?? unknownClosing, account, id, base],
    );
  }
  // Blocks that are recorded, and an earlier search, have shown these already.
  const known = await run('SELECT DISTINCT height FROM executions WHERE proposal_id = ? AND height IS NOT NULL', [id]);
  const heights = new Set(known.map((row) => integerAt(row, 'height')));
  const fresh = executions.filter(({ at }) => !heights.has(at.height));
  if (fresh.some(({ result }) => result !== 1))
    await run('DELETE FROM executions WHERE proposal_id = ? AND height IS NULL AND seen = ?', [id, base]);
  for (const { at, executor, result, logs } of fresh)
    await run(
      'INSERT INTO executions (proposal_id, seen, height, ord, time, hash, executor, result, logs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [id, base, at.height, BigInt(at.order), at.time, at.hash, executor, BigInt(result), logs],
    );
  if (close === null && fresh.length === 0) return false;
  await storeOutcomes(connection, [id]);
  await run(nextGeneration, []);
  return true;
}
