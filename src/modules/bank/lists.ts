import { chainList, type NamedList } from '../../reads/chainList.ts';
import { addressKey } from '../../reads/input.ts';
import type { Pin } from '../../reads/pin.ts';
import { createBankLoaders } from './loaders.ts';
import type { Coin, Holding } from './model.ts';

/**
 * The lists of the module. The chain's page keys of balances were never seen, and those of holders only where they are of an item:
 * the lists are searched by offset.
 */

const denomKey = ({ denom }: Coin): Uint8Array => Buffer.from(denom);

/** As the chain sorts holders: an address behind its length (seen in a page key). */
function holderKey({ address }: Holding): Uint8Array {
  const bytes = addressKey(address);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}

/** All that an account holds, by denom. */
export function balanceList({ loaders }: Pin, address: string): NamedList<Coin> {
  return { name: `balances/${address}`, list: chainList(loaders(createBankLoaders).balances, address, denomKey) };
}

/** What an account may spend, by denom: of the same denoms as its balances, 0 where nothing is free. */
export function spendableList({ loaders }: Pin, address: string): NamedList<Coin> {
  return {
    name: `spendableBalances/${address}`,
    list: chainList(loaders(createBankLoaders).spendableBalances, address, denomKey),
  };
}

/** Who holds a denom, a marker's or not, by address. */
export function holderList({ loaders }: Pin, denom: string): NamedList<Holding> {
  return { name: `holders/${denom}`, list: chainList(loaders(createBankLoaders).holders, denom, holderKey) };
}
