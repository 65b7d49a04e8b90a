import type { Coin } from '../bank/query.ts';
import { anyMetadataAddress } from '../metadata/address.ts';
import { type MessageReader, NoSummaryError } from './message.ts';

/** Maximum number of items in a list; a longer list ends in the number of the others. */
const namesMax = 4;

/** Maximum length of quoted text, in characters. */
const quoteMax = 60;

/** Separates the thousands of a decimal: "1,234,567.5". */
export function separated(decimal: string): string {
  return decimal.replace(/^\d+/, (whole) => whole.replaceAll(/\B(?=(\d{3})+$)/g, ','));
}

/** Returns a number with its noun: "1 vote", "2 votes". */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/**
 * Joins items: "a", "a and b", "a, b and c", and for more than `most` items "a, b, c and 2 others". Throws `NoSummaryError` for
 * none.
 */
export function join(items: readonly string[], most = namesMax): string {
  if (items.length === 0) throw new NoSummaryError('an empty list');
  const rest = items.length - (most - 1);
  const shown = items.length <= most ? items : [...items.slice(0, most - 1), count(rest, 'other')];
  return shown.length === 1 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** Returns the verb form for these subjects: "proposes" for one, "propose" for several. */
export function verb(subjects: readonly unknown[], plural: string, singular: string): string {
  return subjects.length === 1 ? singular : plural;
}

/**
 * Quotes text that a user wrote, on one line and cut at 60 characters. Curly quotes in the text become straight ones, so the
 * text cannot end the quotation early.
 */
export function quote(text: string): string {
  const line = text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .replace(/[“”]/g, '"');
  const characters = [...line];
  return `“${characters.length > quoteMax ? `${characters.slice(0, quoteMax).join('')}…` : line}”`;
}

/** Quotes bytes that are valid UTF-8. Returns the number of bytes otherwise: "4 bytes". */
export function quoteBytes(bytes: Uint8Array): string {
  try {
    return quote(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return count(bytes.length, 'byte');
  }
}

/**
 * Returns an enum value as lower-case words: `VOTE_OPTION_NO_WITH_VETO` without the prefix `VOTE_OPTION_` is "no with veto".
 */
export function enumText(value: string, prefix: string): string {
  if (!value.startsWith(prefix)) throw new NoSummaryError('an enum value without its prefix');
  return value.slice(prefix.length).toLowerCase().replaceAll('_', ' ');
}

const units = [
  ['day', 86_400n],
  ['hour', 3_600n],
  ['minute', 60n],
] as const;

/** Formats a duration of protobuf JSON: "86400s" is "1 day", "90s" is "1 minute 30 seconds". */
export function durationText(text: string): string {
  const [, whole, decimals = ''] = /^(\d+)(\.\d+)?s$/.exec(text) ?? [];
  if (whole === undefined) throw new NoSummaryError('not a duration');
  let rest = BigInt(whole);
  const parts = units.flatMap(([unit, size]) => {
    const number = rest / size;
    rest %= size;
    return number === 0n ? [] : [`${number} ${unit}${number === 1n ? '' : 's'}`];
  });
  if (rest > 0n || decimals !== '' || parts.length === 0) {
    parts.push(`${rest}${decimals} second${rest === 1n && decimals === '' ? '' : 's'}`);
  }
  return parts.join(' ');
}

/** Formats a timestamp of protobuf JSON: "2026-11-21 02:48:14 UTC". */
export function timeText(text: string): string {
  return text.replace('T', ' ').replace(/Z$/, ' UTC');
}

/** Returns a metadata address in bech32. Throws `NoSummaryError` for other bytes. */
export function metadataAddressText(bytes: Uint8Array): string {
  const address = anyMetadataAddress(bytes);
  if (address === undefined) throw new NoSummaryError('not a metadata address');
  return address;
}

/** Returns an amount of mills (thousandths of a US dollar) as a coin. */
export function usdMills(mills: string): Coin {
  return { denom: 'usd', amount: mills };
}

/** Reads a coin from a message of the type `cosmos.base.v1beta1.Coin`. */
export function coinFrom(message: MessageReader): Coin {
  return { denom: message.word('denom'), amount: message.word('amount') };
}
