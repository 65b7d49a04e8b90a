import { pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { AccountRef } from '../account/schema.ts';
import { CoinRef, coinOf } from '../bank/refs.ts';
import { createHoldLoaders } from './loaders.ts';

/** Adds the hold module: what of an account's funds is on hold. */
export function addHolds(builder: Builder): void {
  builder.objectField(AccountRef, 'holds', (t) =>
    t.field({
      type: [CoinRef],
      description: 'Funds on hold, which cannot be spent.',
      resolve: async (account) => {
        const coins = await pinOf(account).loaders(createHoldLoaders).holds.load(account.address);
        return coins.map((coin) => coinOf(account, coin));
      },
    }),
  );
}
