import { createDevnet } from '../packages/devnet/src/devnet.ts';
import { now, tellParent } from './child.ts';

// A chain with the number of blocks on the command line, which then stops, and the number of nodes after it.
const [blocks = 10, nodes = 1] = process.argv.slice(2).map(Number);
const devnet = await createDevnet({ blockTime: 'manual', nodes });
while (devnet.height < BigInt(blocks)) await devnet.commit({ elapse: 1000 });
const [node] = devnet.nodes;
if (node === undefined) throw new Error('no node');
tellParent(node.url, () => ({ calls: node.counters.calls, batches: node.counters.batches }), {
  async commit() {
    const start = now();
    await devnet.commit({ elapse: 1000 });
    return start;
  },
  /** From now on each simulation of the last node is a contract that never ends; with false, it is restarted. */
  loops(isEndless) {
    const last = devnet.nodes.at(-1);
    if (isEndless === true && last !== undefined) last.faults.endlessSimulations = true;
    else last?.heal();
    return now();
  },
  /** The port of the last node. */
  lastPort: () => Number(new URL(devnet.nodes.at(-1)?.url ?? node.url).port),
});
