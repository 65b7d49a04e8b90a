import { cpus } from 'node:os';
import { boards } from './blocks/boards.ts';
import { distinctBoards, fewDependants } from './blocks/distinctBoards.ts';
import { live } from './blocks/live.ts';
import { liveBoards } from './blocks/liveBoards.ts';
import { type BlockCounts, type LoadResult, runLoad, type Sources } from './blocks/load.ts';
import { cardRequests } from './blocks/operations.ts';
import { startChild } from './child.ts';
import { readFlags } from './flags.ts';
import { verifiedBlocks } from './verified.ts';

export const operations = 1_000;
/** Blocks before the measurement: the first transaction is in the tenth block. */
const warmUp = 12;

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

function printBlocks(name: string, blocks: readonly BlockCounts[]): void {
  if (blocks.length === 0) return;
  const totals = blocks
    .map(({ calls }) => Object.values(calls).reduce((sum, count) => sum + count, 0))
    .toSorted((a, b) => a - b);
  const median = totals[Math.floor(totals.length / 2)];
  console.log(
    `  ${name}: ${mean(totals).toFixed(1)} calls a block (median ${median}, from ${totals[0]} to ${totals.at(-1)}), in ${blocks.length} blocks`,
  );
  const kinds = [...new Set(blocks.flatMap(({ calls }) => Object.keys(calls)))];
  const means = kinds.map((kind) => [kind, mean(blocks.map(({ calls }) => calls[kind] ?? 0))] as const);
  for (const [kind, count] of means.toSorted(([, a], [, b]) => b - a))
    console.log(`  ${count.toFixed(2).padStart(12)}  ${kind}`);
  const source = (from: keyof Sources): string => `${mean(blocks.map(({ sources }) => sources[from])).toFixed(1)} ${from}`;
  console.log(`    responses a block: ${source('carried')}, ${source('kept')}, ${source('executed')}`);
}

function print(name: string, { blocks, requests, bytes, cpu, times }: LoadResult): void {
  const time = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(
    `\n${name}: ${requests} requests of ${bytes.toFixed(0)} bytes, ${cpu.toFixed(0)} µs of CPU per request, p50 ${time(0.5)} ms, p99 ${time(0.99)} ms`,
  );
  if (requests < 0.9 * blocks.length * operations) {
    console.log(
      `  The server did not keep up: ${((100 * requests) / (blocks.length * operations)).toFixed(0)} % of the load was answered.`,
    );
  }
  const isAfterVote = (_: BlockCounts, index: number): boolean => blocks[index - 1]?.hasVote === true;
  printBlocks(
    'blocks without a transaction',
    blocks.filter((block, index) => !block.hasVote && !isAfterVote(block, index)),
  );
  printBlocks(
    'blocks with a transaction',
    blocks.filter(({ hasVote }) => hasVote),
  );
  // The fee of the transaction moves in the next block, so the root of `bank` changes again.
  printBlocks('blocks after one with a transaction', blocks.filter(isAfterVote));
}

/** Runs a load on one server and prints its result. */
async function printLoad(name: string, load: Parameters<typeof runLoad>[0]): Promise<void> {
  for (const result of await runLoad(load)) print(name, result);
}

/** Makes the first blocks: with `--verify reads`, a server needs one that has a next one. */
export async function begin(node: Pick<Awaited<ReturnType<typeof startChild>>, 'run'>): Promise<void> {
  for (let block = 0; block < 2; block += 1) await node.run('commit', false);
}

/**
 * Measures what a block costs the node and the server: a block every second, distinct operations each sent once a second, and
 * a transaction in one of ten blocks. The baseline is the same server over a node whose application is not in the table of
 * stores, so that everything is read by height. Then measures `Board` at new heights, and a live `Board` of many clients. The argument `--seconds` is the number of
 * blocks that count. Before that, measures one vote under distinct boards, up to `--boards` of them, and under few operations, and live boards of different groups; with the argument `boards`, nothing else. With `--verify`,
 * compares servers that verify heads, and reads, with one that verifies nothing instead, in `--pairs` pairs of runs; the arguments `heads` and `reads` name one of them.
 */
export async function blocks(args: readonly string[]): Promise<void> {
  const isVerified = args.includes('--verify');
  const { numbers, names } = readFlags(
    args.filter((arg) => arg !== '--verify'),
    {
      seconds: { default: isVerified ? 10 : 60, max: 600 },
      boards: { default: 2_000, max: 2_000 },
      pairs: { default: 10, max: 100 },
    },
  );
  if (isVerified) {
    const modes = names.length > 0 ? names : ['heads', 'reads'];
    return verifiedBlocks({ seconds: numbers.seconds, pairs: numbers.pairs, modes });
  }
  for (const count of [20, 200, 2_000]) if (count <= numbers.boards) await distinctBoards(count);
  if (numbers.boards > 0) {
    await fewDependants();
    await liveBoards();
  }
  if (names.includes('boards')) return;
  const bodies = cardRequests(operations);
  console.log(
    `\nBlocks: one a second, ${operations} distinct operations a second, a transaction in one of ten blocks; ${numbers.seconds} blocks after ${warmUp}; Node ${process.version}; ${cpus().length} cores shared by load, server and node`,
  );
  const load = { bodies, seconds: numbers.seconds, warmUp };
  {
    const node = await startChild('blocksNode', [String(operations), 'unlisted']);
    await begin(node);
    const stele = await startChild('stele', [node.url]);
    await printLoad('Read by height', { ...load, node, steles: [stele] });
    await Promise.all([stele.stop(), node.stop()]);
  }
  const node = await startChild('blocksNode', [String(operations)]);
  await begin(node);
  const [stele, bare] = [await startChild('stele', [node.url]), await startChild('bare')];
  await printLoad('Carried over heights', { ...load, node, steles: [stele] });
  await boards({ node, stele, bare });
  await Promise.all([stele.stop(), bare.stop(), node.stop()]);
  await live();
}
