import { createHash } from 'node:crypto';
import { stringToPath } from '@cosmjs/crypto';
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing';
import { coins, SigningStargateClient } from '@cosmjs/stargate';
import { Comet38Client } from '@cosmjs/tendermint-rpc';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGenesis } from '../../../../packages/devnet/src/app/genesis/genesis.ts';
import { createDevnet, type Devnet } from '../../../../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../../../../packages/devnet/src/node/node.ts';
import { converse } from '../../../devnet/node/conversation.ts';
import { runsAll } from '../../../support/atRandom.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../../support/issuer.ts';
import { type Stack, startStack } from '../../../support/stack.ts';

let devnet: Devnet;
let node: DevnetNode;
let issuer: TestIssuer;
let stack: Stack;
/** The URL contains the token, because the client cannot set headers. */
let url: string;
let token: string;

beforeAll(async () => {
  devnet = await createDevnet({ genesis: createGenesis({ bare: true }), blockTime: 50 });
  node = devnet.nodes[0]!;
  issuer = await startIssuer();
  stack = await startStack([node.url], { server: { auth: authenticatorOf(issuer) } });
  // The commit of a block is canonical once the next block is there.
  await stack.client.head.ready();
  await stack.client.head.waitFor(3n, { milliseconds: 30_000 });
  token = await issuer.sign();
  url = `${stack.server.url.replace('http://', `ws://token:${token}@`)}/comet`;
});

afterAll(async () => {
  await stack.close();
  await issuer.close();
  await devnet.close();
});

beforeEach(async () => {
  await expect.poll(() => stack.client.head.stats().isSubscribed).toBe(true);
});

afterEach(() => expect(stack.masked).toEqual([]));

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());
const fee = { amount: coins(1_000_000_000, 'nhash'), gas: '1000000' };

async function wallet(index: number): Promise<{ signer: DirectSecp256k1HdWallet; address: string }> {
  const signer = await DirectSecp256k1HdWallet.fromMnemonic('test test test test test test test test test test test junk', {
    prefix: 'tp',
    hdPaths: [stringToPath(`m/44'/1'/0'/0/${index}`)],
  });
  const [account] = await signer.getAccounts();
  return { signer, address: account!.address };
}

/** A transfer of account `index` to itself, signed by CosmJS, not sent. */
async function signed(client: SigningStargateClient, address: string): Promise<Uint8Array> {
  const message = {
    typeUrl: '/cosmos.bank.v1beta1.MsgSend',
    value: { fromAddress: address, toAddress: address, amount: coins(1, 'nhash') },
  };
  return TxRaw.encode(await client.sign(address, [message], fee, '')).finish();
}

/** CosmJS never sends anything if no request waits when its socket opens, so one request is made at once. */
async function connect(): Promise<Comet38Client> {
  const client = await Comet38Client.connect(url);
  await client.health();
  return client;
}

describe('Comet38Client over WebSocket, with a token in its URL', () => {
  it('calls every read method', async () => {
    const client = await connect();
    const status = await client.status();
    const height = status.syncInfo.latestBlockHeight;
    expect(height).toBeGreaterThan(0);
    expect((await client.abciInfo()).lastBlockHeight).toBeGreaterThanOrEqual(height);
    expect(await client.health()).toBeNull();
    expect((await client.genesis()).chainId).toBe('stele-devnet');
    const block = await client.block(height);
    expect(block.block.header.height).toBe(height);
    expect((await client.block()).block.header.height).toBeGreaterThanOrEqual(height);
    expect((await client.blockResults(height)).height).toBe(height);
    const metas = (await client.blockchain(1, 2)).blockMetas.map(({ header }) => header.height);
    expect(metas).toEqual([2, 1]);
    expect((await client.commit(1)).canonical).toBe(true);
    expect((await client.validators({ height: 1 })).validators).toHaveLength(1);
    expect((await client.validatorsAll(1)).total).toBe(1);
    expect((await client.numUnconfirmedTxs()).total).toBeGreaterThanOrEqual(0);
    const answer = await client.abciQuery({ path: '/app/version', data: new Uint8Array(), prove: false });
    expect(answer.code).toBe(0);
    expect((await client.blockSearch({ query: 'block.height=1' })).totalCount).toBe(1);
    expect((await client.blockSearchAll({ query: 'block.height=1' })).totalCount).toBe(1);
    client.disconnect();
  });

  // The promises of CosmJS never settle if the socket closes.
  it('makes as many concurrent reads as a page that opens', async () => {
    const client = await connect();
    const answers = await Promise.all(Array.from({ length: 400 }, () => client.commit(1)));
    expect(answers.every(({ canonical }) => canonical)).toBe(true);
    client.disconnect();
  });

  it('broadcasts with every method and finds the transactions', async () => {
    const { signer, address } = await wallet(7);
    const client = await connect();
    const signing = await SigningStargateClient.createWithSigner(client, signer);
    const sync = await signed(signing, address);
    const sent = await client.broadcastTxSync({ tx: sync });
    expect([sent.code, sent.hash]).toEqual([0, sha256(sync)]);
    await expect
      .poll(async () => (await client.txSearch({ query: `tx.hash='${hex(sync)}'` })).totalCount, { interval: 100 })
      .toBe(1);
    const found = await client.tx({ hash: sha256(sync), prove: true });
    expect([found.tx, found.result.code]).toEqual([sync, 0]);
    expect(found.proof?.rootHash).toEqual((await client.block(found.height)).block.header.dataHash);
    expect((await client.txSearchAll({ query: `tx.height=${found.height}` })).totalCount).toBe(1);

    const committed = await client.broadcastTxCommit({ tx: await signed(signing, address) });
    expect([committed.checkTx.code, committed.txResult?.code]).toEqual([0, 0]);
    expect(committed.height).toBeGreaterThan(found.height);
    const last = await signed(signing, address);
    await client.broadcastTxAsync({ tx: last });
    await expect.poll(async () => (await client.txSearch({ query: `tx.hash='${hex(last)}'` })).totalCount).toBe(1);
    client.disconnect();
  });

  it.runIf(runsAll)('receives new blocks, headers and transactions', async () => {
    const client = await connect();
    node.counters.reset();
    const seen: { blocks: number[]; headers: number[]; txs: Uint8Array[] } = { blocks: [], headers: [], txs: [] };
    const subscriptions = [
      client.subscribeNewBlock().subscribe({ next: ({ header }) => seen.blocks.push(header.height) }),
      client.subscribeNewBlockHeader().subscribe({ next: ({ height }) => seen.headers.push(height) }),
      client.subscribeTx(`message.sender='${(await wallet(6)).address}'`).subscribe({ next: ({ tx }) => seen.txs.push(tx) }),
    ];
    await expect.poll(() => stack.server.nodeEvents().subscribers).toBe(3);
    const { signer, address } = await wallet(6);
    const signing = await SigningStargateClient.createWithSigner(client, signer);
    const tx = await signed(signing, address);
    await client.broadcastTxSync({ tx });
    await expect.poll(() => seen.txs).toEqual([tx]);
    await expect.poll(() => seen.blocks.length).toBeGreaterThan(3);
    for (const heights of [seen.blocks, seen.headers]) expect(heights).toEqual(heights.map((_, index) => heights[0]! + index));
    for (const subscription of subscriptions) subscription.unsubscribe();
    await expect.poll(() => stack.server.nodeEvents().subscribers).toBe(0);
    // The server's own subscription serves them.
    expect(node.counters.byMethod.subscribe).toBeUndefined();
    client.disconnect();
  });
});

const hex = (tx: Uint8Array): string => Buffer.from(sha256(tx)).toString('hex').toUpperCase();

describe('SigningStargateClient over WebSocket', () => {
  it('signs, sends and sees its transaction in a block', async () => {
    const { signer, address } = await wallet(8);
    const to = (await wallet(9)).address;
    const client = await SigningStargateClient.connectWithSigner(url, signer, { broadcastPollIntervalMs: 20 });
    expect(await client.getChainId()).toBe('stele-devnet');
    const before = await client.getBalance(to, 'nhash');
    const sent = await client.sendTokens(address, to, coins(5, 'nhash'), fee, 'for a friend');
    expect(sent.code).toBe(0);
    expect((await client.getTx(sent.transactionHash))?.height).toBe(sent.height);
    const after = await client.getBalance(to, 'nhash');
    expect(BigInt(after.amount) - BigInt(before.amount)).toBe(5n);
    expect((await client.sendTokens(address, to, coins(5, 'nope'), fee)).code).toBe(5);
    client.disconnect();
  });
});

describe('docs/chain.md, "Rules of the transaction methods", rule 1', () => {
  it.each(['/comet', ''])('at %s/websocket a broadcast is confirmed by subscribing to its result', async (base) => {
    const { signer, address } = await wallet(base === '' ? 4 : 5);
    const signing = await SigningStargateClient.connectWithSigner(node.url, signer);
    const tx = await signed(signing, address);
    signing.disconnect();
    const headers = { authorization: `Bearer ${token}` };
    const conversation = await converse(`${stack.server.url}${base}`, { headers });
    const query = `tm.event='Tx' AND tx.hash='${hex(tx)}'`;
    conversation.send({ id: 1, method: 'subscribe', params: { query } });
    conversation.send({ id: 2, method: 'broadcast_tx_sync', params: { tx: Buffer.from(tx).toString('base64') } });
    const accepted = await conversation.next(({ id }) => id === 2);
    expect(accepted.result).toMatchObject({ code: 0, hash: hex(tx) });
    const { result } = await conversation.next((message) => message.result?.query === query);
    expect(result!.events!['tx.hash']).toEqual([hex(tx)]);
    const { TxResult } = result!.data!.value as { TxResult: { height: string; tx: string; result: object } };
    expect(TxResult.tx).toBe(Buffer.from(tx).toString('base64'));
    expect(TxResult.result).not.toHaveProperty('code');
    conversation.socket.close();
    await conversation.closed;
  });
});
