import { create } from '@bufbuild/protobuf';
import type { Coin } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import {
  BondStatus,
  RedelegationSchema,
  UnbondingDelegationSchema,
} from '../../../../../../src/proto/cosmos/staking/v1beta1/staking_pb.js';
import {
  type MsgBeginRedelegate,
  MsgBeginRedelegateResponseSchema,
  MsgBeginRedelegateSchema,
  type MsgDelegate,
  MsgDelegateResponseSchema,
  MsgDelegateSchema,
  type MsgUndelegate,
  MsgUndelegateResponseSchema,
  MsgUndelegateSchema,
} from '../../../../../../src/proto/cosmos/staking/v1beta1/tx_pb.js';
import { abciError, PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import { feeDenom } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { decimalText } from '../../runtime/dec.ts';
import { plainEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { rfcTime, seconds, timestampOf } from '../../runtime/time.ts';
import { addCoins, sendCoins, subtractCoins } from '../bank/state.ts';
import { addShares, type DelegationHooks, removeShares, sharesToTake } from './shares.ts';
import {
  accountPart,
  bondedPool,
  enqueue,
  findRedelegation,
  findUnbonding,
  findValidator,
  loadValidator,
  nextUnbondingId,
  notBondedPool,
  operatorPart,
  redelegationPart,
  redelegationsOf,
  saveRedelegation,
  saveUnbonding,
  stakingKeys,
} from './state.ts';

/** How long unbondings and redelegations take: 21 days, as on Provenance. */
export const unbondingSeconds = 21 * 24 * 3600;
const maxEntries = 7;

function requireAddresses(delegator: string, ...operators: readonly string[]): void {
  const checks = [
    ...operators.map((operator) => ['validator', () => operatorPart(operator)] as const),
    ['delegator', () => accountPart(delegator)] as const,
  ];
  for (const [role, check] of checks) {
    try {
      check();
    } catch (error) {
      if (error instanceof PlainError) throw abciError('invalidAddress', `invalid ${role} address: ${error.message}`);
      throw error;
    }
  }
}

/** The texts are those of the Cosmos SDK; not recorded. */
function amountOf(coin: Coin | undefined, what: string): bigint {
  const amount = /^\d{1,78}$/.test(coin?.amount ?? '') ? BigInt(coin?.amount ?? '0') : 0n;
  if (coin === undefined || amount === 0n) throw abciError('invalidRequest', `invalid ${what} amount`);
  if (coin.denom !== feeDenom) {
    throw abciError('invalidRequest', `invalid coin denomination: got ${coin.denom}, expected ${feeDenom}`);
  }
  return amount;
}

const coinsOf = (amount: bigint) => [{ denom: feeDenom, amount }];
const poolOf = (status: BondStatus): Uint8Array => (status === BondStatus.BONDED ? bondedPool : notBondedPool);

function delegate(context: Context, hooks: DelegationHooks | undefined, message: MsgDelegate): void {
  const { delegatorAddress: delegator, validatorAddress: operator } = message;
  requireAddresses(delegator, operator);
  const amount = amountOf(message.amount, 'delegation');
  const { status } = loadValidator(context, operator);
  // The rewards so far are paid before the coins leave the account (recorded).
  const shares = addShares(context, hooks, delegator, operator, amount);
  subtractCoins(context, decodeAddress(delegator), coinsOf(amount));
  addCoins(context, poolOf(status), coinsOf(amount));
  context.emit(
    plainEvent('delegate', [
      ['validator', operator],
      ['delegator', delegator],
      ['amount', `${amount}${feeDenom}`],
      ['new_shares', decimalText(shares)],
    ]),
  );
}

function undelegate(context: Context, hooks: DelegationHooks | undefined, message: MsgUndelegate) {
  const { delegatorAddress: delegator, validatorAddress: operator } = message;
  requireAddresses(delegator, operator);
  const shares = sharesToTake(context, delegator, operator, amountOf(message.amount, 'shares'));
  const unbonding =
    findUnbonding(context, delegator, operator) ??
    create(UnbondingDelegationSchema, { delegatorAddress: delegator, validatorAddress: operator });
  if (unbonding.entries.length >= maxEntries) throw abciError('tooManyUnbondings');
  const { status } = loadValidator(context, operator);
  const amount = removeShares(context, hooks, delegator, operator, shares);
  if (status === BondStatus.BONDED) sendCoins(context, bondedPool, notBondedPool, coinsOf(amount));
  const end = context.block.time + seconds(unbondingSeconds);
  unbonding.entries.push({
    $typeName: 'cosmos.staking.v1beta1.UnbondingDelegationEntry',
    creationHeight: context.block.height,
    completionTime: timestampOf(end),
    initialBalance: String(amount),
    balance: String(amount),
    unbondingId: nextUnbondingId(context),
    unbondingOnHoldRefCount: 0n,
  });
  saveUnbonding(context, unbonding);
  enqueue(context, stakingKeys.unbondingQueue, end, accountPart(delegator) + operatorPart(operator));
  context.emit(
    plainEvent('unbond', [
      ['validator', operator],
      ['delegator', delegator],
      ['amount', `${amount}${feeDenom}`],
      ['completion_time', rfcTime(end)],
    ]),
  );
  return { completionTime: timestampOf(end), amount: { denom: feeDenom, amount: String(amount) } };
}

function redelegate(context: Context, hooks: DelegationHooks | undefined, message: MsgBeginRedelegate) {
  const { delegatorAddress: delegator, validatorSrcAddress: from, validatorDstAddress: to } = message;
  requireAddresses(delegator, from, to);
  const shares = sharesToTake(context, delegator, from, amountOf(message.amount, 'shares'));
  if (from === to) throw abciError('selfRedelegation');
  const target = findValidator(context, to);
  if (target === undefined) throw abciError('noRedelegationTarget');
  const source = loadValidator(context, from);
  if (redelegationsOf(context, delegator).some(({ validatorDstAddress }) => validatorDstAddress === from)) {
    throw abciError('transitiveRedelegation');
  }
  const part = redelegationPart(delegator, from, to);
  const moved =
    findRedelegation(context, part) ??
    create(RedelegationSchema, { delegatorAddress: delegator, validatorSrcAddress: from, validatorDstAddress: to });
  if (moved.entries.length >= maxEntries) throw abciError('tooManyRedelegations');
  const amount = removeShares(context, hooks, delegator, from, shares);
  if (amount === 0n) throw abciError('tinyRedelegation');
  const added = addShares(context, hooks, delegator, to, amount);
  const [left, reached] = [poolOf(source.status), poolOf(target.status)];
  if (left !== reached) sendCoins(context, left, reached, coinsOf(amount));
  const end = context.block.time + seconds(unbondingSeconds);
  moved.entries.push({
    $typeName: 'cosmos.staking.v1beta1.RedelegationEntry',
    creationHeight: context.block.height,
    completionTime: timestampOf(end),
    initialBalance: String(amount),
    sharesDst: String(added),
    unbondingId: nextUnbondingId(context),
    unbondingOnHoldRefCount: 0n,
  });
  saveRedelegation(context, moved);
  enqueue(context, stakingKeys.redelegationQueue, end, part);
  context.emit(
    plainEvent('redelegate', [
      ['source_validator', from],
      ['destination_validator', to],
      ['amount', `${amount}${feeDenom}`],
      ['completion_time', rfcTime(end)],
    ]),
  );
  return { completionTime: timestampOf(end) };
}

/** MsgDelegate, MsgUndelegate and MsgBeginRedelegate. The events of the first are recorded, the others are those of the Cosmos SDK. */
export function stakingMessages(hooks: DelegationHooks | undefined): MessageHandler[] {
  return [
    onMessage(
      MsgDelegateSchema,
      MsgDelegateResponseSchema,
      ({ delegatorAddress }) => [delegatorAddress],
      (context, message) => {
        delegate(context, hooks, message);
        return {};
      },
    ),
    onMessage(
      MsgUndelegateSchema,
      MsgUndelegateResponseSchema,
      ({ delegatorAddress }) => [delegatorAddress],
      (context, message) => undelegate(context, hooks, message),
    ),
    onMessage(
      MsgBeginRedelegateSchema,
      MsgBeginRedelegateResponseSchema,
      ({ delegatorAddress }) => [delegatorAddress],
      (context, message) => redelegate(context, hooks, message),
    ),
  ];
}
