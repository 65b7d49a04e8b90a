import { readFileSync } from 'node:fs';
import { createDescriptorPool } from '../src/chain/descriptors/descriptorPool.ts';
import { messageJson } from '../src/chain/wire/protoJson.ts';
import { tellParent } from './child.ts';

/**
 * Measures the memory of a chain's types in a child that contains nothing else. Its argument is the path of a chain's
 * descriptors.
 */
const bytes = readFileSync(process.argv[2] ?? '');
let pool: ReturnType<typeof createDescriptorPool> | undefined;

function timed(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

tellParent('', () => ({ calls: 0, batches: 0 }), {
  /** Returns the heap in use in bytes after garbage collections. */
  heap() {
    for (let time = 0; time < 4; time += 1) globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  /** Creates the pool. Returns the duration in ms. */
  index: () =>
    timed(() => {
      pool = createDescriptorPool(bytes);
    }),
  /** Decodes the files with the messages of proposals and transactions. Returns the duration in ms. */
  common: () =>
    timed(() => {
      for (const name of ['cosmos.tx.v1beta1.Tx', 'cosmos.group.v1.MsgSubmitProposal', 'cosmos.bank.v1beta1.MsgSend']) {
        const desc = pool?.message(name);
        if (pool !== undefined && desc !== undefined) messageJson(pool.registry, desc, new Uint8Array());
      }
    }),
  /** Decodes the files of every service. Returns the duration in ms. */
  all: () =>
    timed(() => {
      for (const name of pool?.services ?? []) pool?.service(name);
    }),
});
