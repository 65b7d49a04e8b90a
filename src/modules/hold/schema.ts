import { andThen, pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { AccountRef } from '../account/schema.ts';
import { CoinRef, coinOf } from '../bank/schema.ts';
import { createHoldLoaders } from './query.ts';

/** Adds the hold module: the funds of an account that are on hold. */
export function addHolds(builder: Builder): void {
  builder.objectField(AccountRef, 'holds', (t) =>
    t.field({
      type: [CoinRef],
      description: 'Funds of the account that are on hold and cannot be spent; empty if there are none.',
      resolve: (account) =>
        andThen(pinOf(account).loaders(createHoldLoaders).holds.load(account.address), (coins) =>
          coins.map((coin) => coinOf(account, coin)),
        ),
    }),
  );
}
