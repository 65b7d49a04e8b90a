import { describe, expect, it } from 'vitest';
import { createGenesis } from '../../../packages/devnet/src/app/genesis/genesis.ts';
import { markerAddress } from '../../../packages/devnet/src/app/keepers/marker/state.ts';
import { encodeAddress } from '../../../packages/devnet/src/app/runtime/address.ts';
import { unpackAny } from '../../../packages/devnet/src/app/runtime/keeper.ts';
import { Query as BankQuery } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { BasicAllowanceSchema } from '../../../src/proto/cosmos/feegrant/v1beta1/feegrant_pb.js';
import { Query as FeegrantQuery } from '../../../src/proto/cosmos/feegrant/v1beta1/query_pb.js';
import { AttributeType } from '../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import { Query as AttributeQuery } from '../../../src/proto/provenance/attribute/v1/query_pb.js';
import { MsgAddAttributeRequestSchema } from '../../../src/proto/provenance/attribute/v1/tx_pb.js';
import { Access } from '../../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import { MarkerAccountSchema, MarkerStatus, MarkerType } from '../../../src/proto/provenance/marker/v1/marker_pb.js';
import { Query } from '../../../src/proto/provenance/marker/v1/query_pb.js';
import * as tx from '../../../src/proto/provenance/marker/v1/tx_pb.js';
import { type Chain, createChain, message } from './harness.ts';

const everything = [
  Access.MINT,
  Access.BURN,
  Access.DEPOSIT,
  Access.WITHDRAW,
  Access.DELETE,
  Access.ADMIN,
  Access.TRANSFER,
  Access.FORCE_TRANSFER,
];
const denom = 'testcoin';

function setUp() {
  const chain = createChain(withName());
  const [admin, friend, stranger] = chain.accounts;
  const administrator = admin!.address;
  return { chain, admin: admin!, friend: friend!, stranger: stranger!, administrator };
}

/** A bare chain on which `kyc.pb` is bound to the third account. */
function withName() {
  const bare = createGenesis({ bare: true });
  const [, , third] = bare.balances;
  return { ...bare, names: [{ name: 'kyc.pb', address: third!.address, restricted: true }] };
}

function add(administrator: string, more: object = {}) {
  return message(tx.MsgAddFinalizeActivateMarkerRequestSchema, {
    amount: { denom, amount: '1000' },
    fromAddress: administrator,
    accessList: [{ address: administrator, permissions: everything }],
    markerType: MarkerType.RESTRICTED,
    allowForcedTransfer: true,
    ...more,
  });
}

const markerOf = (chain: Chain, id = denom) => unpackAny(MarkerAccountSchema, chain.query(Query.method.marker, { id }).marker)!;
const holds = (chain: Chain, address: string): string =>
  chain.query(BankQuery.method.balance, { address, denom }).balance!.amount;
const supply = (chain: Chain): string => chain.query(BankQuery.method.supplyOf, { denom }).amount!.amount;
const types = (events: readonly { type: string }[]): string[] =>
  events.map(({ type }) => type).filter((type) => type.startsWith('provenance.'));

describe('a marker', () => {
  it('changes from proposed to destroyed, by accounts with permission', () => {
    const { chain, admin, stranger, administrator } = setUp();
    const accessList = [{ address: administrator, permissions: everything }];
    const init = { amount: { denom, amount: '1000' }, fromAddress: administrator, markerType: MarkerType.COIN, accessList };
    const added = chain.deliver(admin, [message(tx.MsgAddMarkerRequestSchema, { ...init, usdMills: 5n, volume: 2n })]);
    expect([added.code, types(added.events)]).toEqual([
      0,
      ['provenance.marker.v1.EventSetNetAssetValue', 'provenance.marker.v1.EventMarkerAdd'],
    ]);
    expect([markerOf(chain).status, markerOf(chain).manager, supply(chain)]).toEqual([
      MarkerStatus.PROPOSED,
      administrator,
      '0',
    ]);

    const finalize = (address: string) => message(tx.MsgFinalizeRequestSchema, { denom, administrator: address });
    const activate = message(tx.MsgActivateRequestSchema, { denom, administrator });
    expect(chain.deliver(admin, [activate])).toMatchObject({ code: 18, codespace: 'sdk' });
    expect(chain.deliver(stranger, [finalize(stranger.address)]).code).toBe(18);
    expect(chain.deliver(admin, [finalize(administrator), activate]).code).toBe(0);
    expect([markerOf(chain).status, markerOf(chain).manager, supply(chain)]).toEqual([MarkerStatus.ACTIVE, '', '1000']);
    expect(chain.query(Query.method.escrow, { id: denom }).escrow).toMatchObject([{ denom, amount: '1000' }]);

    const cancel = message(tx.MsgCancelRequestSchema, { denom, administrator });
    const destroy = message(tx.MsgDeleteRequestSchema, { denom, administrator });
    expect(chain.deliver(admin, [destroy]).code).toBe(18);
    const done = chain.deliver(admin, [cancel, destroy]);
    expect([done.code, types(done.events)]).toEqual([
      0,
      ['provenance.marker.v1.EventMarkerCancel', 'provenance.marker.v1.EventMarkerDelete'],
    ]);
    expect(done.events.filter(({ type }) => type === 'burn')[0]!.attributes[1]).toMatchObject({ value: `1000${denom}` });
    expect(supply(chain)).toBe('0');
    chain.block();
    expect(chain.query(Query.method.allMarkers, {}).markers).toEqual([]);
  });

  it('is found by its denomination and by its address, also among the accounts', () => {
    const { chain, admin, administrator } = setUp();
    chain.deliver(admin, [add(administrator)]);
    const address = encodeAddress(markerAddress(denom));
    expect(markerOf(chain, address)).toEqual(markerOf(chain, denom));
    expect(markerOf(chain).baseAccount?.address).toBe(address);
    expect(() => markerOf(chain, chain.accounts[1]!.address)).toThrow('invalid denom or address: marker not found');
  });

  it('mints and burns; only a fixed supply changes the marker', () => {
    for (const supplyFixed of [true, false]) {
      const { chain, admin, friend, administrator } = setUp();
      chain.deliver(admin, [add(administrator, { supplyFixed })]);
      const mint = message(tx.MsgMintRequestSchema, {
        amount: { denom, amount: '50' },
        administrator,
        recipient: friend.address,
      });
      const burn = message(tx.MsgBurnRequestSchema, { amount: { denom, amount: '200' }, administrator });
      const result = chain.deliver(admin, [mint, burn]);
      expect([result.code, types(result.events).map((type) => type.split('EventMarker')[1])]).toEqual([
        0,
        ['Mint', 'Withdraw', 'Burn'],
      ]);
      expect([supply(chain), holds(chain, friend.address)]).toEqual(['850', '50']);
      const amount = chain.query(Query.method.supply, { id: denom }).amount!.amount;
      expect(amount).toBe(supplyFixed ? '850' : '1000');
      const tooMuch = message(tx.MsgBurnRequestSchema, { amount: { denom, amount: '801' }, administrator });
      expect(chain.deliver(admin, [tooMuch]).code).toBe(5);
    }
  });

  it('grants and revokes permissions', () => {
    const { chain, admin, friend, administrator } = setUp();
    chain.deliver(admin, [add(administrator)]);
    const withdraw = message(tx.MsgWithdrawRequestSchema, {
      denom,
      administrator: friend.address,
      toAddress: friend.address,
      amount: [{ denom, amount: '7' }],
    });
    expect(chain.deliver(friend, [withdraw]).log).toContain('does not have ACCESS_WITHDRAW');
    const access = [{ address: friend.address, permissions: [Access.WITHDRAW] }];
    const granted = chain.deliver(admin, [message(tx.MsgAddAccessRequestSchema, { denom, administrator, access })]);
    const event = granted.events.find(({ type }) => type === 'provenance.marker.v1.EventMarkerAddAccess')!;
    expect(JSON.parse(event.attributes[0]!.value)).toEqual({ address: friend.address, permissions: ['ACCESS_WITHDRAW'] });
    expect(chain.deliver(friend, [withdraw]).code).toBe(0);
    expect(holds(chain, friend.address)).toBe('7');
    const remove = message(tx.MsgDeleteAccessRequestSchema, { denom, administrator, removedAddress: friend.address });
    chain.deliver(admin, [remove]);
    expect(chain.deliver(friend, [withdraw]).code).toBe(18);
    expect(chain.query(Query.method.access, { id: denom }).accounts.map(({ address }) => address)).toEqual([administrator]);
  });

  it('that is restricted allows transfers to accounts with the attribute, and from accounts with the permission', () => {
    const { chain, admin, friend, stranger, administrator } = setUp();
    chain.deliver(admin, [add(administrator, { requiredAttributes: ['kyc.pb'] })]);
    const send = (from: string, to: string) =>
      message(MsgSendSchema, { fromAddress: from, toAddress: to, amount: [{ denom, amount: '1' }] });
    const amount = [{ denom, amount: '10' }];
    chain.deliver(admin, [message(tx.MsgWithdrawRequestSchema, { denom, administrator, toAddress: administrator, amount })]);
    // The administrator may transfer to any account.
    expect(chain.deliver(admin, [send(administrator, friend.address)]).code).toBe(0);
    expect(chain.deliver(friend, [send(friend.address, stranger.address)])).toMatchObject({ code: 1, codespace: 'undefined' });
    const claim = { name: 'kyc.pb', value: Buffer.from('passed'), attributeType: AttributeType.STRING };
    const attest = { ...claim, account: stranger.address, owner: stranger.address };
    expect(chain.deliver(stranger, [message(MsgAddAttributeRequestSchema, attest)]).code).toBe(0);
    expect(chain.deliver(friend, [send(friend.address, stranger.address)]).code).toBe(0);
    const update = { denom, transferAuthority: administrator, removeRequiredAttributes: ['kyc.pb'] };
    chain.deliver(admin, [message(tx.MsgUpdateRequiredAttributesRequestSchema, update)]);
    expect(markerOf(chain).requiredAttributes).toEqual([]);
    expect(chain.deliver(stranger, [send(stranger.address, friend.address)]).log).toContain('transfer permissions');
  });

  it('transfers coins of other accounts only if forced transfers are allowed', () => {
    for (const allowForcedTransfer of [true, false]) {
      const { chain, admin, friend, stranger, administrator } = setUp();
      chain.deliver(admin, [add(administrator, { allowForcedTransfer })]);
      const amount = [{ denom, amount: '10' }];
      chain.deliver(admin, [message(tx.MsgWithdrawRequestSchema, { denom, administrator, toAddress: friend.address, amount })]);
      const take = { amount: amount[0]!, administrator, fromAddress: friend.address, toAddress: stranger.address };
      expect(chain.deliver(admin, [message(tx.MsgTransferRequestSchema, take)]).code).toBe(allowForcedTransfer ? 0 : 18);
      expect(holds(chain, stranger.address)).toBe(allowForcedTransfer ? '10' : '0');
    }
  });

  it('returns the newest value of each price denomination, ordered by denomination, with its block', () => {
    const { chain, admin, stranger, administrator } = setUp();
    chain.deliver(admin, [add(administrator), add(administrator, { amount: { denom: 'aaacoins', amount: '1' } })]);
    const value = (priceDenom: string, amount: string, by = administrator) =>
      message(tx.MsgAddNetAssetValuesRequestSchema, {
        denom,
        administrator: by,
        netAssetValues: [{ price: { denom: priceDenom, amount }, volume: 4n }],
      });
    chain.deliver(admin, [value('usd', '1'), value('aaacoins', '2')]);
    chain.deliver(admin, [value('usd', '3')]);
    const { netAssetValues } = chain.query(Query.method.netAssetValues, { id: denom });
    const { height } = chain.state;
    expect(
      netAssetValues.map(({ price, volume, updatedBlockHeight }) => [price!.denom, price!.amount, volume, updatedBlockHeight]),
    ).toEqual([
      ['aaacoins', '2', 4n, height - 1n],
      ['usd', '3', 4n, height],
    ]);
    expect(chain.deliver(admin, [value('nomarker', '1')]).code).toBe(18);
    expect(chain.deliver(stranger, [value('usd', '1', stranger.address)]).code).toBe(18);
  });

  it('has metadata of its denomination, account data, and fee grants', () => {
    const { chain, admin, friend, administrator } = setUp();
    chain.deliver(admin, [add(administrator)]);
    const metadata = {
      base: denom,
      display: 'bigcoin',
      name: 'Big <Coin>',
      symbol: 'BIG',
      denomUnits: [
        { denom, exponent: 0 },
        { denom: 'bigcoin', exponent: 3, aliases: ['big'] },
      ],
    };
    const allowance = message(BasicAllowanceSchema, {});
    const result = chain.deliver(admin, [
      message(tx.MsgSetDenomMetadataRequestSchema, { administrator, metadata }),
      message(tx.MsgSetAccountDataRequestSchema, { denom, value: 'about', signer: administrator }),
      message(tx.MsgGrantAllowanceRequestSchema, { denom, administrator, grantee: friend.address, allowance }),
    ]);
    expect(result.code).toBe(0);
    const event = result.events.find(({ type }) => type.endsWith('EventMarkerSetDenomMetadata'))!;
    const values = Object.fromEntries(event.attributes.map(({ key, value }) => [key, value]));
    expect(values.metadata_denom_units).toBe(
      '[{"denom":"testcoin","exponent":"0","aliases":[]},{"denom":"bigcoin","exponent":"3","aliases":["big"]}]',
    );
    // In Go's format.
    expect(values.metadata_name).toBe('"Big \\u003cCoin\\u003e"');
    expect(chain.query(Query.method.denomMetadata, { denom }).metadata).toMatchObject({ symbol: 'BIG' });
    expect(chain.query(BankQuery.method.denomMetadata, { denom }).metadata).toMatchObject({ display: 'bigcoin' });
    expect(chain.query(Query.method.accountData, { denom }).value).toBe('about');
    const account = encodeAddress(markerAddress(denom));
    expect(chain.query(AttributeQuery.method.accountData, { account }).value).toBe('about');
    const { allowances } = chain.query(FeegrantQuery.method.allowancesByGranter, { granter: account });
    expect(allowances.map(({ grantee }) => grantee)).toEqual([friend.address]);
  });

  it('is rejected for a short unrestricted denomination, and if it already exists', () => {
    const { chain, admin, administrator } = setUp();
    const short = { amount: { denom: 'shorty7', amount: '1' }, markerType: MarkerType.COIN, allowForcedTransfer: false };
    expect(chain.deliver(admin, [add(administrator, short)]).code).toBe(18);
    expect(chain.deliver(admin, [add(administrator)]).code).toBe(0);
    expect(chain.deliver(admin, [add(administrator)]).code).toBe(18);
  });
});
