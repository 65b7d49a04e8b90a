import { createHash } from 'node:crypto';
import { Comet38Client, HttpClient, type RpcClient, WebsocketClient } from '@cosmjs/tendermint-rpc';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { createTinyApplication, tinyTx } from './tinyApplication.ts';

let devnet: Devnet;
let node: DevnetNode;
let client: Comet38Client;
let sequence = 0;

beforeAll(async () => {
  devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
  node = devnet.nodes[0]!;
  await devnet.commit();
});

afterAll(() => devnet.close());
afterEach(() => client.disconnect());

const kinds: [string, () => RpcClient][] = [
  ['HTTP', () => new HttpClient(node.url)],
  ['WebSocket', () => new WebsocketClient(node.url.replace('http', 'ws'))],
];
const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

/** Commits a block as soon as the mempool contains a transaction. */
async function commitWhenPending(): Promise<bigint> {
  await expect.poll(() => node.mempool.txs.length).toBeGreaterThan(0);
  return await devnet.commit();
}

describe.each(kinds)('Comet38Client over %s', (_, connect) => {
  it('calls every read method', async () => {
    client = await Comet38Client.create(connect());
    const height = Number(devnet.height);
    expect((await client.status()).syncInfo.latestBlockHeight).toBe(height);
    expect(await client.abciInfo()).toMatchObject({ data: 'tiny', lastBlockHeight: height });
    expect(await client.health()).toBeNull();
    expect((await client.genesis()).chainId).toBe('stele-devnet');
    const block = await client.block(height);
    expect(block.block.header.height).toBe(height);
    expect((await client.block()).blockId.hash).toEqual(block.blockId.hash);
    expect((await client.blockResults(height)).height).toBe(height);
    expect((await client.blockchain(1, 2)).blockMetas.map(({ header }) => header.height)).toEqual([2, 1]);
    expect((await client.commit(1)).canonical).toBe(true);
    expect((await client.validators({ height: 1 })).validators).toHaveLength(1);
    expect((await client.validatorsAll(1)).total).toBe(1);
    expect((await client.numUnconfirmedTxs()).total).toBe(0);
    const answer = await client.abciQuery({
      path: '/sequence',
      data: new TextEncoder().encode('nobody'),
      height: 1,
      prove: false,
    });
    expect(answer).toMatchObject({ code: 0, height: 1, value: new TextEncoder().encode('0') });
  });

  it('broadcasts with every method and finds the transactions', async () => {
    client = await Comet38Client.create(connect());
    const sync = tinyTx('carl', sequence++);
    expect(await client.broadcastTxSync({ tx: sync })).toMatchObject({ code: 0, hash: sha256(sync) });
    await client.broadcastTxAsync({ tx: tinyTx('carl', sequence++) });
    await devnet.commit();
    const tx = tinyTx('carl', sequence++, 'Last');
    const [committed, height] = await Promise.all([client.broadcastTxCommit({ tx }), commitWhenPending()]);
    expect(committed.height).toBe(Number(height));
    expect(committed.txResult?.code).toBe(0);

    const found = await client.tx({ hash: sha256(tx), prove: true });
    expect(found).toMatchObject({ height: Number(height), index: 0, tx });
    expect(found.proof?.rootHash).toEqual((await client.block(Number(height))).block.header.dataHash);
    const hash = Buffer.from(sha256(sync)).toString('hex').toUpperCase();
    expect((await client.txSearch({ query: `tx.hash='${hash}'` })).txs.map((one) => one.tx)).toEqual([sync]);
    expect((await client.txSearchAll({ query: `tx.height=${height}` })).totalCount).toBe(1);
    expect((await client.blockSearch({ query: `block.height=${height}` })).totalCount).toBe(1);
    expect((await client.txSearch({ query: "message.action='/test.MsgLast'", per_page: 1 })).txs).toHaveLength(1);
  });
});

describe('subscriptions of Comet38Client', () => {
  it('new blocks, headers and transactions', async () => {
    client = await Comet38Client.create(new WebsocketClient(node.url.replace('http', 'ws')));
    const seen: string[] = [];
    const subscriptions = [
      client.subscribeNewBlock().subscribe({ next: ({ header, txs }) => seen.push(`block ${header.height} ${txs.length}`) }),
      client.subscribeNewBlockHeader().subscribe({ next: ({ height }) => seen.push(`header ${height}`) }),
      client.subscribeTx().subscribe({ next: ({ height, result }) => seen.push(`tx ${height} ${result.code ?? 0}`) }),
    ];
    await expect.poll(() => node.counters.byMethod.subscribe).toBe(3);
    await client.broadcastTxSync({ tx: tinyTx('carl', sequence++) });
    const height = await devnet.commit();
    await expect.poll(() => seen).toEqual([`block ${height} 1`, `header ${height}`, `tx ${height} 0`]);
    for (const subscription of subscriptions) subscription.unsubscribe();
  });
});
