import { bech32 } from '@scure/base';
import { badInput } from './errors.ts';

const uint64Max = 2n ** 64n - 1n;

/** An id of a chain object: an unsigned 64-bit integer in decimal, without sign, space or leading zero. Else BAD_USER_INPUT. */
export function idInput(argument: string, value: string): bigint {
  if (/^(0|[1-9]\d{0,19})$/.test(value)) {
    const id = BigInt(value);
    if (id <= uint64Max) return id;
  }
  throw badInput(argument, value, `an integer from 0 to ${uint64Max}`);
}

/** The bytes of a well-formed bech32 address; undefined for any other text. */
export function addressBytes(address: string): Uint8Array | undefined {
  const decoded = bech32.decodeUnsafe(address, 128);
  return decoded && bech32.fromWordsUnsafe(decoded.words) ? bech32.fromWords(decoded.words) : undefined;
}

/** An address as the chain sorts and stores it; empty for text that is no address. */
export function addressKey(address: string): Uint8Array {
  return addressBytes(address) ?? new Uint8Array();
}

/** An address in bech32, in lower case. Whether its prefix is the chain's own is for the chain to say. Else BAD_USER_INPUT. */
export function addressInput(argument: string, value: string): string {
  const bytes = addressBytes(value);
  if (bytes === undefined || bytes.length === 0) throw badInput(argument, value, 'a bech32 address');
  return value.toLowerCase();
}

/**
 * Whether text is a denom: 3 to 128 letters, digits and `/:._-`, a letter first. A guess as to the letters: the Cosmos SDK's default, which no
 * recording contradicts.
 */
export function isDenom(text: string): boolean {
  return /^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/.test(text);
}

/** A denom; other text is BAD_USER_INPUT. */
export function denomInput(argument: string, value: string): string {
  if (isDenom(value)) return value;
  throw badInput(argument, value, 'a denom: 3 to 128 letters, digits or `/:._-`, a letter first');
}
