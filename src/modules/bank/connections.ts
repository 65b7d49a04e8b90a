import type { GraphQLResolveInfo } from 'graphql';
import type { Awaitable } from '../../reads/loader.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection } from '../../schema/connection.ts';
import { balanceList, holderList, spendableList } from './lists.ts';
import type { Coin, Holding } from './model.ts';

/** Reads a page of the balances of an account. */
export function balances(
  parent: Pinned<object>,
  address: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Coin>>> {
  const pin = pinOf(parent);
  const { name, list } = balanceList(pin, address);
  return chainConnection(pin, name, list, args, info);
}

/** Reads a page of the spendable balances of an account. */
export function spendableBalances(
  parent: Pinned<object>,
  address: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Coin>>> {
  const pin = pinOf(parent);
  const { name, list } = spendableList(pin, address);
  return chainConnection(pin, name, list, args, info);
}

/** Reads a page of the holders of a denom, with or without a marker. */
export function holders(
  parent: Pinned<object>,
  denom: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Holding>>> {
  const pin = pinOf(parent);
  const { name, list } = holderList(pin, denom);
  return chainConnection(pin, name, list, args, info);
}
