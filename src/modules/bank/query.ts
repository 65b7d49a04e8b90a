import type { StateAt } from '../../chain/state/state.ts';
import { malformed } from '../../chain/wire/decode.ts';
import { Query } from '../../proto/cosmos/bank/v1beta1/query_pb.js';
import type { Coin as WireCoin } from '../../proto/cosmos/base/v1beta1/coin_pb.js';
import { readOf, toPagination } from '../../reads/chainList.ts';
import type { Read, ReadRequest } from '../../reads/page.ts';
import { queryState, queryStateOrNull } from '../../reads/query.ts';
import { type Coin, coinFromWire, type DenomMetadata, type Holding, metadataFromWire } from './model.ts';

/** The queries of `cosmos.bank.v1beta1.Query` that Stele uses, each at the height of the state. */

function coinOf(coin: WireCoin | undefined): Coin {
  if (coin === undefined) throw malformed('a response without a coin');
  return coinFromWire(coin);
}

/** Reads the balance of an account in one denom; amount 0 if it has none, also for an unknown denom. */
export async function balance(state: StateAt, address: string, denom: string): Promise<Coin> {
  return coinOf((await queryState(state, Query.method.balance, { address, denom })).balance);
}

/** Reads the balances of an account, by denom. */
export async function allBalances(state: StateAt, address: string, page: ReadRequest): Promise<Read<Coin>> {
  const answer = await queryState(state, Query.method.allBalances, { address, pagination: toPagination(page) });
  return readOf(answer.balances.map(coinFromWire), answer.pagination, page);
}

/** Reads the spendable balances of an account, by denom. */
export async function spendableBalances(state: StateAt, address: string, page: ReadRequest): Promise<Read<Coin>> {
  const answer = await queryState(state, Query.method.spendableBalances, { address, pagination: toPagination(page) });
  return readOf(answer.balances.map(coinFromWire), answer.pagination, page);
}

/** Reads the supply of a denom; amount 0 for an unknown denom. */
export async function supplyOf(state: StateAt, denom: string): Promise<Coin> {
  return coinOf((await queryState(state, Query.method.supplyOf, { denom })).amount);
}

/** Reads the metadata of a denom; null if the chain has none (code 22). */
export async function denomMetadata(state: StateAt, denom: string): Promise<DenomMetadata | null> {
  const answer = await queryStateOrNull(state, Query.method.denomMetadata, { denom }, []);
  return answer?.metadata ? metadataFromWire(answer.metadata) : null;
}

/** Reads the holders of a denom, by address. */
export async function denomOwners(state: StateAt, denom: string, page: ReadRequest): Promise<Read<Holding>> {
  const answer = await queryState(state, Query.method.denomOwners, { denom, pagination: toPagination(page) });
  const holdings = answer.denomOwners.map(({ address, balance: held }) => ({ address, balance: coinOf(held) }));
  return readOf(holdings, answer.pagination, page);
}
