import { createHash } from 'node:crypto';
import { stringToPath } from '@cosmjs/crypto';
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing';
import { coins, SigningStargateClient } from '@cosmjs/stargate';
import { Comet38Client, HttpBatchClient, HttpClient, type RpcClient } from '@cosmjs/tendermint-rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import { createTinyApplication, tinyTx } from '../../devnet/node/tinyApplication.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let issuer: TestIssuer;
let token: string;

beforeAll(async () => {
  issuer = await startIssuer();
  token = await issuer.sign({ scope: 'read broadcast' });
});

afterAll(() => issuer.close());

/** A server that accepts the issuer's tokens. */
function startGuarded(node: string): Promise<Stack> {
  return startStack([node], { server: { auth: authenticatorOf(issuer) } });
}

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());

describe('Comet38Client over /comet with a token', () => {
  let devnet: Devnet;
  let stack: Stack;
  let sequence = 0;

  beforeAll(async () => {
    devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
    await devnet.commit();
    await devnet.commit();
    stack = await startGuarded(devnet.nodes[0]!.url);
    await stack.client.head.waitFor(2n, { milliseconds: 30_000 });
  });

  afterAll(async () => {
    await stack.close();
    await devnet.close();
  });

  /** Commits a block and waits until the server has it. */
  async function commit(): Promise<bigint> {
    const height = await devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    return height;
  }

  const endpoint = (): { url: string; headers: Record<string, string> } => ({
    url: `${stack.server.url}/comet`,
    headers: { authorization: `Bearer ${token}` },
  });
  const kinds: [string, () => RpcClient][] = [
    ['HTTP', () => new HttpClient(endpoint())],
    ['HTTP in batches', () => new HttpBatchClient(endpoint(), { batchSizeLimit: 10, dispatchInterval: 5 })],
  ];

  it('is refused without a token', async () => {
    const client = Comet38Client.create(new HttpClient(endpoint().url));
    await expect(client.status()).rejects.toThrow('401');
  });

  it.each(kinds)('calls every read method over %s', async (_, connect) => {
    const client = Comet38Client.create(connect());
    const height = Number(devnet.height);
    const [status, info, health, genesis, block, latest, results, chain, commit, validators, all, pending, answer] =
      await Promise.all([
        client.status(),
        client.abciInfo(),
        client.health(),
        client.genesis(),
        client.block(height),
        client.block(),
        client.blockResults(height),
        client.blockchain(1, 2),
        client.commit(1),
        client.validators({ height: 1 }),
        client.validatorsAll(1),
        client.numUnconfirmedTxs(),
        client.abciQuery({ path: '/sequence', data: new TextEncoder().encode('nobody'), height: 1, prove: false }),
      ]);
    expect(status.syncInfo.latestBlockHeight).toBe(height);
    expect(info).toMatchObject({ data: 'tiny', lastBlockHeight: height });
    expect(health).toBeNull();
    expect(genesis.chainId).toBe('stele-devnet');
    expect(block.block.header.height).toBe(height);
    expect(latest.blockId.hash).toEqual(block.blockId.hash);
    expect(results.height).toBe(height);
    expect(chain.blockMetas.map(({ header }) => header.height)).toEqual([2, 1]);
    expect(commit.canonical).toBe(true);
    expect(validators.validators).toHaveLength(1);
    expect(all.total).toBe(1);
    expect(pending.total).toBe(0);
    expect(answer).toMatchObject({ code: 0, height: 1, value: new TextEncoder().encode('0') });
    client.disconnect();
  });

  it.each(kinds)('broadcasts with every method and finds the transactions over %s', async (_, connect) => {
    const client = Comet38Client.create(connect());
    const sync = tinyTx('carl', sequence++);
    expect(await client.broadcastTxSync({ tx: sync })).toMatchObject({ code: 0, hash: sha256(sync) });
    await client.broadcastTxAsync({ tx: tinyTx('carl', sequence++) });
    await commit();
    const tx = tinyTx('carl', sequence++, 'Last');
    const included = expect.poll(() => devnet.nodes[0]!.mempool.txs.length).toBeGreaterThan(0);
    const [committed, height] = await Promise.all([client.broadcastTxCommit({ tx }), included.then(commit)]);
    expect([committed.height, committed.txResult?.code]).toEqual([Number(height), 0]);

    expect(await client.tx({ hash: sha256(tx) })).toMatchObject({ height: Number(height), index: 0, tx });
    const found = await client.tx({ hash: sha256(tx), prove: true });
    expect(found.proof?.rootHash).toEqual((await client.block(Number(height))).block.header.dataHash);
    const hash = Buffer.from(sha256(sync)).toString('hex').toUpperCase();
    expect((await client.txSearch({ query: `tx.hash='${hash}'` })).txs.map((one) => one.tx)).toEqual([sync]);
    expect((await client.txSearchAll({ query: `tx.height=${height}` })).totalCount).toBe(1);
    expect((await client.blockSearch({ query: `block.height=${height}` })).totalCount).toBe(1);
    expect((await client.blockSearchAll({ query: `block.height=${height}` })).totalCount).toBe(1);
    client.disconnect();
  });
});

describe('SigningStargateClient over /comet with a token', () => {
  let chain: TestChain;
  let stack: Stack;

  beforeAll(async () => {
    chain = await startChain({ bare: true, blockTime: 20 });
    stack = await startGuarded(chain.node.url);
  });

  afterAll(async () => {
    await stack.close();
    await chain.devnet.close();
  });

  it('signs, broadcasts and finds a transaction', async () => {
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic('test test test test test test test test test test test junk', {
      prefix: 'tp',
      hdPaths: [8, 9].map((index) => stringToPath(`m/44'/1'/0'/0/${index}`)),
    });
    const [sender, recipient] = (await wallet.getAccounts()).map(({ address }) => address);
    const endpoint = { url: `${stack.server.url}/comet`, headers: { authorization: `Bearer ${token}` } };
    const client = await SigningStargateClient.connectWithSigner(endpoint, wallet, { broadcastPollIntervalMs: 20 });
    expect(await client.getChainId()).toBe('stele-devnet');
    // CosmJS simulates to find the gas.
    const value = { fromAddress: sender!, toAddress: recipient!, amount: coins(5, 'nhash') };
    const gas = await client.simulate(sender!, [{ typeUrl: '/cosmos.bank.v1beta1.MsgSend', value }], 'for a friend');
    // The service of Provenance reports the fee as the gas that is used (recorded: A28).
    expect(gas).toBe(1);
    const fee = { amount: coins(1_000_000_000, 'nhash'), gas: '1000000' };
    const sent = await client.sendTokens(sender!, recipient!, coins(5, 'nhash'), fee, 'for a friend');
    expect(sent).toMatchObject({ code: 0, gasWanted: 1_000_000n });
    expect((await client.getTx(sent.transactionHash))?.height).toBe(sent.height);
    // The node's index has the transaction before the server has seen its block.
    await expect.poll(() => client.getBalance(recipient!, 'nhash')).toEqual({ denom: 'nhash', amount: '1000000000000005' });
    expect((await client.getBlock(sent.height)).txs).toHaveLength(1);
    const refused = await client.sendTokens(sender!, recipient!, coins(5, 'nope'), fee);
    expect(refused.code).toBe(5);
    await expect(client.broadcastTxSync(new Uint8Array([1, 2, 3]))).rejects.toThrow('tx parse error');
    client.disconnect();
  });
});
