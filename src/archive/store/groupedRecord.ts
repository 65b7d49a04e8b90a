import { DatabaseError } from '../database/connection.ts';
import type { ArchiveStore } from './archiveStore.ts';
import { sizeOfBlock } from './blockSize.ts';
import type { RecordedBlock } from './ranges.ts';

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
export function createGroupedRecord(write: (blocks: readonly RecordedBlock[]) => Promise<void>): ArchiveStore['record'] {
  const waiting: Waiter[] = [];
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;

  /** The number of blocks of the next group if it is full; undefined if not. */
  function fullGroup(): number | undefined {
    let size = 0;
    for (const [index, waiter] of waiting.entries()) {
      size += waiter.size;
      if (index + 1 === mostBlocks) return mostBlocks;
      if (size >= mostCharacters) return index + 1;
    }
    return undefined;
  }

  async function writeGroup(group: readonly Waiter[]): Promise<void> {
    try {
      await write(group.map(({ block }) => block));
      for (const { resolve } of group) resolve();
    } catch (error) {
      // A database that is full or cannot be reached fails for each of them.
      const isForAll = error instanceof DatabaseError && error.failure !== 'FAILED';
      if (isForAll || group.length === 1) for (const { reject } of group) reject(error);
      else for (const waiter of group) await writeGroup([waiter]);
    }
  }

  async function writeNext(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isWriting = true;
    await writeGroup(waiting.splice(0, fullGroup() ?? waiting.length));
    isWriting = false;
    schedule();
  }

  function schedule(): void {
    if (isWriting || waiting.length === 0) return;
    if (fullGroup() !== undefined || waiting.some(({ mayWait }) => !mayWait)) void writeNext();
    else timer ??= setTimeout(() => void writeNext(), longestWait);
  }

  return (block, mayWait = false) =>
    new Promise((resolve, reject) => {
      waiting.push({ block, size: sizeOfBlock(block), mayWait, resolve, reject });
      schedule();
    });
}
