// Exact decimals: a whole number of units, and how many decimals a unit has. The SDK's group module counts weights so; a sum has as many decimals as the
// longer of its parts, and prints them all.

/** An exact decimal: `units` / 10^`decimals`. */
export interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

const decimalText = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;

/** Parses decimal text, also with an exponent of at most three digits. Throws for other text. */
export function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = decimalText.exec(text) ?? [];
  if (whole + fraction === '') throw new Error('the text is not a decimal number');
  const units = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const decimals = fraction.length - Number(exponent);
  return decimals < 0 ? { units: units * 10n ** BigInt(-decimals), decimals: 0 } : { units, decimals };
}

/** The units of a number if a unit has `decimals` decimals, of which it has no more itself. */
const unitsAt = ({ units, decimals }: Decimal, at: number): bigint => units * 10n ** BigInt(at - decimals);

/** Adds two numbers. */
export function sumOf(a: Decimal, b: Decimal): Decimal {
  const decimals = Math.max(a.decimals, b.decimals);
  return { units: unitsAt(a, decimals) + unitsAt(b, decimals), decimals };
}

/** Prints a number with all its decimals and without an exponent. */
export function printed({ units, decimals }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const sign = units < 0n ? '-' : '';
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
