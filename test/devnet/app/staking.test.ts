import { describe, expect, it } from 'vitest';
import type { AbciEvent, TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { decodeAddress, encodeAddress, moduleAddress } from '../../../packages/devnet/src/app/runtime/address.ts';
import { timestampOf } from '../../../packages/devnet/src/app/runtime/time.ts';
import { createDevnet } from '../../../packages/devnet/src/devnet.ts';
import { Query as BankQuery } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query as DistributionQuery } from '../../../src/proto/cosmos/distribution/v1beta1/query_pb.js';
import {
  MsgSetWithdrawAddressSchema,
  MsgWithdrawDelegatorRewardSchema,
  MsgWithdrawValidatorCommissionSchema,
} from '../../../src/proto/cosmos/distribution/v1beta1/tx_pb.js';
import { Query as MintQuery } from '../../../src/proto/cosmos/mint/v1beta1/query_pb.js';
import { Query as SlashingQuery } from '../../../src/proto/cosmos/slashing/v1beta1/query_pb.js';
import { Query } from '../../../src/proto/cosmos/staking/v1beta1/query_pb.js';
import {
  MsgBeginRedelegateSchema,
  MsgDelegateSchema,
  MsgUndelegateSchema,
} from '../../../src/proto/cosmos/staking/v1beta1/tx_pb.js';
import { govBlocks } from '../../recordings/gov.ts';
import { type Chain, createChain, message, second } from './harness.ts';

const hash = 1_000_000_000n;
const one = 10n ** 18n;
const day = 24n * 3600n * second;
const coin = (amount: bigint) => ({ denom: 'nhash', amount: String(amount) });
const operatorOf = (account: string) => encodeAddress(decodeAddress(account), 'tpvaloper');
const typesOf = (events: readonly AbciEvent[]) => events.map(({ type }) => type);
const ofMessage = ({ events }: Pick<TxResult, 'events'>) =>
  events.filter(({ attributes }) => attributes.some(({ key }) => key === 'msg_index'));
const attributesOf = (events: readonly AbciEvent[], type: string) =>
  events
    .filter((event) => event.type === type)
    .map(({ attributes }) => Object.fromEntries(attributes.map(({ key, value }) => [key, value])));

function open() {
  const chain = createChain({});
  const user = chain.accounts[8]!;
  const [harbor, meadow] = [chain.accounts[1]!, chain.accounts[9]!].map(({ address }) => operatorOf(address));
  const shares = (operator: string) =>
    chain
      .query(Query.method.delegatorDelegations, { delegatorAddr: user.address })
      .delegationResponses.find(({ delegation }) => delegation!.validatorAddress === operator)?.delegation?.shares;
  const balance = (address: string) =>
    BigInt(chain.query(BankQuery.method.balance, { address, denom: 'nhash' }).balance!.amount);
  return { chain, user, harbor: harbor!, meadow: meadow!, shares, balance };
}

const tokensOf = (chain: Chain, operator: string) =>
  BigInt(chain.query(Query.method.validator, { validatorAddr: operator }).validator!.tokens);

describe('stake on the development chain', () => {
  it('delegates with the recorded events: the rewards are paid first', () => {
    const { chain, user, harbor, shares } = open();
    const send = message(MsgSendSchema, { fromAddress: user.address, toAddress: user.address, amount: [coin(1n)] });
    // Fees of a block are the rewards of the next.
    chain.deliver(user, [send]);
    const [before, tokens] = [BigInt(shares(harbor)!), tokensOf(chain, harbor)];
    const delegate = { delegatorAddress: user.address, validatorAddress: harbor, amount: coin(7n * hash) };
    const result = chain.deliver(user, [message(MsgDelegateSchema, delegate)]);
    const theirs = govBlocks('gov')
      .blocks.flatMap(({ block_results: { txs_results: txs } }) => txs ?? [])
      .map(({ events }) => ofMessage({ events: events as unknown as readonly AbciEvent[] }))
      .find(
        (events) => events.some(({ type }) => type === 'delegate') && events.some(({ type }) => type === 'withdraw_rewards'),
      )!;
    expect(typesOf(ofMessage(result))).toEqual(typesOf(theirs));
    expect(ofMessage(result).map(({ attributes }) => attributes.map(({ key }) => key))).toEqual(
      theirs.map(({ attributes }) => attributes.map(({ key }) => key)),
    );
    expect(attributesOf(result.events, 'delegate')[0]).toMatchObject({ new_shares: '7000000000.000000000000000000' });
    expect(BigInt(shares(harbor)!) - before).toBe(7n * hash * one);
    expect(tokensOf(chain, harbor) - tokens).toBe(7n * hash);
  });

  it('pays unbonded stake back in the first block after 21 days, and not before', () => {
    const { chain, user, meadow, balance } = open();
    const undelegate = { delegatorAddress: user.address, validatorAddress: meadow, amount: coin(5n * hash) };
    const pool = () => chain.query(Query.method.pool, {}).pool!;
    const before = pool();
    const result = chain.deliver(user, [message(MsgUndelegateSchema, undelegate)]);
    expect(result.log).toBe('');
    const end = chain.state.time + 21n * day;
    const { unbondingResponses } = chain.query(Query.method.delegatorUnbondingDelegations, { delegatorAddr: user.address });
    const entries = unbondingResponses.flatMap((each) => each.entries);
    expect(entries.at(-1)).toMatchObject({
      ...{ creationHeight: chain.state.height, completionTime: timestampOf(end) },
      ...{ initialBalance: String(5n * hash), balance: String(5n * hash) },
    });
    expect(BigInt(before.bondedTokens) - BigInt(pool().bondedTokens)).toBe(5n * hash);
    expect(BigInt(pool().notBondedTokens) - BigInt(before.notBondedTokens)).toBe(5n * hash);
    // The unbonding and the move of the genesis end before.
    chain.block([], 21n * day - second);
    const held = balance(user.address);
    const { events } = chain.block();
    expect(attributesOf(events, 'complete_unbonding')).toEqual([
      { amount: `${5n * hash}nhash`, validator: meadow, delegator: user.address, mode: 'EndBlock' },
    ]);
    expect(balance(user.address) - held).toBe(5n * hash);
    expect(chain.query(Query.method.delegatorUnbondingDelegations, { delegatorAddr: user.address }).unbondingResponses).toEqual(
      [],
    );
    expect(chain.query(Query.method.redelegations, { delegatorAddr: user.address }).redelegationResponses).toEqual([]);
  });

  it('moves stake at once, and refuses to move it on', () => {
    const { chain, user, harbor, meadow, shares } = open();
    const before = BigInt(shares(meadow)!);
    const move = (from: string, to: string) =>
      message(MsgBeginRedelegateSchema, {
        ...{ delegatorAddress: user.address, validatorSrcAddress: from, validatorDstAddress: to },
        amount: coin(hash),
      });
    const result = chain.deliver(user, [move(harbor, meadow)]);
    expect(attributesOf(result.events, 'redelegate')[0]).toMatchObject({ source_validator: harbor, amount: `${hash}nhash` });
    expect(BigInt(shares(meadow)!) - before).toBe(hash * one);
    const { redelegationResponses } = chain.query(Query.method.redelegations, {
      ...{ delegatorAddr: user.address, dstValidatorAddr: meadow },
    });
    expect(redelegationResponses.map(({ entries }) => entries[0]!.balance)).toEqual([String(hash)]);
    const back = chain.deliver(user, [move(meadow, harbor)]);
    expect([back.codespace, back.code]).toEqual(['staking', 32]);
    const same = chain.deliver(user, [move(harbor, harbor)]);
    expect([same.codespace, same.code]).toEqual(['staking', 29]);
  });

  it.each([
    ['an unknown validator', (user: string) => ({ validatorAddress: operatorOf(user), amount: coin(1n) }), 'staking', 3],
    ['another coin', () => ({ amount: { denom: 'gramgold', amount: '1' } }), 'sdk', 18],
    ['an amount of zero', () => ({ amount: coin(0n) }), 'sdk', 18],
    ['more than the account has', () => ({ amount: coin(10n ** 18n) }), 'sdk', 5],
    ['an address that is none', () => ({ validatorAddress: 'tpvaloper1x', amount: coin(1n) }), 'sdk', 7],
  ] as const)('refuses to delegate %s', (_, change, codespace, code) => {
    const { chain, user, harbor } = open();
    const init = { delegatorAddress: user.address, validatorAddress: harbor, ...change(user.address) };
    const result = chain.deliver(user, [message(MsgDelegateSchema, init)]);
    expect([result.codespace, result.code]).toEqual([codespace, code]);
  });

  it('refuses to take back what is not there', () => {
    const { chain, user, harbor } = open();
    const take = (delegator: typeof user, amount: bigint) =>
      chain.deliver(delegator, [
        message(MsgUndelegateSchema, { delegatorAddress: delegator.address, validatorAddress: harbor, amount: coin(amount) }),
      ]);
    expect(take(user, 10n ** 16n).log).toContain('invalid shares amount: invalid request');
    const none = take(chain.accounts[9]!, 1n);
    expect([none.codespace, none.code, none.log]).toEqual([
      ...['staking', 19],
      'failed to execute message; message index: 0: no delegation for (address, validator) tuple',
    ]);
  });
});

describe('rewards on the development chain', () => {
  it('share all fees between the community pool, the validators and their delegators', () => {
    const { chain, user, harbor, meadow, balance } = open();
    const collector = encodeAddress(moduleAddress('fee_collector'));
    chain.deliver(user, [message(MsgSendSchema, { fromAddress: user.address, toAddress: user.address, amount: [coin(1n)] })]);
    const fees = balance(collector);
    expect(fees).toBeGreaterThan(0n);
    const poolOf = () => BigInt(chain.query(DistributionQuery.method.communityPool, {}).pool[0]!.amount);
    const pool = poolOf();
    const { events } = chain.block();
    expect(poolOf() - pool).toBeGreaterThanOrEqual((fees * one) / 50n);
    expect(attributesOf(events, 'rewards').map(({ validator }) => validator)).toContain(harbor);
    const operators = chain.query(Query.method.validators, {}).validators.map(({ operatorAddress }) => operatorAddress);
    let total = poolOf() - pool;
    for (const operator of operators) {
      const { commission } = chain.query(DistributionQuery.method.validatorCommission, { validatorAddress: operator });
      total += BigInt(commission!.commission[0]?.amount ?? '0');
      const { delegationResponses } = chain.query(Query.method.validatorDelegations, { validatorAddr: operator });
      for (const { delegation } of delegationResponses) {
        const { rewards } = chain.query(DistributionQuery.method.delegationTotalRewards, {
          delegatorAddress: delegation!.delegatorAddress,
        });
        const own = rewards.find(({ validatorAddress }) => validatorAddress === operator)!;
        total += BigInt(own.reward[0]?.amount ?? '0');
      }
    }
    // The decimals of the ratio per share are lost.
    const lost = fees * one - total;
    expect(lost < one / 100n && lost > -one / 100n).toBe(true);
    const { rewards } = chain.query(DistributionQuery.method.delegationTotalRewards, { delegatorAddress: user.address });
    expect(rewards.map(({ validatorAddress }) => validatorAddress)).toEqual(expect.arrayContaining([harbor, meadow]));
  });

  it('are paid in whole coins to the account that the delegator named, and begin anew', () => {
    const { chain, user, harbor, balance } = open();
    const other = encodeAddress(moduleAddress('somebody'));
    const set = { delegatorAddress: user.address, withdrawAddress: other };
    chain.deliver(user, [message(MsgSetWithdrawAddressSchema, set)]);
    chain.block();
    const total = () =>
      chain
        .query(DistributionQuery.method.delegationTotalRewards, { delegatorAddress: user.address })
        .rewards.find(({ validatorAddress }) => validatorAddress === harbor)!.reward[0]?.amount;
    const amount = BigInt(total()!) / one;
    expect(amount).toBeGreaterThan(0n);
    const withdraw = { delegatorAddress: user.address, validatorAddress: harbor };
    const result = chain.deliver(user, [message(MsgWithdrawDelegatorRewardSchema, withdraw)]);
    expect(attributesOf(result.events, 'withdraw_rewards')).toEqual([
      { amount: `${amount}nhash`, validator: harbor, delegator: user.address, msg_index: '0' },
    ]);
    expect(balance(other)).toBe(amount);
    expect(total()).toBeUndefined();
    const { withdrawAddress } = chain.query(DistributionQuery.method.delegatorWithdrawAddress, {
      delegatorAddress: user.address,
    });
    expect(withdrawAddress).toBe(other);
    const operator = chain.accounts[9]!;
    const commission = message(MsgWithdrawValidatorCommissionSchema, { validatorAddress: operatorOf(operator.address) });
    expect(attributesOf(chain.deliver(operator, [commission]).events, 'withdraw_commission')[0]!.amount).toMatch(
      /^[1-9]\d*nhash$/,
    );
  });
});

describe('validators of the development chain', () => {
  it('have signing records, and one is jailed and not bonded', () => {
    const { chain } = open();
    const validators = chain.query(Query.method.validators, {}).validators;
    expect(validators.map(({ description, jailed, status }) => [description!.moniker, jailed, status]).sort()).toEqual([
      ['ember', true, 1],
      ['harbor', false, 3],
      ['meadow', false, 3],
      ['quarry', false, 3],
    ]);
    const { info } = chain.query(SlashingQuery.method.signingInfos, {});
    expect(info.map(({ missedBlocksCounter }) => missedBlocksCounter).sort((a, b) => Number(a - b))).toEqual([
      0n,
      12n,
      430n,
      9501n,
    ]);
    const [first] = info;
    expect(chain.query(SlashingQuery.method.signingInfo, { consAddress: first!.address }).valSigningInfo).toEqual(first);
    expect(() => chain.query(SlashingQuery.method.signingInfo, { consAddress: 'tpvalcons1x' })).toThrow();
    expect(Buffer.from(chain.query(MintQuery.method.inflation, {}).inflation).toString()).toBe('0');
    expect(() => chain.query(Query.method.validator, { validatorAddr: operatorOf(chain.accounts[5]!.address) })).toThrow(
      'not found',
    );
  });

  it('that make blocks have all their stake from their operator, also on a chain with nothing else', async () => {
    const { createGenesis } = await import('../../../packages/devnet/src/app/genesis/genesis.ts');
    const devnet = await createDevnet({ blockTime: 'manual', genesis: createGenesis({ bare: true }) });
    try {
      const ask = (path: string) =>
        devnet.application.query({
          path,
          data: new Uint8Array(),
          height: 0n,
          prove: false,
          latestHeight: devnet.height,
          earliestHeight: 1n,
        });
      const pool = Buffer.from(ask('/cosmos.staking.v1beta1.Query/Pool').value!).toString('latin1');
      expect(pool).toContain('1000000000000000');
      expect(ask('/cosmos.gov.v1.Query/Proposals').code).toBe(0);
    } finally {
      await devnet.close();
    }
  });
});
