import { createDevnet } from '../packages/devnet/src/devnet.ts';
import { now, tellParent } from './child.ts';

// A chain with the number of blocks on the command line, which then stops.
const blocks = Number(process.argv[2] ?? 10);
const devnet = await createDevnet({ blockTime: 'manual' });
while (devnet.height < BigInt(blocks)) await devnet.commit({ elapse: 1000 });
const [node] = devnet.nodes;
if (node === undefined) throw new Error('no node');
tellParent(node.url, () => ({ calls: node.counters.calls, batches: node.counters.batches }), {
  async commit() {
    const start = now();
    await devnet.commit({ elapse: 1000 });
    return start;
  },
});
