import { malformed } from '../../chain/wire/json.ts';
import type { NetAssetValue as MarkerValue } from '../../proto/provenance/marker/v1/marker_pb.js';
import { Query as MarkerQuery } from '../../proto/provenance/marker/v1/query_pb.js';
import { Query as MetadataQuery } from '../../proto/provenance/metadata/v1/query_pb.js';
import type { NetAssetValue as ScopeValue } from '../../proto/provenance/metadata/v1/scope_pb.js';
import { decimal, decimalText } from '../../reads/decimal.ts';
import { type Awaitable, andThen, both, lazyLoaders, type Pin } from '../../reads/pin.ts';
import { stateRead, stateReadOrNull, valueOnce } from '../../reads/query.ts';
import {
  type Coin,
  coinFromWire,
  type DisplayAmount,
  displayUnitOf,
  noteNetAssetValues,
  toDisplayAmount,
} from '../bank/query.ts';
import { denomOfScope, scopeOfDenom } from '../metadata/address.ts';

/**
 * The price of `volume` base units of a denom. A scope is priced as its coin `nft/scope1…`, whose supply is 1. Only values that
 * were read from events have `source` and `transactionHash`.
 */
export interface NetAssetValue {
  /** The denom that is priced. */
  readonly of: string;
  readonly price: Coin;
  readonly volume: bigint;
  readonly updatedBlockHeight: bigint;
  readonly source: string | null;
  /** Hash of the transaction that set the value, upper-case hex. null if the block itself set it. */
  readonly transactionHash: string | null;
}

function valueFromWire(of: string, { price, volume, updatedBlockHeight }: MarkerValue | ScopeValue): NetAssetValue {
  if (price === undefined) throw malformed('a net asset value without a price');
  return { of, price: coinFromWire(price), volume, updatedBlockHeight, source: null, transactionHash: null };
}

/** The latest net asset value of a marker in each price denom; null if the denom has no marker. */
const readMarkerNetAssetValues = stateReadOrNull({
  method: MarkerQuery.method.netAssetValues,
  request: (denom: string) => ({ id: denom }),
  value: ({ netAssetValues }, denom): readonly NetAssetValue[] | null =>
    netAssetValues.map((value) => valueFromWire(denom, value)),
  absences: ['invalid denom or address: marker not found'],
});

/** The latest net asset value of a scope in each price denom; empty if the scope has none or does not exist. */
const readScopeNetAssetValues = stateRead({
  method: MetadataQuery.method.scopeNetAssetValues,
  request: (id: string) => ({ id }),
  value: ({ netAssetValues }, id): readonly NetAssetValue[] =>
    netAssetValues.map((value) => valueFromWire(denomOfScope(id), value)),
});

/** The loaders of one pin: those of markers by denom, those of scopes by id. */
export const createNetAssetValueLoaders = lazyLoaders({
  ofMarker: valueOnce(readMarkerNetAssetValues),
  ofScope: valueOnce(readScopeNetAssetValues),
});

/** The latest net asset value of a denom in each price denom; null if the denom has neither a marker nor a scope. */
export function netAssetValuesOf(pin: Pin, denom: string): Awaitable<readonly NetAssetValue[] | null> {
  const scope = scopeOfDenom(denom);
  return scope === undefined
    ? pin.loaders(createNetAssetValueLoaders).ofMarker.load(denom)
    : pin.loaders(createNetAssetValueLoaders).ofScope.load(scope);
}

/** The price of the whole volume. It proves that the chain has net asset values, which say what the coin `usd` is. */
export function priceCoin(pin: Pin, { price }: NetAssetValue): Coin {
  noteNetAssetValues(pin);
  return price;
}

/** The price of one base unit, in base units of the price denom, truncated to 18 decimals; null if the volume is 0. */
export function pricePerUnit({ price, volume }: NetAssetValue): string | null {
  return volume === 0n ? null : decimalText(decimal(price.amount).div(decimal(volume.toString())));
}

/**
 * Returns the price of one display unit, in the display unit of the price denom. Returns null if the volume is 0 or if one of
 * the denoms has no display unit.
 */
export function pricePerDisplayUnit(pin: Pin, value: NetAssetValue): Awaitable<DisplayAmount | null> {
  const { volume } = value;
  const price = priceCoin(pin, value);
  return both(displayUnitOf(pin, value.of), displayUnitOf(pin, price.denom), (unit, priceUnit) => {
    if (unit === null || priceUnit === null || volume === 0n) return null;
    // Divides once, at the end, so that the result is truncated only once.
    const numerator = decimal(price.amount).times(decimal(`1e${unit.exponent}`));
    const denominator = decimal(volume.toString()).times(decimal(`1e${priceUnit.exponent}`));
    return { ...priceUnit, amount: decimalText(numerator.div(denominator)) };
  });
}

/** The value of a coin: amount × price ÷ volume, truncated to 18 decimals. */
export interface Valuation {
  readonly amount: string;
  readonly denom: string;
  readonly display: DisplayAmount | null;
  readonly netAssetValue: NetAssetValue;
}

/** Computes the value of a coin in a price denom; null if its denom has no net asset value in that denom, or one with volume 0. */
export function valuationOf(pin: Pin, coin: Coin, priceDenom: string): Awaitable<Valuation | null> {
  return andThen(netAssetValuesOf(pin, coin.denom), (values) => {
    const value = values?.find(({ price }) => price.denom === priceDenom);
    if (value === undefined || value.volume === 0n) return null;
    const price = priceCoin(pin, value);
    const product = decimal(coin.amount).times(decimal(price.amount)).div(decimal(value.volume.toString()));
    const amount = decimalText(product);
    return andThen(displayUnitOf(pin, priceDenom), (unit) => ({
      amount,
      denom: priceDenom,
      display: unit && toDisplayAmount(amount, unit),
      netAssetValue: value,
    }));
  });
}
