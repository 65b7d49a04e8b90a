import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { stringToPath } from '@cosmjs/crypto';
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing';
import {
  coins,
  QueryClient,
  SigningStargateClient,
  StargateClient,
  setupBankExtension,
  setupFeegrantExtension,
  setupStakingExtension,
} from '@cosmjs/stargate';
import { connectComet } from '@cosmjs/tendermint-rpc';
import { PubKey } from 'cosmjs-types/cosmos/crypto/ed25519/keys';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vestingAccount } from '../../../packages/devnet/src/app/world/vesting.ts';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import { Query as FlatFees } from '../../../src/proto/provenance/flatfees/v1/query_pb.js';

let devnet: Devnet;
let url: string;
beforeAll(async () => {
  devnet = await createDevnet({ blockTime: 20 });
  url = devnet.nodes[0]!.url;
});
afterAll(() => devnet.close());

describe('unmodified CosmJS', () => {
  it('reads balances and accounts', async () => {
    const client = await StargateClient.connect(url);
    const [, vault, , , , , , , person] = devnet.accounts.map(({ address }) => address);
    const all = await client.getAllBalances(vault!);
    expect(all.map(({ denom }) => denom)).toEqual([
      'fundshare',
      'gramgold',
      'microusd',
      expect.stringMatching(/^nft\/scope1/),
      'nhash',
    ]);
    expect(await client.getBalance(vault!, 'gramgold')).toEqual(all[1]);
    expect(await client.getAccount(person!)).toMatchObject({ address: person, sequence: 0, accountNumber: 8n, pubkey: null });
    expect(await client.getAccount(vestingAccount)).toMatchObject({ address: vestingAccount, accountNumber: 11n });
    client.disconnect();
  });

  it('reads supply, display units, fee grants and the validator', async () => {
    const comet = await connectComet(url);
    const client = QueryClient.withExtensions(comet, setupBankExtension, setupFeegrantExtension, setupStakingExtension);
    expect((await client.bank.totalSupply()).supply.map(({ denom }) => denom)).toContain('microusd');
    expect(await client.bank.denomMetadata('nhash')).toMatchObject({ symbol: 'HASH', display: 'hash' });
    const [granter, , , grantee] = devnet.accounts.map(({ address }) => address);
    const { allowance } = await client.feegrant.allowance(granter!, grantee!);
    expect(allowance?.allowance?.typeUrl).toBe('/cosmos.feegrant.v1beta1.BasicAllowance');
    const { validators } = await client.staking.validators('BOND_STATUS_BONDED');
    expect(validators.map(({ description }) => description.moniker).sort()).toEqual([
      'harbor',
      'meadow',
      'quarry',
      'validator-0',
    ]);
    const maker = validators.find(({ description }) => description.moniker === 'validator-0')!;
    const { validator } = await client.staking.validator(maker.operatorAddress);
    const status = (await (await fetch(`${url}/status`)).json()) as {
      result: { validator_info: { pub_key: { value: string } } };
    };
    const key = PubKey.decode(validator.consensusPubkey!.value).key;
    expect(Buffer.from(key).toString('base64')).toBe(status.result.validator_info.pub_key.value);
    comet.disconnect();
  });

  it('simulates an unsigned transaction and calculates its fee', async () => {
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic('test test test test test test test test test test test junk', {
      prefix: 'tp',
      hdPaths: [8, 9].map((index) => stringToPath(`m/44'/1'/0'/0/${index}`)),
    });
    const [sender, recipient] = (await wallet.getAccounts()).map(({ address }) => address);
    const client = await SigningStargateClient.connectWithSigner(url, wallet, { broadcastPollIntervalMs: 20 });
    const value = { fromAddress: sender!, toAddress: recipient!, amount: coins(5, 'nhash') };
    const message = { typeUrl: '/cosmos.bank.v1beta1.MsgSend', value };
    const gas = await client.simulate(sender!, [message], '');
    const before = await client.getBalance(recipient!, 'nhash');
    const fee = { amount: coins(1_000_000_000, 'nhash'), gas: '1000000' };
    const sent = await client.signAndBroadcast(sender!, [message], fee);
    // The service of Provenance reports the fee as the gas that is used (recorded: A2), so CosmJS takes the fee of one message for the gas.
    expect([gas, sent.code, before.amount]).toEqual([1, 0, '1000000000000000']);
    await expect(client.simulate(sender!, [{ ...message, value: { ...value, amount: coins(1, 'nope') } }], '')).rejects.toThrow(
      /^Query failed with \(6\): rpc error: code = Unknown desc = .*: insufficient funds \[\S+send\.go:387\] with gas used: '\d+': unknown request$/,
    );

    const { input, output } = FlatFees.method.calculateTxFees;
    const txBytes = TxRaw.encode(await client.sign(sender!, [message, message], fee, '')).finish();
    const data = toBinary(input, create(input, { txBytes, gasAdjustment: 2 }));
    const query = { path: '/provenance.flatfees.v1.Query/CalculateTxFees', data: Buffer.from(data).toString('hex') };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'abci_query', params: query });
    const answer = (await (await fetch(url, { method: 'POST', body })).json()) as { result: { response: { value: string } } };
    const fees = fromBinary(output, Buffer.from(answer.result.response.value, 'base64'));
    expect(fees.totalFees).toMatchObject([{ denom: 'nhash', amount: '2' }]);
    expect(fees.estimatedGas > sent.gasUsed).toBe(true);
    client.disconnect();
  });
});
