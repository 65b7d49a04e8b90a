import { cpus } from 'node:os';
import { runLoad } from './blocks/load.ts';
import { cardRequests } from './blocks/operations.ts';
import { begin, operations, warmUp } from './blocks.ts';
import { type BoardLoad, boardBody, coldBlocks, coldRequests, compareLoads, distinctly, headerOf } from './board.ts';
import { type Child, startChild } from './child.ts';

/** The values of `--verify` that are compared. The first one is the baseline. */
const modes = ['off', 'heads', 'reads'] as const;

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

/**
 * Compares what a block costs: 100 validators sign a block every second, and distinct operations are sent to each server once a second, with a transaction in one of ten
 * blocks. The servers that are to be compared closely run at the same time, so that other work on the machine affects both.
 */
export async function verifiedBlocks(seconds: number): Promise<void> {
  console.log(
    `Blocks of 100 validators, one a second for ${seconds} s, ${operations} distinct operations a second to each server; ${cpus().length} cores`,
  );
  let base: number | undefined;
  for (const group of [['off', 'heads'], ['reads']] as const) {
    const node = await startChild('blocksNode', [String(operations), 'validators']);
    await begin(node);
    const servers = await startServers(node, group);
    const results = await runLoad({ node, steles: servers, bodies: cardRequests(operations), seconds, warmUp });
    for (const [index, { cpu, requests, times }] of results.entries()) {
      base ??= cpu;
      const time = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
      console.log(
        `  --verify ${group[index]?.padEnd(6)} ${requests} requests, ${cpu.toFixed(1)} µs of CPU per request with the blocks (${(100 * (cpu / base - 1)).toFixed(1)} % more), p50 ${time(0.5)} ms, p99 ${time(0.99)} ms`,
      );
    }
    for (const child of [...servers, node]) await child.stop();
  }
}
