import { decimal, decimalText, percentOf } from '../../reads/decimal.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import type { Pin } from '../../reads/pin.ts';
import { createBankLoaders } from './loaders.ts';
import type { Coin } from './model.ts';

/** The display unit of a denom: 10^exponent base units. */
export interface DisplayUnit {
  readonly denom: string;
  readonly symbol: string;
  readonly exponent: number;
}

/** An amount in its display unit. */
export interface DisplayAmount extends DisplayUnit {
  readonly amount: string;
}

/**
 * The denom `usd` counts mills, thousandths of a US dollar (docs/chain.md, "Net asset values"). The chain has no metadata for
 * it.
 */
const dollars: DisplayUnit = { denom: 'USD', symbol: 'USD', exponent: 3 };

/**
 * Reads the display unit of a denom. Returns null if the chain has no metadata for the denom, or if the metadata lacks that
 * unit.
 */
export function displayUnitOf({ loaders }: Pin, denom: string): Awaitable<DisplayUnit | null> {
  if (denom === 'usd') return dollars;
  return andThen(loaders(createBankLoaders).metadata.load(denom), (metadata) => {
    if (metadata === null) return null;
    const unit = metadata.denomUnits.find((each) => each.denom === metadata.display);
    return unit ? { denom: unit.denom, symbol: metadata.symbol, exponent: unit.exponent } : null;
  });
}

/** Converts an amount of base units, which can have decimals, to a display unit without rounding. */
export function toDisplayAmount(amount: string, unit: DisplayUnit): DisplayAmount {
  return { ...unit, amount: decimalText(decimal(amount).times(decimal(`1e-${unit.exponent}`))) };
}

/** Converts a coin to its display unit. Returns null if the denom has none. */
export function displayOf(pin: Pin, { denom, amount }: Coin): Awaitable<DisplayAmount | null> {
  return andThen(displayUnitOf(pin, denom), (unit) => unit && toDisplayAmount(amount, unit));
}

/** Returns a coin as a percentage of the supply of its denom, 0 to 100. Returns null if the supply is 0. */
export function supplyPercentOf({ loaders }: Pin, { denom, amount }: Coin): Awaitable<string | null> {
  return andThen(loaders(createBankLoaders).supply.load(denom), (supply) => percentOf(decimal(amount), decimal(supply.amount)));
}
