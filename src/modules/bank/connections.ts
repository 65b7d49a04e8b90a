import type { GraphQLResolveInfo } from 'graphql';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection } from '../../schema/connection.ts';
import { balanceList, holderList, spendableList } from './lists.ts';
import type { Coin, Holding } from './model.ts';

/** All that an account holds. */
export function balances(
  parent: Pinned<object>,
  address: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Coin>>> {
  const pin = pinOf(parent);
  const { name, list } = balanceList(pin, address);
  return chainConnection(pin, name, list, args, info);
}

/** What an account may spend. */
export function spendableBalances(
  parent: Pinned<object>,
  address: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Coin>>> {
  const pin = pinOf(parent);
  const { name, list } = spendableList(pin, address);
  return chainConnection(pin, name, list, args, info);
}

/** Who holds a denom, a marker's or not. */
export function holders(
  parent: Pinned<object>,
  denom: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Holding>>> {
  const pin = pinOf(parent);
  const { name, list } = holderList(pin, denom);
  return chainConnection(pin, name, list, args, info);
}
