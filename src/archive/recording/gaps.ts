import type { RecordedRange } from '../coverage.ts';

/** Blocks that are not recorded, between what is covered. */
export interface Gap {
  /** The height whose state the gap begins with: its first block is the next one. */
  readonly base: bigint;
  /** The last block of the gap: the base of the range above it. */
  readonly end: bigint;
  /** Whether a range ends at `base`. Else the state at `base` must be read first. */
  readonly continues: boolean;
}

/** The lowest base of a range: there is no state below the first block. */
export const lowestBase = 1n;

/**
 * The gaps that are to be filled, the newest one first: those between ranges, and with `from` the blocks from that height up to the lowest range.
 */
export function gapsOf(
  { ranges }: { readonly ranges: readonly Pick<RecordedRange, 'base' | 'to'>[] },
  from: bigint | undefined,
): readonly Gap[] {
  const gaps = ranges.flatMap(({ base: end }, index): readonly Gap[] => {
    const below = ranges[index - 1];
    if (below !== undefined) return [{ base: below.to, end, continues: true }];
    if (from === undefined) return [];
    const base = from - 1n < lowestBase ? lowestBase : from - 1n;
    return base < end ? [{ base, end, continues: false }] : [];
  });
  return gaps.toReversed();
}

/** The part of a gap to fill next, at most `size` blocks: the newest part, which is recorded in ascending order and joins the range above. */
export function chunkOf(gap: Gap, size: bigint): Gap {
  return gap.end - gap.base <= size ? gap : { base: gap.end - size, end: gap.end, continues: false };
}

/** The fewest blocks of a piece that is worth the reads of the state at its base. */
const smallestPiece = 100n;

/** The number of blocks of each piece of a gap: it is divided evenly if it is short, unless it needs no state because it continues a range. */
function pieceLength({ base, end, continues }: Gap, size: bigint, count: number): bigint {
  const even = (end - base + BigInt(count) - 1n) / BigInt(count);
  return continues || even > size || even < smallestPiece ? size : even;
}

/** The newest pieces of a gap, to be filled at the same time: at most `count`, newest first, of at most `size` blocks each. */
export function piecesOf(gap: Gap, size: bigint, count: number): readonly Gap[] {
  const length = pieceLength(gap, size, count);
  const pieces: Gap[] = [];
  for (let rest = gap; pieces.length < count && rest.base < rest.end; ) {
    const piece = chunkOf(rest, length);
    pieces.push(piece);
    rest = { ...rest, end: piece.base };
  }
  return pieces;
}
