import type { GraphQLResolveInfo } from 'graphql';
import { type Connection, type ConnectionArgs, chainConnection } from '../../graphql/connection.ts';
import { chainList } from '../chainList.ts';
import { addressKey } from '../input.ts';
import { type Pinned, pinOf } from '../pin.ts';
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

/** All that an account holds. */
export function balances(
  parent: Pinned<object>,
  address: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Coin>>> {
  const pin = pinOf(parent);
  return chainConnection(pin, `balances/${address}`, chainList(pin.loaders.bank.balances, address, denomKey), args, info);
}

/** What an account may spend. */
export function spendableBalances(
  parent: Pinned<object>,
  address: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Coin>>> {
  const pin = pinOf(parent);
  const list = chainList(pin.loaders.bank.spendableBalances, address, denomKey);
  return chainConnection(pin, `spendableBalances/${address}`, list, args, info);
}

/** Who holds a denom, a marker's or not. */
export function holders(
  parent: Pinned<object>,
  denom: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Holding>>> {
  const pin = pinOf(parent);
  return chainConnection(pin, `holders/${denom}`, chainList(pin.loaders.bank.holders, denom, holderKey), args, info);
}
