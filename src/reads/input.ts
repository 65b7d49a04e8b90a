import { sha256 } from '@noble/hashes/sha2.js';
import { bech32 } from '@scure/base';
import { LRUCache } from 'lru-cache';
import { durationText, type Nanoseconds, parseTime } from '../chain/base/time.ts';
import { maxTxBytes } from '../config/bounds.ts';
import { badInput, RequestError } from './errors.ts';

const uint64Max = 2n ** 64n - 1n;

/**
 * Parses an id: an unsigned integer in decimal, without sign, space or leading zero, of 64 bits unless `bounds` are others. Other text is
 * BAD_USER_INPUT.
 */
export function idInput(argument: string, value: string, bounds = { least: 0n, most: uint64Max }): bigint {
  if (/^(0|[1-9]\d{0,19})$/.test(value)) {
    const id = BigInt(value);
    if (id >= bounds.least && id <= bounds.most) return id;
  }
  throw badInput(argument, value, `an integer from ${bounds.least} to ${bounds.most}`);
}

/** The addresses that were decoded last: requests repeat them, and a checksum takes longer than a small field. */
const decodedAddresses = new LRUCache<string, Uint8Array>({ max: 512 });

/** The bytes of a well-formed bech32 address; undefined for any other text. Nobody may change them. */
export function addressBytes(address: string): Uint8Array | undefined {
  const knownBytes = decodedAddresses.get(address);
  if (knownBytes !== undefined) return knownBytes;
  const decoded = bech32.decodeUnsafe(address, 128);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (!bytes) return undefined;
  decodedAddresses.set(address, bytes);
  return bytes;
}

/** The bytes of an address, which the chain uses as a key and for sorting. Empty for text that is not an address. */
export function addressKey(address: string): Uint8Array {
  return addressBytes(address) ?? new Uint8Array();
}

/** The key of an address in lists that the chain sorts by the length of the address, then the address, as recorded page keys show. */
export function sizedAddressKey(address: string): Uint8Array {
  const bytes = addressKey(address);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}

/** A bech32 address in lower case, with any prefix: the chain rejects those that are not its own. Other text is BAD_USER_INPUT. */
export function addressInput(argument: string, value: string): string {
  const bytes = addressBytes(value);
  if (bytes === undefined || bytes.length === 0) throw badInput(argument, value, 'a bech32 address');
  return value.toLowerCase();
}

/**
 * Whether text is a denom: 3 to 128 letters, digits and `/:._-`, starting with a letter. This is the default of the Cosmos SDK.
 * A chain can define another pattern, and no query returns it.
 */
export function isDenom(text: string): boolean {
  return /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/.test(text);
}

/** Returns `value` if it is a denom. Other text is BAD_USER_INPUT. */
export function denomInput(argument: string, value: string): string {
  if (isDenom(value)) return value;
  throw badInput(argument, value, 'a denom: 3 to 128 letters, digits or `/:._-`, starting with a letter');
}

/** Parses an RFC 3339 time in UTC with up to nine decimals. Other text is BAD_USER_INPUT. */
export function timeInput(argument: string, value: string): Nanoseconds {
  try {
    return parseTime(value);
  } catch {
    throw badInput(argument, value, 'an RFC 3339 time in UTC, such as 2026-11-21T02:48:14Z');
  }
}

/** Nanoseconds of each unit of a duration. */
const units: ReadonlyMap<string, Nanoseconds> = new Map([
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n],
]);

/**
 * Parses a duration: a number with a unit, such as `24h`. The units are `s`, `m`, `h` and `d`; only seconds have decimals, up to nine. Other text, and
 * a duration beyond the bounds, is BAD_USER_INPUT. Bounds and result are nanoseconds.
 */
export function durationInput(
  argument: string,
  value: string,
  { least, most }: { least: Nanoseconds; most: Nanoseconds },
): Nanoseconds {
  const parts = /^(\d{1,12})(?:\.(\d{1,9})(?=s))?([smhd])$/.exec(value);
  if (parts !== null) {
    const [, whole = '', decimals = '', unit = ''] = parts;
    const duration = BigInt(whole) * (units.get(unit) ?? 0n) + BigInt(decimals.padEnd(9, '0'));
    if (duration >= least && duration <= most) return duration;
  }
  throw badInput(
    argument,
    value,
    `a duration such as "24h", "30m" or "90s", from ${durationText(least)} to ${durationText(most)}`,
  );
}

/** Hexadecimal text in upper case, without `0x`; undefined if `value` is not hexadecimal. */
export function hexText(value: string): string | undefined {
  const digits = value.replace(/^0x/i, '');
  return /^([0-9a-fA-F]{2})*$/.test(digits) ? digits.toUpperCase() : undefined;
}

/** Bytes as hexadecimal in upper case; empty text for undefined. */
export function hexOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? [])
    .toString('hex')
    .toUpperCase();
}

/** The characters of a text that is enclosed in double quotes, as bytes; undefined for any other text. */
function quoted(value: string): Uint8Array | undefined {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? Buffer.from(value.slice(1, -1)) : undefined;
}

/**
 * The bytes of a transaction, given as `0x` and hexadecimal, as base64, or as raw characters in double quotes. Fails with
 * BAD_USER_INPUT for any other text, for no bytes, and for more bytes than a node accepts.
 */
export function txInput(argument: string, value: string): Uint8Array {
  const bytes = quoted(value) ?? (value.startsWith('0x') ? hexBytes(value) : base64Bytes(value));
  if (bytes === undefined || bytes.length === 0) {
    throw badInput(argument, value, '`0x` and hexadecimal, base64, or raw characters in double quotes, and not empty');
  }
  if (bytes.length > maxTxBytes) {
    throw new RequestError('BAD_USER_INPUT', `Tx too large. Max size is ${maxTxBytes}, but got ${bytes.length}`, {
      argument,
      bound: `at most ${maxTxBytes} bytes`,
    });
  }
  return bytes;
}

/** Bytes given as hexadecimal, with or without `0x`, or as raw characters in double quotes. Other text is BAD_USER_INPUT. */
export function dataInput(argument: string, value: string): Uint8Array {
  const bytes = quoted(value) ?? hexBytes(value);
  if (bytes === undefined) {
    throw badInput(argument, value, 'hexadecimal with or without `0x`, or raw characters in double quotes');
  }
  return bytes;
}

/** A hash of 32 bytes, given as hexadecimal with or without `0x`. Returns upper case without `0x`. Other text is BAD_USER_INPUT. */
export function hashInput(argument: string, value: string): string {
  const hex = hexText(value);
  if (hex?.length !== 64) throw badInput(argument, value, 'a hash: 32 bytes in hexadecimal');
  return hex;
}

function hexBytes(value: string): Uint8Array | undefined {
  const hex = hexText(value);
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

/** Bytes in standard base64 with padding; undefined for any other text. */
export function base64Bytes(value: string): Uint8Array | undefined {
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? bytes : undefined;
}

/** The key that the chain stores a name under: the hash of its segments in reverse order, as page keys of a node show. */
export function nameKey(name: string): Uint8Array {
  return sha256(Buffer.from(name.split('.').reverse().join('.')));
}

/** A name as the chain stores it: lower case, without surrounding space. */
export function normalName(name: string): string {
  return name.trim().toLowerCase();
}

/** Replaces an enum value that this server does not have, because the chain is newer. */
export const unrecognized = 'UNRECOGNIZED';
