import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../child.ts';

/** Transactions of a block. */
const transactions = 500;

/** Blocks before those that count: the code is compiled, and the pages of the database are made. */
const warmUp = 10;

const modes = ['off', 'governance', 'full'] as const;

/** What a server took while blocks arrived. Times in ms. */
interface Taken {
  /** CPU time for each block, of all threads. */
  readonly cpu: number;
  /** The delay of the event loop of the main thread: the 99th percentile, and the longest one. */
  readonly delay: number;
  readonly longestDelay: number;
  /** From the events of a block to its record: the median and the longest. 0 without an archive. */
  readonly recorded: number;
  readonly longestRecorded: number;
}

/** Creates a block every second. Resolves with the times from each to its record. */
async function blocks(node: Child, stele: Child, seconds: number, isRecorded: boolean): Promise<readonly number[]> {
  const times: number[] = [];
  const begun = performance.now();
  for (let second = 1; second <= seconds; second += 1) {
    const sent = await node.run('commit');
    if (isRecorded) times.push((await stele.run('recorded', await node.run('height'))) - sent);
    await sleep(Math.max(0, begun + second * 1_000 - performance.now()));
  }
  return times.toSorted((one, other) => one - other);
}

async function take(node: Child, mode: (typeof modes)[number], seconds: number): Promise<Taken> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-bench-'));
  const isRecorded = mode !== 'off';
  const stele = await startChild('stele', isRecorded ? [node.url, mode, directory] : [node.url]);
  await blocks(node, stele, warmUp, isRecorded);
  await stele.run('watchLoop');
  const before = await stele.measure();
  const times = await blocks(node, stele, seconds, isRecorded);
  const cpu = ((await stele.measure()).cpu - before.cpu) / 1_000 / seconds;
  const [delay, longestDelay] = [await stele.run('loopDelay', 99), await stele.run('loopDelay', 100)];
  await stele.stop();
  rmSync(directory, { recursive: true });
  return { cpu, delay, longestDelay, recorded: times[Math.floor(times.length / 2)] ?? 0, longestRecorded: times.at(-1) ?? 0 };
}

/**
 * Measures the recording of blocks of 500 transactions that arrive once a second, as the difference to the same server without an archive, and the
 * delay of its event loop.
 */
export async function recording(seconds: number): Promise<void> {
  const node = await startChild('archive/node', ['200']);
  const events = await node.run('copy', transactions);
  console.log(
    `\nRecording: a block of ${transactions} transactions of ${events.toFixed(0)} events every second; ${seconds} blocks after ${warmUp}\n`,
  );
  console.log(
    '  archive       CPU ms a block   recording, % of a core   event loop p99 ms   longest ms   block to record ms   longest ms',
  );
  let without = 0;
  for (const mode of modes) {
    const { cpu, delay, longestDelay, recorded, longestRecorded } = await take(node, mode, seconds);
    if (mode === 'off') without = cpu;
    const share = mode === 'off' ? '' : ((cpu - without) / 10).toFixed(1);
    const record = mode === 'off' ? ['', ''] : [recorded.toFixed(0), longestRecorded.toFixed(0)];
    console.log(
      `  ${mode.padEnd(12)}${cpu.toFixed(1).padStart(16)}${share.padStart(25)}${delay.toFixed(1).padStart(20)}${longestDelay.toFixed(0).padStart(13)}${(record[0] ?? '').padStart(21)}${(record[1] ?? '').padStart(13)}`,
    );
  }
  await node.stop();
}
