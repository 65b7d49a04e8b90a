import { Query } from '../../proto/provenance/hold/v1/query_pb.js';
import { lazyLoaders } from '../../reads/pin.ts';
import { stateRead, valueOnce } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/query.ts';

/** The funds of an account that are on hold, by denom. Empty if there are none. */
const readHolds = stateRead({
  method: Query.method.getHolds,
  request: (address: string) => ({ address }),
  value: ({ amount }): readonly Coin[] => amount.map(coinFromWire),
});

export const createHoldLoaders = lazyLoaders({ holds: valueOnce(readHolds) });
