import type { Nanoseconds } from '../../chain/base/time.ts';
import { type Connection, DatabaseError, integerAt, textAt } from '../database/database.ts';
import type { Fact } from '../facts.ts';
import type { BlockContents } from '../full/contents.ts';
import { readIndexed, storeContents } from '../full/storeContents.ts';
import { storeTimes } from './past.ts';
import { storeFacts } from './storeFacts.ts';
import { forgetStateAt } from './storeGovFacts.ts';

/** Heights that are recorded without a gap, both included. */
export interface HeightRange {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * A recorded range. `base` is the height whose state was read before its first block was recorded: the records are right as of every height from `base`
 * to `to`, and the blocks above `base` are recorded. With `to` equal to `base`, no block is recorded yet.
 */
export interface RecordedRange {
  readonly base: bigint;
  readonly to: bigint;
  /** Block hashes at both heights, in upper case hex. */
  readonly baseHash: string;
  readonly toHash: string;
}

export interface Coverage {
  /** Ascending. Two ranges never touch: they are joined into one. */
  readonly ranges: readonly RecordedRange[];
  /** Changes whenever the records at a height that was already held may have changed: a range was begun, extended downwards or joined. */
  readonly generation: bigint;
  /** The blocks whose contents mode FULL has indexed, ascending. */
  readonly indexed: readonly HeightRange[];
  /** Number of the transactions in them. */
  readonly transactions: bigint;
}

export type CoverageState = ReturnType<typeof createCoverageState>;

export function createCoverageState() {
  let current: Coverage = { ranges: [], generation: 0n, indexed: [], transactions: 0n };
  const listeners = new Set<() => void>();
  return {
    get: (): Coverage => current,
    set(coverage: Coverage): void {
      current = coverage;
      for (const listener of [...listeners]) listener();
    },
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether records can be read as of a height: now, after more blocks are recorded, or not unless older blocks are filled in. */
export type Holding = 'HELD' | 'LATER' | 'OUTSIDE';

/** Whether the archive with this coverage holds a height. */
export function holdingOf({ ranges }: Coverage, height: bigint): Holding {
  const newest = ranges.at(-1);
  if (newest === undefined || height > newest.to) return 'LATER';
  return ranges.some(({ base, to }) => base <= height && height <= to) ? 'HELD' : 'OUTSIDE';
}

export function heightRanges({ ranges }: Coverage): readonly HeightRange[] {
  return ranges.filter(({ base, to }) => base < to).map(({ base, to }) => ({ from: base + 1n, to }));
}

/** The start of a range: the state at `height`, and the hash of the block at that height. */
export interface RangeStart {
  readonly height: bigint;
  readonly hash: string;
  /** The time of the block at this height. */
  readonly time?: Nanoseconds | undefined;
  readonly facts: readonly Fact[];
  /** The contents of the block at this height, in mode FULL. */
  readonly contents?: BlockContents | undefined;
}

export interface RecordedBlock {
  readonly height: bigint;
  readonly hash: string;
  /** The hash of the previous block, as this block names it. */
  readonly previousHash: string;
  readonly time?: Nanoseconds | undefined;
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

async function readRanges(connection: Connection): Promise<Pick<Coverage, 'ranges' | 'generation'>> {
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
  };
}

export async function readCoverage(connection: Connection): Promise<Coverage> {
  return { ...(await readRanges(connection)), ...(await readIndexed(connection)) };
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

/** Counts the generation of the coverage up. */
export const nextGeneration = "UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = 'generation'";

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
export async function beginRange(connection: Connection, { height, hash, time, facts, contents }: RangeStart): Promise<void> {
  const { ranges } = await readRanges(connection);
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
  if (contents !== undefined) await storeContents(connection, [contents]);
  if (time !== undefined) await storeTimes(connection, [{ height, time }]);
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

async function writeRanges(
  connection: Connection,
  before: readonly RecordedRange[],
  after: readonly RecordedRange[],
): Promise<void> {
  const byBase = new Map(after.map((range) => [range.base, range]));
  for (const range of before) {
    const { base } = range;
    const grown = byBase.get(base);
    if (grown === undefined) await connection.run('DELETE FROM ranges WHERE base = ?', [base]);
    else if (grown !== range)
      await connection.run('UPDATE ranges SET until = ?, until_hash = ? WHERE base = ?', [grown.to, grown.toHash, base]);
  }
}

/** The ranges with one more block. The range joins the next one when they meet. Throws as {@link recordBlocks}. */
function withBlock(
  ranges: readonly RecordedRange[],
  { height, hash, previousHash }: RecordedBlock,
): { readonly ranges: readonly RecordedRange[]; readonly joined: RecordedRange | undefined } {
  const range = ranges.find(({ to }) => to === height - 1n);
  if (range === undefined || ranges.some(({ base, to }) => base < height && height <= to))
    throw new RecordingRefused('OUT_OF_PLACE', `the coverage does not end at height ${height - 1n}`);
  checkHash({ height: range.to, hash: range.toHash }, previousHash);
  const joinedRange = ranges.find(({ base }) => base === height);
  if (joinedRange !== undefined) checkHash({ height, hash: joinedRange.baseHash }, hash);
  const grown = { ...range, to: joinedRange?.to ?? height, toHash: joinedRange?.toHash ?? hash };
  return {
    ranges: ranges.flatMap((each) => (each === joinedRange ? [] : [each === range ? grown : each])),
    joined: joinedRange,
  };
}

/**
 * Records blocks in their order within the caller's transaction, with the new coverage. Joins a range with the next one when they meet. Throws a
 * {@link RecordingRefused} if no range ends at the block before one of them, or if a hash differs from the stored one.
 */
export async function recordBlocks(connection: Connection, blocks: readonly RecordedBlock[]): Promise<void> {
  const before = await readRanges(connection);
  let { ranges } = before;
  let isOlderChanged = false;
  for (const block of blocks) {
    const { height, hash, facts } = block;
    const isNewest = ranges.at(-1)?.to === height - 1n;
    const next = withBlock(ranges, block);
    await markLostAbove(
      connection,
      facts,
      ranges.find(({ base }) => base >= height),
    );
    await storeFacts(connection, facts, height);
    await keepCheckpoint(connection, height, hash);
    if (next.joined !== undefined) {
      await connection.run('DELETE FROM present WHERE base = ?', [next.joined.base]);
      await forgetStateAt(connection, next.joined.base);
    }
    isOlderChanged ||= next.joined !== undefined || (!isNewest && facts.length > 0);
    ranges = next.ranges;
  }
  await storeContents(
    connection,
    blocks.flatMap(({ contents }) => contents ?? []),
  );
  await storeTimes(
    connection,
    blocks.flatMap(({ height, time }) => (time === undefined ? [] : [{ height, time }])),
  );
  await writeRanges(connection, before.ranges, ranges);
  if (isOlderChanged) await connection.run(nextGeneration, []);
}

/** Characters that count for each fact. */
const factSize = 500;

/** The size of a block that is recorded, about in characters. */
export function sizeOfBlock({ facts, contents }: RecordedBlock): number {
  const size = factSize * facts.length + (contents?.block.length ?? 0);
  return (contents?.transactions ?? []).reduce((sum, { content }) => sum + content.length, size);
}

/** The most blocks of a group, and their most characters. */
const mostBlocks = 64;
const mostCharacters = 1_000_000;

/** How long blocks that may wait do so until their group is full, in ms. */
const longestWait = 200;

interface Waiter {
  readonly block: RecordedBlock;
  readonly size: number;
  readonly mayWait: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Makes a function that records blocks in groups, one after the other, each in one transaction. A group is written as soon as it is full, has a block that
 * may not wait, or its blocks have waited. Each promise settles as if its block had a transaction of its own: if a group is refused, its blocks are written
 * one by one.
 */
export function createGroupedRecord(
  write: (blocks: readonly RecordedBlock[]) => Promise<void>,
): (block: RecordedBlock, mayWait?: boolean) => Promise<void> {
  const waiting: Waiter[] = [];
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;

  async function writeGroup(group: readonly Waiter[]): Promise<void> {
    try {
      const blocks: RecordedBlock[] = [];
      for (const { block } of group) blocks.push(block);
      await write(blocks);
      for (const { resolve } of group) resolve();
    } catch (error) {
      // A database that is full or cannot be reached fails for each of them.
      const isForAll = error instanceof DatabaseError && error.failure !== 'FAILED';
      if (isForAll || group.length === 1) for (const { reject } of group) reject(error);
      else for (const waiter of group) await writeGroup([waiter]);
    }
  }

  async function writeNext(count: number): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isWriting = true;
    await writeGroup(waiting.splice(0, count));
    isWriting = false;
    schedule(false);
  }

  /** Writes the next group if it is full, has a block that may not wait, or its blocks have waited. */
  function schedule(hasWaited: boolean): void {
    if (isWriting || waiting.length === 0) return;
    let [count, size, isDue] = [0, 0, hasWaited];
    for (const waiter of waiting) {
      count += 1;
      size += waiter.size;
      const isFull = count === mostBlocks || size >= mostCharacters;
      if (isFull || !waiter.mayWait) isDue = true;
      if (isFull) break;
    }
    if (isDue) void writeNext(count);
    else timer ??= setTimeout(schedule, longestWait, true);
  }

  return (block, mayWait = false) =>
    new Promise((resolve, reject) => {
      waiting.push({ block, size: sizeOfBlock(block), mayWait, resolve, reject });
      schedule(false);
    });
}
