import { isChainError } from '../../chain/base/errors.ts';
import { onAbort } from '../../chain/base/time.ts';
import type { ArchiveStore } from '../store/archiveStore.ts';
import { type RecordedBlock, type RecordedRange, sizeOfBlock } from '../store/ranges.ts';
import { createOpenSet, deriveFacts, disagreements, lowestBase, mayPass, type RecordingSource, type Wait } from './source.ts';

interface Gap {
  /** The height whose state the gap begins with: its first block is the next one. */
  readonly base: bigint;
  /** The last block of the gap: the base of the range above it. */
  readonly end: bigint;
  /** Whether a range ends at `base`. Else the state at `base` must be read first. */
  readonly continues: boolean;
}

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

/** The time over which the rate is measured, in ms. */
const window = 10_000;

export function createProgress(now: () => number = () => performance.now()) {
  let counts: { readonly second: number; blocks: number }[] = [];
  let beginning = now();

  function recent(): typeof counts {
    const oldest = Math.floor((now() - window) / 1000);
    return counts.filter(({ second }) => second > oldest);
  }

  return {
    /** Counts one block. */
    count(): void {
      counts = recent();
      if (counts.length === 0) beginning = now();
      const second = Math.floor(now() / 1000);
      const last = counts.at(-1);
      if (last?.second === second) last.blocks += 1;
      else counts.push({ second, blocks: 1 });
    },
    /** Blocks per second over the last ten seconds, or over the first second while it lasts. */
    rate(): number {
      const seconds = Math.min(Math.max(now() - beginning, 1_000), window) / 1000;
      return recent().reduce((sum, count) => sum + count.blocks, 0) / seconds;
    },
  };
}

/** The most blocks of a stream that are being stored, and their most characters. */
const mostBlocks = 64;
const mostCharacters = 1_000_000;

/** The blocks of one stream that are being stored. The next ones are read meanwhile. `onStored` is called with each block that is stored, in order. */
function createWrites(record: (block: RecordedBlock) => Promise<void>, onStored: (block: RecordedBlock) => void) {
  /** From the oldest. */
  const pending: { readonly write: Promise<void>; readonly size: number }[] = [];
  const size = (): number => pending.reduce((sum, one) => sum + one.size, 0);

  return {
    /** Stores a block after those before it. Resolves when there is room for another one. Rejects with the failure of an earlier block. */
    async add(block: RecordedBlock): Promise<void> {
      const write = record(block).then(() => onStored(block));
      write.catch(() => undefined);
      pending.push({ write, size: sizeOfBlock(block) });
      while (pending.length > mostBlocks || (size() > mostCharacters && pending.length > 1)) {
        await pending[0]?.write;
        pending.shift();
      }
    },
    /** Resolves when every block is stored. Rejects with the first failure. */
    async stored(): Promise<void> {
      for (const { write } of [...pending]) await write;
    },
    /** Resolves when every block is stored or has failed. */
    async settled(): Promise<void> {
      await Promise.allSettled(pending.map(({ write }) => write));
    },
  };
}

/** What is being filled in. */
export interface BackfillView {
  /** The lowest and the highest block that is missing. */
  readonly from: bigint;
  readonly to: bigint;
  /** The block that is recorded next. */
  readonly next: bigint;
  readonly blocksPerSecond: number;
  /** Null before the rate is known. */
  readonly secondsLeft: bigint | null;
}

interface BackfillOptions {
  readonly store: ArchiveStore;
  readonly source: RecordingSource;
  /** The lowest block to fill in; undefined fills in only what was missed. */
  readonly from: bigint | undefined;
  /** The most blocks of a piece. Pieces are filled in newest first, some at the same time; the blocks of a piece in ascending order. */
  readonly chunk: bigint;
  readonly wait: Wait;
  /** A line for the log: progress, or that the nodes have no older state. */
  readonly report: (line: string) => void;
  /** Called with each proposal whose computed tally differs from the chain's. */
  readonly audit: (proposalId: bigint) => void;
}

/** Interval of the progress in the log, in ms. */
const reportInterval = 10_000;

/** Pieces that are filled in at the same time, so that one reads from the node while another one waits for an answer. */
const parallelPieces = 8;

/** Creates the backfill. It starts from what is covered, so it continues where an earlier one was interrupted. */
export function createBackfill({ store, source, from, chunk, wait, report, audit }: BackfillOptions) {
  /** Ends of the gaps that no node can fill. */
  const unavailable = new Set<bigint>();
  let progress = createProgress();
  /** The next block of each piece that is being filled in, by the end of the piece. */
  const nextBlocks = new Map<bigint, bigint>();
  let reportedAt = 0;

  /** What is missing of the chain. Before the first range is begun, everything from `from` up to the newest block is. */
  function missing(): readonly Gap[] {
    const { ranges } = store.coverage();
    const newest = source.newest();
    const covered = ranges.length > 0 || newest === undefined ? ranges : [{ base: newest.height, to: newest.height }];
    return gapsOf({ ranges: covered }, from).filter(({ end }) => !unavailable.has(end));
  }

  /** What is left to fill in, also before the work begins; null if nothing is, or no node has responded yet. */
  function view(): BackfillView | null {
    const gaps = missing();
    const [newest, oldest] = [gaps[0], gaps.at(-1)];
    if (newest === undefined || oldest === undefined) return null;
    // Before the work begins, the next block is the first one of the newest piece.
    const next = [...nextBlocks.values()].reduce((a, b) => (b > a ? b : a), chunkOf(newest, chunk).base + 1n);
    const left = gaps.reduce((sum, { base, end }) => sum + (end - base), 0n);
    const blocksPerSecond = progress.rate();
    return {
      from: oldest.base + 1n,
      to: newest.end,
      next,
      blocksPerSecond,
      secondsLeft: blocksPerSecond === 0 ? null : BigInt(Math.ceil(Number(left) / blocksPerSecond)),
    };
  }

  function reportProgress(): void {
    if (performance.now() - reportedAt < reportInterval) return;
    reportedAt = performance.now();
    const now = view();
    if (now === null) return;
    const left = now.secondsLeft === null ? '' : `, ${now.secondsLeft} s left`;
    report(`backfill: at block ${now.next} of ${now.from} to ${now.to}, ${Math.round(now.blocksPerSecond)} blocks/s${left}`);
  }

  /** Records the blocks above `base` up to `end`, which joins the range above. */
  async function fill(base: bigint, end: bigint, signal: AbortSignal): Promise<void> {
    const writes = createWrites(
      // The last one does not wait for blocks that do not come.
      (block) => store.record(block, block.height < end),
      ({ facts }) => {
        for (const id of disagreements(facts)) audit(id);
        progress.count();
        reportProgress();
      },
    );
    try {
      const open = await createOpenSet(store.read, base, writes.stored);
      for await (const block of source.blocks(base, signal)) {
        const { height, hash, previousHash, time, contents } = block;
        nextBlocks.set(end, height);
        const facts = await deriveFacts(block, open.before(height), signal, wait);
        open.apply(facts);
        await writes.add({ height, hash, previousHash, time, facts, contents });
        if (height >= end) break;
      }
      await writes.stored();
    } finally {
      await writes.settled();
    }
  }

  /**
   * Begins a range for a piece of a gap, at a higher block if the nodes have no state at its base. Null if they have none in the whole gap.
   */
  async function beginRange({ base, end }: Gap, signal: AbortSignal): Promise<bigint | null> {
    for (let height = base; height < end; ) {
      try {
        await store.begin(await source.start(height, signal));
        return height;
      } catch (error) {
        if (!isChainError(error, 'HEIGHT_PRUNED')) throw error;
        const { earliestHeight } = error.facts;
        const isHelpful = earliestHeight !== undefined && earliestHeight > height;
        height = isHelpful ? earliestHeight : height + (end - height + 1n) / 2n;
      }
    }
    return null;
  }

  /** Marks that no node can fill a piece. Rethrows other errors. */
  function giveUp({ base, end }: Gap, error: unknown): void {
    if (!isChainError(error, 'HEIGHT_PRUNED')) throw error;
    unavailable.add(end);
    const next = nextBlocks.get(end) ?? base + 1n;
    report(`backfill: the nodes do not have the blocks above height ${next}; blocks ${base + 1n} to ${end} stay unrecorded`);
  }

  /**
   * Begins ranges for the newest pieces of a gap, newest first, so that each can join the one above. Returns the pieces from the bases that the nodes have the
   * state of.
   */
  async function beginPieces(gap: Gap, signal: AbortSignal): Promise<readonly Gap[]> {
    const openGaps: Gap[] = [];
    for (const piece of piecesOf(gap, chunk, parallelPieces)) {
      nextBlocks.set(piece.end, piece.base + 1n);
      const base = piece.continues ? piece.base : await beginRange(piece, signal);
      if (base === null) {
        unavailable.add(piece.end);
        report(
          `backfill: the nodes have no state below height ${piece.end}; blocks ${gap.base + 1n} to ${piece.end} stay unrecorded`,
        );
        break;
      }
      openGaps.push({ ...piece, base });
      if (base > piece.base) break;
    }
    return openGaps;
  }

  async function fillGap(gap: Gap, signal: AbortSignal): Promise<void> {
    const pieces = await beginPieces(gap, signal);
    signal.throwIfAborted();
    const all = new AbortController();
    const removeListener = onAbort(signal, () => all.abort(signal.reason));
    let failure: { readonly piece: Gap; readonly error: unknown } | undefined;
    const filling = pieces.map((piece) =>
      fill(piece.base, piece.end, all.signal).catch((error: unknown) => {
        failure ??= { piece, error };
        all.abort(new Error('another piece of the backfill failed'));
      }),
    );
    await Promise.all(filling).finally(removeListener);
    signal.throwIfAborted();
    if (failure !== undefined) giveUp(failure.piece, failure.error);
  }

  return {
    view,
    /** Resolves when nothing that the nodes have is missing. Rejects with a failure of the database, a refusal, or the signal's reason. */
    async run(signal: AbortSignal): Promise<void> {
      progress = createProgress();
      reportedAt = performance.now();
      if (from !== undefined && from <= lowestBase)
        report(
          'backfill: coverage begins at block 2, because a range begins with the state after a block and block 1 is the first one',
        );
      try {
        for (let failures = 0; ; ) {
          signal.throwIfAborted();
          const [gap] = missing();
          if (gap === undefined) return;
          nextBlocks.clear();
          try {
            await fillGap(gap, signal);
            failures = 0;
          } catch (error) {
            signal.throwIfAborted();
            if (!mayPass(error)) throw error;
            await wait(++failures, signal);
          }
        }
      } finally {
        nextBlocks.clear();
      }
    },
  };
}
