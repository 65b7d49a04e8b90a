import { Query } from '../../proto/provenance/hold/v1/query_pb.js';
import { stateRead } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';

/** Reads the funds of an account that are on hold, by denom. Empty if there are none. */
export const holds = stateRead({
  method: Query.method.getHolds,
  request: (address: string) => ({ address }),
  value: ({ amount }): readonly Coin[] => amount.map(coinFromWire),
});
