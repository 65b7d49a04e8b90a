import type { StoreView } from '../../state/store.ts';
import { readAnyAccount } from '../base/auth.ts';
import { readHold } from '../base/hold.ts';
import { vestingOf } from './vesting.ts';

/** Returns the amount of a balance that is not spendable at a time in nanoseconds since 1970: vesting and held coins. */
export function readLocked(state: StoreView, address: Uint8Array, denom: string, time: bigint): bigint {
  const account = readAnyAccount(state, address);
  const vesting = account === undefined ? 0n : vestingOf(account, denom, time);
  return vesting + readHold(state, address, denom);
}
