import type { Coverage, RecordedRange } from '../coverage.ts';
import type { Connection } from '../database/connection.ts';
import { integerAt, textAt } from '../database/row.ts';
import type { Fact } from '../facts.ts';
import type { BlockContents } from '../full/blockContents.ts';
import { readIndexed, storeContents } from '../full/storeContents.ts';
import { storeFacts } from './storeFacts.ts';

/** The start of a range: the state at `height`, and the hash of the block at that height. */
export interface RangeStart {
  readonly height: bigint;
  readonly hash: string;
  readonly facts: readonly Fact[];
  /** The contents of the block at this height, in mode FULL. */
  readonly contents?: BlockContents | undefined;
}

/** A block to record, with its facts. */
export interface RecordedBlock {
  readonly height: bigint;
  readonly hash: string;
  /** The hash of the previous block, as this block names it. */
  readonly previousHash: string;
  readonly facts: readonly Fact[];
  /** What mode FULL records. */
  readonly contents?: BlockContents | undefined;
}

/**
 * Why a block or a range is not stored. CONTRADICTION: its hash is not the stored one. OUT_OF_PLACE: it is recorded already, or the coverage does not
 * end at its predecessor; another process may have written.
 */
export type RefusalReason = 'CONTRADICTION' | 'OUT_OF_PLACE';

/** A block or a range cannot be stored. Nothing was changed. */
export class RecordingRefused extends Error {
  override readonly name = 'RecordingRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Throws a {@link RecordingRefused} if the hash of a block is not the one that is stored for its height. */
export function checkHash(stored: { readonly height: bigint; readonly hash: string }, hash: string): void {
  if (stored.hash === hash) return;
  const message = `the nodes serve another chain than the archive recorded: block ${stored.height} has the hash ${hash}, not ${stored.hash}`;
  throw new RecordingRefused('CONTRADICTION', message);
}

/** The hash of each block at a multiple of this height is kept, so that another chain is noticed. */
const checkpointInterval = 100n;

/** Reads what is covered. */
export async function readCoverage(connection: Connection): Promise<Coverage> {
  const rows = await connection.run(
    `SELECT base, until, base_hash, until_hash, (SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'generation') AS generation
       FROM ranges ORDER BY base`,
    [],
  );
  const [first] = rows;
  return {
    ranges: rows.map((row) => ({
      base: integerAt(row, 'base'),
      to: integerAt(row, 'until'),
      baseHash: textAt(row, 'base_hash'),
      toHash: textAt(row, 'until_hash'),
    })),
    generation: first === undefined ? 0n : integerAt(first, 'generation'),
    ...(await readIndexed(connection)),
  };
}

/** The hashes that are stored at heights up to `height`, highest first, at most `count`. */
export async function storedHashes(
  connection: Pick<Connection, 'run'>,
  height: bigint,
  count: bigint,
): Promise<readonly { readonly height: bigint; readonly hash: string }[]> {
  const rows = await connection.run(
    `SELECT height, hash FROM (SELECT height, hash FROM checkpoints UNION SELECT base, base_hash FROM ranges UNION SELECT until, until_hash FROM ranges) AS known
      WHERE height <= ? ORDER BY height DESC LIMIT ?`,
    [height, count],
  );
  return rows.map((row) => ({ height: integerAt(row, 'height'), hash: textAt(row, 'hash') }));
}

const nextGeneration = "UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = 'generation'";

async function keepCheckpoint(connection: Connection, height: bigint, hash: string): Promise<void> {
  if (height % checkpointInterval !== 0n) return;
  await connection.run('INSERT INTO checkpoints (height, hash) VALUES (?, ?) ON CONFLICT (height) DO NOTHING', [height, hash]);
}

const proposalIds = (facts: readonly Fact[]): readonly bigint[] =>
  facts.flatMap((fact) => (fact.kind === 'proposal' ? [fact.id] : []));

/** Marks proposals that the chain deleted before the base of a range, where their end was not seen. It is replaced by the end itself. */
async function markLost(connection: Connection, ids: readonly bigint[], base: bigint): Promise<void> {
  for (const id of ids) {
    await connection.run(
      `INSERT INTO prunes (proposal_id, seen, height, ord, time, hash, status) VALUES (?, ?, NULL, 0, NULL, NULL, NULL)
         ON CONFLICT (proposal_id) DO UPDATE SET seen = excluded.seen WHERE prunes.height IS NULL AND excluded.seen < prunes.seen`,
      [id, base],
    );
  }
}

/** The recorded proposals that the archive shows as not deleted as of a height. */
async function presentAt(connection: Connection, height: bigint): Promise<readonly bigint[]> {
  const rows = await connection.run(
    'SELECT id FROM proposals p WHERE seen <= ? AND NOT EXISTS (SELECT 1 FROM prunes WHERE proposal_id = p.id AND seen <= ?)',
    [height, height],
  );
  return rows.map((row) => integerAt(row, 'id'));
}

/** Marks those of the proposals in `facts` that the chain did not have any more at the base of the range `above`. */
async function markLostAbove(connection: Connection, facts: readonly Fact[], above: RecordedRange | undefined): Promise<void> {
  const ids = proposalIds(facts);
  if (above === undefined || ids.length === 0) return;
  const rows = await connection.run('SELECT proposal_id FROM present WHERE base = ?', [above.base]);
  const present = new Set(rows.map((row) => integerAt(row, 'proposal_id')));
  await markLost(
    connection,
    ids.filter((id) => !present.has(id)),
    above.base,
  );
}

/**
 * Begins a range with the facts that the state at its base shows, within the caller's transaction. Throws a {@link RecordingRefused} if the height
 * is covered already.
 */
export async function beginRange(connection: Connection, { height, hash, facts, contents }: RangeStart): Promise<void> {
  const { ranges } = await readCoverage(connection);
  if (ranges.some(({ base, to }) => base <= height && height <= to))
    throw new RecordingRefused('OUT_OF_PLACE', `height ${height} is recorded already`);
  const [stored] = await storedHashes(connection, height, 1n);
  if (stored?.height === height) checkHash(stored, hash);
  const present = new Set(proposalIds(facts));
  const recorded = await presentAt(connection, height);
  await markLost(
    connection,
    recorded.filter((id) => !present.has(id)),
    height,
  );
  for (const id of present) await connection.run('INSERT INTO present (base, proposal_id) VALUES (?, ?)', [height, id]);
  await storeFacts(connection, facts, height);
  if (contents !== undefined) await storeContents(connection, contents);
  await markLostAbove(
    connection,
    facts,
    ranges.find(({ base }) => base > height),
  );
  await connection.run('INSERT INTO ranges (base, until, base_hash, until_hash) VALUES (?, ?, ?, ?)', [
    height,
    height,
    hash,
    hash,
  ]);
  await keepCheckpoint(connection, height, hash);
  await connection.run(nextGeneration, []);
}

/** Joins a range that has reached the base of the next one. */
async function joinRanges(connection: Connection, lower: RecordedRange, upper: RecordedRange): Promise<void> {
  await connection.run('DELETE FROM ranges WHERE base = ?', [upper.base]);
  await connection.run('DELETE FROM present WHERE base = ?', [upper.base]);
  await connection.run('UPDATE ranges SET until = ?, until_hash = ? WHERE base = ?', [upper.to, upper.toHash, lower.base]);
}

/**
 * Records a block within the caller's transaction, with the new coverage. Joins the range with the next one when they meet. Throws a
 * {@link RecordingRefused} if no range ends at the previous block, or if a hash differs from the stored one.
 */
export async function recordBlock(connection: Connection, block: RecordedBlock): Promise<void> {
  const { height, hash, previousHash, facts, contents } = block;
  const { ranges } = await readCoverage(connection);
  const range = ranges.find(({ to }) => to === height - 1n);
  if (range === undefined || ranges.some(({ base, to }) => base < height && height <= to))
    throw new RecordingRefused('OUT_OF_PLACE', `the coverage does not end at height ${height - 1n}`);
  checkHash({ height: range.to, hash: range.toHash }, previousHash);
  const next = ranges.find(({ base }) => base === height);
  if (next !== undefined) checkHash({ height, hash: next.baseHash }, hash);
  await markLostAbove(
    connection,
    facts,
    ranges.find(({ base }) => base >= height),
  );
  await storeFacts(connection, facts, height);
  if (contents !== undefined) await storeContents(connection, contents);
  await connection.run('UPDATE ranges SET until = ?, until_hash = ? WHERE base = ?', [height, hash, range.base]);
  await keepCheckpoint(connection, height, hash);
  if (next !== undefined) await joinRanges(connection, { ...range, to: height, toHash: hash }, next);
  const isNewest = range === ranges.at(-1);
  if (next !== undefined || (!isNewest && facts.length > 0)) await connection.run(nextGeneration, []);
}
