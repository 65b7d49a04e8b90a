import { addressKey } from '../../reads/input.ts';
import { chainList, type NamedList } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { createBankLoaders } from './loaders.ts';
import type { Coin, Holding } from './model.ts';

/**
 * The lists of the module. They are paged by offset: no page key of a list of balances was recorded, and the recorded page keys
 * of holders do not show how the chain treats a key between two items.
 */

const denomKey = ({ denom }: Coin): Uint8Array => Buffer.from(denom);

/** Sort key of holders on the chain, seen in recorded page keys: the length of the address, then the address. */
function holderKey({ address }: Holding): Uint8Array {
  const bytes = addressKey(address);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}

/** Balances of an account, by denom. */
export function balanceList({ loaders }: Pin, address: string): NamedList<Coin> {
  return { name: `balances/${address}`, list: chainList(loaders(createBankLoaders).balances, address, denomKey) };
}

/** Spendable balances of an account, by denom. Has the denoms of all balances, with amount 0 if nothing is spendable. */
export function spendableList({ loaders }: Pin, address: string): NamedList<Coin> {
  return {
    name: `spendableBalances/${address}`,
    list: chainList(loaders(createBankLoaders).spendableBalances, address, denomKey),
  };
}

/** Holders of a denom, with or without a marker, by address. */
export function holderList({ loaders }: Pin, denom: string): NamedList<Holding> {
  return { name: `holders/${denom}`, list: chainList(loaders(createBankLoaders).holders, denom, holderKey) };
}
