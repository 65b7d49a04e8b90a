import { setTimeout as wait } from 'node:timers/promises';
import { createDevnet } from '../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../packages/devnet/src/node/node.ts';
import { fallback } from '../src/chain/transports/fallback.ts';
import { http } from '../src/chain/transports/http.ts';

/** Reads before the measurement, from which the times of the nodes are learnt, reads of a measurement, and how many run at once. */
const [warmUp, reads, atOnce] = [500, 1_500, 20];

/** Each measurement is made this often. The one with the least p99 counts, because other work on the machine only adds to it. */
const rounds = 3;

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

/** What came of one measurement. */
interface Row {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly made: number;
}

/** Measures reads over three nodes. */
async function measureOnce(nodes: readonly DevnetNode[], first: () => number, hedges: boolean): Promise<Row> {
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
  return { p50: part(times, 0.5), p95: part(times, 0.95), p99: part(times, 0.99), made };
}

/** One of the cases that are compared. */
interface Case {
  readonly name: string;
  readonly first: () => number;
  readonly hedges: boolean;
}

/** Measures reads over three sound nodes, and over three of which the preferred one is slow, without and with reads on a second node. Prints the results. */
export async function hedge(): Promise<void> {
  const devnet = await createDevnet({ nodes: 3, blockTime: 'manual' });
  for (let block = 0; block < blocks; block += 1) await devnet.commit();
  const { nodes } = devnet;
  const slow = (): number => 150 + sound();
  const stalls = (): number => (Math.random() < 0.05 ? 300 : sound());
  const cases: readonly Case[] = [
    { name: 'three sound nodes', first: sound, hedges: true },
    { name: 'three sound nodes, no second reads', first: sound, hedges: false },
    { name: 'the first node takes 150 ms more', first: slow, hedges: true },
    { name: 'the first node takes 150 ms more, no second reads', first: slow, hedges: false },
    { name: 'the first node stalls for 300 ms, 1 of 20', first: stalls, hedges: true },
    { name: 'the first node stalls for 300 ms, 1 of 20, no second reads', first: stalls, hedges: false },
  ];
  const rows: Row[][] = cases.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { first, hedges }] of cases.entries()) rows[index]?.push(await measureOnce(nodes, first, hedges));
  console.log(`${reads} reads of block results, ${atOnce} at once, the best of ${rounds} rounds\n`);
  console.log(`${''.padEnd(60)}     p50     p95     p99   calls    more`);
  const best = cases.map(({ name }, index) => {
    const row = rows[index]?.toSorted((a, b) => a.p99 - b.p99)[0] ?? { p50: 0, p95: 0, p99: 0, made: 0 };
    const cells = [row.p50, row.p95, row.p99].map((time) => `${time.toFixed(0)} ms`.padStart(8));
    const more = `${((row.made / reads - 1) * 100).toFixed(1)} %`.padStart(8);
    console.log(`${name.padEnd(60)}${cells.join('')}${String(row.made).padStart(8)}${more}`);
    return row.p99;
  });
  const [soundTime = 1, , slowTime = 0, , stallTime = 0] = best;
  console.log(`\np99 with a slow node: ${(slowTime / soundTime).toFixed(2)} times that of three sound nodes (at most 1.2)`);
  console.log(`p99 with a node that stalls: ${(stallTime / soundTime).toFixed(2)} times`);
  await devnet.close();
}
