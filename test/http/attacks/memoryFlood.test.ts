import type { ChildProcess } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { memory } from '../../../bench/attacks/memory.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain } from '../../support/chain.ts';
import { addressesOf, devnetToken, startProcess } from '../../support/process.ts';

const mebibyte = 2 ** 20;
const budget = 64 * mebibyte;

/** Memory that a process may use in addition to its caches, in bytes. */
const beside = 250 * mebibyte;

/** Number of evicted documents after which the flood ends, because the caches are full. */
const enoughEvicted = runsAll ? 300 : 100;

/** Timeout of the flood on a busy machine, in ms. */
const timeout = 180_000;

let child: ChildProcess | undefined;

afterEach(async () => {
  if (child === undefined || child.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});

/** Returns the values of the metrics whose name and labels begin with this text. */
function values(text: string, beginning: string): readonly number[] {
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith(beginning) ? [Number(line.slice(line.lastIndexOf(' ') + 1))] : []));
}

it.runIf(runsAll)(
  'stays under the budget of the caches plus 250 MiB of resident memory in a flood of distinct queries',
  {
    timeout,
  },
  async () => {
    const chain = await startChain();
    for (let block = 0; block < 50; block += 1) await chain.devnet.commit();
    const limits = [`cache.bytes=${budget}`, 'rate.points=0'].flatMap((limit) => ['--limit', limit]);
    child = await startProcess([
      '--port',
      '0',
      '--admin-port',
      '0',
      '--cache-dir',
      'off',
      '--dev',
      '--node',
      chain.node.url,
      '--log-level',
      'error',
      ...limits,
    ]);
    const { url, adminUrl } = await addressesOf(child);
    child.stdout!.resume();
    const end = new AbortController();
    setMaxListeners(0, end.signal);
    const flood = memory.run({ url, token: await devnetToken(url) }, { connections: 20, signal: end.signal });

    let most = 0;
    let metrics = '';
    const evicted = async (): Promise<boolean> => {
      metrics = await (await fetch(`${adminUrl}/metrics`)).text();
      most = Math.max(most, ...values(metrics, 'process_resident_memory_bytes '));
      // A full memory of answers does not take those of new requests.
      const [size = 0] = values(metrics, 'stele_cache_share_bytes{share="answers"');
      const answers = values(metrics, 'stele_cache_bytes{share="answers"').reduce((sum, bytes) => sum + bytes, 0);
      const evictions = values(metrics, 'stele_cache_evictions_total{share="documents"');
      return answers > (size * 15) / 16 && evictions.some((count) => count >= enoughEvicted);
    };
    await expect.poll(evicted, { timeout, interval: 250 }).toBe(true);
    end.abort();
    const { requests } = await flood;

    expect(requests).toBeGreaterThan(2 * enoughEvicted);
    const caches = values(metrics, 'stele_cache_bytes{').reduce((sum, bytes) => sum + bytes, 0);
    expect(caches).toBeGreaterThan(budget / 10);
    expect(caches).toBeLessThan(budget);
    expect(most).toBeLessThan(budget + beside);
    await chain.devnet.close();
  },
);
