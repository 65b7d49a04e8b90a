import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { fromSecondsAndNanos, type Nanoseconds } from '../../chain/base/time.ts';
import { type AnyMessage, typeNameOf } from '../../chain/wire/protoJson.ts';
import type { Coin as WireCoin } from '../../proto/cosmos/base/v1beta1/coin_pb.js';
import {
  type BaseVestingAccount,
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
  PeriodicVestingAccountSchema,
  PermanentLockedAccountSchema,
} from '../../proto/cosmos/vesting/v1beta1/vesting_pb.js';
import { decDividedBy, decTimes, oneDec, wholeOf } from '../../reads/decimal.ts';
import { type Coin, coinFromWire } from '../bank/query.ts';

/** How the coins of an account vest. */
export const vestingTypes = ['CONTINUOUS', 'DELAYED', 'PERIODIC', 'PERMANENT_LOCKED'] as const;

/** Coins that vest at a time. */
export interface VestingStep {
  readonly time: Nanoseconds;
  readonly amount: readonly Coin[];
}

/** The vesting of an account, as the chain stores it. */
export interface Vesting {
  readonly type: (typeof vestingTypes)[number];
  readonly original: readonly Coin[];
  readonly delegatedFree: readonly Coin[];
  readonly delegatedVesting: readonly Coin[];
  /** null if the type has none. */
  readonly start: Nanoseconds | null;
  /** null if the coins never vest. */
  readonly end: Nanoseconds | null;
  /** What vests at which time, in order. Empty for coins that vest evenly, and for those that never do. */
  readonly schedule: readonly VestingStep[];
}

const timeOf = (seconds: bigint): Nanoseconds => fromSecondsAndNanos({ seconds, nanos: 0 });
const coinsFrom = (coins: readonly WireCoin[]): readonly Coin[] => coins.map(coinFromWire);

function decoded<D extends DescMessage>({ type, value }: AnyMessage, desc: D): MessageShape<D> | undefined {
  if (typeNameOf(type) !== desc.typeName) return undefined;
  try {
    return fromBinary(desc, value);
  } catch {
    return undefined;
  }
}

type Terms = Pick<Vesting, 'type' | 'start' | 'end' | 'schedule'>;

function vestingWith(base: BaseVestingAccount | undefined, terms: Terms): Vesting {
  return {
    ...terms,
    original: coinsFrom(base?.originalVesting ?? []),
    delegatedFree: coinsFrom(base?.delegatedFree ?? []),
    delegatedVesting: coinsFrom(base?.delegatedVesting ?? []),
  };
}

/** The vesting of a stored account; null for an account of another type. */
export function vestingOf(account: AnyMessage): Vesting | null {
  const continuous = decoded(account, ContinuousVestingAccountSchema);
  if (continuous !== undefined) {
    const { baseVestingAccount: base, startTime } = continuous;
    const terms: Terms = { type: 'CONTINUOUS', start: timeOf(startTime), end: timeOf(base?.endTime ?? 0n), schedule: [] };
    return vestingWith(base, terms);
  }
  const delayed = decoded(account, DelayedVestingAccountSchema);
  if (delayed !== undefined) {
    const { baseVestingAccount: base } = delayed;
    const end = timeOf(base?.endTime ?? 0n);
    const schedule = [{ time: end, amount: coinsFrom(base?.originalVesting ?? []) }];
    return vestingWith(base, { type: 'DELAYED', start: null, end, schedule });
  }
  const periodic = decoded(account, PeriodicVestingAccountSchema);
  if (periodic !== undefined) {
    const { baseVestingAccount: base, startTime, vestingPeriods } = periodic;
    let time = startTime;
    const schedule = vestingPeriods.map(({ length, amount }): VestingStep => {
      time += length;
      return { time: timeOf(time), amount: coinsFrom(amount) };
    });
    return vestingWith(base, { type: 'PERIODIC', start: timeOf(startTime), end: timeOf(base?.endTime ?? 0n), schedule });
  }
  const locked = decoded(account, PermanentLockedAccountSchema);
  return locked === undefined
    ? null
    : vestingWith(locked.baseVestingAccount, { type: 'PERMANENT_LOCKED', start: null, end: null, schedule: [] });
}

function amountIn(coins: readonly Coin[], denom: string): bigint {
  return coins.reduce((sum, coin) => (coin.denom === denom ? sum + BigInt(coin.amount) : sum), 0n);
}

const second = 1_000_000_000n;

/** The part of an amount of a denom that has vested at the time of a block. The chain counts whole seconds, and rounds half to even. */
function vestedIn({ type, start, end, schedule }: Vesting, denom: string, original: bigint, time: Nanoseconds): bigint {
  const now = time / second;
  if (end === null || (start !== null && now <= start / second)) return 0n;
  if (now >= end / second) return original;
  if (type === 'CONTINUOUS' && start !== null) {
    const part = decDividedBy((now - start / second) * oneDec, ((end - start) / second) * oneDec);
    return wholeOf(decTimes(original * oneDec, part));
  }
  return schedule.filter((step) => step.time / second <= now).reduce((sum, { amount }) => sum + amountIn(amount, denom), 0n);
}

/** The vested part of the original coins at the time of a block, without those of amount 0. */
export function vestedAt(vesting: Vesting, time: Nanoseconds): readonly Coin[] {
  return vesting.original.flatMap(({ denom, amount }) => {
    const vested = vestedIn(vesting, denom, BigInt(amount), time);
    return vested === 0n ? [] : [{ denom, amount: String(vested) }];
  });
}

/** What of the balance cannot be sent at the time of a block: what has not vested and is not delegated. */
export function lockedAt(vesting: Vesting, time: Nanoseconds): readonly Coin[] {
  return vesting.original.flatMap(({ denom, amount }) => {
    const unvested = BigInt(amount) - vestedIn(vesting, denom, BigInt(amount), time);
    const locked = unvested - amountIn(vesting.delegatedVesting, denom);
    return locked <= 0n ? [] : [{ denom, amount: String(locked) }];
  });
}
