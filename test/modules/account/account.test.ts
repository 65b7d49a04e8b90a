import { create } from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { BaseAccount, ModuleAccount } from 'cosmjs-types/cosmos/auth/v1beta1/auth';
import { LegacyAminoPubKey } from 'cosmjs-types/cosmos/crypto/multisig/keys';
import { ContinuousVestingAccount, PermanentLockedAccount } from 'cosmjs-types/cosmos/vesting/v1beta1/vesting';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountFromWire } from '../../../src/modules/account/query.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let node: ReplayNode;
let stack: Stack;

beforeAll(async () => {
  node = await createReplayNode();
  stack = await startStack([node.url]);
});
afterAll(async () => {
  await stack.close();
  await node.close();
});

const row = (name: string) => readRecording('queries').find((each) => each.name === name)!;

async function account(address: string): Promise<unknown> {
  const document =
    'query ($address: String!) { account(address: $address) { kind moduleName accountNumber sequence publicKey { type value } json } }';
  const { body } = await stack.ask(document, { address });
  expect(body.errors).toBeUndefined();
  return (body.data as { account: unknown }).account;
}

const addressIn = (name: string): string => row(name).requestJson.address as string;

describe('accounts of a real chain', () => {
  it('returns an account with a key', async () => {
    expect(await account(addressIn('Account'))).toEqual({
      kind: 'BASE',
      moduleName: null,
      accountNumber: '1',
      sequence: '54',
      publicKey: { type: '/cosmos.crypto.secp256k1.PubKey', value: 'Ag5X9fJPKFQNRhoXYupqjz/8rwGk0w/sq9PSrscOK2CP' },
      json: {
        '@type': '/cosmos.auth.v1beta1.BaseAccount',
        address: addressIn('Account'),
        pubKey: { '@type': '/cosmos.crypto.secp256k1.PubKey', key: 'Ag5X9fJPKFQNRhoXYupqjz/8rwGk0w/sq9PSrscOK2CP' },
        accountNumber: '1',
        sequence: '54',
      },
    });
  });

  it('returns the account of a group policy, whose key is a credential', async () => {
    expect(await account(addressIn('Account of a policy'))).toMatchObject({
      kind: 'GROUP_POLICY',
      accountNumber: '13',
      sequence: '0',
      // The bytes of the credential: module_name "group", derivation keys 0x20 and the number of the policy.
      publicKey: {
        type: '/cosmos.auth.v1beta1.ModuleCredential',
        value: Buffer.from('0a0567726f7570120120120800000000000000' + '01', 'hex').toString('base64'),
      },
    });
  });

  it('returns the account of a marker, complete in `json`', async () => {
    expect(await account(addressIn('Account of a marker'))).toMatchObject({
      kind: 'MARKER',
      accountNumber: '16',
      publicKey: null,
      json: { '@type': '/provenance.marker.v1.MarkerAccount', denom: 'goldcoin', supplyFixed: true },
    });
  });

  it('returns no account for a scope, without calling the chain', async () => {
    const before = node.calls.filter(({ path }) => path?.endsWith('/Account')).length;
    expect(await account('scope1qqenxvenyg3yxvuyg3242424242spmt0np')).toEqual({
      kind: null,
      moduleName: null,
      accountNumber: null,
      sequence: null,
      publicKey: null,
      json: null,
    });
    expect(node.calls.filter(({ path }) => path?.endsWith('/Account'))).toHaveLength(before);
  });

  it('rejects an address with a wrong checksum before calling the chain', async () => {
    const address = row('Account none').requestJson.address as string;
    const { body } = await stack.ask('query ($address: String!) { account(address: $address) { kind } }', { address });
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'address' });
  });
});

describe('accounts of an independent encoder', () => {
  const base = BaseAccount.fromPartial({ address: 'tp1x', accountNumber: 2n ** 64n - 1n, sequence: 2n ** 63n });
  const wire = (typeUrl: string, value: Uint8Array) => accountFromWire(create(AnySchema, { typeUrl, value }));
  const numbers = { accountNumber: 2n ** 64n - 1n, sequence: 2n ** 63n };

  const baseVestingAccount = { baseAccount: base };

  it.each([
    [
      '/cosmos.vesting.v1beta1.ContinuousVestingAccount',
      ContinuousVestingAccount.encode(ContinuousVestingAccount.fromPartial({ baseVestingAccount })).finish(),
    ],
    [
      '/cosmos.vesting.v1beta1.PermanentLockedAccount',
      PermanentLockedAccount.encode(PermanentLockedAccount.fromPartial({ baseVestingAccount })).finish(),
    ],
  ])('%s is a vesting account', (type, value) => {
    expect(wire(type, value)).toMatchObject({ kind: 'VESTING', moduleName: null, ...numbers });
  });

  it('a module account has the name of the module', () => {
    const value = ModuleAccount.encode(ModuleAccount.fromPartial({ baseAccount: base, name: 'gov' })).finish();
    expect(wire('/cosmos.auth.v1beta1.ModuleAccount', value)).toMatchObject({ kind: 'MODULE', moduleName: 'gov', ...numbers });
  });

  it('a composite key is returned as its protobuf bytes', () => {
    const key = LegacyAminoPubKey.encode({ threshold: 2, publicKeys: [] }).finish();
    const pubKey = { typeUrl: '/cosmos.crypto.multisig.LegacyAminoPubKey', value: key };
    const value = BaseAccount.encode({ ...base, pubKey }).finish();
    expect(wire('/cosmos.auth.v1beta1.BaseAccount', value).publicKey).toEqual({
      type: pubKey.typeUrl,
      value: Buffer.from(key).toString('base64'),
    });
  });

  it.each([
    ['/some.day.v1.Account', Uint8Array.of(1, 2)],
    ['/cosmos.auth.v1beta1.BaseAccount', Uint8Array.of(0xff)],
  ])('an account that cannot be decoded is OTHER, with its bytes: %s', (type, value) => {
    expect(wire(type, value)).toEqual({
      kind: 'OTHER',
      any: { type, value },
      moduleName: null,
      accountNumber: null,
      sequence: null,
      publicKey: null,
      markerDenom: null,
    });
  });
});
