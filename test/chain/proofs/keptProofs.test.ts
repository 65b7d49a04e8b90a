import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyBundle } from '../../../packages/verify/src/entry/index.ts';
import { groupKey, groupStore } from '../../../packages/verify/src/plans/groupKeys.ts';
import { type Client, createClient } from '../../../src/chain/client.ts';
import { createLightClient } from '../../../src/chain/lightClient/lightClient.ts';
import { verifiedNodes } from '../../../src/chain/lightClient/verifiedNodes.ts';
import type { Explain } from '../../../src/chain/proofs/answerProofs.ts';
import { fallback } from '../../../src/chain/transports/fallback.ts';
import { http } from '../../../src/chain/transports/http.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { vote } from '../../support/groups.ts';

let chain: TestChain;
let client: Client;

beforeAll(async () => {
  chain = await startChain({});
  const light = createLightClient({});
  const upstream = fallback(verifiedNodes(light, [http(chain.node.url)]));
  client = createClient({ transport: { ...upstream, verification: { ...light, provesReads: false } }, light });
  await client.head.ready();
  for (let block = 0; block < 3; block += 1) await chain.devnet.commit();
});

afterAll(async () => {
  await client.close();
});

/** Explains by a group, and counts how often. `isTimely`: it also looks at the time of the block. */
function counted(name: string, isTimely = false): Explain & { readonly count: () => number } {
  let count = 0;
  return {
    name,
    async of(reads, context) {
      count += 1;
      await reads.get(groupStore, groupKey(1n));
      if (isTimely) expect(context.time).toBeGreaterThan(0n);
      return { requests: [], fields: new Map() };
    },
    count: () => count,
  };
}

/** Proves at a new height, and verifies the bundle. */
async function prove(explain: Explain): Promise<void> {
  const next = await chain.devnet.commit();
  await client.head.waitFor(next, { milliseconds: 20_000 });
  await expect.poll(() => client.proofs!.newest()).toBe(next - 1n);
  const height = next - 1n;
  const { bundle, keys } = await client.answerProofs!.of(height, explain, { maxKeys: 10, maxBytes: 100_000 });
  const { reads, height: proven } = await verifyBundle(JSON.parse(JSON.stringify(bundle)));
  expect([proven, keys]).toEqual([height, 1]);
  expect(reads.get(groupStore, groupKey(1n))).not.toBeNull();
}

it('the proof of an answer is made again only if a store of it changed, or the time of the block decides', async () => {
  const [explain, timely] = [counted('one'), counted('other', true)];
  await prove(explain);
  await prove(timely);
  const before = client.proofs!.stats();
  await prove(explain);
  await prove(timely);
  expect([explain.count(), timely.count()]).toEqual([1, 2]);
  expect(client.proofs!.stats().proofs - before.proofs).toBeLessThanOrEqual(1);

  const dora = chain.accounts[3]!;
  await chain.run(dora, vote(dora, 38n, 'NO'));
  await chain.devnet.commit();
  await prove(explain);
  expect(explain.count()).toBe(2);
});
