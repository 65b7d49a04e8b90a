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

/** Decimal text that is in its one form already. */
const canonical = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/;

/** Decimal text of the chain. An exponent has at most three digits here: a few bytes could otherwise ask for any number of zeros. */
const chainDecimal = /^\+?(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)$/i;

/**
 * Decimal text of the chain in one form, without an exponent or trailing zeros: `32.0` is `32`, `2.50` is `2.5`, `0.00` is `0`, `1E+3` is
 * `1000`. Text that is not a decimal number, or whose exponent is beyond 999, stays as it is.
 */
export function canonicalDecimal(text: string): string {
  if (canonical.test(text)) return text;
  const number = chainDecimal.exec(text)?.[1];
  return number === undefined ? text : decimalText(decimal(number)).replace(/^-0$/, '0');
}
