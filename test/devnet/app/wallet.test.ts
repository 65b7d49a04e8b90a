import { stringToPath } from '@cosmjs/crypto';
import { DirectSecp256k1HdWallet, encodePubkey, makeAuthInfoBytes, makeSignDoc } from '@cosmjs/proto-signing';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { describe, expect, it } from 'vitest';
import { createAccounts, developmentMnemonic, signTx } from '../../../packages/devnet/src/app/runtime/wallet.ts';

const hdPaths = [0, 1, 7, 9].map((index) => stringToPath(`m/44'/1'/0'/0/${index}`));

describe('wallet', () => {
  it('derives the same accounts as another wallet', async () => {
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic(developmentMnemonic, { prefix: 'tp', hdPaths });
    const theirs = (await wallet.getAccounts()).map(({ address, pubkey }) => [address, Buffer.from(pubkey).toString('hex')]);
    const ours = createAccounts(10).map(({ address, publicKey }) => [address, Buffer.from(publicKey).toString('hex')]);
    expect([ours[0], ours[1], ours[7], ours[9]]).toEqual(theirs);
  });

  it('signs the same bytes as another signer', async () => {
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic(developmentMnemonic, { prefix: 'tp', hdPaths: [hdPaths[1]!] });
    const [signer] = await wallet.getAccounts();
    const [to, account] = createAccounts(2);
    const send = MsgSend.fromPartial({
      fromAddress: account!.address,
      toAddress: to!.address,
      amount: [{ denom: 'nhash', amount: '18446744073709551617' }],
    });
    const any = { typeUrl: '/cosmos.bank.v1beta1.MsgSend', value: MsgSend.encode(send).finish() };
    const bodyBytes = TxBody.encode(TxBody.fromPartial({ messages: [any], memo: 'ü', timeoutHeight: 77n })).finish();
    const pubkey = encodePubkey({ type: 'tendermint/PubKeySecp256k1', value: Buffer.from(signer!.pubkey).toString('base64') });
    const fee = [{ denom: 'nhash', amount: '9007199254740993' }];
    const authInfoBytes = makeAuthInfoBytes([{ pubkey, sequence: 5n }], fee, 250_000, undefined, undefined);
    const signed = await wallet.signDirect(signer!.address, makeSignDoc(bodyBytes, authInfoBytes, 'testing', 12));
    const signatures = [Buffer.from(signed.signature.signature, 'base64')];
    const theirs = TxRaw.encode(TxRaw.fromPartial({ bodyBytes, authInfoBytes, signatures })).finish();

    const ours = signTx({
      account: account!,
      accountNumber: 12n,
      sequence: 5n,
      chainId: 'testing',
      messages: [{ $typeName: 'google.protobuf.Any', ...any }],
      fee: { amount: [{ denom: 'nhash', amount: 9_007_199_254_740_993n }], gas: 250_000n },
      memo: 'ü',
      timeoutHeight: 77n,
    });
    expect(Buffer.from(ours).toString('hex')).toBe(Buffer.from(theirs).toString('hex'));
  });
});
