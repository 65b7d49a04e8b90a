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
