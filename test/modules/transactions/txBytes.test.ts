import { ripemd160, sha256 } from '@cosmjs/crypto';
import { bech32 } from '@scure/base';
import { Bech32PrefixResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { PubKey } from 'cosmjs-types/cosmos/crypto/secp256k1/keys';
import { AuthInfo, TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import type { StateAt } from '../../../src/chain/state/state.ts';
import { decodeTx, signerBytes } from '../../../src/chain/transactions/tx.ts';
import { readBech32Prefix } from '../../../src/modules/account/query.ts';
import { addressText, provenPrefix, txJson } from '../../../src/modules/transactions/query.ts';
import { readDescriptors } from '../../recordings/recordings.ts';

const first = Uint8Array.from([2, ...new Array<number>(32).fill(7)]);
const second = Uint8Array.from([3, ...new Array<number>(32).fill(9)]);

const address = (key: Uint8Array, prefix: string): string => bech32.encode(prefix, bech32.toWords(ripemd160(sha256(key))));
const keyOf = (key: Uint8Array) => ({ typeUrl: '/cosmos.crypto.secp256k1.PubKey', value: PubKey.encode({ key }).finish() });
/** The descriptors of a real chain. */
const { registry } = createDescriptorPool(readDescriptors());
const multisig = { typeUrl: '/cosmos.crypto.multisig.LegacyAminoPubKey', value: Uint8Array.of(8, 1) };

/** A transaction with one message of an unknown type, made by an independent encoder. */
function encodeTx(keys: readonly { typeUrl: string; value: Uint8Array }[], message: string): Uint8Array {
  const messages = [{ typeUrl: '/x.y.MsgUnknown', value: Buffer.from(message) }];
  const signerInfos = keys.map((publicKey) => ({ publicKey, sequence: 2n ** 63n }));
  return TxRaw.encode({
    bodyBytes: TxBody.encode(TxBody.fromPartial({ messages, memo: 'm', timeoutHeight: 2n ** 64n - 1n })).finish(),
    authInfoBytes: AuthInfo.encode(AuthInfo.fromPartial({ signerInfos, fee: { gasLimit: 5n } })).finish(),
    signatures: [Uint8Array.of(1)],
  }).finish();
}

describe('the bytes of a transaction', () => {
  it('contain the addresses of the signers, in order', () => {
    const decoded = decodeTx(encodeTx([keyOf(first), keyOf(second)], ''))!;
    const addresses = signerBytes(decoded)!.map((bytes) => addressText('pb', bytes));
    expect(addresses).toEqual([address(first, 'pb'), address(second, 'pb')]);
  });

  it('contain the prefix in the address of a signer, not in another address', () => {
    const own = decodeTx(encodeTx([keyOf(first)], `)${address(second, 'cosmos')})${address(first, 'pb')}`))!;
    expect(provenPrefix(own, signerBytes(own)!)).toBe('pb');
    const foreign = decodeTx(encodeTx([keyOf(first)], `)${address(second, 'cosmos')}`))!;
    expect(provenPrefix(foreign, signerBytes(foreign)!)).toBeUndefined();
  });

  it('have no signers if a key is of another type', () => {
    expect(signerBytes(decodeTx(encodeTx([multisig], ''))!)).toBeNull();
  });

  it('are not a transaction if body or auth info is missing, or if they encode something else', () => {
    for (const bytes of [
      new Uint8Array(),
      Buffer.from('abc'),
      TxRaw.encode(TxRaw.fromPartial({ signatures: [Uint8Array.of(1)] })).finish(),
    ]) {
      expect(decodeTx(bytes)).toBeNull();
    }
  });

  it('are decoded completely, with the bytes of unknown messages, and without rounding numbers', () => {
    expect(txJson(registry, encodeTx([keyOf(first)], 'abc'))).toEqual({
      body: {
        messages: [{ '@type': '/x.y.MsgUnknown', value: 'YWJj' }],
        memo: 'm',
        timeoutHeight: '18446744073709551615',
        unordered: false,
        extensionOptions: [],
        nonCriticalExtensionOptions: [],
      },
      authInfo: {
        signerInfos: [
          {
            publicKey: { '@type': '/cosmos.crypto.secp256k1.PubKey', key: Buffer.from(first).toString('base64') },
            sequence: '9223372036854775808',
          },
        ],
        fee: { amount: [], gasLimit: '5', payer: '', granter: '' },
      },
      signatures: ['AQ=='],
    });
  });
});

it('the prefix is read from the chain', async () => {
  const answer = Bech32PrefixResponse.encode({ bech32Prefix: 'pb' }).finish();
  const state: StateAt = {
    height: 1n,
    query: () => Promise.reject(new Error('not asked')),
    read: ({ path }, decoder, args) =>
      decoder.decode(path === '/cosmos.auth.v1beta1.Query/Bech32Prefix' ? answer : new Uint8Array(), args),
    store: () => Promise.reject(new Error('not asked')),
  };
  expect(await readBech32Prefix(state)).toBe('pb');
});
