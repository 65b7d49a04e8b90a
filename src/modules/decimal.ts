import Big from 'big.js';

/** Digits behind the point of a derived quotient that does not end; cut, never rounded up (contract, "derived"). */
const quotientDigits = 18;

const Exact = Big();
Exact.DP = quotientDigits;
Exact.RM = 0;
// Text is always plain digits, whatever the size.
Exact.PE = 1_000_000;
Exact.NE = -1_000_000;

/** An exact decimal number. */
export type Decimal = Big;

/** Reads decimal text of the chain. Throws for other text. */
export function decimal(text: string): Decimal {
  return Exact(text);
}

/** Plain decimal text without exponent or trailing zeros. */
export function decimalText(value: Decimal): string {
  return value.toFixed();
}

/** Whether text is a decimal number: digits with at most one point between them, and a sign. */
export function isDecimal(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}

/** `part` in percent of `whole`, cut after 18 decimals; null when `whole` is 0. */
export function percentOf(part: Decimal, whole: Decimal): string | null {
  return whole.eq(0) ? null : decimalText(part.times(100).div(whole));
}
