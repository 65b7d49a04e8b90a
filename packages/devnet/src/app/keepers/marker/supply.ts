import { moduleAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { burnCoins, mintCoins, sendCoins } from '../bank/state.ts';
import { markerAddress } from './state.ts';

const module = moduleAddress('marker');

/** Mints coins into the marker's escrow. */
export function mintSupply(context: Context, denom: string, amount: bigint): void {
  const coins = [{ denom, amount }];
  mintCoins(context, module, coins);
  sendCoins(context, module, markerAddress(denom), coins);
}

/** Burns coins from the marker's escrow. */
export function burnSupply(context: Context, denom: string, amount: bigint): void {
  const coins = [{ denom, amount }];
  sendCoins(context, markerAddress(denom), module, coins);
  burnCoins(context, module, coins);
}
