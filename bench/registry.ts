import { readFileSync } from 'node:fs';
import { createDescriptorPool } from '../src/chain/descriptors/descriptorPool.ts';
import { messageJson } from '../src/chain/wire/protoJson.ts';
import { tellParent } from './child.ts';

/** What the types of a chain cost a server: a child whose memory is nothing else. It is told where a chain's descriptors lie. */
const bytes = readFileSync(process.argv[2] ?? '');
let pool: ReturnType<typeof createDescriptorPool> | undefined;

function timed(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

tellParent('', () => ({ calls: 0, batches: 0 }), {
  /** Heap in use when collections have passed, bytes. */
  heap() {
    for (let time = 0; time < 4; time += 1) globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  /** Makes the pool; ms. */
  index: () =>
    timed(() => {
      pool = createDescriptorPool(bytes);
    }),
  /** Decodes the files of the messages that proposals and transactions are made of; ms. */
  usual: () =>
    timed(() => {
      for (const name of ['cosmos.tx.v1beta1.Tx', 'cosmos.group.v1.MsgSubmitProposal', 'cosmos.bank.v1beta1.MsgSend']) {
        const desc = pool?.message(name);
        if (pool !== undefined && desc !== undefined) messageJson(pool.registry, desc, new Uint8Array());
      }
    }),
  /** Decodes every service's files; ms. */
  all: () =>
    timed(() => {
      for (const name of pool?.services ?? []) pool?.service(name);
    }),
});
