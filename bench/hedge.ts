import { setTimeout as wait } from 'node:timers/promises';
import { createDevnet } from '../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../packages/devnet/src/node/node.ts';
import { fallback } from '../src/chain/transports/fallback.ts';
import { http } from '../src/chain/transports/http.ts';

/** Reads before the measurement, from which the times of the nodes are learnt, reads of a measurement, and how many run at once. */
const [warmUp, reads, atOnce] = [500, 4_000, 20];

/** The blocks that are read. */
const blocks = 8;

/** A part of sorted values, such as 0.99. */
const part = (sorted: readonly number[], of: number): number => sorted[Math.floor(sorted.length * of)] ?? 0;

/** Times of a sound node in ms: 20 to 30 for most calls, 40 to 60 for three of a hundred. */
const sound = (): number => (Math.random() < 0.03 ? 40 + 20 * Math.random() : 20 + 10 * Math.random());

/** Makes a node take this long for a read. Its status comes at once. */
function takes(node: DevnetNode | undefined, time: () => number): void {
  if (node !== undefined) node.onCall = ({ method }) => (method === 'block_results' ? wait(time()) : undefined);
}

/** Measures reads over three nodes, and prints a row. Returns the p99 in ms. */
async function measure(name: string, nodes: readonly DevnetNode[], first: () => number, hedges: boolean): Promise<number> {
  for (const node of nodes) takes(node, sound);
  takes(nodes[0], first);
  const transport = fallback(
    nodes.map(({ url }) => http(url, { batchSize: 1, connections: 4 * atOnce })),
    { hedges },
  );
  const calls = (): number => nodes.reduce((sum, { counters }) => sum + (counters.byMethod.block_results ?? 0), 0);
  const times: number[] = [];
  let left = 0;
  async function one(): Promise<void> {
    while (left > 0) {
      left -= 1;
      const height = BigInt(1 + (left % blocks));
      const begun = performance.now();
      await transport.call('block_results', { height: height.toString() }, { height, decode: () => undefined });
      times.push(performance.now() - begun);
    }
  }
  const run = async (count: number): Promise<void> => {
    left = count;
    await Promise.all(Array.from({ length: atOnce }, one));
  };
  await run(warmUp);
  times.length = 0;
  const before = calls();
  await run(reads);
  const made = calls() - before;
  await transport.close();
  times.sort((a, b) => a - b);
  const [p50, p95, p99] = [part(times, 0.5), part(times, 0.95), part(times, 0.99)];
  const more = ((made / reads - 1) * 100).toFixed(1);
  const cells = [p50, p95, p99].map((time) => `${time.toFixed(0)} ms`.padStart(8));
  console.log(`${name.padEnd(58)}${cells.join('')}${String(made).padStart(8)}${`${more} %`.padStart(8)}`);
  return p99;
}

/** Measures reads over three sound nodes, and over three of which the preferred one is slow, without and with reads on a second node. Prints the results. */
export async function hedge(): Promise<void> {
  const devnet = await createDevnet({ nodes: 3, blockTime: 'manual' });
  for (let block = 0; block < blocks; block += 1) await devnet.commit();
  const { nodes } = devnet;
  const slow = (): number => 150 + sound();
  const stalls = (): number => (Math.random() < 0.1 ? 300 : sound());
  console.log(`${reads} reads of block results, ${atOnce} at once\n`);
  console.log(`${''.padEnd(58)}     p50     p95     p99   calls    more`);
  const best = await measure('three sound nodes', nodes, sound, true);
  await measure('three sound nodes, no second reads', nodes, sound, false);
  await measure('the first node takes 150 ms more, no second reads', nodes, slow, false);
  const hedged = await measure('the first node takes 150 ms more', nodes, slow, true);
  await measure('the first node stalls for 300 ms one time in ten, no second reads', nodes, stalls, false);
  const stalled = await measure('the first node stalls for 300 ms one time in ten', nodes, stalls, true);
  console.log(`\np99 with a slow node: ${(hedged / best).toFixed(2)} times that of three sound nodes (at most 1.2)`);
  console.log(`p99 with a node that stalls: ${(stalled / best).toFixed(2)} times`);
  await devnet.close();
}
