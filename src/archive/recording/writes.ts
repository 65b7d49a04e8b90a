import { sizeOfBlock } from '../store/blockSize.ts';
import type { RecordedBlock } from '../store/ranges.ts';

/** The most blocks of a stream that are being stored, and their most characters. */
const mostBlocks = 64;
const mostCharacters = 1_000_000;

/** The blocks of one stream that are being stored. The next ones are read meanwhile. */
export interface Writes {
  /** Stores a block after those before it. Resolves when there is room for another one. Rejects with the failure of an earlier block. */
  add(block: RecordedBlock): Promise<void>;
  /** Resolves when every block is stored. Rejects with the first failure. */
  stored(): Promise<void>;
  /** Resolves when every block is stored or has failed. */
  settled(): Promise<void>;
}

/** Makes the writes of a stream. `onStored` is called with each block that is stored, in order. */
export function createWrites(
  record: (block: RecordedBlock) => Promise<void>,
  onStored: (block: RecordedBlock) => void,
): Writes {
  /** From the oldest. */
  const pending: { readonly write: Promise<void>; readonly size: number }[] = [];
  const size = (): number => pending.reduce((sum, one) => sum + one.size, 0);

  return {
    async add(block) {
      const write = record(block).then(() => onStored(block));
      write.catch(() => undefined);
      pending.push({ write, size: sizeOfBlock(block) });
      while (pending.length > mostBlocks || (size() > mostCharacters && pending.length > 1)) {
        await pending[0]?.write;
        pending.shift();
      }
    },
    async stored() {
      for (const { write } of [...pending]) await write;
    },
    async settled() {
      await Promise.allSettled(pending.map(({ write }) => write));
    },
  };
}
