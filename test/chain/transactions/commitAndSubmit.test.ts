import { describe, expect, it } from 'vitest';
import type { TxUpdate } from '../../../src/chain/transactions/resend.ts';
import { runsAll } from '../../support/atRandom.ts';
import { failure, hashOf, read, setUp, txCalls } from './broadcasterSetup.ts';

const stages = (updates: readonly TxUpdate[]): string[] =>
  updates.map(({ stage, attempt }) => (attempt === null ? stage : `${stage} ${attempt.node} ${attempt.outcome}`));

describe('commit', () => {
  it('finds its transaction in the next block, even if that arrives before the response', async () => {
    const { client, nodes, transfer, chain } = await setUp({ timeout: 20_000 });
    nodes[0]!.faults.forge = ({ method }, result) => {
      // The chain makes a block at once, so the transaction is in it before CheckTx has returned.
      if (method === 'broadcast_tx_sync') void chain.devnet.commit();
      return result;
    };
    // One after another: each makes a block, and a transaction that is not in the next ones is sent again.
    for (const from of [1, 2, 3]) {
      const result = await client.broadcaster.commit(transfer(from, from));
      expect(result).toMatchObject({ status: 'COMMITTED', checkTx: { code: 0 }, duplicate: false });
      expect(result.attempts).toHaveLength(1);
    }
  });

  it('ends in time with the known facts', async () => {
    const { client, transfer } = await setUp({ broadcaster: { commitWait: 150, grace: 100 } });
    const tx = transfer(1);
    const begun = performance.now();
    const error = await failure(client.broadcaster.commit(tx));
    expect(error).toMatchObject({ code: 'COMMIT_TIMEOUT', facts: { hash: hashOf(tx), checkTx: { code: 0 } } });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('keeps waiting after the last node while there is time', async () => {
    const { client, nodes, transfer, commit, heightsOf } = await setUp();
    nodes[0]!.faults.dropTransactions = true;
    const tx = transfer(1);
    const committing = client.broadcaster.commit(tx);
    await expect.poll(() => txCalls(nodes[0]!).length, { interval: 2 }).toBe(1);
    await commit(2);
    await expect.poll(() => txCalls(nodes[0]!).filter((method) => method !== 'tx').length, { interval: 2 }).toBe(2);
    await commit(4);
    // Another client sends the transaction.
    nodes[0]!.heal();
    nodes[0]!.mempool.flush();
    nodes[0]!.mempool.check(tx);
    await commit();
    expect(await committing).toMatchObject({ status: 'COMMITTED', inclusion: { height: 8n } });
    expect(await heightsOf(tx)).toEqual([8]);
  });

  it('ends only for the caller that aborts', async () => {
    const { client, nodes, transfer, commit } = await setUp();
    const tx = transfer(1);
    const leaving = new AbortController();
    const left = failure(client.broadcaster.commit(tx, { signal: leaving.signal }));
    const stays = client.broadcaster.commit(tx);
    await expect.poll(() => nodes[0]!.mempool.txs.length, { interval: 2 }).toBe(1);
    leaving.abort(new Error('gone'));
    expect(await left).toMatchObject({ message: 'gone' });
    await commit();
    expect(await stays).toMatchObject({ status: 'COMMITTED', attempts: [{ outcome: 'ACCEPTED' }] });
    expect(txCalls(nodes[0]!).filter((method) => method === 'broadcast_tx_sync')).toHaveLength(1);
  });
});

describe('submit', () => {
  it('yields each update once, up to the block', async () => {
    const { client, transfer, commit } = await setUp();
    const tx = transfer(1);
    const updates = await read(client.broadcaster.submit(tx), ({ stage }) => stage === 'PENDING' && commit());
    const hash = hashOf(tx);
    const attempt = { node: 'node-1', height: 1n, outcome: 'ACCEPTED', error: null };
    expect(updates).toMatchObject([
      { hash, stage: 'CHECKED', height: 1n, final: false, attempt, checkTx: { code: 0 }, inclusion: null },
      { hash, stage: 'PENDING', height: 1n, final: false, attempt: null, checkTx: null, inclusion: null },
      { hash, stage: 'INCLUDED', height: 2n, final: true, attempt: null, inclusion: { height: 2n, confirmedBy: 1 } },
    ]);
    expect(stages(await read(client.broadcaster.submit(tx)))).toEqual(['INCLUDED node-1 DUPLICATE']);
  });

  it('ends with a rejection or an expiry', async () => {
    const { client, transfer } = await setUp();
    const refused = await read(client.broadcaster.submit(transfer(1, 0, { sequence: 4n })));
    expect(refused).toMatchObject([
      { stage: 'REJECTED', final: true, checkTx: { code: 32 }, attempt: { outcome: 'REJECTED' } },
    ]);

    const { client: other, nodes, ...second } = await setUp();
    nodes[0]!.faults.dropTransactions = true;
    const expiring = second.transfer(1, 0, { timeoutHeight: 2n });
    const expired = await read(other.broadcaster.submit(expiring), ({ stage }) => stage === 'PENDING' && second.commit());
    expect(stages(expired)).toEqual(['CHECKED node-1 ACCEPTED', 'PENDING', 'EXPIRED']);
    expect(expired.at(-1)).toMatchObject({ final: true, height: 2n });
  });

  it.runIf(runsAll)('does not report an expiry if the transaction may be in a block that is no longer available', async () => {
    const { client, nodes, transfer, commit, anotherClient } = await setUp();
    const tx = transfer(1, 0, { timeoutHeight: 3n });
    await client.broadcaster.sync(tx);
    await commit(2);
    expect(stages(await read(client.broadcaster.submit(tx)))).toEqual(['INCLUDED node-1 DUPLICATE']);
    nodes[0]!.faults.noIndex = true;
    await commit(101);
    const late = await read((await anotherClient()).broadcaster.submit(tx));
    expect(stages(late)).toEqual(['PENDING node-1 DUPLICATE', 'UNKNOWN']);
  });

  it('shares a tracked transaction among callers with the same bytes, and each gets every update', async () => {
    const { client, nodes, transfer, commit } = await setUp();
    const tx = transfer(1);
    const first = client.broadcaster.submit(tx);
    expect(await first.next()).toMatchObject({ value: { stage: 'CHECKED' } });
    expect(await first.next()).toMatchObject({ value: { stage: 'PENDING' } });
    const second = read(client.broadcaster.submit(tx));
    const committing = client.broadcaster.commit(tx);
    await commit();
    expect(stages(await second)).toEqual(['CHECKED node-1 ACCEPTED', 'PENDING', 'INCLUDED']);
    expect(await committing).toMatchObject({ status: 'COMMITTED', duplicate: false });
    expect(await first.next()).toMatchObject({ value: { stage: 'INCLUDED' } });
    expect(await first.next()).toMatchObject({ done: true });
    expect(txCalls(nodes[0]!)).toEqual(['broadcast_tx_sync']);
  });

  it('sends nothing before the first read, ends at once, and stops with the last follower', async () => {
    const { client, nodes, transfer, commit } = await setUp();
    const tx = transfer(1);
    const [one, two] = [client.broadcaster.submit(tx), client.broadcaster.submit(tx)];
    await client.broadcaster.sync(transfer(2, 1));
    expect(nodes[0]!.mempool.txs).toHaveLength(1);
    for (const each of [one, two]) for (let step = 0; step < 2; step += 1) await each.next();
    const pending = one.next();
    await one.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    nodes[0]!.mempool.flush();
    await commit(2);
    // The other caller still follows it, so it is sent again.
    expect(await two.next()).toMatchObject({ value: { stage: 'RESENT' } });
    await two.return?.();
    nodes[0]!.mempool.flush();
    nodes[0]!.counters.reset();
    await commit(6);
    expect(txCalls(nodes[0]!)).toEqual([]);
  });

  it('ends with the client', async () => {
    const { client, transfer } = await setUp();
    const following = client.broadcaster.submit(transfer(1));
    await following.next();
    await following.next();
    const next = failure(following.next());
    await client.close();
    expect(await next).toMatchObject({ code: 'NODE_UNREACHABLE' });
    expect(await failure(client.broadcaster.sync(transfer(2)))).toMatchObject({ code: 'NODE_UNREACHABLE' });
  });
});
