import { afterEach, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet, type DevnetOptions } from '../../../packages/devnet/src/devnet.ts';
import { recording } from '../../recordings/recording.ts';
import { shapeOf } from './shape.ts';
import { createTinyApplication, tinyTx } from './tinyApplication.ts';

interface Row {
  name: string;
  response: { result?: Record<string, unknown>; error?: { data: string } };
}

const rows = new Map([...recording<Row[]>('rpc'), ...recording<Row[]>('limits')].map((row) => [row.name, row.response]));
const running: Devnet[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((devnet) => devnet.close()));
});

async function start(options: Partial<DevnetOptions> = {}) {
  const devnet = await createDevnet({
    application: createTinyApplication(),
    blockTime: 'manual',
    genesisTime: 10n ** 18n,
    ...options,
  });
  running.push(devnet);
  const node = devnet.nodes[0]!;
  const send = async (method: string, tx: Uint8Array): Promise<Row['response']> => {
    const params = { tx: Buffer.from(tx).toString('base64') };
    const answer = await fetch(node.url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
    return (await answer.json()) as Row['response'];
  };
  const unconfirmed = async () => ((await (await fetch(`${node.url}/num_unconfirmed_txs`)).json()) as Row['response']).result;
  return { devnet, node, send, unconfirmed };
}

/** Checks that a response has the recorded content and shape. */
function expectLike(answer: Row['response'], name: string): void {
  const recorded = rows.get(name)!;
  if (recorded.error) expect(answer).toEqual(recorded);
  else expect(JSON.stringify(shapeOf(answer))).toBe(JSON.stringify(shapeOf(recorded)));
}

describe('broadcasting', () => {
  it('sync and async, repeated, before and after the block', async () => {
    const { devnet, send, unconfirmed } = await start();
    const tx = tinyTx('alice', 0);
    expectLike(await send('broadcast_tx_sync', tx), 'broadcast_tx_sync good');
    expectLike(await send('broadcast_tx_sync', tx), 'broadcast_tx_sync again at once');
    expect(await unconfirmed()).toEqual({ n_txs: '1', total: '1', total_bytes: String(tx.length), txs: null });
    await devnet.commit();
    expectLike(await send('broadcast_tx_sync', tx), 'broadcast_tx_sync again after commit');
    expectLike(await send('broadcast_tx_async', tx), 'broadcast_tx_async again after commit');
    expectLike(await send('broadcast_tx_commit', tx), 'broadcast_tx_commit again after commit');
    expectLike(await send('broadcast_tx_async', tinyTx('alice', 1)), 'broadcast_tx_async good');
    expect(await unconfirmed()).toMatchObject({ total: '1' });
  });

  it('a rejection by CheckTx is a result; the transaction is not kept and can be sent again', async () => {
    const { send, unconfirmed } = await start();
    const early = tinyTx('alice', 1);
    const refused = await send('broadcast_tx_sync', early);
    expectLike(refused, 'broadcast_tx_sync wrong sequence');
    expect(refused.result).toMatchObject({ code: 32, codespace: 'sdk' });
    expectLike(await send('broadcast_tx_async', early), 'broadcast_tx_async wrong sequence');
    expectLike(await send('broadcast_tx_commit', early), 'broadcast_tx_commit wrong sequence');
    expectLike(await send('broadcast_tx_sync', new TextEncoder().encode('garbage')), 'broadcast_tx_sync garbage');
    expect(await unconfirmed()).toMatchObject({ total: '0' });
    await send('broadcast_tx_sync', tinyTx('alice', 0));
    expect((await send('broadcast_tx_sync', early)).result).toMatchObject({ code: 0 });
  });

  it('commit waits for the block and returns the result of the transaction', async () => {
    const { devnet, node, send } = await start();
    const answers = [send('broadcast_tx_commit', tinyTx('alice', 0)), send('broadcast_tx_commit', tinyTx('bad', 0))];
    await expect.poll(() => node.mempool.txs.length).toBe(2);
    const height = await devnet.commit();
    const [good, bad] = await Promise.all(answers);
    expectLike(good!, 'broadcast_tx_commit good');
    expect(good!.result).toMatchObject({ height: String(height), check_tx: { code: 0 }, tx_result: { code: 0 } });
    expect(bad!.result).toMatchObject({ height: String(height), check_tx: { code: 0 }, tx_result: { code: 5 } });
  });

  it('commit times out', async () => {
    const { send } = await start({ commitTimeout: 30 });
    expectLike(await send('broadcast_tx_commit', tinyTx('alice', 0)), 'commit times out');
  });
});

describe('a committed transaction', () => {
  it('is found, with text escaped as by Go', async () => {
    const { devnet, node, send } = await start();
    await send('broadcast_tx_sync', tinyTx('alice', 0, '<b>&'));
    await devnet.commit();
    const text = await (await fetch(`${node.url}/tx_search?query="tx.height=2"`)).text();
    expect(text).toContain('/test.Msg\\u003cb\\u003e\\u0026');
    expect(text).toContain('"total_count":"1"');
  });
});

describe('the mempool', () => {
  it('checks whether it is full before the size of a transaction, also for async and commit', async () => {
    const { send } = await start({ mempoolLimits: { size: 1, bytes: 1_073_741_824, txBytes: 20, cache: 10_000 } });
    await send('broadcast_tx_sync', tinyTx('alice', 0, 'first'));
    const full = 'mempool is full: number of txs 1 (max: 1), total txs bytes 13 (max: 1073741824)';
    expect(rows.get('mempool is full')!.error!.data).toBe(full.replace('bytes 13', 'bytes 313'));
    const large = tinyTx('alice', 1, 'x'.repeat(100));
    expect((await send('broadcast_tx_sync', large)).error!.data).toBe(full);
    expect((await send('broadcast_tx_async', large)).error!.data).toBe(full);
    expect((await send('broadcast_tx_commit', large)).error!.data).toBe(`error on broadcastTxCommit: ${full}`);
  });

  it('rejects a transaction that is too large, which check_tx accepts', async () => {
    const { send } = await start({ mempoolLimits: { size: 5, bytes: 1000, txBytes: 20, cache: 10_000 } });
    const large = tinyTx('alice', 0, 'x'.repeat(100));
    expect((await send('broadcast_tx_sync', large)).error!.data).toBe(`Tx too large. Max size is 20, but got ${large.length}`);
    expect((await send('check_tx', large)).result).toMatchObject({ code: 0 });
  });

  it('check_tx uses the sequence up until the next block', async () => {
    const { devnet, send } = await start();
    const tx = tinyTx('alice', 0);
    expect((await send('check_tx', tx)).result).toMatchObject({ code: 0 });
    expect((await send('check_tx', tx)).result).toMatchObject({ code: 32 });
    const refused = await send('broadcast_tx_sync', tx);
    expect(refused.result).toMatchObject({
      code: 32,
      log: 'account sequence mismatch, expected 1, got 0: incorrect account sequence',
    });
    await devnet.commit();
    expect((await send('broadcast_tx_sync', tx)).result).toMatchObject({ code: 0 });
  });

  it('rechecks its transactions after each block, and removes invalid ones', async () => {
    const { devnet, node, send } = await start();
    // A block includes 60 of them. They fail without incrementing the sequence, so the waiting ones have a wrong sequence.
    for (let sequence = 0; sequence < 65; sequence++) await send('broadcast_tx_sync', tinyTx('bad', sequence));
    await send('broadcast_tx_sync', tinyTx('bob', 0));
    await devnet.commit();
    expect(node.mempool.txs).toEqual([tinyTx('bob', 0)]);
    expect((await send('broadcast_tx_sync', tinyTx('bad', 64))).result).toMatchObject({ code: 32 });
  });

  it('fills a block up to its gas limit', async () => {
    const { devnet, node, send } = await start();
    // 60,000,000 gas in a block, 1,000,000 for each transaction.
    for (let sequence = 0; sequence < 65; sequence++) await send('broadcast_tx_sync', tinyTx('alice', sequence));
    await devnet.commit();
    expect(node.mempool.txs).toHaveLength(5);
    await devnet.commit();
    expect(node.mempool.txs).toHaveLength(0);
  });
});
