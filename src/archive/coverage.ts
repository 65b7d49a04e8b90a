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

/** What an archive covers. */
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

/** Whether records can be read as of a height: now, after more blocks are recorded, or not unless older blocks are filled in. */
export type Holding = 'HELD' | 'LATER' | 'OUTSIDE';

/** Whether the archive with this coverage holds a height. */
export function holdingOf({ ranges }: Coverage, height: bigint): Holding {
  const newest = ranges.at(-1);
  if (newest === undefined || height > newest.to) return 'LATER';
  return ranges.some(({ base, to }) => base <= height && height <= to) ? 'HELD' : 'OUTSIDE';
}

/** The ranges of heights whose blocks are recorded. */
export function heightRanges({ ranges }: Coverage): readonly HeightRange[] {
  return ranges.filter(({ base, to }) => base < to).map(({ base, to }) => ({ from: base + 1n, to }));
}
