import { describe, expect, it } from 'vitest';
import { createFixtures } from '../../../packages/devnet/src/app/fixtures/fixtures.ts';
import { unpackAny } from '../../../packages/devnet/src/app/runtime/keeper.ts';
import { scopeAddresses } from '../../../packages/devnet/src/app/world/scopes.ts';
import { vestingAccount } from '../../../packages/devnet/src/app/world/vesting.ts';
import { Query as AuthQuery } from '../../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import { Query as BankQuery } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { Query as FeegrantQuery } from '../../../src/proto/cosmos/feegrant/v1beta1/query_pb.js';
import { Query as GroupQuery } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import { AttributeTypeSchema } from '../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import { Query as AttributeQuery } from '../../../src/proto/provenance/attribute/v1/query_pb.js';
import { Query as HoldQuery } from '../../../src/proto/provenance/hold/v1/query_pb.js';
import { MarkerAccountSchema, MarkerStatus, MarkerType } from '../../../src/proto/provenance/marker/v1/marker_pb.js';
import { Query as MarkerQuery } from '../../../src/proto/provenance/marker/v1/query_pb.js';
import { Query as MetadataQuery } from '../../../src/proto/provenance/metadata/v1/query_pb.js';
import { Query as NameQuery } from '../../../src/proto/provenance/name/v1/query_pb.js';
import { createChain, second } from './harness.ts';

describe('the genesis of the other modules', () => {
  const chain = createChain({});
  const addresses = chain.accounts.map(({ address }) => address);
  const [chair = '', , , grantee = ''] = addresses;
  const attributesOf = (account: string) =>
    chain.query(AttributeQuery.method.attributes, { account, pagination: { limit: 100n } }).attributes;

  it('has markers of both types and of several statuses, with prices in dollars and in coins', () => {
    const markers = chain
      .query(MarkerQuery.method.allMarkers, {})
      .markers.map((any) => unpackAny(MarkerAccountSchema, any)!)
      .sort((a, b) => (a.denom < b.denom ? -1 : 1));
    expect(markers.map(({ denom, markerType, status, supplyFixed }) => [denom, markerType, status, supplyFixed])).toEqual([
      ['bridgebond', MarkerType.RESTRICTED, MarkerStatus.CANCELLED, false],
      ['carboncredit', MarkerType.COIN, MarkerStatus.PROPOSED, true],
      ['fundshare', MarkerType.RESTRICTED, MarkerStatus.ACTIVE, false],
      ['gramgold', MarkerType.COIN, MarkerStatus.ACTIVE, true],
      ['microusd', MarkerType.COIN, MarkerStatus.ACTIVE, false],
      ['nhash', MarkerType.COIN, MarkerStatus.ACTIVE, false],
    ]);
    expect(markers.find(({ denom }) => denom === 'fundshare')!.requiredAttributes).toEqual(['kyc.pb']);
    const prices = (id: string) =>
      chain.query(MarkerQuery.method.netAssetValues, { id }).netAssetValues.map(({ price }) => price!.denom);
    expect(['fundshare', 'gramgold', 'microusd', 'nhash'].map(prices)).toEqual([
      ['nhash', 'usd'],
      ['microusd', 'usd'],
      ['usd'],
      ['usd'],
    ]);
    for (const denom of ['gramgold', 'microusd', 'fundshare']) {
      expect(chain.query(MarkerQuery.method.escrow, { id: denom }).escrow).toHaveLength(1);
    }
  });

  it('has metadata of the traded coins, and the marker of the fee denomination has the actual supply', () => {
    const { metadatas } = chain.query(BankQuery.method.denomsMetadata, {});
    expect(metadatas.map(({ base, display, denomUnits }) => [base, display, denomUnits[1]?.exponent])).toEqual([
      ['fundshare', 'blockshare', 2],
      ['gramgold', 'kilogold', 3],
      ['microusd', 'dollar', 6],
      ['nhash', 'hash', 9],
    ]);
    const reported = chain.query(MarkerQuery.method.supply, { id: 'nhash' }).amount;
    expect(chain.query(BankQuery.method.supplyOf, { denom: 'nhash' }).amount).toEqual(reported);
    const { pagination } = chain.query(BankQuery.method.denomOwners, { denom: 'gramgold' });
    expect(Number(pagination!.total)).toBeGreaterThan(20);
  });

  it('has attributes of every type on members of groups, more than a page with one name, and one that expires soon', () => {
    const members = createFixtures(chain.accounts).groups.assembly.members.map(({ address }) => address);
    expect(chain.query(GroupQuery.method.groupMembers, { groupId: 1n }).members).toHaveLength(members.length);
    const all = members.flatMap(attributesOf);
    const types = AttributeTypeSchema.values.map(({ number }) => number).filter((number) => number !== 0);
    expect([...new Set(all.map(({ attributeType }) => attributeType))].sort()).toEqual(types);
    expect(members.every((member) => attributesOf(member).some(({ name }) => name === 'kyc.pb'))).toBe(true);
    const badges = chain.query(AttributeQuery.method.attribute, { account: grantee, name: 'badge.pb' });
    expect(badges.pagination?.total).toBe(30n);
    const passes = () => attributesOf(chair).filter(({ value }) => Buffer.from(value).toString() === 'Day pass');
    expect(passes()).toHaveLength(1);
    const later = createChain({});
    later.block([], 600n * second);
    const left = later.query(AttributeQuery.method.attributes, { account: chair }).attributes;
    expect(left.length).toBe(attributesOf(chair).length - 1);
    expect(chain.query(NameQuery.method.resolve, { name: 'score.kyc.pb' }).address).toBe(addresses[7]);
  });

  it('has scopes with owners, data access, value owners and values, and one with attributes', () => {
    const { scopes } = chain.query(MetadataQuery.method.scopesAll, {});
    expect(scopes.map(({ scopeIdInfo }) => scopeIdInfo!.scopeAddr).sort()).toEqual([...scopeAddresses].sort());
    expect(scopes.filter(({ scope }) => scope!.owners.length > 1).length).toBe(2);
    expect(scopes.every(({ scope }) => scope!.valueOwnerAddress !== '')).toBe(true);
    const [first = ''] = scopeAddresses;
    const { netAssetValues } = chain.query(MetadataQuery.method.scopeNetAssetValues, { id: first });
    expect(netAssetValues.map(({ price }) => price!.denom)).toEqual(['microusd', 'usd']);
    expect(attributesOf(first).map(({ name }) => name)).toEqual(['asset.pb', 'accountdata']);
    const spec = 'scopespec1qsg3zyg3yg3yxvuyg3242424242shk3a23';
    const described = chain.query(MetadataQuery.method.scopeSpecification, {
      specificationId: spec,
      includeContractSpecs: true,
    });
    expect([described.scopeSpecification?.specification?.description?.name, described.contractSpecs.length]).toEqual([
      'home-loan',
      1,
    ]);
  });

  it('has one account with entries in all lists', () => {
    const counts = {
      names: chain.query(NameQuery.method.reverseLookup, { address: chair }).name.length,
      balances: chain.query(BankQuery.method.allBalances, { address: chair }).balances.length,
      holds: chain.query(HoldQuery.method.getHolds, { address: chair }).amount.length,
      attributes: attributesOf(chair).length,
      scopes: chain.query(MetadataQuery.method.ownership, { address: chair }).scopeUuids.length,
      owned: chain.query(MetadataQuery.method.valueOwnership, { address: chair }).scopeUuids.length,
      received: chain.query(FeegrantQuery.method.allowances, { grantee: chair }).allowances.length,
      issued: chain.query(FeegrantQuery.method.allowancesByGranter, { granter: chair }).allowances.length,
      note: chain.query(AttributeQuery.method.accountData, { account: chair }).value.length,
    };
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  });

  it('has fee grants of the three kinds, also nested', () => {
    const { allowances } = chain.query(FeegrantQuery.method.allowances, { grantee });
    expect(allowances.map(({ allowance }) => allowance!.typeUrl.split('.').at(-1)).sort()).toEqual([
      'AllowedMsgAllowance',
      'BasicAllowance',
      'PeriodicAllowance',
    ]);
  });

  it('has accounts of every type', () => {
    const kind = (address: string) => chain.query(AuthQuery.method.account, { address }).account?.typeUrl.split('.').at(-1);
    const { account } = chain.query(AuthQuery.method.moduleAccountByName, { name: 'marker' });
    const { accounts } = chain.query(AuthQuery.method.moduleAccounts, {});
    expect([kind(chair), kind(vestingAccount), account?.typeUrl, accounts.length]).toEqual([
      'BaseAccount',
      'ContinuousVestingAccount',
      '/cosmos.auth.v1beta1.ModuleAccount',
      9,
    ]);
    const spendable = chain.query(BankQuery.method.spendableBalances, { address: vestingAccount }).balances[0]!;
    const held = chain.query(BankQuery.method.allBalances, { address: vestingAccount }).balances[0]!;
    // Exactly half, to the second.
    const share = (BigInt(spendable.amount) * 1_000_000n) / BigInt(held.amount);
    expect([share >= 499_999n, share <= 500_001n]).toEqual([true, true]);
  });
});
