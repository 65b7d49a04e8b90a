import { writeFileSync } from 'node:fs';
import { createActors } from '../../packages/devnet/src/app/actors/actors.ts';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { createGenesis } from '../../packages/devnet/src/app/genesis/genesis.ts';
import { createDevnet } from '../../packages/devnet/src/devnet.ts';
import type { NodeCall } from '../../packages/devnet/src/node/faults/faults.ts';
import { now, tellParent } from '../child.ts';
import { createCopies } from './copies.ts';

// A chain whose blocks the parent creates. Each has the transactions of the actors, and copies of earlier ones once there are some to copy.
const chainId = 'stele-bench';
const application = createApplication({ genesis: createGenesis() });
const copies = createCopies(application);
const actors = createActors({ query: application.query, chainId });
let copied = 0;
const devnet = await createDevnet({
  chainId,
  application: copies.application,
  blockTime: 'manual',
  // Copies take no part in the state, and blocks with hundreds of them take much memory.
  keepBlocks: Number(process.argv[2] ?? 20_000),
  actors: (block) => [...actors(block), ...copies.next(copied)],
});
const [node] = devnet.nodes;
if (node === undefined) throw new Error('no node');
let calls: Pick<NodeCall, 'method' | 'params'>[] | undefined;

/** The work of each call in ms, and what is left of it because a sleep cannot be exact. */
let work = 0;
let owed = 0;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Works on a call. The thread sleeps, so no other call is answered meanwhile, and the core is free for the processes that are measured. */
function workOnCall(): void {
  if (work === 0) return;
  owed += work;
  const begun = performance.now();
  if (owed > 0) Atomics.wait(sleeper, 0, 0, owed);
  owed -= performance.now() - begun;
}

node.onCall = ({ method, params }) => {
  calls?.push({ method, params });
  workOnCall();
};

tellParent(node.url, () => ({ calls: node.counters.calls, batches: node.counters.batches }), {
  /** Creates a block. Returns the time when its events were sent. */
  async commit() {
    await devnet.commit({ elapse: 1_000 });
    return now();
  },
  /** Creates this many blocks. Returns the height of the last one. */
  async grow(count) {
    for (let block = 0; block < Number(count); block += 1) await devnet.commit({ elapse: 1_000 });
    return Number(devnet.height);
  },
  /** Adds this many copies to each block after the next one. Returns their mean number of events. */
  async copy(count) {
    while (copies.samples() < 5) await devnet.commit({ elapse: 1_000 });
    copied = Number(count);
    await devnet.commit({ elapse: 1_000 });
    return copies.events();
  },
  /** Delays every answer by this many ms. */
  delay(milliseconds) {
    node.faults.delay = Number(milliseconds);
    return node.faults.delay;
  },
  /** Makes every call take this many ms of the node's time, one call at a time, of whatever batch. */
  work(milliseconds) {
    work = Number(milliseconds);
    owed = 0;
    return work;
  },
  height: () => Number(devnet.height),
  /** Starts to note the calls that the node gets. */
  noteCalls() {
    calls = [];
    return 0;
  },
  /** Writes them to a file. Returns their number. */
  writeCalls(file) {
    writeFileSync(String(file), JSON.stringify(calls));
    const count = calls?.length ?? 0;
    calls = undefined;
    return count;
  },
});
