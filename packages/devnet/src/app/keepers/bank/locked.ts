import { fromBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { ContinuousVestingAccountSchema } from '../../../../../../src/proto/cosmos/vesting/v1beta1/vesting_pb.js';
import type { StoreView } from '../../state/store.ts';
import { readAnyAccount } from '../base/auth.ts';
import { readHold } from '../base/hold.ts';

const second = 1_000_000_000n;
const precision = 10n ** 18n;
const vestingType = `/${ContinuousVestingAccountSchema.typeName}`;

function divideRounding(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor / 2n) / divisor;
}

/** Returns the amount of a denomination that still vests. The elapsed share of the time has 18 decimals. */
function vestingOf(account: Any, denom: string, time: bigint): bigint {
  const { baseVestingAccount: base, startTime } = fromBinary(ContinuousVestingAccountSchema, account.value);
  const original = BigInt(base?.originalVesting.find((coin) => coin.denom === denom)?.amount ?? '0');
  if (base === undefined || original === 0n) return 0n;
  const now = time / second;
  if (now <= startTime) return original;
  if (now >= base.endTime) return 0n;
  const share = divideRounding((now - startTime) * precision, base.endTime - startTime);
  return original - divideRounding(original * share, precision);
}

/** Returns the amount of a balance that is not spendable at a time in nanoseconds since 1970: vesting and held coins. */
export function readLocked(state: StoreView, address: Uint8Array, denom: string, time: bigint): bigint {
  const account = readAnyAccount(state, address);
  const vesting = account?.typeUrl === vestingType ? vestingOf(account, denom, time) : 0n;
  return vesting + readHold(state, address, denom);
}
