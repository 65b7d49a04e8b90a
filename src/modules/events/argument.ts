import { maxTxBytes } from '../../config/bounds.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { hexText } from '../../schema/scalars.ts';

/** The characters between quotes of the text's own; undefined where there are none. */
function quoted(value: string): Uint8Array | undefined {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? Buffer.from(value.slice(1, -1)) : undefined;
}

/**
 * The bytes of a transaction: `0x` and hex, base64, or within quotes of its own raw characters. Else, and for none or more than a
 * node takes, BAD_USER_INPUT.
 */
export function txInput(argument: string, value: string): Uint8Array {
  const bytes = quoted(value) ?? (value.startsWith('0x') ? hexBytes(value) : base64Bytes(value));
  if (bytes === undefined || bytes.length === 0) {
    throw badInput(argument, value, '`0x` and hexadecimal, base64, or raw characters within quotes of its own, and not empty');
  }
  if (bytes.length > maxTxBytes) {
    throw new RequestError('BAD_USER_INPUT', `Tx too large. Max size is ${maxTxBytes}, but got ${bytes.length}`, {
      argument,
      bound: `at most ${maxTxBytes} bytes`,
    });
  }
  return bytes;
}

/** Plain data: hex with or without `0x`, or within quotes of its own raw characters. Else BAD_USER_INPUT. */
export function dataInput(argument: string, value: string): Uint8Array {
  const bytes = quoted(value) ?? hexBytes(value);
  if (bytes === undefined) {
    throw badInput(argument, value, 'hexadecimal with or without `0x`, or raw characters within quotes of its own');
  }
  return bytes;
}

/** A hash of 32 bytes in hex, either case, `0x` allowed: in upper case without it. Else BAD_USER_INPUT. */
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
