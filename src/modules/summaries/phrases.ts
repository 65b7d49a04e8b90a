import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { Awaitable } from '../../reads/pin.ts';
import type { Coin } from '../bank/query.ts';
import { anyMetadataAddress } from '../metadata/address.ts';

/** Thrown by a summarizer if a field is missing or malformed. The message then has no summary; clients never see this error. */
export class NoSummaryError extends Error {
  override readonly name = 'NoSummaryError';
}

/**
 * Reads the fields of a message in canonical protobuf JSON by name. A required field that is missing throws `NoSummaryError`.
 */
export interface MessageReader {
  /**
   * A string without white space or control characters: a name, address, denom, enum value, 64-bit number or time. Other text
   * throws, so a value cannot imitate a part of the sentence.
   */
  word(name: string): string;
  /** Like `word`; undefined if the field is unset or empty. */
  optionalWord(name: string): string | undefined;
  wordList(name: string): readonly string[];
  /** Any text, which the sentence must quote. Empty if the field is unset. */
  freeText(name: string): string;
  flag(name: string): boolean;
  /** The JSON in the message of a contract; null if the field is unset. Bytes that are not JSON are their base64. */
  json(name: string): JsonValue;
  bytes(name: string): Uint8Array;
  bytesList(name: string): readonly Uint8Array[];
  /** A nested message. */
  part(name: string): MessageReader;
  /** Like `part`; undefined if the field is unset. */
  optionalPart(name: string): MessageReader | undefined;
  parts(name: string): readonly MessageReader[];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asWord(value: JsonValue | undefined): string {
  if (typeof value === 'string' && /^[^\s\p{C}]+$/u.test(value)) return value;
  throw new NoSummaryError('not a word');
}

function asFreeText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new NoSummaryError('not text');
}

function asBytes(value: JsonValue | undefined): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  throw new NoSummaryError('not bytes');
}

/** Creates the reader of a message. Throws `NoSummaryError` if the JSON is not an object. */
export function readMessage(json: JsonValue | undefined): MessageReader {
  if (!isObject(json)) throw new NoSummaryError('not a message');
  const list = (name: string): readonly JsonValue[] => {
    const value = json[name];
    if (Array.isArray(value)) return value;
    throw new NoSummaryError('not a list');
  };
  const optionalWord = (name: string): string | undefined => {
    const value = json[name];
    return value === undefined || value === null || value === '' ? undefined : asWord(value);
  };
  return {
    word: (name) => asWord(json[name]),
    optionalWord,
    wordList: (name) => list(name).map(asWord),
    freeText: (name) => asFreeText(json[name]),
    flag: (name) => json[name] === true,
    json: (name) => json[name] ?? null,
    bytes: (name) => asBytes(json[name]),
    bytesList: (name) => list(name).map(asBytes),
    part: (name) => readMessage(json[name]),
    optionalPart: (name) => (isObject(json[name]) ? readMessage(json[name]) : undefined),
    parts: (name) => list(name).map(readMessage),
  };
}

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
  const names = items.length <= most ? items : [...items.slice(0, most - 1), count(rest, 'other')];
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
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

export function usdMills(mills: string): Coin {
  return { denom: 'usd', amount: mills };
}

/** Reads a coin from a message of the type `cosmos.base.v1beta1.Coin`. */
export function coinFrom(message: MessageReader): Coin {
  return { denom: message.word('denom'), amount: message.word('amount') };
}

/** Summarizes the parts of a message that need reads of the chain or the summaries of other messages. */
export interface SummaryContext {
  /**
   * Returns coins in display units where the chain has metadata: "5 HASH and 3 goldcoin". Returns "nothing" for an empty list.
   */
  coins(coins: readonly Coin[]): Awaitable<string>;
  /**
   * Summarizes nested messages as a clause of the outer sentence: ", with 2 messages: …; …". Returns an empty string for none.
   */
  messages(messages: readonly MessageReader[]): Awaitable<string>;
}

/**
 * Summarizes a message in one English sentence without a final period. Throws `NoSummaryError` if a needed field is missing.
 */
export type Summarizer = (message: MessageReader, context: SummaryContext) => Awaitable<string>;

/** Summarizers of one protobuf package, by message name, such as `MsgSend`. */
export type Summarizers = Readonly<Record<string, Summarizer>>;
