import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild } from '../child.ts';

/** Blocks for each second, and CPU time for each block in ms: of the client and of the node. */
interface Taken {
  readonly rate: number;
  readonly cpu: number;
  readonly nodeCpu: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

async function timed(node: Child, client: Child, count: number, run: () => Promise<number>): Promise<Taken> {
  const [before, nodeBefore] = [await client.measure(), await node.measure()];
  const milliseconds = await run();
  const [after, nodeAfter] = [await client.measure(), await node.measure()];
  return {
    rate: (count / milliseconds) * 1_000,
    cpu: (after.cpu - before.cpu) / 1_000 / count,
    nodeCpu: (nodeAfter.cpu - nodeBefore.cpu) / 1_000 / count,
  };
}

/** Starts a server with a new archive of the chain, which waits for the command to fill in. */
function startServer(node: Child, mode: string, directory: string): Promise<Child> {
  return startChild('stele', [node.url, mode, join(directory, `${mode}-${performance.now()}`), '1']);
}

/** Fills in the blocks of the chain, with a new archive. The start of the server is not part of it. */
async function fill(node: Child, mode: string, directory: string, count: number): Promise<Taken> {
  const stele = await startServer(node, mode, directory);
  const taken = await timed(node, stele, count, () => stele.run('fillIn'));
  await stele.stop();
  return taken;
}

/** Sends the calls of a backfill without doing anything with the answers. */
async function bare(node: Child, file: string, count: number): Promise<Taken> {
  const client = await startChild('archive/bareCalls', [node.url, file]);
  const taken = await timed(node, client, count, () => client.run('send'));
  await client.stop();
  return taken;
}

/**
 * The nodes that answer, with the time that each call takes in ms. `work`: the node has one call at a time in work. A node of Provenance needs about 0.6 ms
 * for a query, one at a time (docs/chain.md, "Cost of a read"). `delay`: the answer to a call is late, as from a disk elsewhere; batches are answered at
 * the same time, and the calls of a batch one after the other. The development chain itself answers from memory.
 */
const nodes = [
  { name: 'at once', work: 0, delay: 0 },
  { name: '0.6 ms of work for each call', work: 0.6, delay: 0 },
  { name: '5 ms for each call', work: 0, delay: 5 },
] as const;

const modes = ['governance', 'full'] as const;

/** Notes the calls of a backfill in files, by mode. Returns their number for each block. */
async function noteCalls(node: Child, directory: string, count: number): Promise<readonly string[]> {
  const numbers: string[] = [];
  for (const mode of modes) {
    const stele = await startServer(node, mode, directory);
    await node.run('noteCalls');
    await stele.run('fillIn');
    await stele.stop();
    numbers.push(`${((await node.run('writeCalls', join(directory, `${mode}.json`))) / count).toFixed(2)} ${mode}`);
  }
  return numbers;
}

/**
 * Measures the backfill of a chain, beside a client that sends the same calls in batches of ten and does nothing with the answers. Each way runs
 * `rounds` times, in turn with the other, and the median counts.
 */
export async function backfill(count: number, rounds: number): Promise<void> {
  const node = await startChild('archive/node');
  await node.run('grow', count);
  const directory = mkdtempSync(join(tmpdir(), 'stele-bench-'));
  const calls = await noteCalls(node, directory, count);
  console.log(
    `\nBackfill: ${count} blocks with the transactions of the development chain; calls for each block: ${calls.join(', ')}\n`,
  );
  console.log('  answers of the node                         blocks/s   of bare   CPU ms a block   CPU ms of the node');
  for (const { name: answers, work, delay } of nodes) {
    await node.run('work', work);
    await node.run('delay', delay);
    for (const mode of modes) {
      const taken: { readonly bare: Taken; readonly own: Taken }[] = [];
      for (let round = 0; round < rounds; round += 1)
        taken.push({
          bare: await bare(node, join(directory, `${mode}.json`), count),
          own: await fill(node, mode, directory, count),
        });
      const rate = median(taken.map((one) => one.bare.rate));
      for (const way of ['bare', 'own'] as const) {
        const of = (key: keyof Taken): number => median(taken.map((one) => one[way][key]));
        const name = `${answers}, ${mode}${way === 'bare' ? ', bare' : ''}`;
        console.log(
          `  ${name.padEnd(44)}${of('rate').toFixed(0).padStart(8)}${(of('rate') / rate).toFixed(2).padStart(10)}${of('cpu').toFixed(2).padStart(17)}${of('nodeCpu').toFixed(2).padStart(21)}`,
        );
      }
    }
  }
  await node.stop();
  rmSync(directory, { recursive: true });
}
