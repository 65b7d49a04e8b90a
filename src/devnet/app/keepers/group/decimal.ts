import Big from 'big.js';
import { abciError } from '../../runtime/abciErrors.ts';

// Enough digits that rounding to 34 afterwards is exact to the last one.
const Decimal = Big();
Decimal.DP = 60;
Decimal.RM = Decimal.roundDown;

const significantDigits = 34;
const notation = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$/;

function parse(text: string): Big {
  if (!notation.test(text)) throw abciError('groupInvalid', `invalid decimal string: ${text}`);
  return Decimal(text);
}

function scaleOf(text: string): number {
  return text.split(/[eE]/)[0]?.split('.')[1]?.length ?? 0;
}

/** Refuses what is not a decimal number of zero or more. `what` names it in the text, which is not recorded. */
export function requireNonNegative(text: string, what: string): void {
  if (parse(text).lt(0)) throw abciError('groupInvalid', `${what}: expected a non-negative decimal, got ${text}`);
}

/** Refuses what is not a decimal number above zero. */
export function requirePositive(text: string, what: string): void {
  if (parse(text).lte(0)) throw abciError('groupInvalid', `${what}: expected a positive decimal, got ${text}`);
}

/** Whether it is zero, however written. */
export function isZero(text: string): boolean {
  return parse(text).eq(0);
}

/** -1, 0 or 1, as `a` is below, equal to or above `b`. */
export function compare(a: string, b: string): -1 | 0 | 1 {
  return parse(a).cmp(parse(b));
}

/** The sum; it keeps the longer fraction of the two, as the chain's decimals do (`2.0` and `1` are `3.0`). */
export function add(a: string, b: string): string {
  return parse(a)
    .plus(parse(b))
    .toFixed(Math.max(scaleOf(a), scaleOf(b)));
}

/** The difference, which must not be below zero: a policy that meets that cannot be evaluated. */
export function subtract(a: string, b: string): string {
  const difference = parse(a).minus(parse(b));
  if (difference.lt(0)) throw abciError('groupInvalid', 'result negative during non-negative subtraction');
  return difference.toFixed(Math.max(scaleOf(a), scaleOf(b)));
}

/** The quotient to 34 significant digits, halves rounded up, as the Cosmos SDK divides. `b` is not zero. */
export function divide(a: string, b: string): string {
  return parse(a).div(parse(b)).prec(significantDigits, Decimal.roundHalfUp).toFixed();
}
