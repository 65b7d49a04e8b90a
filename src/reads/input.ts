import { bech32 } from '@scure/base';
import { badInput } from './errors.ts';

const uint64Max = 2n ** 64n - 1n;

/** Parses an id: an unsigned 64-bit integer in decimal, without sign, space or leading zero. Other text is BAD_USER_INPUT. */
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

/** The bytes of an address, which the chain uses as a key and for sorting. Empty for text that is not an address. */
export function addressKey(address: string): Uint8Array {
  return addressBytes(address) ?? new Uint8Array();
}

/**
 * A bech32 address in lower case, with any prefix: the chain rejects those that are not its own. Other text is BAD_USER_INPUT.
 */
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
