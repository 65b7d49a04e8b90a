import type { Keeper } from '../keeper.ts';
import { authKeeper } from './auth.ts';
import { bankKeeper } from './bank.ts';
import { createGroupKeeper, type GroupSettings } from './group/index.ts';
import { rewardsKeeper } from './rewards.ts';

/** Every chain module of the devnet, in the order in which their blocks begin and end. A new one is a line here. */
export function createKeepers(settings: { readonly group: GroupSettings }): Keeper[] {
  return [rewardsKeeper, authKeeper, bankKeeper, createGroupKeeper(settings.group)];
}
