import { readFileSync } from 'node:fs';
import { create, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { chainStores } from '../../../packages/devnet/src/app/keepers/stores.ts';
import { printStoresByMethod, readStoresByMethod } from '../../../scripts/storesByMethod.ts';
import { storesByMethod } from '../../../src/chain/roots/gen/storesByMethod.ts';
import { provenanceTable } from '../../../src/chain/roots/methodTables.ts';
import { accountRequest, firstExpiry, isVestingAccount } from '../../../src/chain/roots/stateRoots.ts';
import { QueryAccountRequestSchema, QueryAccountResponseSchema } from '../../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import {
  QuerySpendableBalanceByDenomRequestSchema,
  QuerySpendableBalancesRequestSchema,
} from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import {
  QueryAttributesRequestSchema,
  QueryAttributesResponseSchema,
  QueryScanRequestSchema,
} from '../../../src/proto/provenance/attribute/v1/query_pb.js';
import { readRegistry } from '../../recordings/registry.ts';

describe('the table of stores by method', () => {
  it('is printed from the recorded data', () => {
    const printed = readFileSync(new URL('../../../src/chain/roots/gen/storesByMethod.ts', import.meta.url), 'utf8');
    expect(printed).toBe(printStoresByMethod(readStoresByMethod()));
  });

  it('has 193 methods that the chain describes, and stores that the chain has', () => {
    const registry = readRegistry();
    const count: Record<string, number> = {};
    for (const [path, { stores, carry }] of Object.entries(storesByMethod)) {
      const [, service = '', method = ''] = path.split('/');
      const isKnown = registry.getService(service)?.methods.some(({ name }) => name === method);
      expect(isKnown, path).toBe(true);
      expect(chainStores, path).toEqual(expect.arrayContaining([...stores]));
      if (carry !== 'never') expect(stores.length, path).toBeGreaterThan(0);
      count[carry] = (count[carry] ?? 0) + 1;
    }
    expect(count).toEqual({ always: 172, withoutVesting: 2, withoutExpiry: 3, never: 16 });
  });

  it('gives the stores with that of upgrades, in alphabetical order', () => {
    expect(provenanceTable.methods.byPath.get('/cosmos.group.v1.Query/Proposal')).toEqual({
      stores: ['group', 'upgrade'],
      carry: 'always',
    });
    expect(provenanceTable.methods.byPath.get('/provenance.metadata.v1.Query/Scope')?.stores.at(-1)).toBe('upgrade');
    expect(provenanceTable.methods.byPath.get('/cosmos.bank.v1beta1.Query/SpendableBalances')).toEqual({
      stores: ['acc', 'bank', 'hold', 'upgrade'],
      carry: 'withoutVesting',
    });
    expect(provenanceTable.methods.byPath.get('/cosmos.upgrade.v1beta1.Query/CurrentPlan')?.stores).toEqual(['upgrade']);
  });

  it('has no stores for methods that depend on anything else, and for unknown methods', () => {
    for (const path of [
      '/cosmwasm.wasm.v1.Query/SmartContractState',
      '/provenance.exchange.v1.Query/Params',
      '/cosmos.auth.v1beta1.Query/Bech32Prefix',
      '/example.v1.Query/Anything',
      'toString',
      '__proto__',
    ]) {
      expect(provenanceTable.methods.byPath.get(path), path).toBeUndefined();
    }
  });
});

describe('an account with a vesting schedule', () => {
  const answer = (typeUrl?: string): Uint8Array =>
    toBinary(
      QueryAccountResponseSchema,
      create(QueryAccountResponseSchema, typeUrl === undefined ? {} : { account: { typeUrl } }),
    );

  it.each([
    ['/cosmos.vesting.v1beta1.ContinuousVestingAccount', true],
    ['/cosmos.vesting.v1beta1.DelayedVestingAccount', true],
    ['/cosmos.vesting.v1beta1.PeriodicVestingAccount', true],
    ['/cosmos.auth.v1beta1.BaseAccount', false],
    ['/provenance.marker.v1.MarkerAccount', false],
    [undefined, false],
  ])('the stores of an account with a vesting schedule, %s: %s', (typeUrl, expected) => {
    expect(isVestingAccount(answer(typeUrl))).toBe(expected);
  });
});

describe('the request of the account of a spendable balance', () => {
  it.each([
    [QuerySpendableBalancesRequestSchema, { address: 'tp1abc', pagination: { limit: 5n } }],
    [QuerySpendableBalanceByDenomRequestSchema, { address: 'tp1abc', denom: 'nhash' }],
  ] as const)('has its address alone: %s', (schema, init) => {
    const request = accountRequest(toBinary<DescMessage>(schema, create<DescMessage>(schema, init)));
    expect(fromBinary(QueryAccountRequestSchema, request)).toEqual(create(QueryAccountRequestSchema, { address: 'tp1abc' }));
  });
});

describe('the first expiry in an answer with attributes', () => {
  const path = '/provenance.attribute.v1.Query/Attributes';
  const request = (page?: { key?: Uint8Array; offset?: bigint; limit?: bigint }): Uint8Array =>
    toBinary(
      QueryAttributesRequestSchema,
      create(QueryAttributesRequestSchema, page === undefined ? {} : { pagination: page }),
    );
  const answer = (dates: readonly ([bigint, number] | undefined)[], nextKey = ''): Uint8Array => {
    const attributes = dates.map((date) =>
      date === undefined ? {} : { expirationDate: { seconds: date[0], nanos: date[1] } },
    );
    const pagination = { nextKey: Buffer.from(nextKey) };
    return toBinary(QueryAttributesResponseSchema, create(QueryAttributesResponseSchema, { attributes, pagination }));
  };

  it('is the earliest date of all rows, and null if none expires', () => {
    expect(firstExpiry(path, request(), answer([undefined, [200n, 0], [100n, 7]]))).toBe(100_000_000_007n);
    expect(firstExpiry(path, request({ limit: 5n }), answer([undefined]))).toBeNull();
    expect(firstExpiry(path, request(), answer([]))).toBeNull();
  });

  it('is undefined for a page of several, and for another method', () => {
    expect(firstExpiry(path, request(), answer([[100n, 0]], 'next'))).toBeUndefined();
    expect(firstExpiry(path, request({ offset: 1n }), answer([]))).toBeUndefined();
    expect(firstExpiry(path, request({ key: Uint8Array.of(1) }), answer([]))).toBeUndefined();
    expect(firstExpiry('/provenance.attribute.v1.Query/Params', request(), answer([]))).toBeUndefined();
    const scan = toBinary(QueryScanRequestSchema, create(QueryScanRequestSchema, { suffix: 'x', pagination: { offset: 1n } }));
    expect(firstExpiry('/provenance.attribute.v1.Query/Scan', scan, answer([]))).toBeUndefined();
  });
});
