import { maxTxBytes } from '../config/bounds.ts';
import { badInput, RequestError } from './errors.ts';
import { hexText } from './hex.ts';

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

/**
 * A hash of 32 bytes, given as hexadecimal with or without `0x`. Returns upper case without `0x`. Other text is BAD_USER_INPUT.
 */
export function hashInput(argument: string, value: string): string {
  const hex = hexText(value);
  if (hex?.length !== 64) throw badInput(argument, value, 'a hash: 32 bytes in hexadecimal');
  return hex;
}

function hexBytes(value: string): Uint8Array | undefined {
  const hex = hexText(value);
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

function base64Bytes(value: string): Uint8Array | undefined {
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? bytes : undefined;
}
