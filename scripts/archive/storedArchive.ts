import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Connection, DatabaseError, integerAt, textAt, textOrNull } from '../../src/archive/database/database.ts';
import { transactionId } from '../../src/archive/full/contents.ts';
import { searchIndex } from '../../src/archive/full/search.ts';
import { postgresConnection, postgresOptions } from '../../src/archive/postgres/connection.ts';
import { schemaName } from '../../src/archive/postgres/store.ts';
import { archiveFileName } from '../../src/archive/setup/open.ts';
import { openSqlite } from '../../src/archive/sqlite/connection.ts';
import type { ArchiveReads } from '../../src/archive/store/archiveStore.ts';
import { type HeightRange, readCoverage } from '../../src/archive/store/ranges.ts';
import { type ArchiveReader, createArchiveReader } from '../../src/archive/store/reader.ts';
import { ArchiveMismatch, countedHeights, hasSchema, placedTables } from '../../src/archive/store/schema.ts';

/** Where a stored archive is: a SQLite file, or a PostgreSQL database. */
export type StoredPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Rows of a table that were stored at the heights of a range, both ends included, and are not there any more. */
export interface MissingRows extends HeightRange {
  readonly table: string;
  readonly stored: bigint;
  readonly missing: bigint;
}

/** A stored archive that is only read. A server may record into it at the same time. */
export interface StoredArchive {
  readonly reader: ArchiveReader;
  /** The newest height that it held when it was opened. */
  readonly newest: bigint;
  /**
   * Counts the rows that lie at heights outside of the coverage, by table; for the contents of blocks, outside of the heights that are indexed. Only tables
   * with such rows are in it.
   */
  rowsOutside(): Promise<ReadonlyMap<string, bigint>>;
  /** The ranges of heights in which a table has fewer rows than were stored. Rows without a height are not counted. */
  rowsMissing(): Promise<readonly MissingRows[]>;
  /**
   * The accounts whose part in a tally of the governance module is not that of their last vote in the voting period, including votes without a part in the tally.
   */
  govVotesMiscounted(): Promise<readonly MiscountedVote[]>;
  /** What contradicts itself in the times of blocks and the roots of stores. */
  falsePast(): Promise<FalsePast>;
  close(): Promise<void>;
}

/** Numbers of contradictions. */
export interface FalsePast {
  /** Blocks whose time is not after that of the block before. */
  readonly times: bigint;
  /** Roots whose heights overlap with those of another root of the store. */
  readonly overlaps: bigint;
  /** Roots that a store had twice with another one in between, which the tree of a store cannot have. */
  readonly repeats: bigint;
}

/** An account whose part in a tally of the governance module is not that of its vote. The options are as they are stored; null for none. */
export interface MiscountedVote {
  readonly proposalId: bigint;
  readonly voter: string;
  readonly cast: string | null;
  readonly counted: string | null;
}

/** The last vote of an account before the tally of a row of gov_steps, in its voting period and in the range of its height. */
const lastVote = (
  voter: string,
) => `SELECT v.options FROM gov_votes v WHERE v.proposal_id = s.proposal_id AND v.voter = ${voter} AND v.seen <= s.seen
  AND v.seen >= COALESCE((SELECT max(r.base) FROM ranges r WHERE r.base <= s.seen), 0)
  AND v.seen > COALESCE((SELECT c.seen FROM gov_steps c WHERE c.proposal_id = s.proposal_id AND c.step = 'BECAME_REGULAR' AND c.height IS NOT NULL AND c.seen < s.seen), -1)
  ORDER BY v.seen DESC, v.ord DESC LIMIT 1`;

const miscounted = `SELECT t.* FROM (
    SELECT q.proposal_id, q.address AS voter, q.options AS counted, (${lastVote('q.address')}) AS cast_options
      FROM gov_powers q JOIN gov_steps s ON s.proposal_id = q.proposal_id AND s.seen = q.seen AND s.computed IS NOT NULL
    UNION
    SELECT w.proposal_id, w.voter, NULL, (${lastVote('w.voter')})
      FROM gov_votes w JOIN gov_steps s ON s.proposal_id = w.proposal_id AND s.computed IS NOT NULL AND w.seen <= s.seen
      WHERE NOT EXISTS (SELECT 1 FROM gov_powers q WHERE q.proposal_id = s.proposal_id AND q.seen = s.seen AND q.address = w.voter)
  ) t WHERE COALESCE(t.counted, '') <> COALESCE(t.cast_options, '') ORDER BY t.proposal_id, t.voter`;

/** Reads {@link StoredArchive.govVotesMiscounted}. */
export async function miscountedVotes(connection: Pick<Connection, 'run'>): Promise<readonly MiscountedVote[]> {
  return (await connection.run(miscounted, [])).map((row) => ({
    proposalId: integerAt(row, 'proposal_id'),
    voter: textAt(row, 'voter'),
    cast: textOrNull(row, 'cast_options'),
    counted: textOrNull(row, 'counted'),
  }));
}

/** The tables with the contents of blocks, and their heights. */
const contents = [
  { table: 'blocks', height: 't.height' },
  { table: 'transactions', height: `t.id / ${transactionId(1n, 0)}` },
  { table: 'event_values', height: 't.height' },
];

async function connect(
  place: StoredPlace,
  chainId: string,
): Promise<{ readonly connection: Connection; readonly storage: ArchiveReads['storage']; close(): Promise<void> }> {
  if (place.kind === 'file') {
    // SQLite would create the file.
    if (!existsSync(place.path)) throw new DatabaseError('FAILED', `there is no archive at ${place.path}`);
    const connection = openSqlite(place.path, { isReader: true });
    return { connection, storage: 'SQLITE', close: async () => connection.close() };
  }
  const pool = new pg.Pool({ ...postgresOptions(place.url, schemaName(chainId)), max: 1 });
  pool.on('error', () => undefined);
  return { connection: postgresConnection(pool), storage: 'POSTGRES', close: () => pool.end() };
}

/**
 * Opens the stored archive of a chain for reading. Rejects with a `DatabaseError` or an `ArchiveMismatch` if there is none, if it cannot be read, or if
 * it has another version.
 */
export async function openStoredArchive(place: StoredPlace, chainId: string): Promise<StoredArchive> {
  const { connection, storage, close } = await connect(place, chainId);
  try {
    // Distinguishes a database that cannot be reached from one without an archive.
    await connection.run('SELECT 1 AS one', []);
    if (!(await hasSchema(connection, chainId)))
      throw new ArchiveMismatch(
        `there is no archive of the chain ${chainId}, or it has an older version, which a server upgrades when it starts`,
      );
    const coverage = await readCoverage(connection);
    const newest = coverage.ranges.at(-1)?.to;
    if (newest === undefined) throw new DatabaseError('FAILED', `the archive of the chain ${chainId} is empty`);
    const reads: ArchiveReads = {
      storage,
      coverage: () => coverage,
      onCoverage: () => () => undefined,
      read: connection.run,
      scan: connection.run,
      search: (search) => searchIndex(({ text, values }) => connection.run(text, values), search),
      sizeBytes: async () => 0n,
    };
    return {
      reader: createArchiveReader(reads, 'GOVERNANCE'),
      newest,
      async rowsOutside() {
        const found = new Map<string, bigint>();
        // One statement sees the rows and the coverage of the same moment, also while a server records.
        async function count(table: string, height: string, range: string, also = ''): Promise<void> {
          const [row] = await connection.run(
            `SELECT count(*) AS total FROM ${table} t WHERE ${height} IS NOT NULL ${also} AND NOT EXISTS (SELECT 1 FROM ${range} AND ${height} <= r.until)`,
            [],
          );
          const total = row?.total;
          if (typeof total === 'bigint' && total > 0n) found.set(table, total);
        }
        for (const table of placedTables) await count(table, 't.height', 'ranges r WHERE r.base < t.height', 'AND t.ord >= 0');
        await count('block_times', 't.height', 'ranges r WHERE r.base <= t.height');
        for (const { table, height } of contents) await count(table, height, `indexed_ranges r WHERE r.base <= ${height}`);
        return found;
      },
      async rowsMissing() {
        const found: MissingRows[] = [];
        for (const table of [...placedTables, 'block_times']) {
          const isPlaced = table !== 'block_times' ? 'AND height IS NOT NULL AND ord >= 0' : '';
          const rows = await connection.run(
            `SELECT c.part, c.total, COALESCE(f.total, 0) AS found FROM row_counts c LEFT JOIN
               (SELECT height / ${countedHeights} AS part, count(*) AS total FROM ${table} WHERE 1 = 1 ${isPlaced} GROUP BY height / ${countedHeights}) f
               ON f.part = c.part WHERE c.name = ? AND COALESCE(f.total, 0) < c.total ORDER BY c.part`,
            [table],
          );
          for (const row of rows) {
            const from = integerAt(row, 'part') * countedHeights;
            const stored = integerAt(row, 'total');
            found.push({ table, from, to: from + countedHeights - 1n, stored, missing: stored - integerAt(row, 'found') });
          }
        }
        return found;
      },
      async falsePast() {
        const count = async (from: string): Promise<bigint> => {
          const [row] = await connection.run(`SELECT count(*) AS total FROM (${from}) AS x`, []);
          return row === undefined ? 0n : integerAt(row, 'total');
        };
        return {
          times: await count(
            'SELECT 1 FROM (SELECT time, lag(time) OVER (ORDER BY height) AS earlier FROM block_times) t WHERE time <= earlier',
          ),
          overlaps: await count(
            `SELECT 1 FROM (SELECT base, until, lag(until) OVER (PARTITION BY store ORDER BY base) AS earlier FROM store_runs) t
               WHERE until < base OR base <= earlier`,
          ),
          repeats: await count('SELECT store FROM store_runs WHERE is_small = 0 GROUP BY store, root HAVING count(*) > 1'),
        };
      },
      govVotesMiscounted: () => miscountedVotes(connection),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The ids of the chains whose archives are files in a directory. Files that are no archives are passed over. */
export async function storedChains(directory: string): Promise<readonly string[]> {
  const files = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.db')) : [];
  const found: string[] = [];
  for (const file of files) {
    const connection = openSqlite(join(directory, file), { isReader: true });
    const rows = await connection.run("SELECT value FROM meta WHERE name = 'chain_id'", []).catch(() => []);
    connection.close();
    const id = rows[0]?.value;
    if (typeof id === 'string' && archiveFileName(id) === file) found.push(id);
  }
  return found.sort();
}
