import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/hold/v1/query_pb.js';
import { queryState } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';

/** Reads the funds of an account that are on hold, by denom. Empty if there are none. */
export async function holds(state: StateAt, address: string): Promise<readonly Coin[]> {
  return (await queryState(state, Query.method.getHolds, { address })).amount.map(coinFromWire);
}
