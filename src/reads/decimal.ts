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

// The decimals of staking and governance belong to the rules that the verifier shares.
export {
  type Dec,
  decDividedBy,
  decOf,
  decText,
  decTimes,
  oneDec,
  wholeOf,
} from '../../packages/verify/src/plans/rules/dec.ts';
