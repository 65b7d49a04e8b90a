import type { RecordingSource } from '../../../src/archive/recording/source.ts';
import { ChainError } from '../../../src/chain/base/errors.ts';
import { abortable } from '../../../src/chain/base/time.ts';
import { contentsAt, hashAt, type SimulatedBlock } from './simulation.ts';

/** A chain of simulated blocks. Its newest block is moved by the test. */
export interface SimulatedSource extends RecordingSource {
  /** Moves the newest block. */
  moveTo(height: bigint): void;
  /** Changes the modules that the chain does not have; none at first. */
  upgrade(without: readonly string[]): void;
  /** Heights below this one have neither a state nor a block. */
  prune(below: bigint): void;
  /** Reports a reset of the chain. */
  reset(): void;
  /** Heights of the states that were read. */
  readonly starts: readonly bigint[];
}

/** The `earlier` of a source without an index of transactions. */
export const nothingEarlier = async () => ({ close: null, executions: [] });

/** Makes a source of simulated blocks. `chain` is the letter of their hashes; with `isFull` the blocks have contents. */
export function createSimulatedSource(blocks: readonly SimulatedBlock[], chain = 'A', isFull = false): SimulatedSource {
  let newest = 0n;
  let oldest = 0n;
  const starts: bigint[] = [];
  const waiting = new Set<() => void>();
  let absent: readonly string[] = [];
  const upgrades = new Set<() => void>();
  const resets = new Set<() => void>();
  const name = (height: bigint) => ({ height, hash: hashAt(height, chain) });
  const pruned = (height: bigint) => new ChainError('HEIGHT_PRUNED', `no height ${height}`, { height, earliestHeight: oldest });
  const moved = (signal: AbortSignal): Promise<void> => abortable(new Promise<void>((resolve) => waiting.add(resolve)), signal);

  return {
    starts,
    newest: () => (newest === 0n ? undefined : name(newest)),
    async ready(signal) {
      while (newest === 0n) await moved(signal);
      return name(newest);
    },
    async *blocks(after, signal) {
      for (let height = after + 1n; ; height++) {
        while (height > newest) await moved(signal);
        signal.throwIfAborted();
        if (height < oldest) throw pruned(height);
        const { facts } = blocks[Number(height) - 1]!;
        const contents = isFull ? contentsAt(height) : undefined;
        yield { ...name(height), previousHash: hashAt(height - 1n, chain), contents, facts: async () => facts };
        // Lets other work run between two blocks.
        await new Promise(setImmediate);
      }
    },
    async hashAt(height) {
      if (height < oldest) throw pruned(height);
      return hashAt(height, chain);
    },
    async start(height) {
      if (height < oldest) throw pruned(height);
      starts.push(height);
      return { ...name(height), facts: blocks[Number(height) - 1]!.start };
    },
    earlier: nothingEarlier,
    prove: undefined,
    rootsAfter: async () => new Map(),
    absent: async () => absent,
    onUpgrade(listener) {
      upgrades.add(listener);
      return () => upgrades.delete(listener);
    },
    onReset(listener) {
      resets.add(listener);
      return () => resets.delete(listener);
    },
    moveTo(height) {
      newest = height;
      for (const wake of [...waiting]) {
        waiting.delete(wake);
        wake();
      }
    },
    upgrade(without) {
      absent = without;
      for (const listener of [...upgrades]) listener();
    },
    prune(below) {
      oldest = below;
    },
    reset() {
      for (const listener of [...resets]) listener();
    },
  };
}
