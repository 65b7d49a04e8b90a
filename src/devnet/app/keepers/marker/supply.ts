import { moduleAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { burnCoins, mintCoins, sendCoins } from '../bank/state.ts';
import { markerAddress } from './state.ts';

const module = moduleAddress('marker');

/** Makes coins and puts them in the marker's escrow. */
export function mintSupply(context: Context, denom: string, amount: bigint): void {
  const coins = [{ denom, amount }];
  mintCoins(context, module, coins);
  sendCoins(context, module, markerAddress(denom), coins);
}

/** Takes coins out of the marker's escrow and destroys them. */
export function burnSupply(context: Context, denom: string, amount: bigint): void {
  const coins = [{ denom, amount }];
  sendCoins(context, markerAddress(denom), module, coins);
  burnCoins(context, module, coins);
}
