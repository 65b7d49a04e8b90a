import Big from 'big.js';
import { abciError } from '../../runtime/abciErrors.ts';

// Enough digits for exact rounding to 34 digits.
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

/** Throws unless a text is a decimal of at least zero. `what` names it in the error, which is not recorded. */
export function requireNonNegative(text: string, what: string): void {
  if (parse(text).lt(0)) throw abciError('groupInvalid', `${what}: expected a non-negative decimal, got ${text}`);
}

/** Throws unless a text is a decimal above zero. */
export function requirePositive(text: string, what: string): void {
  if (parse(text).lte(0)) throw abciError('groupInvalid', `${what}: expected a positive decimal, got ${text}`);
}

/** Whether a decimal equals zero. */
export function isZero(text: string): boolean {
  return parse(text).eq(0);
}

/** Returns -1, 0 or 1 if `a` is below, equal to or above `b`. */
export function compare(a: string, b: string): -1 | 0 | 1 {
  return parse(a).cmp(parse(b));
}

/** Adds two decimals. The result has the decimals of the longer fraction, as on the chain: `2.0` + `1` = `3.0`. */
export function add(a: string, b: string): string {
  return parse(a)
    .plus(parse(b))
    .toFixed(Math.max(scaleOf(a), scaleOf(b)));
}

/** Subtracts two decimals. Throws if the result is negative, in which case a policy cannot be evaluated. */
export function subtract(a: string, b: string): string {
  const difference = parse(a).minus(parse(b));
  if (difference.lt(0)) throw abciError('groupInvalid', 'result negative during non-negative subtraction');
  return difference.toFixed(Math.max(scaleOf(a), scaleOf(b)));
}

/** Divides with 34 significant digits and rounds half up, as the Cosmos SDK does. `b` must not be zero. */
export function divide(a: string, b: string): string {
  return parse(a).div(parse(b)).prec(significantDigits, Decimal.roundHalfUp).toFixed();
}
