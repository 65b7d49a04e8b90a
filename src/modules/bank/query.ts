import { malformed } from '../../chain/wire/json.ts';
import { Query } from '../../proto/cosmos/bank/v1beta1/query_pb.js';
import type { Coin as WireCoin } from '../../proto/cosmos/base/v1beta1/coin_pb.js';
import { type Read, type ReadRequest, readOf, toPagination } from '../../reads/page.ts';
import { stateRead, stateReadOrNull } from '../../reads/query.ts';
import { type Coin, coinFromWire, type DenomMetadata, type Holding, metadataFromWire } from './model.ts';

/** The queries of `cosmos.bank.v1beta1.Query` that Stele uses, each at the height of the state. */

function coinOf(coin: WireCoin | undefined): Coin {
  if (coin === undefined) throw malformed('a response without a coin');
  return coinFromWire(coin);
}

/** Reads the balance of an account in one denom; amount 0 if it has none, also for an unknown denom. */
export const balance = stateRead({
  method: Query.method.balance,
  request: (address: string, denom: string) => ({ address, denom }),
  value: (answer): Coin => coinOf(answer.balance),
});

/** Reads the balances of an account, by denom. */
export const allBalances = stateRead({
  method: Query.method.allBalances,
  request: (address: string, page: ReadRequest) => ({ address, pagination: toPagination(page) }),
  value: ({ balances, pagination }, _address, page): Read<Coin> => readOf(balances.map(coinFromWire), pagination, page),
});

/** Reads the spendable balances of an account, by denom. */
export const spendableBalances = stateRead({
  method: Query.method.spendableBalances,
  request: (address: string, page: ReadRequest) => ({ address, pagination: toPagination(page) }),
  value: ({ balances, pagination }, _address, page): Read<Coin> => readOf(balances.map(coinFromWire), pagination, page),
});

/** Reads the supply of a denom; amount 0 for an unknown denom. */
export const supplyOf = stateRead({
  method: Query.method.supplyOf,
  request: (denom: string) => ({ denom }),
  value: ({ amount }): Coin => coinOf(amount),
});

/** Reads the metadata of a denom; null if the chain has none (code 22). */
export const denomMetadata = stateReadOrNull({
  method: Query.method.denomMetadata,
  request: (denom: string) => ({ denom }),
  value: ({ metadata }): DenomMetadata | null => (metadata ? metadataFromWire(metadata) : null),
  absences: [],
});

/** Reads the holders of a denom, by address. */
export const denomOwners = stateRead({
  method: Query.method.denomOwners,
  request: (denom: string, page: ReadRequest) => ({ denom, pagination: toPagination(page) }),
  value: (answer, _denom, page): Read<Holding> => {
    const holdings = answer.denomOwners.map(({ address, balance: held }) => ({ address, balance: coinOf(held) }));
    return readOf(holdings, answer.pagination, page);
  },
});
