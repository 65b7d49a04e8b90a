import { afterEach, describe, expect, it } from 'vitest';
import { createLightClient, type Evidence } from '../../../src/chain/lightClient/lightClient.ts';
import { startChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const running: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

async function chainOf(genesisTime?: bigint) {
  const chain = await startChain({ bare: true, ...(genesisTime !== undefined && { genesisTime }) });
  running.push(() => chain.devnet.close());
  return chain;
}

async function over(urls: readonly string[]) {
  const evidence: Evidence[] = [];
  const light = createLightClient({ onEvidence: (one) => evidence.push(one) });
  const admin = { host: '127.0.0.1', port: 0 };
  const stack = await startStack(urls, { upstream: { light, probeInterval: 20 }, server: { admin } });
  running.push(() => stack.close());
  return { stack, evidence, light };
}

async function readyz({ server }: Stack) {
  const response = await fetch(`${server.adminUrl}/readyz`);
  return { status: response.status, body: await response.json() };
}

describe('the verification of the head, for clients and operators', () => {
  it('is a field of the newest block, of /readyz and of the metrics', async () => {
    const { devnet } = await chainOf();
    const { stack } = await over(devnet.nodes.map(({ url }) => url));
    const { height } = await stack.client.head.ready();
    await devnet.commit();
    await stack.client.head.waitFor(height + 1n, { milliseconds: 20_000 });
    const { body } = await stack.ask(
      '{ head { height verified { signedPower totalPower trustedFrom provesReads } } old: blocks(first: 2) { nodes { verified { totalPower } } } }',
    );
    const verified = {
      signedPower: '1000000000',
      totalPower: '1000000000',
      trustedFrom: height.toString(),
      provesReads: false,
    };
    expect(body).toMatchObject({
      data: {
        head: { height: (height + 1n).toString(), verified },
        old: { nodes: [{ verified: { totalPower: '1000000000' } }, {}] },
      },
    });
    expect(await readyz(stack)).toMatchObject({ status: 200, body: { ready: true, verification: 'VERIFIED' } });
    const metrics = await (await fetch(`${stack.server.adminUrl}/metrics`)).text();
    expect(metrics).toContain('stele_verified_power_ratio 1');
    expect(metrics).toContain('stele_chain_conflict 0');
  });

  it('ends streams and readiness when the validators sign two blocks', async () => {
    // Two chains of the same validator, which are equal up to the block at which they fork.
    const hourAgo = BigInt(Date.now() - 3_600_000) * 1_000_000n;
    const [one, other] = [await chainOf(hourAgo), await chainOf(hourAgo)];
    const { stack, evidence } = await over([one.devnet.nodes[0]!.url, other.devnet.nodes[0]!.url]);
    const { height } = await stack.client.head.ready();
    expect(stack.client.nodes().map(({ health }) => health)).toEqual(['HEALTHY', 'HEALTHY']);
    const response = await fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'subscription { newBlock { height } }' }),
    });
    expect(response.status).toBe(200);
    await one.devnet.commit({ elapse: 1_000 });
    await stack.client.head.waitFor(height + 1n, { milliseconds: 20_000 });
    await other.devnet.commit({ elapse: 2_000 });
    expect(await response.text()).toContain('CHAIN_CONFLICT');
    expect(evidence.map(({ kind, code }) => [kind, code])).toEqual([['CONFLICT', 'CONFLICT']]);
    expect(await readyz(stack)).toMatchObject({ status: 503, body: { failed: ['CHAIN_CONFLICT'], verification: 'CONFLICT' } });
    expect(stack.masked).toEqual([]);
  });
});
