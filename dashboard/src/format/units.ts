import Big from 'big.js';

interface Unit {
  readonly amount: string;
  readonly display: { readonly amount: string } | null;
}

/**
 * Converts an amount in display units, as a visitor enters it, to base units. `coin` is any amount of the same denom, from which the factor is
 * taken. undefined if the text is no positive amount, or has more decimals than the denom.
 */
export function baseUnits(text: string, coin: Unit): string | undefined {
  const entered = text.replaceAll(/[,\s]/g, '');
  if (!/^\d+(\.\d+)?$/.test(entered)) return undefined;
  const factor =
    coin.display === null || Number(coin.display.amount) === 0 ? new Big(1) : new Big(coin.amount).div(coin.display.amount);
  const amount = new Big(entered).times(factor);
  return amount.gt(0) && amount.eq(amount.round(0)) ? amount.toFixed(0) : undefined;
}
