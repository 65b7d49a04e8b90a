import { describe, expect, it } from 'vitest';
import { createGenesis, crowdDenom } from '../../../packages/devnet/src/app/genesis/genesis.ts';
import { atomDenom, delayedAccount, periodicAccount } from '../../../packages/devnet/src/app/world/vesting.ts';
import { Query as AuthQuery } from '../../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import { Query } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query as HoldQuery } from '../../../src/proto/provenance/hold/v1/query_pb.js';
import { Query as MarkerQuery } from '../../../src/proto/provenance/marker/v1/query_pb.js';
import { createChain, message, second } from './harness.ts';

const start = 10n ** 15n;

describe('coins that are not spendable', () => {
  it('vest in steps, and at the end', () => {
    const month = (365n * 24n * 3600n * second) / 12n;
    const chain = createChain({});
    const spendable = () =>
      [periodicAccount, delayedAccount].map(
        (address) => chain.query(Query.method.spendableBalances, { address }).balances[0]!.amount,
      );
    expect(spendable()).toEqual(['3000000', '0']);
    chain.block([], month - 3n * second);
    expect(spendable()).toEqual(['3000000', '0']);
    chain.block([], second);
    expect(spendable()).toEqual(['3000000', '0']);
    chain.block([], second);
    expect(spendable()).toEqual(['4000000', '750000']);
  });

  it('vest linearly, by the time of the block', () => {
    const bare = createGenesis({ bare: true });
    const [first] = bare.balances;
    const coins = [{ denom: 'nhash', amount: 1_000_000n }];
    const vesting = [{ address: first!.address, coins, startsSecondsBefore: 0, endsSecondsAfter: 1000 }];
    const chain = createChain({ ...bare, vesting });
    const { address } = chain.accounts[0]!;
    const free = (height?: bigint): bigint =>
      BigInt(chain.query(Query.method.spendableBalanceByDenom, { address, denom: 'nhash' }, height).balance!.amount);
    // Block 1 is a second after genesis.
    expect(free()).toBe(start - 999_000n);
    chain.block([], 499n * second);
    expect([free(), free(1n)]).toEqual([start - 500_000n, start - 999_000n]);
    const { balances } = chain.query(Query.method.spendableBalances, { address });
    expect(balances.map(({ amount }) => amount)).toEqual([String(start - 500_000n)]);
    const held = chain.query(Query.method.balance, { address, denom: 'nhash' }).balance!.amount;
    expect(held).toBe(String(start));
    const all = { fromAddress: address, toAddress: chain.accounts[1]!.address, amount: [{ denom: 'nhash', amount: held }] };
    const result = chain.deliver(chain.accounts[0]!, [message(MsgSendSchema, all)]);
    expect([result.code, result.log]).toEqual([
      5,
      expect.stringMatching(
        /^failed to execute message; message index: 0: spendable balance \d+nhash is smaller than \d+nhash: insuff/,
      ),
    ]);
    // Signing a transaction does not change the type of the account.
    expect(chain.account(address).sequence).toBe(1n);
    expect(chain.query(AuthQuery.method.account, { address }).account?.typeUrl).toContain('ContinuousVestingAccount');
    chain.block([], 600n * second);
    expect(free()).toBe(BigInt(chain.query(Query.method.balance, { address, denom: 'nhash' }).balance!.amount));
  });

  it('are on hold', () => {
    const bare = createGenesis({ bare: true });
    const [first, second] = bare.balances.map(({ address }) => address);
    const balances = bare.balances.map(({ address, coins }) => ({ address, coins: [{ denom: 'bbb', amount: 5n }, ...coins] }));
    const holds = [
      { address: first!, coins: [{ denom: 'bbb', amount: 5n }] },
      { address: second!, coins: [{ denom: 'bbb', amount: 2n }] },
    ];
    const chain = createChain({ ...bare, balances, holds });
    expect(chain.query(HoldQuery.method.getHolds, { address: second! }).amount).toMatchObject([{ denom: 'bbb', amount: '2' }]);
    const spendable = (address: string) =>
      chain.query(Query.method.spendableBalances, { address }).balances.find(({ denom }) => denom === 'bbb')?.amount;
    // Nothing is spendable, but the denomination is listed.
    expect([spendable(first!), spendable(second!)]).toEqual(['0', '3']);
    const { holds: all, pagination } = chain.query(HoldQuery.method.getAllHolds, {
      pagination: { countTotal: true, limit: 5n },
    });
    expect([all.map(({ address }) => address).sort(), pagination?.total]).toEqual([[first, second].sort(), 2n]);
    const gift = { fromAddress: first!, toAddress: second!, amount: [{ denom: 'bbb', amount: '1' }] };
    expect(chain.deliver(chain.accounts[0]!, [message(MsgSendSchema, gift)]).code).toBe(5);
  });
});

describe('5,000 holders of one denomination', () => {
  const size = 5000;
  const chain = createChain({ bare: true, crowd: size });

  it('are listed page by page, once each and in order', () => {
    const owners: string[] = [];
    let sum = 0n;
    let pages = 0;
    for (let key: Uint8Array = new Uint8Array(); ; ) {
      const { denomOwners, pagination } = chain.query(Query.method.denomOwners, {
        denom: crowdDenom,
        pagination: { key, limit: 512n },
      });
      owners.push(...denomOwners.map(({ address }) => address));
      sum += denomOwners.reduce((total, { balance }) => total + BigInt(balance!.amount), 0n);
      pages += 1;
      key = pagination!.nextKey;
      if (key.length === 0) break;
    }
    expect([pages, owners.length, new Set(owners).size]).toEqual([10, size, size]);
    expect(String(sum)).toBe(chain.query(Query.method.supplyOf, { denom: crowdDenom }).amount!.amount);
  });

  it('are counted, also by the marker', () => {
    const { balances, pagination } = chain.query(MarkerQuery.method.holding, {
      id: crowdDenom,
      pagination: { limit: 1n, countTotal: true },
    });
    expect([balances.length, pagination?.total]).toEqual([1, BigInt(size)]);
  });

  it('have an empty page without a total for an offset beyond the end', () => {
    const page = (offset: bigint) =>
      chain.query(Query.method.denomOwnersByQuery, { denom: crowdDenom, pagination: { offset, limit: 10n, countTotal: true } });
    expect(page(4995n).denomOwners).toHaveLength(5);
    expect([page(5001n).denomOwners, page(5001n).pagination?.total ?? 0n]).toEqual([[], 0n]);
  });
});

describe('the supply', () => {
  it('is a list by denomination', () => {
    const chain = createChain({});
    const { supply } = chain.query(Query.method.totalSupply, {});
    const denoms = supply.map(({ denom }) => denom);
    expect(denoms).toEqual([...denoms].sort());
    expect(denoms.filter((denom) => !denom.startsWith('nft/'))).toEqual([
      'fundshare',
      'gramgold',
      atomDenom,
      'microusd',
      'nhash',
    ]);
    const of = (denom: string): bigint => {
      const { denomOwners } = chain.query(Query.method.denomOwners, { denom, pagination: { limit: 1000n } });
      return denomOwners.reduce((total, { balance }) => total + BigInt(balance!.amount), 0n);
    };
    expect(supply.map(({ denom }) => String(of(denom)))).toEqual(supply.map(({ amount }) => amount));
  });
});
