import Big from 'big.js';
import { type Forms, formOf, writtenNumber } from '../language/language.ts';

/** A whole or decimal number of any size, with the separators of the visitor's locale. The digits are exact: nothing is rounded. */
export function count(value: string | bigint | number): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d*)(?:\.(\d+))?$/.exec(String(value)) ?? [];
  return `${sign}${writtenNumber(whole || '0', fraction)}`;
}

/**
 * A decimal amount of at least 0, rounded to two decimals: `12`, `12.50`, `≈ 0.03` if digits were lost. What is not zero is not shown as zero.
 */
export function rounded(value: string): string {
  const exact = new Big(value);
  const short = exact.round(2, Big.roundHalfUp);
  if (short.eq(0) && exact.gt(0)) return `< ${count('0.01')}`;
  return `${short.eq(exact) ? '' : '≈ '}${count(value.includes('.') ? short.toFixed(2) : short.toFixed())}`;
}

/** A percentage of the API (0 to 100, exact) with at most two decimals. A share that is not zero is not shown as zero. */
export function percent(value: string): string {
  const number = Number(value);
  if (number > 0 && number < 0.01) return `< ${count('0.01')} %`;
  return `${count(Number(number.toFixed(2)))} %`;
}

/** A size in bytes with one unit. */
export function bytes(value: string | number): string {
  const number = Number(value);
  if (number < 1_000) return `${number} B`;
  return number < 1_000_000 ? `${count((number / 1_000).toFixed(1))} kB` : `${count((number / 1_000_000).toFixed(1))} MB`;
}

/** A number with its noun: `1 vote`, `2 votes`. The noun is one of the texts, or an English one on pages that have only English texts. */
export function countOf(value: string | number | bigint, noun: string | Forms, plural = `${noun}s`): string {
  if (typeof noun === 'object') return `${count(value)} ${formOf(value, noun)}`;
  return `${count(value)} ${String(value) === '1' ? noun : plural}`;
}
