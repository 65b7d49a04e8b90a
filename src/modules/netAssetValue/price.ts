import { decimal, decimalText } from '../../reads/decimal.ts';
import type { Pin } from '../../reads/pin.ts';
import { type DisplayAmount, displayUnitOf, inUnit } from '../bank/display.ts';
import type { Coin } from '../bank/model.ts';
import { scopeOfDenom } from '../metadata/address.ts';
import { createNetAssetValueLoaders } from './loaders.ts';
import type { NetAssetValue } from './model.ts';

/** What a denom is worth, the last value in each price denom; null when it is neither a marker's nor a scope's. */
export function netAssetValuesOf({ loaders }: Pin, denom: string): Promise<readonly NetAssetValue[] | null> {
  const scope = scopeOfDenom(denom);
  return scope === undefined
    ? loaders(createNetAssetValueLoaders).ofMarker.load(denom)
    : loaders(createNetAssetValueLoaders).ofScope.load(scope);
}

/** Price of one base unit, in base units of the price denom, cut after 18 decimals; null when the volume is 0. */
export function pricePerUnit({ price, volume }: NetAssetValue): string | null {
  return volume === 0n ? null : decimalText(decimal(price.amount).div(decimal(volume.toString())));
}

/** Price of one display unit, in the display unit of the price; null when the volume is 0 or either has no display unit. */
export async function pricePerDisplayUnit(pin: Pin, value: NetAssetValue): Promise<DisplayAmount | null> {
  const { price, volume } = value;
  const [unit, priceUnit] = await Promise.all([displayUnitOf(pin, value.of), displayUnitOf(pin, price.denom)]);
  if (unit === null || priceUnit === null || volume === 0n) return null;
  // One division, last: nothing is cut twice.
  const numerator = decimal(price.amount).times(decimal(`1e${unit.exponent}`));
  const denominator = decimal(volume.toString()).times(decimal(`1e${priceUnit.exponent}`));
  return { ...priceUnit, amount: decimalText(numerator.div(denominator)) };
}

/** What an amount is worth: amount × price ÷ volume, cut after 18 decimals. */
export interface Valuation {
  readonly amount: string;
  readonly denom: string;
  readonly display: DisplayAmount | null;
  readonly netAssetValue: NetAssetValue;
}

/** What a coin is worth in a price denom; null when its denom has no value in that, or one of no volume. */
export async function valuationOf(pin: Pin, coin: Coin, priceDenom: string): Promise<Valuation | null> {
  const values = await netAssetValuesOf(pin, coin.denom);
  const value = values?.find(({ price }) => price.denom === priceDenom);
  if (value === undefined || value.volume === 0n) return null;
  const worth = decimal(coin.amount).times(decimal(value.price.amount)).div(decimal(value.volume.toString()));
  const amount = decimalText(worth);
  const unit = await displayUnitOf(pin, priceDenom);
  return { amount, denom: priceDenom, display: unit && inUnit(amount, unit), netAssetValue: value };
}
