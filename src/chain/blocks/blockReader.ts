import { ChainError, isChainError } from '../base/errors.ts';
import { createInFlight } from '../memory/inFlight.ts';
import type { BlockSource, WantedBlock } from './blockSource.ts';
import { checkBlock } from './blockSource.ts';
import type { CommittedBlock } from './committedBlock.ts';

/** Reads single older blocks. */
export interface BlockReader {
  /** Tries once to read a block. Concurrent calls for the same block share one read; others wait for a free slot. */
  read(wanted: WantedBlock): Promise<CommittedBlock>;
}

/**
 * Makes a reader. It tries the sources in order and reads at most `parallel` blocks at once. It passes each block to `keep`
 * with the generation of the head at the start of the read. Reads of different generations are not shared.
 */
export function createBlockReader(options: {
  readonly sources: readonly BlockSource[];
  readonly parallel: number;
  readonly keep: (block: CommittedBlock, generation: number) => void;
  readonly generation: () => number;
}): BlockReader {
  const { sources, parallel, keep, generation } = options;
  const inFlight = createInFlight<CommittedBlock>();
  const queue: (() => void)[] = [];
  let running = 0;

  async function withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (running >= parallel) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The slot passes directly to the next in the queue, so that no new caller overtakes it.
      const next = queue.shift();
      if (next !== undefined) next();
      else running -= 1;
    }
  }

  async function readFromSources(wanted: WantedBlock, startGeneration: number): Promise<CommittedBlock> {
    wanted.signal.throwIfAborted();
    let failure: unknown;
    for (const source of sources) {
      try {
        const block = await source.block(wanted);
        if (block === undefined) continue;
        checkBlock(block, wanted);
        keep(block, startGeneration);
        return block;
      } catch (error) {
        if (wanted.signal.aborted) throw error;
        // NODE_INCONSISTENT takes precedence over the error of another source.
        if (failure === undefined || isChainError(error, 'NODE_INCONSISTENT')) failure = error;
      }
    }
    const { height } = wanted;
    throw failure ?? new ChainError('HEIGHT_NOT_YET_AVAILABLE', `No source has block ${height}.`, { height });
  }

  return {
    read(wanted) {
      const startGeneration = generation();
      const key = `${startGeneration} ${wanted.height} ${wanted.previous?.blockId.hash ?? ''}`;
      return inFlight.join(key, wanted.signal, (signal) =>
        withSlot(() => readFromSources({ ...wanted, signal }, startGeneration)),
      );
    },
  };
}
