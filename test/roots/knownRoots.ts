import { expect } from 'vitest';
import type { StoreName } from '../../src/chain/roots/gen/storesByMethod.ts';
import type { TestChain } from '../support/chain.ts';
import type { Stack } from '../support/stack.ts';

const stores: readonly StoreName[] = ['acc', 'attribute', 'bank', 'group', 'marker', 'name', 'upgrade'];

/**
 * Commits a block, and waits until the server knows the roots of the stores of accounts, groups and tokens at its height. The first block
 * of a server may be read without its result, and then has no roots. So it commits another one.
 */
export async function commitKnown({ devnet }: TestChain, { client }: Pick<Stack, 'client'>): Promise<bigint> {
  const { height: before } = await client.head.ready();
  // The roots of these stores are learnt with every later block.
  client.roots.keyAt(before, stores);
  await expect.poll(() => client.head.stats().isSubscribed, { timeout: 5_000 }).toBe(true);
  for (;;) {
    const height = await devnet.commit();
    await client.head.waitFor(height, { milliseconds: 30_000 });
    const isKnown = (): boolean => client.roots.keyAt(height, stores) !== undefined;
    const known = await expect
      .poll(isKnown, { timeout: 1_000 })
      .toBe(true)
      .then(
        () => true,
        () => false,
      );
    if (known) return height;
  }
}

/** The paths of the reads of the state that the node received since its counters were reset. Without reads of roots. */
export function stateReads({ node }: TestChain): string[] {
  return node.counters.log
    .filter(({ method, params }) => method === 'abci_query' && (params as { prove?: boolean }).prove !== true)
    .map(({ params }) => (params as { path: string }).path);
}
