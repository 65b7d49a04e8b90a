import { afterEach, describe, expect, it } from 'vitest';
import type { DevnetOptions } from '../../../packages/devnet/src/devnet.ts';
import { createHead } from '../../../src/chain/blocks/head.ts';
import { createLightClient } from '../../../src/chain/lightClient/lightClient.ts';
import { createLimits } from '../../../src/config/limits/limits.ts';
import { createUpstream } from '../../../src/start/starting.ts';
import { startChain } from '../../support/chain.ts';

const running: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

/** The head over the nodes of a development chain, as the server has it. */
async function start(nodes: number, options: Pick<DevnetOptions, 'cosigners'> = {}) {
  const chain = await startChain({ bare: true, nodes, ...options });
  running.push(() => chain.devnet.close());
  const evidence: { code: string; reason: string }[] = [];
  const light = createLightClient({ onEvidence: (one) => evidence.push(one) });
  const upstream = createUpstream({ nodes: chain.devnet.nodes.map(({ url }) => url), limits: createLimits({}), light });
  running.push(() => upstream.close());
  const head = createHead({ transport: upstream, pollInterval: 20, backoff: 5, longestBackoff: 20 });
  running.push(() => head.close());
  return { chain, light, head, upstream, evidence };
}

const soon = { milliseconds: 20_000 };

describe('a verified head', () => {
  it('follows the development chain, whose headers and commits are real', async () => {
    const { chain, light, head } = await start(2);
    const { height } = await head.ready(soon);
    for (let count = 1n; count <= 5n; count += 1n) {
      await chain.devnet.commit();
      const block = await head.waitFor(height + count, soon);
      expect(light.at(block.height)).toMatchObject({
        hash: block.hash,
        totalPower: 1_000_000_000n,
        signedPower: 1_000_000_000n,
      });
    }
    expect(light.status()).toMatchObject({ state: 'VERIFIED', refused: new Map() });
  });

  it('is never a block with transactions that the header does not have', async () => {
    const { chain, light, head, evidence } = await start(1);
    const { height } = await head.ready(soon);
    await expect.poll(() => head.stats().isComplete, { interval: 2 }).toBe(true);
    const contents: unknown[] = [];
    head.onContent((block) => contents.push(block.block));
    chain.node.faults.forgeBlock = (block) => ({ ...block, block: { ...block.block, txs: [Uint8Array.of(1, 2, 3)] } });
    await chain.devnet.commit();
    // The status of the node has the hash alone, which is right.
    await head.waitFor(height + 1n, soon);
    await expect
      .poll(() => evidence.map(({ reason }) => reason), { interval: 2 })
      .toEqual([`The transactions of block ${height + 1n} do not have the hash in its header.`]);
    expect(contents).toEqual([]);
    expect(light.status().refused.get('node-1')).toBeGreaterThanOrEqual(1);
  });
});

describe('a development chain of several validators', () => {
  /** At 4, one changes its power; at 6, one leaves; one votes for no block at even heights; one is absent at multiples of three. */
  const cosigners = (height: bigint) => [
    { seed: 'b', power: height < 4n ? 900_000_000n : 1_500_000_000n },
    { seed: 'c', power: 800_000_000n, ...(height % 2n === 0n && { vote: 'NIL' as const }) },
    ...(height < 6n ? [{ seed: 'd', power: 10_000_000n, ...(height % 3n === 0n && { vote: 'ABSENT' as const }) }] : []),
    { seed: 'e', power: 700_000_000n },
  ];

  it('has headers, sets and commits by the rules of CometBFT, also where the set changes', async () => {
    const { chain, light, head, evidence } = await start(1, { cosigners });
    await head.ready(soon);
    for (let height = 2n; height <= 9n; height += 1n) {
      await chain.devnet.commit();
      await head.waitFor(height, soon);
      expect(light.at(height)).toMatchObject({ height });
    }
    expect(evidence).toEqual([]);
    const powers = [3n, 4n, 6n].map((height) => light.at(height)?.totalPower);
    expect(powers).toEqual([3_410_000_000n, 4_010_000_000n, 4_000_000_000n]);
    const { result } = (await (await fetch(`${chain.node.url}/commit?height=4`)).json()) as {
      result: { signed_header: { commit: { signatures: { block_id_flag: number }[] } } };
    };
    expect(result.signed_header.commit.signatures.map(({ block_id_flag }) => block_id_flag)).toEqual([2, 2, 3, 2, 2]);
  });
});
