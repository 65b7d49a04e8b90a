import { Query } from '../../proto/provenance/hold/v1/query_pb.js';
import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { stateRead } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/query.ts';

/** Reads the funds of an account that are on hold, by denom. Empty if there are none. */
const readHolds = stateRead({
  method: Query.method.getHolds,
  request: (address: string) => ({ address }),
  value: ({ amount }): readonly Coin[] => amount.map(coinFromWire),
});

/** Loaders of the hold module for one pin. */
interface HoldLoaders {
  readonly holds: Loader<string, readonly Coin[]>;
}

/** Creates the loaders of one pin. */
export function createHoldLoaders({ state }: Source): HoldLoaders {
  return { holds: createLoader((address: string) => readHolds(state, address)) };
}
