import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMemoryBudget, type MemoryBudget, type MemoryShare } from '../../src/chain/memory/memoryBudget.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Returns the bytes in use after garbage collection. */
export async function usedMemory(): Promise<number> {
  for (let times = 0; times < 3; times += 1) {
    await new Promise(setImmediate);
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Creates a budget in which a share has at least `bytes`, and little more. */
export function memoryOfShare(share: MemoryShare, bytes: number): MemoryBudget {
  let total = 2 ** 24;
  while (createMemoryBudget({ bytes: total }).share(share) < bytes) total += Math.max(1_000, Math.ceil(bytes / 10));
  return createMemoryBudget({ bytes: total });
}
