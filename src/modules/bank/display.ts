import { decimal, decimalText, percentOf } from '../../reads/decimal.ts';
import type { Pin } from '../../reads/pin.ts';
import { createBankLoaders } from './loaders.ts';
import type { Coin } from './model.ts';

/** The unit in which people read a denom: 10^exponent base units. */
export interface DisplayUnit {
  readonly denom: string;
  readonly symbol: string;
  readonly exponent: number;
}

/** An amount in its display unit. */
export interface DisplayAmount extends DisplayUnit {
  readonly amount: string;
}

/** Prices in `usd` count mills, a thousandth of a dollar (chain.md 5); the chain holds no metadata for it. */
const dollars: DisplayUnit = { denom: 'USD', symbol: 'USD', exponent: 3 };

/** The display unit of a denom; null when the chain holds no metadata for it, or names no such unit. */
export async function displayUnitOf({ loaders }: Pin, denom: string): Promise<DisplayUnit | null> {
  if (denom === 'usd') return dollars;
  const metadata = await loaders(createBankLoaders).metadata.load(denom);
  if (metadata === null) return null;
  const unit = metadata.denomUnits.find((each) => each.denom === metadata.display);
  return unit ? { denom: unit.denom, symbol: metadata.symbol, exponent: unit.exponent } : null;
}

/** An amount of base units, which may have decimals, in a display unit, exactly. */
export function inUnit(amount: string, unit: DisplayUnit): DisplayAmount {
  return { ...unit, amount: decimalText(decimal(amount).times(decimal(`1e-${unit.exponent}`))) };
}

/** A coin in its display unit; null when it has none. */
export async function displayOf(pin: Pin, { denom, amount }: Coin): Promise<DisplayAmount | null> {
  const unit = await displayUnitOf(pin, denom);
  return unit && inUnit(amount, unit);
}

/** What percentage of the units that exist a coin is, 0 to 100; null when there are none. */
export async function supplyPercentOf({ loaders }: Pin, { denom, amount }: Coin): Promise<string | null> {
  const supply = await loaders(createBankLoaders).supply.load(denom);
  return percentOf(decimal(amount), decimal(supply.amount));
}
