import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentsOf } from '../src/archive/full/blockContents.ts';
import { createSqliteStore } from '../src/archive/sqlite/store.ts';
import type { Event } from '../src/chain/base/execution.ts';
import { type CommittedBlock, decodeCommittedBlock, hashTx } from '../src/chain/blocks/committedBlock.ts';
import type { JsonValue } from '../src/chain/wire/json.ts';
import { createDevnet } from '../src/devnet/devnet.ts';
import { readFlags } from './flags.ts';

const transactionsPerBlock = 500;

async function readNode(url: string, method: string, height: number): Promise<JsonValue> {
  const response = await fetch(`${url}/${method}?height=${height}`);
  const { result } = (await response.json()) as { readonly result: JsonValue };
  return result;
}

/** Replaces the addresses of events, so that each transaction has its own. */
function withAddresses(events: readonly Event[], seed: number): readonly Event[] {
  const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
  const ending = [...String(seed).padStart(10, '0')].map((digit) => letters[Number(digit)]).join('');
  return events.map((event) => ({
    ...event,
    attributes: event.attributes.map((attribute) => ({
      ...attribute,
      value: attribute.value.replace(/\b(tp1[02-9ac-hj-np-z]{28})[02-9ac-hj-np-z]{10}\b/g, `$1${ending}`),
    })),
  }));
}

/** A block with 500 transactions, made of one transaction of a development chain. */
function fullBlock(sample: CommittedBlock, height: bigint): CommittedBlock {
  const [first] = sample.transactions;
  if (first === undefined) throw new Error('the sample has no transaction');
  const transactions = Array.from({ length: transactionsPerBlock }, (_, index) => {
    const number = Number(height) * transactionsPerBlock + index;
    const tx = Buffer.concat([
      Buffer.from(first.tx, 'base64').subarray(0, -4),
      Buffer.from(number.toString(16).padStart(8, '0'), 'hex'),
    ]).toString('base64');
    return { hash: hashTx(tx), index, tx, result: { ...first.result, events: withAddresses(first.result.events, number) } };
  });
  return { ...sample, header: { ...sample.header, height }, txs: transactions.map(({ tx }) => tx), transactions };
}

async function measure(name: string, sample: CommittedBlock, seconds: number, isFull: boolean): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-bench-'));
  const store = createSqliteStore({ file: join(directory, 'archive.db'), chainId: 'bench' });
  await store.becomeWriter(new AbortController().signal, () => undefined);
  await store.begin({ height: 1n, hash: 'H1', facts: [] });
  const blocks = Array.from({ length: seconds }, (_, index) => fullBlock(sample, BigInt(index + 2)));
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const begun = performance.now();
  const before = process.cpuUsage();
  let longest = 0;
  for (const [index, block] of blocks.entries()) {
    const { height } = block.header;
    const at = performance.now();
    await store.record({
      height,
      hash: `H${height}`,
      previousHash: `H${height - 1n}`,
      facts: [],
      contents: isFull ? contentsOf(block) : undefined,
    });
    longest = Math.max(longest, performance.now() - at);
    await sleep(Math.max(0, begun + (index + 1) * 1_000 - performance.now()));
  }
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / 1_000 / seconds;
  const bytes = Number(await store.sizeBytes()) / seconds / transactionsPerBlock;
  console.log(
    `${name}: ${cpu.toFixed(1)} ms of CPU a block (${(cpu / 10).toFixed(1)} % of a core at one block a second), longest block ${longest.toFixed(0)} ms, event loop p99 ${(loop.percentile(99) / 1e6).toFixed(1)} ms, ${bytes.toFixed(0)} bytes a transaction`,
  );
  await store.close();
  rmSync(directory, { recursive: true });
}

/**
 * Measures what the storage of blocks of 500 transactions costs at one block a second, in both modes, with the thread that writes. The blocks are made
 * of a transaction of the development chain, with other addresses in each. The argument `--seconds` is the number of blocks.
 */
export async function archive(args: readonly string[]): Promise<void> {
  const { numbers } = readFlags(args, { seconds: { default: 20, max: 600 } });
  const devnet = await createDevnet({ actors: true, blockTime: 'manual' });
  const { url } = devnet.nodes[0] ?? { url: '' };
  let sample: CommittedBlock | undefined;
  while (sample === undefined) {
    const height = Number(await devnet.commit());
    const block = decodeCommittedBlock(await readNode(url, 'block', height), await readNode(url, 'block_results', height));
    const transactions = block.transactions.filter(({ result }) => result.code === 0);
    if (transactions.length > 0) sample = { ...block, transactions };
  }
  await devnet.close();
  console.log(
    `Recording blocks of ${transactionsPerBlock} transactions with ${sample.transactions[0]?.result.events.length} events each, one block a second\n`,
  );
  await measure('FULL      ', sample, numbers.seconds, true);
  await measure('GOVERNANCE', sample, numbers.seconds, false);
}
