import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMemoryBudget, type MemoryBudget, type MemoryShare } from '../../src/chain/memory/memoryBudget.ts';

setFlagsFromString('--expose-gc');
// Otherwise a collection also frees the code of functions that did not run lately, megabytes of it.
setFlagsFromString('--no-flush-bytecode');

/** Collects garbage at once. */
export const collectGarbage: () => void = runInNewContext('gc');

/** The bytes in use now. */
function inUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Returns the bytes in use after garbage collection. What finalizers and other threads free follows a collection, so it is repeated until it frees nothing
 * more: at least three and at most ten times.
 */
export async function usedMemory(): Promise<number> {
  let before = Number.POSITIVE_INFINITY;
  for (let times = 1; times <= 10; times += 1) {
    await new Promise(setImmediate);
    collectGarbage();
    const now = inUse();
    if (times >= 3 && now > before - 16_384) break;
    before = now;
  }
  return inUse();
}

/** Creates a budget in which a share has at least `bytes`, and little more. */
export function memoryOfShare(share: MemoryShare, bytes: number): MemoryBudget {
  let total = 2 ** 24;
  while (createMemoryBudget({ bytes: total }).share(share) < bytes) total += Math.max(1_000, Math.ceil(bytes / 10));
  return createMemoryBudget({ bytes: total });
}
