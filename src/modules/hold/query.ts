import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/hold/v1/query_pb.js';
import { queryState } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';

/** What of an account's funds is on hold, by denom; empty when nothing. */
export async function holds(state: StateAt, address: string): Promise<readonly Coin[]> {
  return (await queryState(state, Query.method.getHolds, { address })).amount.map(coinFromWire);
}
