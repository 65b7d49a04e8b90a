import { expect, it } from 'vitest';
import { createHead } from '../../../src/chain/blocks/head.ts';
import { fallback } from '../../../src/chain/transports/fallback.ts';
import { http } from '../../../src/chain/transports/http.ts';
import { startChain } from '../../support/chain.ts';

it.each([1, 3])(
  'the agreement of %i nodes needs no call for a block, and at most one read of a block at the start',
  async (nodes) => {
    const { devnet } = await startChain({ nodes });
    const transport = fallback(
      devnet.nodes.map(({ url }) => http(url)),
      { probeInterval: 60_000 },
    );
    const head = createHead({ transport });
    try {
      await head.ready();
      await expect.poll(() => head.stats().isSubscribed).toBe(true);
      const methods = (): string[] =>
        devnet.nodes.flatMap(({ counters }) => counters.log.map(({ method }) => method)).toSorted();
      // One `status` of each node, and one or two more for the head. No block is read, because the only node is the majority.
      expect(methods().filter((method) => method === 'block')).toEqual([]);
      expect(methods().filter((method) => method === 'blockchain')).toEqual([]);
      expect(methods().filter((method) => method === 'status').length).toBeLessThanOrEqual(nodes + 2);
      const atStart = methods();
      for (let blocks = 0; blocks < 20; blocks += 1) {
        await head.waitFor(await devnet.commit(), { milliseconds: 30_000 });
      }
      expect(methods()).toEqual(atStart);
    } finally {
      head.close();
      await transport.close();
      await devnet.close();
    }
  },
);
