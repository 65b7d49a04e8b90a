import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import { PlainError } from './abciErrors.ts';

/** The address prefix of the devnet: that of test networks (docs/chain.md, "Addresses and denominations"). */
export const addressPrefix = 'tp';

const charset = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Encodes an address in bech32. */
export function encodeAddress(bytes: Uint8Array, prefix: string = addressPrefix): string {
  return bech32.encode(prefix, bech32.toWords(bytes), 1023);
}

/** A decoded bech32 text. */
export interface Bech32 {
  readonly prefix: string;
  readonly bytes: Uint8Array;
}

/**
 * Decodes a bech32 text with any prefix. Throws a {@link PlainError} with the node's text. The texts for a short text, a
 * missing separator and a wrong checksum are recorded; the others are inferred from the same decoder.
 */
export function decodeBech32(text: string): Bech32 {
  const decoded = bech32.decodeUnsafe(text, 1023);
  const bytes = decoded === undefined ? undefined : bech32.fromWordsUnsafe(decoded.words);
  if (bytes && decoded !== undefined) return { prefix: decoded.prefix, bytes };
  throw whyNoBech32(text);
}

/** Decodes the address of an account. Throws as {@link decodeBech32}, and for an empty text and another prefix. */
export function decodeAddress(address: string): Uint8Array {
  if (address === '') throw new PlainError('empty address string is not allowed');
  const { prefix, bytes } = decodeBech32(address);
  if (prefix === addressPrefix) return bytes;
  throw new PlainError(`invalid Bech32 prefix; expected ${addressPrefix}, got ${prefix}`);
}

/** Returns the first error, in the order of the node's decoder. */
function whyNoBech32(text: string): PlainError {
  const refuse = (why: string): PlainError => new PlainError(`decoding bech32 failed: ${why}`);
  if (text.length < 8 || text.length > 1023) return refuse(`invalid bech32 string length ${text.length}`);
  const odd = [...text].find((char) => char < '!' || char > '~');
  if (odd !== undefined) return refuse(`invalid character in string: '${odd}'`);
  const lower = text.toLowerCase();
  if (lower !== text && text.toUpperCase() !== text) return refuse('string not all lowercase or all uppercase');
  const separator = lower.lastIndexOf('1');
  if (separator < 1 || separator + 7 > lower.length) return refuse(`invalid separator index ${separator}`);
  const data = lower.slice(separator + 1);
  const stray = [...data].find((char) => !charset.includes(char));
  if (stray !== undefined) {
    return refuse(`failed converting data to bytes: invalid character not part of charset: ${stray.charCodeAt(0)}`);
  }
  const prefix = lower.slice(0, separator);
  const words = [...data.slice(0, -6)].map((char) => charset.indexOf(char));
  const expected = bech32.encode(prefix, words, 1023).slice(-6);
  const got = data.slice(-6);
  if (expected !== got) return refuse(`invalid checksum (expected ${expected} got ${got})`);
  return refuse('invalid incomplete group');
}

/** Returns the address of a module account: the first 20 bytes of SHA-256 of its name. */
export function moduleAddress(name: string): Uint8Array {
  return sha256(Buffer.from(name)).slice(0, 20);
}

/**
 * Returns the address of an account that a module derives, such as a group policy: SHA-256(SHA-256("module") || name || 0 ||
 * first key), and for each further key SHA-256(SHA-256(address so far) || key). 32 bytes. Checked against the recorded
 * policies.
 */
export function derivedAddress(module: string, keys: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(), ...rest] = keys;
  let address = typedHash(Buffer.from('module'), Buffer.concat([Buffer.from(module), Buffer.of(0), first]));
  for (const key of rest) address = typedHash(address, key);
  return address;
}

function typedHash(type: Uint8Array, key: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([sha256(type), key]));
}

function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}
