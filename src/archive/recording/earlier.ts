import { isChainError } from '../../chain/base/errors.ts';
import { pause } from '../../chain/base/time.ts';
import { type Connection, integerAt, integerOrNull, textAt, textOrNull } from '../database/database.ts';
import type { EarlierFacts, EarlierKey, EarlierLife } from '../facts.ts';
import type { ArchiveStore, RunRead } from '../store/archiveStore.ts';
import { nextGeneration } from '../store/ranges.ts';
import { anyIn, proposalIn, tallyIn } from '../store/recordQueries.ts';
import { storeOutcomes, unknownClosing } from '../store/storeFacts.ts';
import type { RecordingSource, Wait } from './source.ts';

/** The proposals of which blocks and events may show more than the state did, and that were not looked for yet, newest first. */
async function readUnsearched(run: RunRead, most: number): Promise<readonly EarlierKey[]> {
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

async function readEarlierLife(run: RunRead, { id, base }: EarlierKey): Promise<EarlierLife | null> {
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
export async function storeEarlier(connection: Connection, earlierFacts: EarlierKey & EarlierFacts): Promise<boolean> {
  const { id, base, close, executions } = earlierFacts;
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
  const executionRows = await run('SELECT DISTINCT height FROM executions WHERE proposal_id = ? AND height IS NOT NULL', [id]);
  const heights = new Set(executionRows.map((row) => integerAt(row, 'height')));
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

interface EarlierSearchOptions {
  readonly store: Pick<ArchiveStore, 'read' | 'scan' | 'addEarlier'>;
  readonly source: Pick<RecordingSource, 'earlier'>;
  readonly wait: Wait;
  /** A line for the log. */
  readonly report: (line: string) => void;
}

/** Proposals that are looked for in one run. With the shortest pause, they take 17 minutes; the rest is for the next start. */
const mostProposals = 100_000;

/** Tries of a proposal whose search fails, in one run. */
const mostTries = 10;

/** The shortest pause after a search, in ms. A longer search has a pause of its own length, so nodes are used half of the time at most. */
const shortestPause = 10;

/**
 * Finds what blocks and events still show of the closes and executions before the ranges, where the state shows no time of them: one proposal after the
 * other, newest first. What was looked for is kept, so a run continues where an earlier one ended. It ends early if no node has an index of
 * transactions. Rejects with a failure of the database, or with the signal's reason.
 */
export async function searchEarlier({ store, source, wait, report }: EarlierSearchOptions, signal: AbortSignal): Promise<void> {
  const queue = (await readUnsearched(store.scan, mostProposals)).map((key) => ({ key, tries: 0 }));
  let [failures, foundProposals] = [0, 0];
  const searched = queue.length;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    signal.throwIfAborted();
    const { key, tries } = next;
    const beginning = performance.now();
    const life = await readEarlierLife(store.read, key);
    try {
      const facts = life === null ? { close: null, executions: [] } : await source.earlier(life, signal);
      failures = 0;
      if (await store.addEarlier({ ...key, ...facts })) foundProposals += 1;
    } catch (error) {
      signal.throwIfAborted();
      if (isChainError(error, 'INDEX_UNAVAILABLE')) {
        report('no node has an index of transactions, so the closes of proposals before the recording stay unknown');
        return;
      }
      if (!isChainError(error)) throw error;
      if (tries + 1 < mostTries) queue.push({ key, tries: tries + 1 });
      await wait(++failures, signal);
    }
    await pause(Math.max(performance.now() - beginning, shortestPause), signal);
  }
  if (foundProposals > 0) report(`found what came before the recording of ${foundProposals} of ${searched} proposals`);
}
