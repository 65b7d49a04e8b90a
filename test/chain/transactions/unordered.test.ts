import { describe, expect, it } from 'vitest';
import { parseTime } from '../../../src/chain/base/time.ts';
import { type BroadcasterSetup, failure, hashOf, read, setUp, txCalls } from './broadcasterSetup.ts';

const second = 1_000_000_000n;
/** Blocks of the test are a second apart from here on. */
const genesisTime = 1_795_420_200n * second;

/** A transfer that is valid for this many nanoseconds after the newest block. */
function unordered({ client, transfer }: BroadcasterSetup, life = 60n * second, from = 0): Uint8Array {
  return transfer(1, from, { unordered: true, sequence: 0n, timeout: parseTime(client.head.current()!.time) + life });
}

const stages = (updates: readonly { readonly stage: string }[]): string[] => updates.map(({ stage }) => stage);

describe('a timeout by time', () => {
  it.each([
    ['an unordered transaction', true],
    ['an ordered transaction', false],
  ])('of %s that every node dropped ends with EXPIRED in the first block after it', async (_, isUnordered) => {
    const setup = await setUp({ genesisTime });
    const { client, nodes, transfer, commit } = setup;
    nodes[0]!.faults.dropTransactions = true;
    const timeout = parseTime(client.head.current()!.time) + second;
    const tx = transfer(1, 0, { timeout, ...(isUnordered && { unordered: true, sequence: 0n }) });
    // The block at the timeout itself could execute it.
    const updates = await read(client.broadcaster.submit(tx), ({ stage }) => (stage === 'PENDING' ? commit(2) : 0));
    expect(updates.map(({ stage, height }) => `${stage} ${height}`)).toEqual(['CHECKED 1', 'PENDING 1', 'EXPIRED 3']);
  });

  it('of a transaction that stayed in the mempool is a result with code 42, and no success', async () => {
    const setup = await setUp({ genesisTime });
    const { client, commit } = setup;
    const tx = unordered(setup, second / 2n);
    const followed = read(client.broadcaster.submit(tx), ({ stage }) => (stage === 'PENDING' ? commit() : 0));
    const committing = client.broadcaster.commit(tx);
    const result = { code: 42, codespace: 'sdk', events: [], gasUsed: 3198n };
    expect((await followed).at(-1)).toMatchObject({ stage: 'INCLUDED', inclusion: { height: 2n, transaction: { result } } });
    expect(await committing).toMatchObject({ status: 'EXECUTION_FAILED', inclusion: { transaction: { result } } });
    // The cache no longer has it, so the node checks it again.
    expect(await client.broadcaster.sync(tx)).toMatchObject({ status: 'EXECUTION_FAILED', duplicate: true });
  });

  it('that has passed makes a commit end at once', async () => {
    const setup = await setUp({ genesisTime });
    setup.nodes[0]!.faults.dropTransactions = true;
    const committing = failure(setup.client.broadcaster.commit(unordered(setup, second / 2n)));
    await expect.poll(() => txCalls(setup.nodes[0]!), { interval: 2 }).toHaveLength(1);
    await setup.commit();
    expect(await committing).toMatchObject({ code: 'COMMIT_TIMEOUT', message: expect.stringContaining('timeout has passed') });
  });
});

describe('a refusal because the nonce was used', () => {
  /** A chain of two nodes, the first of which has forgotten the transactions that it received. */
  async function committed(options: { readonly index: boolean }) {
    const setup = await setUp({ nodes: 2, genesisTime, broadcaster: { commitWait: 200 } });
    const tx = unordered(setup);
    await setup.client.broadcaster.sync(tx);
    await setup.commit();
    for (const { mempool, faults } of setup.nodes) {
      mempool.flush();
      faults.noIndex = !options.index;
    }
    return { ...setup, tx };
  }

  it.each([true, false])('of a committed transaction is its outcome, on each way to send (index: %s)', async (index) => {
    const { anotherClient, nodes, tx } = await committed({ index });
    // A process that has seen nothing of it.
    const { broadcaster } = await anotherClient();
    expect(await broadcaster.sync(tx)).toMatchObject({ status: 'COMMITTED', duplicate: true, inclusion: { height: 2n } });
    expect(await broadcaster.commit(tx)).toMatchObject({ status: 'COMMITTED', inclusion: { height: 2n } });
    expect(stages(await read(broadcaster.submit(tx)))).toEqual(['INCLUDED']);
    expect(txCalls(nodes[0]!).filter((method) => method === 'broadcast_tx_sync')).toHaveLength(4);
  });

  it('of a node that is ahead of the newest known block waits for that block', async () => {
    const setup = await setUp({ nodes: 2, genesisTime });
    const { client, chain, nodes } = setup;
    const tx = unordered(setup);
    nodes[0]!.faults.withholdTransactions = true;
    expect(await client.broadcaster.sync(tx)).toMatchObject({ status: 'ACCEPTED' });
    // The block reaches the nodes, but their events and indexes are late.
    for (const { faults } of nodes) [faults.silentSockets, faults.noIndex] = [true, true];
    await chain.devnet.commit();
    nodes[0]!.mempool.flush();
    const { attempts, ...outcome } = await client.broadcaster.sync(tx);
    expect(attempts).toMatchObject([{ height: 1n, outcome: 'REJECTED' }]);
    expect(outcome).toMatchObject({ status: 'COMMITTED', duplicate: true, inclusion: { height: 2n } });
  });

  it('of other bytes is a rejection, if the next block does not come or does not help', async () => {
    const { client, transfer, tx, nodes } = await committed({ index: true });
    const timeout = genesisTime + 60n * second;
    const other = transfer(2, 0, { unordered: true, sequence: 0n, timeout });
    expect(hashOf(other)).not.toBe(hashOf(tx));
    const log = 'failed to add unordered nonce: sender tp';
    const refused = { code: 18, codespace: 'sdk', log: expect.stringContaining(log) };
    expect(await client.broadcaster.sync(other)).toMatchObject({ status: 'REJECTED', checkTx: refused });
    expect(await read(client.broadcaster.submit(other))).toMatchObject([{ stage: 'REJECTED', checkTx: refused }]);
    expect(nodes[0]!.mempool.txs).toEqual([]);
  });

  it('that no block has used is no rejection: the bytes may wait in the mempool of another node', async () => {
    const setup = await setUp({ genesisTime, broadcaster: { commitWait: 200 } });
    const tx = unordered(setup);
    await setup.client.broadcaster.sync(tx);
    setup.nodes[0]!.mempool.flush();
    const { broadcaster } = await setup.anotherClient();
    expect(await broadcaster.sync(tx)).toMatchObject({ status: 'UNKNOWN', checkTx: { code: 18 } });
    expect(broadcaster.rebroadcasts()).toMatchObject({ next_block: 0 });
  });

  it('after a check on the only node is repeated after the next block', async () => {
    const setup = await setUp({ genesisTime });
    const { client, nodes, commit } = setup;
    const tx = unordered(setup);
    expect(await client.broadcaster.check(tx)).toMatchObject({ code: 0 });
    const sent = client.broadcaster.sync(tx);
    await expect.poll(() => txCalls(nodes[0]!), { interval: 2 }).toContain('broadcast_tx_sync');
    await commit();
    expect(await sent).toMatchObject({ status: 'ACCEPTED', attempts: [{ outcome: 'REJECTED' }, { outcome: 'ACCEPTED' }] });
  });
});

describe('several of one account', () => {
  it('are sent at the same time, where ordered ones wait for each other', async () => {
    const setup = await setUp({ genesisTime });
    const { client, nodes, transfer, commit, heightsOf } = setup;
    const txs = Array.from({ length: 5 }, (_, index) => unordered(setup, 60n * second + BigInt(index)));
    const ordered = [0n, 1n].map((sequence) => transfer(1, 0, { sequence }));
    const all = [...txs, ...ordered];
    // The node answers none before the first six have arrived.
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const arrived: unknown[] = [];
    nodes[0]!.onCall = ({ method, params }) => {
      if (method !== 'broadcast_tx_sync') return;
      arrived.push((params as { tx: string }).tx);
      if (arrived.length === 6) open();
      return gate;
    };
    const sent = await Promise.all(all.map((tx) => client.broadcaster.sync(tx)));
    expect(sent.map(({ status }) => status)).toEqual(Array(7).fill('ACCEPTED'));
    const base64 = all.map((tx) => Buffer.from(tx).toString('base64'));
    expect(new Set(arrived.slice(0, 6))).toEqual(new Set(base64.slice(0, 6)));
    expect(arrived.slice(6)).toEqual(base64.slice(6));
    await commit();
    for (const tx of all) expect(await heightsOf(tx)).toEqual([2]);
  });
});
