import { afterEach, expect, it } from 'vitest';
import { createRandom } from '../../../packages/devnet/src/app/runtime/random.ts';
import { createBlockLog } from '../../../src/chain/blocks/blockLog.ts';
import { createHead } from '../../../src/chain/blocks/head.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { Transport } from '../../../src/chain/transports/transport.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain } from '../../support/chain.ts';

const closing: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

/** Wraps a transport to count its subscriptions: those that run at once, and all. */
function counting(inner: Transport): Transport & { readonly most: number; readonly begun: number } {
  let running = 0;
  const counts = { most: 0, begun: 0 };
  return Object.assign(counts, {
    call: inner.call,
    close: inner.close,
    subscribe(query: string, listener: Parameters<Transport['subscribe']>[1]) {
      running += 1;
      counts.begun += 1;
      counts.most = Math.max(counts.most, running);
      return inner.subscribe(query, {
        ...listener,
        end(error) {
          running -= 1;
          listener.end(error);
        },
      });
    },
  });
}

it.runIf(runsAll).each([1, 2])(
  'a hundred readers get each of two thousand blocks once while sockets drop (seed %i)',
  { timeout: 180_000 },
  async (seed) => {
    const { below } = createRandom(seed);
    const { devnet, node } = await startChain({ genesisTime: 1_700_000_000_000_000_000n });
    closing.push(devnet);
    const transport = counting(http(node.url));
    const head = createHead({ transport, pollInterval: 10, backoff: 2, longestBackoff: 10 });
    const log = createBlockLog({ head, transport, backoff: 2, newestBlocks: 100 });
    closing.push(transport, head, log);
    await head.ready();

    const last = 2_000n;
    const readers: Promise<{ after: bigint; hashes: string[] }>[] = [];
    function begin(after: bigint): void {
      const reader = read(after);
      // Awaited at the end. Prevents an unhandled rejection until then.
      reader.catch(() => undefined);
      readers.push(reader);
    }
    async function read(after: bigint): Promise<{ after: bigint; hashes: string[] }> {
      const hashes: string[] = [];
      for await (const { header, blockId } of log.from(after)) {
        if (header.height !== after + BigInt(hashes.length) + 1n)
          throw new Error(`${header.height} after ${hashes.length} blocks`);
        hashes.push(blockId.hash);
        if (header.height === last) break;
      }
      return { after, hashes };
    }

    let nextDrop = 3 + below(5);
    let mostSockets = 0;
    while (devnet.height < last) {
      // A reader starts at the newest block, at an older one, or slightly above the newest.
      if (readers.length < 100 && below(15) === 0) {
        const past = BigInt(below(Number(devnet.height)));
        begin([devnet.height, devnet.height, past, devnet.height + 3n][below(4)]!);
      }
      const height = await devnet.commit();
      if (--nextDrop === 0) {
        node.closeSockets();
        nextDrop = 3 + below(5);
      }
      // Occasionally all readers catch up; otherwise the chain runs ahead of them.
      if (below(4) === 0) await head.waitFor(height, { milliseconds: 30_000 });
      else await new Promise(setImmediate);
      mostSockets = Math.max(mostSockets, node.sockets);
    }
    while (readers.length < 100) begin(BigInt(below(Number(last))));

    const chain: string[] = [];
    for await (const { blockId } of log.from(0n)) if (chain.push(blockId.hash) === Number(last)) break;
    expect(new Set(chain).size).toBe(Number(last));
    const reads = http(node.url);
    closing.push(reads);
    for (let height = 1; height <= Number(last); height += 97) {
      const result = await reads.call('block', { height: String(height) }, { decode: (json) => json });
      expect(result).toMatchObject({ block_id: { hash: chain[height - 1] } });
    }
    for (const { after, hashes } of await Promise.all(readers)) expect(hashes).toEqual(chain.slice(Number(after)));
    expect(transport.begun).toBeGreaterThan(50);
    expect(transport.most).toBe(1);
    expect(mostSockets).toBe(1);
  },
);
