import Big from 'big.js';

/** Most decimals of a quotient. Further digits are cut off, never rounded up. */
const quotientDigits = 18;

const Exact = Big();
Exact.DP = quotientDigits;
Exact.RM = 0;
// Never print an exponent.
Exact.PE = 1_000_000;
Exact.NE = -1_000_000;

/** An exact decimal number. */
export type Decimal = Big;

/** Parses decimal text. Throws for any other text. */
export const decimal: (text: string) => Decimal = Exact;

/** Prints a number without an exponent or trailing zeros. */
export function decimalText(value: Decimal): string {
  return value.toFixed();
}

/** Whether text is a decimal number: an optional minus sign, digits, and at most one point between digits. */
export function isDecimal(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}

/** `part` as a percentage of `whole`, cut after 18 decimals; null if `whole` is 0. */
export function percentOf(part: Decimal, whole: Decimal): string | null {
  return whole.eq(0) ? null : decimalText(part.times(100).div(whole));
}

/** Decimal text that is canonical already. */
const canonical = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/;

/** Decimal text of the chain. The exponent is limited to three digits, so that a few bytes cannot expand to millions of zeros. */
const chainDecimal = /^\+?(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)$/i;

/**
 * Decimal text in canonical form, without an exponent or trailing zeros: `32.0` becomes `32`, `2.50` becomes `2.5`, `0.00`
 * becomes `0`, `1E+3` becomes `1000`. Returns the text unchanged if it is not a decimal number or its exponent exceeds 999.
 */
export function canonicalDecimal(text: string): string {
  if (canonical.test(text)) return text;
  const number = chainDecimal.exec(text)?.[1];
  return number === undefined ? text : decimal(number).toFixed().replace(/^-0$/, '0');
}

/** A number with 18 decimals, as the integer of its smallest units: the chain's `LegacyDec`. */
export type Dec = bigint;

/** Parses a decimal of the chain with at most 18 decimals. Throws for other text. */
export function decOf(text: string): Dec {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (whole === '') throw new Error('the text is not a decimal with at most 18 decimals');
  return BigInt(sign + whole + fraction.padEnd(18, '0'));
}

/** Prints a decimal with 18 decimals. */
export function decText(value: Dec): string {
  const digits = String(value < 0n ? -value : value).padStart(19, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`;
}

/** One, as a {@link Dec}. */
export const oneDec: Dec = 10n ** 18n;

/** Divides by 10^18 and rounds half to even, as the chain rounds products and quotients: the integer nearest to a decimal. `value` is not negative. */
export function wholeOf(value: bigint): bigint {
  const [quotient, rest] = [value / oneDec, value % oneDec];
  const half = oneDec / 2n;
  return rest > half || (rest === half && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** The product of two decimals that are not negative, as the chain rounds it. */
export const decTimes = (a: Dec, b: Dec): Dec => wholeOf(a * b);

/** The quotient of two decimals that are not negative, as the chain rounds it. */
export const decDividedBy = (a: Dec, b: Dec): Dec => wholeOf((a * oneDec * oneDec) / b);
