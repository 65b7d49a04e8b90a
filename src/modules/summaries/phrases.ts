import type { Coin } from '../bank/model.ts';
import { anyMetadataAddress } from '../metadata/address.ts';
import { type Message, NotToldError } from './message.ts';

/** Most things that a list names; of more it tells the number. */
const namesMax = 4;

/** Longest text of others that is repeated, in characters. */
const quoteMax = 60;

/** A number of things: "1 vote", "2 votes". */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** "a", "a and b", "a, b and c"; of more than `most` "a, b, c and 2 others". */
export function join(items: readonly string[], most = namesMax): string {
  if (items.length === 0) throw new NotToldError('nothing to name');
  const rest = items.length - (most - 1);
  const shown = items.length <= most ? items : [...items.slice(0, most - 1), count(rest, 'other')];
  return shown.length === 1 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** Whether what several do is told in the plural: "propose", else "proposes". */
export function verb(who: readonly unknown[], plural: string, singular: string): string {
  return who.length === 1 ? singular : plural;
}

/** Text of others in quotes, in one line, cut where it is long. It holds no such quotes itself, so that it ends where it seems to. */
export function quote(text: string): string {
  const line = text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .replace(/[“”]/g, '"');
  const characters = [...line];
  return `“${characters.length > quoteMax ? `${characters.slice(0, quoteMax).join('')}…` : line}”`;
}

/** Bytes as text in quotes where they are text; else their number. */
export function quoteBytes(bytes: Uint8Array): string {
  try {
    return quote(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return count(bytes.length, 'byte');
  }
}

/** The value of an enum in words: `VOTE_OPTION_NO_WITH_VETO` without its prefix is "no with veto". */
export function enumWords(value: string, prefix: string): string {
  if (!value.startsWith(prefix)) throw new NotToldError('not of the enum');
  return value.slice(prefix.length).toLowerCase().replaceAll('_', ' ');
}

const units = [
  ['day', 86_400n],
  ['hour', 3_600n],
  ['minute', 60n],
] as const;

/** A length of time of protobuf JSON: "86400s" is "1 day", "90s" is "1 minute 30 seconds". */
export function durationWords(text: string): string {
  const [, whole, decimals = ''] = /^(\d+)(\.\d+)?s$/.exec(text) ?? [];
  if (whole === undefined) throw new NotToldError('not a length of time');
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

/** A time of protobuf JSON: "2026-11-21 02:48:14 UTC". */
export function timeWords(text: string): string {
  return text.replace('T', ' ').replace(/Z$/, ' UTC');
}

/** A metadata address of bytes, in bech32. */
export function metadataWords(bytes: Uint8Array): string {
  const address = anyMetadataAddress(bytes);
  if (address === undefined) throw new NotToldError('not a metadata address');
  return address;
}

/** A coin of so many mills of a dollar. */
export function dollars(mills: string): Coin {
  return { denom: 'usd', amount: mills };
}

/** A coin in a message. */
export function coinIn(message: Message): Coin {
  return { denom: message.text('denom'), amount: message.text('amount') };
}
