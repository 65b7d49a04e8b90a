import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { BaseAccount } from '../../../../../../src/proto/cosmos/auth/v1beta1/auth_pb.js';
import type { Coin } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import {
  type BaseVestingAccount,
  BaseVestingAccountSchema,
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
  PeriodicVestingAccountSchema,
} from '../../../../../../src/proto/cosmos/vesting/v1beta1/vesting_pb.js';
import type { Amount } from '../../runtime/coins.ts';
import type { Vesting } from '../../runtime/genesisState.ts';
import { packAny, unpackAny } from '../../runtime/keeper.ts';

const second = 1_000_000_000n;
const precision = 10n ** 18n;

/** Creates the account of coins that vest. `time` is the time of the genesis. */
export function createVestingAccount(
  { coins, startsSecondsBefore, endsSecondsAfter, steps }: Vesting,
  baseAccount: BaseAccount,
  time: bigint,
): Any {
  const now = time / second;
  const startTime = now - BigInt(startsSecondsBefore);
  const baseVestingAccount = create(BaseVestingAccountSchema, {
    baseAccount,
    originalVesting: coinsOf(coins),
    endTime: now + BigInt(endsSecondsAfter),
  });
  if (steps === undefined) {
    return packAny(ContinuousVestingAccountSchema, create(ContinuousVestingAccountSchema, { baseVestingAccount, startTime }));
  }
  if (steps.length === 0) {
    return packAny(DelayedVestingAccountSchema, create(DelayedVestingAccountSchema, { baseVestingAccount }));
  }
  const vestingPeriods = steps.map(({ seconds, coins: part }) => ({ length: BigInt(seconds), amount: coinsOf(part) }));
  return packAny(
    PeriodicVestingAccountSchema,
    create(PeriodicVestingAccountSchema, { baseVestingAccount, startTime, vestingPeriods }),
  );
}

function coinsOf(coins: readonly Amount[]) {
  return coins.map(({ denom, amount }) => ({ denom, amount: String(amount) }));
}

function amountIn(coins: readonly Coin[], denom: string): bigint {
  return BigInt(coins.find((coin) => coin.denom === denom)?.amount ?? '0');
}

function divideRounding(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor / 2n) / divisor;
}

/** The part that vests evenly and is left. The elapsed share of the time has 18 decimals. */
function evenlyLeft(base: BaseVestingAccount, startTime: bigint, original: bigint, now: bigint): bigint {
  if (now <= startTime) return original;
  if (now >= base.endTime) return 0n;
  const share = divideRounding((now - startTime) * precision, base.endTime - startTime);
  return original - divideRounding(original * share, precision);
}

/** Returns the amount of a denomination in an account that still vests at a time in nanoseconds since 1970. */
export function vestingOf(account: Any, denom: string, time: bigint): bigint {
  const now = time / second;
  const originalOf = (base: BaseVestingAccount | undefined): bigint => amountIn(base?.originalVesting ?? [], denom);
  const continuous = unpackAny(ContinuousVestingAccountSchema, account);
  if (continuous?.baseVestingAccount !== undefined) {
    const { baseVestingAccount: base, startTime } = continuous;
    return evenlyLeft(base, startTime, originalOf(base), now);
  }
  const delayed = unpackAny(DelayedVestingAccountSchema, account)?.baseVestingAccount;
  if (delayed !== undefined) return now >= delayed.endTime ? 0n : originalOf(delayed);
  const periodic = unpackAny(PeriodicVestingAccountSchema, account);
  let end = periodic?.startTime ?? 0n;
  let left = originalOf(periodic?.baseVestingAccount);
  for (const { length, amount } of periodic?.vestingPeriods ?? []) {
    end += length;
    if (now >= end) left -= amountIn(amount, denom);
  }
  return left;
}
