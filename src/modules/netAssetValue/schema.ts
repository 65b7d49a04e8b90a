import { denomInput } from '../../reads/input.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { CoinRef, coinOf, DisplayAmountRef } from '../bank/refs.ts';
import { blockAt } from '../blocks/blockSchema.ts';
import { BlockRef } from '../blocks/refs.ts';
import { createTransactionLoaders } from '../transactions/loaders.ts';
import { TransactionRef } from '../transactions/refs.ts';
import { addAssetFields } from './assetFields.ts';
import { pricePerDisplayUnit, pricePerUnit, type Valuation, valuationOf } from './price.ts';
import { NetAssetValueRef } from './refs.ts';

const ValuationRef = createRef<Pinned<Valuation>>('Valuation');

/** Adds net asset values, and what coins are worth by them. */
export function addNetAssetValues(builder: Builder): void {
  addAssetFields(builder);
  builder.objectType(NetAssetValueRef, {
    description:
      "Value of `volume` base units of a marker's denom, or of a scope, in one price denom; the chain keeps the last one of each.",
    fields: (t) => ({
      price: t.field({
        type: CoinRef,
        nullable: false,
        description: 'For the whole volume. Denom `usd` counts mills: 1234 is $1.234.',
        resolve: (value) => coinOf(value, value.price),
      }),
      volume: t.expose('volume', { type: 'UInt64', nullable: false }),
      pricePerUnit: t.field({
        type: 'Decimal',
        description: 'derived: price ÷ volume, in base units of both; null when the volume is 0.',
        resolve: pricePerUnit,
      }),
      pricePerDisplayUnit: t.field({
        type: DisplayAmountRef,
        description:
          "derived: price of one display unit, in the price's display unit (usd: dollars). null when the volume is 0 or either has no display unit.",
        resolve: (value) => pricePerDisplayUnit(pinOf(value), value),
      }),
      updatedBlockHeight: t.expose('updatedBlockHeight', { type: 'UInt64', nullable: false }),
      updatedBlock: t.field({
        type: BlockRef,
        description: 'The block of updatedBlockHeight, for its time.',
        resolve: (value) => blockAt(value, value.updatedBlockHeight),
      }),
      source: t.exposeString('source', {
        description: 'Who set it, as the event says; null outside histories, because the chain does not store it.',
      }),
      transaction: t.field({
        type: TransactionRef,
        description: 'The transaction that set it; null outside histories, and for one set by a block itself.',
        resolve: async (value) => {
          const pin = pinOf(value);
          const found =
            value.transactionHash && (await pin.loaders(createTransactionLoaders).transaction.load(value.transactionHash));
          return found ? pinned(pin, found) : null;
        },
      }),
    }),
  });
  builder.objectType(ValuationRef, {
    description: 'derived: what an amount is worth: amount × price ÷ volume of a net asset value.',
    fields: (t) => ({
      amount: t.expose('amount', {
        type: 'Decimal',
        nullable: false,
        description: 'In base units of the price denom (`usd`: mills); may have decimals.',
      }),
      denom: t.exposeString('denom', { nullable: false }),
      display: t.expose('display', { type: DisplayAmountRef, description: 'null when the price denom has no metadata.' }),
      netAssetValue: t.field({
        type: NetAssetValueRef,
        nullable: false,
        description: 'The net asset value it rests on; its height tells how old the price is.',
        resolve: (valuation) => pinned(pinOf(valuation), valuation.netAssetValue),
      }),
    }),
  });
  builder.objectField(CoinRef, 'value', (t) =>
    t.field({
      type: ValuationRef,
      description:
        'derived: what it is worth by the net asset value in `in`. null when the marker or scope has no net asset value in that denom.',
      args: { in: t.arg.string({ defaultValue: 'usd' }) },
      resolve: async (coin, args) => {
        const pin = pinOf(coin);
        const valuation = await valuationOf(pin, coin, denomInput('in', args.in ?? 'usd'));
        return valuation && pinned(pin, valuation);
      },
    }),
  );
}
