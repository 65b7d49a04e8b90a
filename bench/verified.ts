import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { runLoad } from './blocks/load.ts';
import { cardRequests } from './blocks/operations.ts';
import { begin, operations } from './blocks.ts';
import { type BoardLoad, boardBody, coldBlocks, coldRequests, compareLoads, distinctly, headerOf } from './board.ts';
import { type Child, startChild } from './child.ts';
import { median } from './rounds.ts';

/** The values of `--verify` that are compared. The first one is the baseline. */
const modes = ['off', 'heads', 'reads'] as const;

/** What {@link verifiedBlocks} runs: the blocks of a run, the pairs of runs, and the values of `--verify` that are compared with `off`. */
export interface VerifiedRuns {
  readonly seconds: number;
  readonly pairs: number;
  readonly modes: readonly string[];
}

/** Starts a server for each of these values, over the same node. */
const startServers = (node: Child, values: readonly string[]): Promise<readonly Child[]> =>
  Promise.all(values.map((value) => startChild('stele', [node.url], { STELE_VERIFY: value })));

/** Compares `Board` from the cache, executed, and at heights that were never read. The chain stands still, so no block is verified meanwhile. */
export async function verifiedBoard(): Promise<void> {
  const node = await startChild('devnet', [String(coldBlocks)]);
  const servers = await startServers(node, modes);
  const body = await boardBody(servers[0]?.url ?? '');
  const loads: readonly (Pick<BoardLoad, 'name' | 'amount' | 'atHeights' | 'body'> & { readonly warmUp?: number })[] = [
    { name: 'repeated', amount: 5_000, warmUp: 20_000, body: () => body },
    { name: 'executed', amount: 800, warmUp: 4_000, body: distinctly(body) },
    { name: 'cold', amount: coldRequests, body: () => body, atHeights: true },
  ];
  console.log(`${'Board, by the value of --verify'.padEnd(40)}${headerOf('off')}`);
  for (const load of loads)
    await compareLoads(
      node,
      modes.flatMap((mode, index) => {
        const server = servers[index];
        return server === undefined ? [] : [{ ...load, name: `${load.name}, ${mode}`, server }];
      }),
    );
  for (const child of [...servers, node]) await child.stop();
}

/** Blocks of a run before those that count. */
const firstBlocks = 2;

/** Blocks of a window without requests, and those before them that do not count. */
const [windowBlocks, earlyBlocks] = [24, 8];

/** The mean of numbers, and half of its 95 % interval. */
function meanOf(values: readonly number[]): { readonly mean: number; readonly half: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, half: (2 * Math.sqrt(squares / (values.length - 1))) / Math.sqrt(values.length) };
}

/**
 * Measures what `heads` adds to a block, in pairs of windows without requests, which it does not touch, and divides it by the CPU time of a second with requests. Both are of one
 * process. Runs with requests differ by more than what is measured.
 */
async function verifiedHeads({ seconds, pairs }: Pick<VerifiedRuns, 'seconds' | 'pairs'>): Promise<void> {
  const node = await startChild('blocksNode', [String(operations), 'validators']);
  await begin(node);
  const server = await startChild('verifiedServer', [node.url]);

  async function blockOf(verify: string): Promise<number> {
    await server.run('start', verify);
    let before = 0;
    for (let block = 0; block < earlyBlocks + windowBlocks; block += 1) {
      if (block === earlyBlocks) before = (await server.measure()).cpu;
      await server.run('waitFor', await node.run('commit', false));
      await pause(60);
    }
    return ((await server.measure()).cpu - before) / windowBlocks / 1_000;
  }

  async function secondOf(): Promise<number> {
    const stele = { ...server, url: `http://127.0.0.1:${await server.run('start', 'off')}` };
    const [result] = await runLoad({ node, steles: [stele], bodies: cardRequests(operations), seconds, warmUp: firstBlocks });
    return ((result?.cpu ?? Number.NaN) * operations) / 1_000;
  }

  const loads: number[] = [];
  for (let run = 0; run <= 3; run += 1) loads.push(await secondOf());
  const [load, more]: [number, number[]] = [median(loads.slice(1)), []];
  for (let pair = 0; pair <= pairs; pair += 1) {
    const early = pair % 2 === 0 ? await blockOf('off') : undefined;
    const heads = await blockOf('heads');
    const off = early ?? (await blockOf('off'));
    if (pair > 0) more.push(heads - off);
  }
  const { mean, half } = meanOf(more);
  const percent = (time: number): string => ((100 * time) / load).toFixed(2);
  console.log(
    `  --verify heads: ${mean.toFixed(2)} ± ${half.toFixed(2)} ms of CPU more for a block, with its calls; a second with requests takes ${load.toFixed(0)} ms with off; ${percent(mean)} % more, ${percent(mean - half)} to ${percent(mean + half)} %`,
  );
  for (const child of [server, node]) await child.stop();
}

/**
 * Compares what a block costs: 100 validators sign a block every second, and distinct operations are sent to a server once a second, with a transaction in one of ten
 * blocks. One process runs the server with `off` and with another value in turn, in short runs, so that neither other work on the machine nor what differs between two processes
 * counts; the first pair only warms it up. The results are medians: of the runs, and of the differences within each pair. For `heads`, see {@link verifiedHeads}.
 */
export async function verifiedBlocks({ seconds, pairs, modes }: VerifiedRuns): Promise<void> {
  console.log(
    `Blocks of 100 validators, one a second, ${operations} distinct operations a second; ${pairs} pairs of runs of ${seconds} blocks; ${cpus().length} cores`,
  );
  if (modes.includes('heads')) await verifiedHeads({ seconds, pairs });
  for (const mode of modes.filter((each) => each !== 'heads')) {
    const node = await startChild('blocksNode', [String(operations), 'validators']);
    await begin(node);
    const server = await startChild('verifiedServer', [node.url]);
    const bodies = cardRequests(operations);

    async function cpuOf(verify: string): Promise<number> {
      const stele = { ...server, url: `http://127.0.0.1:${await server.run('start', verify)}` };
      const [result] = await runLoad({ node, steles: [stele], bodies, seconds, warmUp: firstBlocks });
      return result?.cpu ?? Number.NaN;
    }

    const costs: { readonly off: number; readonly cpu: number }[] = [];
    for (let pair = 0; pair <= pairs; pair += 1) {
      // What comes first alternates.
      const early = pair % 2 === 0 ? await cpuOf('off') : undefined;
      const cpu = await cpuOf(mode);
      const off = early ?? (await cpuOf('off'));
      if (pair > 0) costs.push({ off, cpu });
    }
    const more = costs.map(({ off, cpu }) => 100 * (cpu / off - 1)).toSorted((one, other) => one - other);
    const quartile = (of: number): string => (more[Math.floor((more.length - 1) * of)] ?? 0).toFixed(1);
    console.log(
      `  off ${median(costs.map(({ off }) => off)).toFixed(1)} µs, --verify ${mode} ${median(costs.map(({ cpu }) => cpu)).toFixed(1)} µs of CPU per request with the blocks; ${quartile(0.5)} % more, quartiles ${quartile(0.25)} and ${quartile(0.75)} %`,
    );
    for (const child of [server, node]) await child.stop();
  }
}
