/** A decimal of the Cosmos SDK: an integer of 18 decimals. */
export type Dec = bigint;

/** The decimal 1. */
export const one: Dec = 10n ** 18n;

/** Divides and rounds half to even, as the SDK rounds products and quotients. Neither number is negative, and `divisor` is not zero. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  const [quotient, rest] = [dividend / divisor, dividend % divisor];
  if (rest * 2n === divisor) return quotient + (quotient % 2n);
  return rest * 2n > divisor ? quotient + 1n : quotient;
}

/** Multiplies two decimals. */
export const multiply = (a: Dec, b: Dec): Dec => nearest(a * b, one);

/** Divides two decimals. Like the SDK, it rounds a quotient of 36 decimals to 18. */
export const divide = (a: Dec, b: Dec): Dec => nearest((a * one * one) / b, one);

/** Formats a decimal as the SDK does: `0.500000000000000000`. */
export function decimalText(value: Dec): string {
  const digits = value.toString().padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`;
}

/** Parses a decimal of at most 18 decimals. undefined if the text is none. */
export function parseDecimal(text: string): Dec | undefined {
  const [, whole, fraction = ''] = /^(\d{1,60})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole) * one + BigInt(fraction.padEnd(18, '0'));
}
