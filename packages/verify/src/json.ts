import { fromBase64, fromHex, noBytes } from './bytes.ts';
import { malformed } from './errors.ts';

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The members of a JSON object. It must have every name of `names`, may have those of `optional`, and no other: a member that is not read
 * is one that nothing verifies. Throws MALFORMED, as all functions of this file do.
 */
export function membersOf(value: unknown, what: string, names: readonly string[], optional: readonly string[] = []): Members {
  if (!isObject(value)) throw malformed(`${what} is not an object`);
  let required = 0;
  for (const name of Object.keys(value)) {
    if (names.includes(name)) required += 1;
    else if (!optional.includes(name)) throw malformed(`${what} has an unknown member`);
  }
  if (required !== names.length) throw malformed(`${what} lacks one of ${names.join(', ')}`);
  return value;
}

/** A list of at most `max` items. */
export function listOf(value: unknown, what: string, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(`${what} is not a list`);
  if (value.length > max) throw malformed(`${what} has more than ${max} items`);
  return value;
}

/** Text of at most `max` characters. */
export function textOf(value: unknown, what: string, max: number): string {
  if (typeof value !== 'string') throw malformed(`${what} is not text`);
  if (value.length > max) throw malformed(`${what} has more than ${max} characters`);
  return value;
}

/** An integer from 0 to `max`, as JSON number. */
export function numberOf(value: unknown, what: string, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || Object.is(value, -0) || value < 0 || value > max)
    throw malformed(`${what} is not an integer from 0 to ${max}`);
  return value;
}

const maxInt64 = 2n ** 63n - 1n;

/** An integer from `min` to 2^63 - 1, as decimal text without leading zeros. */
export function int64Of(value: unknown, what: string, min: bigint): bigint {
  const text = textOf(value, what, 20);
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) throw malformed(`${what} is not a decimal integer`);
  const integer = BigInt(text);
  if (integer < min || integer > maxInt64) throw malformed(`${what} is not an integer from ${min} to ${maxInt64}`);
  return integer;
}

/** Upper case hex of `length` bytes. */
export function hexOf(value: unknown, what: string, length: number): Uint8Array {
  return fromHex(textOf(value, what, 2 * length), length, what);
}

/** Upper case hex of `length` bytes, or empty text. */
export function optionalHexOf(value: unknown, what: string, length: number): Uint8Array {
  return value === '' ? noBytes : hexOf(value, what, length);
}

/** Base64 of at most `max` bytes. */
export function base64Of(value: unknown, what: string, max: number): Uint8Array {
  return fromBase64(textOf(value, what, Math.ceil(max / 3) * 4), what);
}

const timePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{0,8}[1-9]))?Z$/;

/** A time of RFC 3339 in UTC as Go prints it, from 1970 to 9999, in nanoseconds since 1970. */
export function timeOf(value: unknown, what: string): bigint {
  const text = textOf(value, what, 30);
  const match = timePattern.exec(text);
  if (match === null) throw malformed(`${what} is not a time in UTC`);
  const milliseconds = Date.parse(`${text.slice(0, 19)}Z`);
  // A day or an hour that does not exist is another one, or none.
  if (!(milliseconds >= 0) || new Date(milliseconds).toISOString().slice(0, 19) !== text.slice(0, 19))
    throw malformed(`${what} is not a time from 1970 to 9999`);
  return BigInt(milliseconds) * 1_000_000n + BigInt((match[7] ?? '').padEnd(9, '0'));
}
