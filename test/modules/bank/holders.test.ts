import { expect, it } from 'vitest';
import { crowdDenom } from '../../../packages/devnet/src/app/genesis/genesis.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain } from '../../support/chain.ts';
import { startStack } from '../../support/stack.ts';

interface Page {
  readonly holders: {
    readonly nodes: readonly {
      readonly account: { readonly address: string };
      readonly balance: { readonly amount: string };
    }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

it.runIf(runsAll)(
  '5,000 holders are paged to their end, each once; no response and no read is larger than its page',
  async () => {
    const chain = await startChain({ bare: true, crowd: 5_000 });
    const stack = await startStack([chain.node.url]);
    try {
      let largest = 0;
      chain.node.faults.forge = (_, result) => {
        largest = Math.max(largest, JSON.stringify(result).length);
        return result;
      };
      const document = `query ($after: String) { holders(denom: "${crowdDenom}", first: 100, after: $after) { nodes { account { address } balance { amount } } pageInfo { hasNextPage endCursor } } }`;
      const held = new Map<string, bigint>();
      let reads = 0;
      for (let after: string | null = null, more = true; more; ) {
        chain.node.counters.reset();
        const { body }: { body: { data?: unknown; errors?: unknown } } = await stack.ask(document, { after });
        expect(body.errors).toBeUndefined();
        const { nodes, pageInfo }: Page['holders'] = (body.data as Page).holders;
        reads = Math.max(reads, chain.node.counters.log.filter(({ method }) => method === 'abci_query').length);
        for (const { account, balance } of nodes) {
          expect(held.has(account.address)).toBe(false);
          held.set(account.address, BigInt(balance.amount));
        }
        ({ hasNextPage: more, endCursor: after } = pageInfo);
      }
      expect(held.size).toBe(5_000);
      expect([...held.values()].reduce((sum, amount) => sum + amount)).toBe((5_000n * 5_001n) / 2n);
      // The window that locates the cursor, and the page: at most 200 holders of about 200 bytes, independent of the length of
      // the list.
      expect(reads).toBeLessThanOrEqual(2);
      expect(largest).toBeLessThan(60_000);
    } finally {
      await stack.close();
      await chain.devnet.close();
    }
  },
);
