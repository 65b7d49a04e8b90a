import type { DescField } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { anyMetadataAddress } from '../../../modules/metadata/address.ts';

/** Numbers of gogoproto's options of fields: the Go type that reads one, and whether it can be absent there. */
const customTypeOption = 65003;
const nullableOption = 65001;
const castTypeOption = 65007;
const stdTimeOption = 65010;

function optionOf(field: DescField, number: number): Uint8Array | undefined {
  return field.proto.options?.$unknown?.find(({ no }) => no === number)?.data;
}

/** Name of the Go type that prints a field, without its package; undefined for most. */
export function customTypeOf(field: DescField): string | undefined {
  const data = optionOf(field, customTypeOption);
  return data === undefined ? undefined : new BinaryReader(data).string().replace(/^.*[./]/, '');
}

/** Name of the Go type that the bytes of a field are converted to, without its package; undefined for most. */
export function castTypeOf(field: DescField): string | undefined {
  const data = optionOf(field, castTypeOption);
  return data === undefined ? undefined : new BinaryReader(data).string().replace(/^.*[./]/, '');
}

/** Whether a field is a `time.Time` in Go, whose zero is the first day of the year 1, rather than a `Timestamp`, whose zero is in 1970. */
export function isStdTime(field: DescField): boolean {
  const data = optionOf(field, stdTimeOption);
  return data !== undefined && data[0] !== 0;
}

/** Whether Go holds a field by a pointer, so that it can be absent there (`gogoproto.nullable`, true unless it is said). */
export function isNullable(field: DescField): boolean {
  const data = optionOf(field, nullableOption);
  return data === undefined || data[0] !== 0;
}

/** Decimal places of `LegacyDec`, which is an integer on the wire (Cosmos SDK math). */
const places = 18;

/** A `LegacyDec` of the wire as the chain prints it: `250000000000000000` is `0.250000000000000000`. Other text stays. */
export function decimalText(wire: string): string {
  const [, sign, digits] = /^(-?)(\d+)$/.exec(wire) ?? [];
  if (digits === undefined) return wire;
  const padded = digits.padStart(places + 1, '0');
  return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

function textOf(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString();
}

/**
 * A string or bytes of the wire as the Go type of its field prints it: decimals, integers, and metadata addresses in bech32. null where
 * the type prints null; undefined for a type that prints them as every field. An absent decimal is null: a guess.
 */
export function customText(type: string, field: DescField, value: string | Uint8Array): string | null | undefined {
  switch (type) {
    case 'LegacyDec':
      return value.length === 0 ? null : decimalText(textOf(value));
    case 'Int':
      return value.length > 0 ? textOf(value) : isNullable(field) ? null : '0';
    case 'MetadataAddress':
      return typeof value === 'string' || value.length === 0 ? '' : anyMetadataAddress(value);
    default:
      return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON as Go's encoder writes what another wrote: without white space, and with `<`, `>`, `&` and the two line separators escaped. */
function compactJson(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) =>
    part.startsWith('"')
      ? part.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : '',
  );
}

/**
 * Bytes as the Go type that they are converted to writes them: JSON text, from the marshallers of CometBFT's `HexBytes` and wasmd's `RawContractMessage`. undefined for a
 * type that writes base64. Guess: no recording has either. Bytes that should be JSON and are not are written in base64, where a node fails.
 */
export function castJson(type: string, value: Uint8Array): string | undefined {
  if (type === 'HexBytes') return `"${Buffer.from(value).toString('hex').toUpperCase()}"`;
  if (type !== 'RawContractMessage' || value.length === 0) return undefined;
  const text = Buffer.from(value).toString();
  return isJson(text) ? compactJson(text) : undefined;
}
