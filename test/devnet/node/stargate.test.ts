import { stringToPath } from '@cosmjs/crypto';
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing';
import { coins, SigningStargateClient, StargateClient } from '@cosmjs/stargate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGenesis } from '../../../packages/devnet/src/app/genesis/genesis.ts';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import { runsAll } from '../../support/atRandom.ts';

let devnet: Devnet;
let url: string;

beforeAll(async () => {
  devnet = await createDevnet({ genesis: createGenesis({ bare: true }), blockTime: 20 });
  url = devnet.nodes[0]!.url;
});

afterAll(() => devnet.close());

const fee = { amount: coins(1_000_000_000, 'nhash'), gas: '1000000' };

describe('actors', () => {
  it.runIf(runsAll)('send transactions only on a chain that is started with them', async () => {
    const [lively, quiet] = await Promise.all(
      [true, false].map((actors) => createDevnet({ actors, blockTime: 'manual', genesisTime: 10n ** 18n })),
    );
    for (let blocks = 0; blocks < 10; blocks++) await Promise.all([lively!.commit(), quiet!.commit()]);
    const total = async (devnet: Devnet) => {
      const answer = await fetch(`${devnet.nodes[0]!.url}/tx_search?query="tx.height>0"`);
      return Number(((await answer.json()) as { result: { total_count: string } }).result.total_count);
    };
    expect(await total(lively!)).toBeGreaterThan(3);
    expect(await total(quiet!)).toBe(0);
    await Promise.all([lively!.close(), quiet!.close()]);
  });
});

describe('SigningStargateClient', () => {
  it('signs, broadcasts and finds a transaction of an account of the development mnemonic', async () => {
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic('test test test test test test test test test test test junk', {
      prefix: 'tp',
      hdPaths: [8, 9].map((index) => stringToPath(`m/44'/1'/0'/0/${index}`)),
    });
    const [sender, recipient] = (await wallet.getAccounts()).map(({ address }) => address);
    expect([sender, recipient]).toEqual(devnet.accounts.slice(8).map(({ address }) => address));

    const client = await SigningStargateClient.connectWithSigner(url, wallet, { broadcastPollIntervalMs: 20 });
    expect(await client.getChainId()).toBe('stele-devnet');
    expect(await client.getBalance(sender!, 'nhash')).toEqual({ denom: 'nhash', amount: '1000000000000000' });
    const sent = await client.sendTokens(sender!, recipient!, coins(5, 'nhash'), fee, 'for a friend');
    expect(sent).toMatchObject({ code: 0, gasWanted: 1_000_000n });
    expect((await client.getTx(sent.transactionHash))?.height).toBe(sent.height);
    expect(await client.getBalance(recipient!, 'nhash')).toEqual({ denom: 'nhash', amount: '1000000000000005' });
    expect(
      (await client.searchTx(`transfer.recipient='${recipient}' AND transfer.amount='5nhash'`)).map(({ hash }) => hash),
    ).toEqual([sent.transactionHash]);
    expect((await client.getBlock(sent.height)).txs).toHaveLength(1);

    const refused = client.sendTokens(sender!, recipient!, coins(5, 'nope'), fee);
    expect((await refused).code).toBe(5);
    client.disconnect();
  });

  it('reads without a signer', async () => {
    const client = await StargateClient.connect(url.replace('http', 'ws'));
    expect(await client.getHeight()).toBeGreaterThan(0);
    expect((await client.getAccount(devnet.accounts[0]!.address))?.sequence).toBe(0);
    client.disconnect();
  });
});
