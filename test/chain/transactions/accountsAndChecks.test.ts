import { describe, expect, it } from 'vitest';
import { failure, setUp, txCalls } from './broadcasterSetup.ts';

describe('an account', () => {
  it('stays for two blocks with the node that accepted its last transaction', async () => {
    const { client, nodes, transfer, commit } = await setUp({ nodes: 2 });
    for (const node of nodes) node.faults.withholdTransactions = true;
    await nodes[0]!.stop();
    expect((await client.broadcaster.sync(transfer(1))).attempts.at(-1)).toMatchObject({ node: 'node-2' });
    await nodes[0]!.start();
    // The first node is the better one again, but has not received the first transaction and would reject the second.
    await expect.poll(async () => (await client.broadcaster.sync(transfer(9, 1))).attempts[0]!.node).toBe('node-1');
    const second = await client.broadcaster.sync(transfer(2, 0, { sequence: 1n }));
    expect(second).toMatchObject({ status: 'ACCEPTED', attempts: [{ node: 'node-2', outcome: 'ACCEPTED' }] });
    await commit(3);
    expect((await client.broadcaster.sync(transfer(3))).attempts).toMatchObject([{ node: 'node-1', outcome: 'ACCEPTED' }]);
  });

  it('has its concurrent transactions sent in the order of their arrival', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    // The first call is delayed, so that later ones could overtake it.
    let [calls, release] = [0, (): void => undefined];
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    nodes[0]!.onCall = async ({ method }) => {
      if (method !== 'broadcast_tx_sync') return;
      calls += 1;
      if (calls === 1) await held;
    };
    const sendings = [0n, 1n, 2n, 3n].map((sequence) => client.broadcaster.sync(transfer(1, 0, { sequence })));
    const another = await client.broadcaster.sync(transfer(1, 1));
    release();
    const results = await Promise.all(sendings);
    expect([another, ...results].map(({ status }) => status)).toEqual(Array(5).fill('ACCEPTED'));
  });
});

describe('a check', () => {
  it('does not affect the sending after it, which goes to another node', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    const tx = transfer(1);
    expect(await client.broadcaster.check(tx)).toMatchObject({ code: 0, gasWanted: 1_000_000n });
    expect(await client.broadcaster.sync(tx)).toMatchObject({
      status: 'ACCEPTED',
      attempts: [{ node: 'node-2', outcome: 'ACCEPTED' }],
    });
    expect(nodes.map(txCalls)).toEqual([['check_tx'], ['broadcast_tx_sync']]);
  });

  it.each(['sync', 'async', 'commit'] as const)('on the only node makes %s wait for the next block', async (how) => {
    const { client, nodes, transfer, commit } = await setUp({ timeout: 20_000 });
    const tx = transfer(1);
    await client.broadcaster.check(tx);
    const sending = client.broadcaster[how](tx);
    if (how === 'async') await expect.poll(() => txCalls(nodes[0]!)).toEqual(['check_tx']);
    else await expect.poll(() => txCalls(nodes[0]!), { interval: 2 }).toEqual(['check_tx', 'broadcast_tx_sync']);
    await commit();
    await expect.poll(() => nodes[0]!.mempool.txs.length, { interval: 2 }).toBe(1);
    await commit();
    const { status, duplicate, attempts } = await sending;
    expect({ status, duplicate }).toEqual({
      status: { sync: 'ACCEPTED', async: 'SENT', commit: 'COMMITTED' }[how],
      duplicate: false,
    });
    const outcomes = attempts.map(({ outcome, height }) => `${outcome} ${height}`);
    expect(outcomes).toEqual(how === 'async' ? ['ACCEPTED 2'] : ['REJECTED 1', 'ACCEPTED 2']);
  });

  it('returns the same result until the next block, with one call', async () => {
    const { client, nodes, transfer, commit } = await setUp();
    const tx = transfer(1);
    const [one, two] = await Promise.all([client.broadcaster.check(tx), client.broadcaster.check(tx)]);
    expect(await client.broadcaster.check(tx)).toEqual(one);
    expect(two).toEqual(one);
    expect(txCalls(nodes[0]!)).toEqual(['check_tx']);
    await commit();
    expect(await client.broadcaster.check(tx)).toMatchObject({ code: 0 });
    expect(txCalls(nodes[0]!)).toEqual(['check_tx', 'check_tx']);
  });

  it('that fails is repeated, and does not affect sequences', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    const second = transfer(2, 0, { sequence: 1n });
    expect(await client.broadcaster.check(second)).toMatchObject({ code: 32 });
    await client.broadcaster.sync(transfer(1));
    expect(await client.broadcaster.check(second)).toMatchObject({ code: 0 });
    expect(txCalls(nodes[0]!)).toEqual(['check_tx', 'broadcast_tx_sync', 'check_tx']);
  });

  it('goes to another node if one does not respond', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2, timeout: 100 });
    nodes[0]!.faults.answer = (calls) => (calls.some(({ method }) => method === 'check_tx') ? 'reset' : undefined);
    expect(await client.broadcaster.check(transfer(1))).toMatchObject({ code: 0 });
    await Promise.all(nodes.map((node) => node.stop()));
    expect(await failure(client.broadcaster.check(transfer(1, 1)))).toMatchObject({ code: 'NODE_UNREACHABLE' });
  });
});
