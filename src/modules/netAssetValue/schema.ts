import { pageDefault } from '../../config/bounds.ts';
import { denomInput } from '../../reads/input.ts';
import { type Awaitable, andThen, type Pinned, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, type Fields, liveField, nonNull, usesContext } from '../../schema/builder.ts';
import { CoinRef, coinOf, DisplayAmountRef } from '../bank/schema.ts';
import { BlockRef, blockAt } from '../blocks/schema.ts';
import { addHistoryConnection, type HistoryConnection, historyConnection } from '../history/connection.ts';
import type { NamedHistory } from '../history/matches.ts';
import type { Marker } from '../marker/query.ts';
import { MarkerRef } from '../marker/schema.ts';
import type { Scope } from '../metadata/query.ts';
import { ScopeRef } from '../metadata/schema.ts';
import { createTransactionLoaders } from '../transactions/query.ts';
import { TransactionRef } from '../transactions/schema.ts';
import { markerValues, scopeValues } from './history.ts';
import {
  createNetAssetValueLoaders,
  type NetAssetValue,
  priceCoin,
  pricePerDisplayUnit,
  pricePerUnit,
  type Valuation,
  valuationOf,
} from './query.ts';

const NetAssetValueRef = createRef<Pinned<NetAssetValue>>('NetAssetValue');
const NetAssetValueConnectionRef = createRef<HistoryConnection<Pinned<NetAssetValue>>>('NetAssetValueConnection');

/** The fields of a marker or a scope. Histories are live: a node indexes events after the block. */
function assetFields<P extends Pinned<object>>(
  builder: Builder,
  t: Fields<P>,
  latestOf: (asset: P) => Awaitable<readonly NetAssetValue[] | null>,
  historyOf: (asset: P, priceDenom: string | undefined) => NamedHistory<NetAssetValue>,
) {
  const args = builder.args((arg) => ({
    priceDenom: arg.string(),
    first: arg.int({ defaultValue: pageDefault }),
    after: arg.string(),
  }));
  return {
    netAssetValues: t.field({
      type: [NetAssetValueRef],
      description: 'The latest net asset value in each price denom. The values that it replaced are in `netAssetValueHistory`.',
      resolve: (asset: P) => andThen(latestOf(asset), (values) => values?.map((value) => pinned(pinOf(asset), value)) ?? null),
    }),
    netAssetValueHistory: t.field({
      type: NetAssetValueConnectionRef,
      description:
        'derived: net asset values in the order in which they were set, newest first, read from events. With `priceDenom`, only those\nin that denom. Needs no node where an archive of mode FULL holds every height of the search.',
      extensions: liveField,
      args,
      resolve: usesContext((asset: P, { priceDenom, ...page }, _context, info) => {
        const denom = priceDenom == null ? undefined : denomInput('priceDenom', priceDenom);
        return historyConnection(pinOf(asset), historyOf(asset, denom), page, info);
      }),
    }),
  };
}

/** The value of a coin. */
export const ValuationRef = createRef<Pinned<Valuation>>('Valuation');

/** Adds net asset values, and the values of coins that follow from them. */
export function addNetAssetValues(builder: Builder): void {
  addHistoryConnection(builder, NetAssetValueRef, NetAssetValueConnectionRef, 'net asset values');
  builder.objectFields(MarkerRef, (t) => {
    const latestOf = (marker: Pinned<Marker>) => pinOf(marker).loaders(createNetAssetValueLoaders).ofMarker.load(marker.denom);
    return assetFields(builder, t, latestOf, ({ denom }, priceDenom) => markerValues(denom, priceDenom));
  });
  builder.objectFields(ScopeRef, (t) => {
    const latestOf = (scope: Pinned<Scope>) => pinOf(scope).loaders(createNetAssetValueLoaders).ofScope.load(scope.id);
    return assetFields(builder, t, latestOf, ({ id }, priceDenom) => scopeValues(id, priceDenom));
  });
  builder.objectType(NetAssetValueRef, {
    description:
      'The price of `volume` base units of a marker, or of a scope, in one price denom. The chain stores the latest value in each price denom.',
    fields: (t) => ({
      price: t.field({
        ...nonNull(CoinRef, 'Price of the whole volume. The denom `usd` counts mills: 1234 is $1.234.'),
        resolve: (value) => coinOf(value, priceCoin(pinOf(value), value)),
      }),
      volume: t.expose('volume', nonNull('UInt64', 'Number of base units that the price is for.')),
      pricePerUnit: t.field({
        type: 'Decimal',
        description:
          'derived: price of one base unit, in base units of the price denom, truncated to 18 decimals. null if the volume is 0.',
        resolve: pricePerUnit,
      }),
      pricePerDisplayUnit: t.field({
        type: DisplayAmountRef,
        description:
          'derived: price of one display unit, in the display unit of the price denom (for `usd`, US dollars). null if the volume is 0, or if one\nof the denoms has no display unit.',
        resolve: (value) => pricePerDisplayUnit(pinOf(value), value),
      }),
      updatedBlockHeight: t.expose(
        'updatedBlockHeight',
        nonNull('UInt64', 'Height of the block that set the value; 0 for a value of the genesis.'),
      ),
      updatedBlock: t.field({
        type: BlockRef,
        description: 'The block of `updatedBlockHeight`, which has its time.',
        resolve: (value) => blockAt(value, value.updatedBlockHeight),
      }),
      source: t.exposeString('source', {
        description:
          'Source of the value, as the event names it. null except in histories, because the chain does not store it.',
      }),
      transaction: t.field({
        type: TransactionRef,
        description: 'The transaction that set the value. null except in histories, and null if the block itself set it.',
        resolve: (value) => {
          if (!value.transactionHash) return null;
          const pin = pinOf(value);
          const transaction = pin.loaders(createTransactionLoaders).transaction.load(value.transactionHash);
          return pinnedValue(pin, transaction);
        },
      }),
    }),
  });
  builder.objectType(ValuationRef, {
    description: 'derived: the value of a coin by a net asset value: amount × price ÷ volume, truncated to 18 decimals.',
    fields: (t) => ({
      amount: t.expose(
        'amount',
        nonNull('Decimal', 'Value in base units of the price denom (for `usd`, mills). Can have decimals.'),
      ),
      denom: t.exposeString('denom', { nullable: false, description: 'The price denom.' }),
      display: t.expose('display', {
        type: DisplayAmountRef,
        description: 'Value in the display unit of the price denom; null if it has no metadata.',
      }),
      netAssetValue: t.field({
        ...nonNull(NetAssetValueRef, 'The net asset value that was used; `updatedBlockHeight` shows the age of the price.'),
        resolve: (valuation) => pinned(pinOf(valuation), valuation.netAssetValue),
      }),
    }),
  });
  builder.objectField(CoinRef, 'value', (t) =>
    t.field({
      type: ValuationRef,
      description:
        'derived: the value of the coin in the price denom `in`, by the latest net asset value. null if its marker or scope has no net asset\nvalue in that denom, or one with volume 0.',
      args: { in: t.arg.string({ defaultValue: 'usd' }) },
      resolve: (coin, args) => {
        const pin = pinOf(coin);
        const valuation = valuationOf(pin, coin, denomInput('in', args.in ?? 'usd'));
        return pinnedValue(pin, valuation);
      },
    }),
  );
}
