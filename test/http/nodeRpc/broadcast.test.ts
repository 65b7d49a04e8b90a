import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { takeTurns } from '../../support/atRandom.ts';
import { base64, hashOf, hex, type RpcChain, startRpcChain, transfer } from './rpcChain.ts';

let rpc: RpcChain;
const start = async (...options: Parameters<typeof startRpcChain>): Promise<void> => {
  rpc = await startRpcChain(...options);
};

afterEach(async () => {
  expect(rpc.stack.masked).toEqual([]);
  await rpc.close();
});

/** The transaction calls that the nodes received. */
const sent = (): Record<string, number> =>
  Object.fromEntries(
    rpc.chain.devnet.nodes
      .flatMap(({ counters }) => Object.entries(counters.byMethod))
      .filter(([method, count]) => /^(broadcast_|check_tx)/.test(method) && count > 0),
  );

/** The dialects, with their roots and the position of the error text. */
const dialects = [
  { root: '/', base: '', errorOf: ({ error }: JsonObject) => error },
  { root: '/comet', base: '/comet', errorOf: ({ error }: JsonObject) => (error as JsonObject).data },
] as const;

const accepted = (tx: Uint8Array): JsonObject => ({ code: 0, data: '', log: '', codespace: '', hash: hashOf(tx) });

describe.each(dialects)('the transaction methods at $root', (dialect) => {
  const { root, base, errorOf } = dialect;
  const turn = takeTurns(dialects, dialect);

  it.runIf(turn())('broadcast, wait for check: returns the CheckTx response without waiting for a block', async () => {
    await start();
    const [tx, next] = [transfer(rpc.chain, 5), transfer(rpc.chain, 5, 1)];
    const answer = await rpc.call(root, 'broadcast_tx_sync', { tx: base64(tx) });
    expect([answer.status, answer.json.result]).toEqual([200, accepted(tx)]);
    const byUri = await rpc.get(`${base}/broadcast_tx_sync?tx=${hex(next)}`);
    expect([byUri.status, byUri.json.id, byUri.json.result]).toEqual([200, -1, accepted(next)]);
    expect(rpc.chain.node.mempool.txs).toHaveLength(2);
  });

  it.runIf(turn())('broadcast, no wait: returns only the hash', async () => {
    await start();
    const wrong = transfer(rpc.chain, 5, 0, { sequence: 99n });
    expect((await rpc.call(root, 'broadcast_tx_async', { tx: base64(wrong) })).json.result).toEqual(accepted(wrong));
    const tx = transfer(rpc.chain, 5);
    expect((await rpc.get(`${base}/broadcast_tx_async?tx=${hex(tx)}`)).json.result).toEqual(accepted(tx));
  });

  it.runIf(turn())('broadcast, wait for commit: returns check_tx and the result in the block', async () => {
    await start();
    const tx = transfer(rpc.chain, 5);
    const [{ json, status }, height] = await Promise.all([
      rpc.call(root, 'broadcast_tx_commit', { tx: base64(tx) }),
      rpc.commitNext(),
    ]);
    const inBlock = (await rpc.call('/comet', 'block_results', { height: `${height}` })).json.result ?? {};
    const [result] = inBlock.txs_results as JsonObject[];
    expect(status).toBe(200);
    expect(json.result).toEqual({
      check_tx: { code: 0, data: '', log: '', info: '', gas_wanted: '0', gas_used: '0', events: [], codespace: '' },
      tx_result: result,
      ...(root === '/' && { deliver_tx: result }),
      hash: hashOf(tx),
      height: `${height}`,
    });
    // The server waited on its own block stream, not with the node's broadcast_tx_commit.
    expect(sent()).toEqual({ broadcast_tx_sync: 1 });
  });

  it.runIf(turn())('rule 4: a failed CheckTx and a failed execution are codes in the result, not errors', async () => {
    await start();
    const wrong = transfer(rpc.chain, 5, 0, { sequence: 99n });
    const refused = (await rpc.call(root, 'broadcast_tx_commit', { tx: base64(wrong) })).json;
    expect(refused.result).toMatchObject({ check_tx: { code: 32, codespace: 'sdk' }, tx_result: { code: 0 }, height: '0' });
    const poor = transfer(rpc.chain, 10 ** 16);
    const [failed, height] = await Promise.all([rpc.call(root, 'broadcast_tx_commit', { tx: base64(poor) }), rpc.commitNext()]);
    expect(failed.json.result).toMatchObject({ check_tx: { code: 0 }, tx_result: { code: 5 }, height: `${height}` });
    if (root === '/') expect([refused.error, failed.json.error]).toEqual(['', '']);
  });

  it.runIf(turn())('rule 4: a timeout of the commit and an error of the mempool are errors', async () => {
    await start({ client: { broadcaster: { commitWait: 500, grace: 20 } } });
    const tx = transfer(rpc.chain, 5);
    const late = await rpc.call(root, 'broadcast_tx_commit', { tx: base64(tx) });
    expect([late.status, errorOf(late.json)]).toEqual([200, 'timed out waiting for tx to be included in a block']);
    const again = await rpc.call(root, 'broadcast_tx_commit', { tx: base64(tx) });
    expect(errorOf(again.json)).toBe('error on broadcastTxCommit: tx already exists in cache');
    const uri = await rpc.get(`${base}/broadcast_tx_commit?tx=${hex(tx)}`);
    expect([uri.status, errorOf(uri.json)]).toEqual([500, 'error on broadcastTxCommit: tx already exists in cache']);
    for (const method of ['broadcast_tx_sync', 'broadcast_tx_async']) {
      expect(errorOf((await rpc.call(root, method, { tx: base64(tx) })).json)).toBe('tx already exists in cache');
    }
  });

  it.runIf(turn())('check only: returns the CheckTx response and adds nothing to the mempool', async () => {
    await start();
    const tx = transfer(rpc.chain, 5);
    const direct = await rpc.call(root, 'check_tx', { tx: base64(tx) });
    expect(direct.json.result).toMatchObject({ code: 0, data: '', gas_wanted: expect.stringMatching(/^\d+$/), codespace: '' });
    expect(rpc.chain.node.mempool.txs).toHaveLength(0);
    // The documented dialect lets clients cache a success for a day. A node does not.
    const keeping = root === '/' ? 'private, max-age=86400' : undefined;
    const vary = `Authorization, Origin${root === '/' ? ', x-cosmos-block-height, x-block-time, x-min-height' : ''}`;
    expect([direct.headers['cache-control'], direct.headers.vary]).toEqual([keeping, vary]);
    const refused = await rpc.get(`${base}/check_tx?tx=${hex(transfer(rpc.chain, 5, 1, { sequence: 9n }))}`);
    expect(refused.json.result).toMatchObject({ code: 32, data: null });
    expect(refused.headers['cache-control']).toBe('no-store');
  });

  it.runIf(turn())('a transaction that was checked can still be broadcast', async () => {
    await start();
    const tx = transfer(rpc.chain, 5);
    for (let times = 0; times < 2; times++) {
      expect((await rpc.call(root, 'check_tx', { tx: base64(tx) })).json.result).toMatchObject({ code: 0 });
    }
    expect(sent()).toEqual({ check_tx: 1 });
    const sending = rpc.call(root, 'broadcast_tx_sync', { tx: base64(tx) });
    await expect.poll(sent).toMatchObject({ broadcast_tx_sync: 1 });
    await rpc.commit();
    expect((await sending).json.result).toEqual(accepted(tx));
  });

  it.runIf(turn())("a full mempool is an error with the node's text", async () => {
    await start({}, { mempoolLimits: { size: 0, bytes: 2 ** 30, txBytes: 2 ** 20, cache: 10 } });
    const tx = transfer(rpc.chain, 5);
    const { status, json } = await rpc.call(root, 'broadcast_tx_sync', { tx: base64(tx) });
    expect([status, errorOf(json)]).toEqual([200, expect.stringMatching(/^mempool is full: number of txs 0 \(max: 0\)/)]);
  });

  it.runIf(turn())('T27: a transaction that is too large is rejected and not sent', async () => {
    await start();
    const tx = base64(new Uint8Array(1_048_577));
    const { json } = await rpc.call(root, 'broadcast_tx_sync', { tx });
    expect(errorOf(json)).toBe('Tx too large. Max size is 1048576, but got 1048577');
    expect(sent()).toEqual({});
  });

  it.runIf(turn())('broadcast_tx_commit can be disabled', async () => {
    await start({ server: { broadcastCommit: false } });
    const { status, json } = await rpc.call(root, 'broadcast_tx_commit', { tx: base64(transfer(rpc.chain, 5)) });
    expect([status, errorOf(json)]).toEqual([403, 'broadcast_tx_commit is disabled on this server. Use broadcast_tx_sync.']);
    expect(sent()).toEqual({});
  });

  it.runIf(turn())('the broadcasts of a client are limited: 429 with -32005', async () => {
    await start({ server: { limits: { 'rate.broadcasts': 1 } } });
    const calls = [0, 1].map((from) => rpc.call(root, 'broadcast_tx_sync', { tx: base64(transfer(rpc.chain, 5, from)) }));
    const answers = await Promise.all(calls);
    const [good, over] = answers.toSorted((a, b) => a.status - b.status);
    expect([good!.status, over!.status]).toEqual([200, 429]);
    expect(Number(over!.headers['retry-after'])).toBeGreaterThan(0);
    const text = expect.stringMatching(/^The limit rate\.broadcasts of 1 is reached/);
    expect(over!.json.error).toEqual(root === '/' ? text : { code: -32005, message: 'Limit exceeded', data: text });
    expect((await rpc.call(root, 'health')).status).toBe(200);
  });

  it.runIf(turn())('the broadcasts of a batch are sent sequentially, in order', async () => {
    await start();
    const first = transfer(rpc.chain, 1);
    const second = transfer(rpc.chain, 2, 0, { sequence: 1n });
    const batch = [first, second].map((tx, id) => ({ id, method: 'broadcast_tx_sync', params: { tx: base64(tx) } }));
    const { body } = await rpc.post(root, JSON.stringify(batch));
    expect((JSON.parse(body) as JsonObject[]).map(({ result }) => (result as JsonObject).code)).toEqual([0, 0]);
  });
});
