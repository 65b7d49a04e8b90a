import { pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { CoinRef } from '../bank/schema.ts';
import { type IbcDenom, ibcDenomOf } from './query.ts';

const IbcDenomRef = createRef<IbcDenom>('IbcDenom');

/** Adds `Coin.ibc`. */
export function addIbc(builder: Builder): void {
  builder.objectType(IbcDenomRef, {
    description: 'Where a token of another chain came from.',
    fields: (t) => ({
      path: t.exposeString('path', {
        nullable: false,
        description: 'The ports and channels that it came through, the last one first: `transfer/channel-0`.',
      }),
      baseDenom: t.exposeString('baseDenom', {
        nullable: false,
        description: 'Its denom on the chain that issued it, such as `uatom`.',
      }),
    }),
  });
  builder.objectField(CoinRef, 'ibc', (t) =>
    t.field({
      type: IbcDenomRef,
      description:
        'Where a coin with a denom `ibc/…` came from. null for every other denom, and if the chain has no transfers of IBC or does not know the denom.',
      resolve: (coin) => ibcDenomOf(pinOf(coin), coin.denom),
    }),
  );
}
