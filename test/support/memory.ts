import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes that are in use once everything unused was freed. */
export async function usedMemory(): Promise<number> {
  for (let times = 0; times < 3; times += 1) {
    await new Promise(setImmediate);
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
