import { decimal, decimalText } from '../../reads/decimal.ts';
import { type Awaitable, andThen, both } from '../../reads/loader.ts';
import type { Pin } from '../../reads/pin.ts';
import { type DisplayAmount, displayUnitOf, toDisplayAmount } from '../bank/display.ts';
import type { Coin } from '../bank/model.ts';
import { scopeOfDenom } from '../metadata/address.ts';
import { createNetAssetValueLoaders } from './loaders.ts';
import type { NetAssetValue } from './model.ts';

/**
 * Reads the latest net asset value of a denom in each price denom. Returns null if the denom has neither a marker nor a scope.
 */
export function netAssetValuesOf({ loaders }: Pin, denom: string): Awaitable<readonly NetAssetValue[] | null> {
  const scope = scopeOfDenom(denom);
  return scope === undefined
    ? loaders(createNetAssetValueLoaders).ofMarker.load(denom)
    : loaders(createNetAssetValueLoaders).ofScope.load(scope);
}

/**
 * Returns the price of one base unit, in base units of the price denom, truncated to 18 decimals. Returns null if the volume is
 * 0.
 */
export function pricePerUnit({ price, volume }: NetAssetValue): string | null {
  return volume === 0n ? null : decimalText(decimal(price.amount).div(decimal(volume.toString())));
}

/**
 * Returns the price of one display unit, in the display unit of the price denom. Returns null if the volume is 0 or if one of
 * the denoms has no display unit.
 */
export function pricePerDisplayUnit(pin: Pin, value: NetAssetValue): Awaitable<DisplayAmount | null> {
  const { price, volume } = value;
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

/**
 * Computes the value of a coin in a price denom. Returns null if its denom has no net asset value in that denom, or one with
 * volume 0.
 */
export function valuationOf(pin: Pin, coin: Coin, priceDenom: string): Awaitable<Valuation | null> {
  return andThen(netAssetValuesOf(pin, coin.denom), (values) => {
    const value = values?.find(({ price }) => price.denom === priceDenom);
    if (value === undefined || value.volume === 0n) return null;
    const product = decimal(coin.amount).times(decimal(value.price.amount)).div(decimal(value.volume.toString()));
    const amount = decimalText(product);
    return andThen(displayUnitOf(pin, priceDenom), (unit) => ({
      amount,
      denom: priceDenom,
      display: unit && toDisplayAmount(amount, unit),
      netAssetValue: value,
    }));
  });
}
