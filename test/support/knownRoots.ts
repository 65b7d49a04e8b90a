import { expect } from 'vitest';
import type { StoreName } from '../../src/chain/roots/storesByMethod.ts';
import type { TestChain } from './chain.ts';
import type { Stack } from './stack.ts';

const stores: readonly StoreName[] = ['acc', 'attribute', 'bank', 'group', 'marker', 'name', 'upgrade'];

/** Commits a block, and waits until the server knows the roots of the stores of accounts, groups and tokens at its height. */
export async function commitKnown({ devnet }: TestChain, { client }: Pick<Stack, 'client'>): Promise<bigint> {
  const { height: before } = await client.head.ready();
  await expect.poll(() => client.head.stats().isSubscribed, { timeout: 5_000 }).toBe(true);
  // The roots of these stores are learnt with every later block.
  client.roots.keyAt(before, stores);
  const height = await devnet.commit();
  await client.head.waitFor(height, { milliseconds: 5_000 });
  await expect.poll(() => client.roots.keyAt(height, stores), { timeout: 5_000 }).toBeDefined();
  return height;
}

/** The paths of the reads of the state that the node received since its counters were reset. Without reads of roots. */
export function stateReads({ node }: TestChain): string[] {
  return node.counters.log
    .filter(({ method, params }) => method === 'abci_query' && (params as { prove?: boolean }).prove !== true)
    .map(({ params }) => (params as { path: string }).path);
}
