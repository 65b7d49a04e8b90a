import { LRUCache } from 'lru-cache';
import type { Row } from '../database/connection.ts';
import { integerAt } from '../database/row.ts';
import type { Sql } from '../database/sql.ts';
import type { RecordedTally } from '../facts.ts';
import type { ProposalRecord } from '../records.ts';
import { type EqualVotes, tallyOfWeights } from '../tallies.ts';
import { weightIn, weightsQuery } from './voteQueries.ts';

/** Open proposals whose sums are kept. */
const keptTallies = 5_000;

/** The votes on an open proposal as of a height. */
interface Running {
  readonly asOf: bigint;
  readonly votes: readonly EqualVotes[];
  /** Time of the newest vote that is counted; null if there is none. Votes of later blocks have a later time. */
  readonly newest: bigint | null;
}

type Run = (query: Sql) => Promise<readonly Row[]>;

/** Reads the present tally of an open record. `generation` is that of the coverage. */
export type OpenTally = (record: ProposalRecord, generation: bigint) => Promise<RecordedTally>;

/** The votes with one entry for each option and weight. */
function joined(votes: readonly EqualVotes[]): readonly EqualVotes[] {
  const byKey = new Map<string, EqualVotes>();
  for (const one of votes) {
    const key = `${one.option} ${one.weight}`;
    byKey.set(key, { ...one, votes: one.votes + (byKey.get(key)?.votes ?? 0n) });
  }
  return [...byKey.values()];
}

async function count(run: Run, record: ProposalRecord, before: Running | undefined): Promise<Running> {
  const rows = await run(weightsQuery(record, before?.newest ?? null));
  const newest = rows
    .map((row) => integerAt(row, 'newest'))
    .reduce((one, other) => (one > other ? one : other), before?.newest ?? 0n);
  return {
    asOf: record.asOf,
    votes: joined([...(before?.votes ?? []), ...rows.map(weightIn)]),
    newest: newest === 0n ? null : newest,
  };
}

/**
 * Keeps running sums of the votes on open proposals: a later height reads only the votes since then. All votes are read again when the group or the recorded
 * past changes, once for all callers. `shared` reads for all callers, and the argument of the result for one of them, at a height below that of the sums.
 */
export function createOpenTallies(shared: Run): (own: Run) => OpenTally {
  const kept = new LRUCache<string, Promise<Running>>({ max: keptTallies });

  async function running(own: Run, record: ProposalRecord, generation: bigint): Promise<Running> {
    const key = `${record.id} ${record.groupId} ${record.electorateVersion} ${generation}`;
    for (;;) {
      const last = kept.get(key);
      const before = await last?.catch(() => undefined);
      if (before?.asOf === record.asOf) return before;
      if (before !== undefined && before.asOf > record.asOf) return count(own, record, undefined);
      // Another caller may have begun meanwhile.
      if (kept.get(key) !== last) continue;
      const next = count(shared, record, before);
      kept.set(key, next);
      next.catch(() => kept.get(key) === next && kept.delete(key));
      return next;
    }
  }

  return (own) => async (record, generation) => tallyOfWeights((await running(own, record, generation)).votes);
}
