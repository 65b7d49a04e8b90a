import { type DescField, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { isDeeperThan, type JsonValue, parseJson } from './json.ts';

/** Numbers of the gogoproto field options that affect JSON. */
const customTypeOption = 65003;
const nullableOption = 65001;
const castTypeOption = 65007;
const stdTimeOption = 65010;
/** Number of the field option `cosmos_proto.scalar`. */
const scalarOption = 93002;

function optionOf(field: DescField, number: number): Uint8Array | undefined {
  return field.proto.options?.$unknown?.find(({ no }) => no === number)?.data;
}

/** The Go type that an option names, without its package. */
function goTypeOf(field: DescField, option: number): string | undefined {
  const data = optionOf(field, option);
  return data === undefined ? undefined : new BinaryReader(data).string().replace(/^.*[./]/, '');
}

/** Returns the Go type that encodes a field, without its package. undefined for most fields. */
export function customTypeOf(field: DescField): string | undefined {
  return goTypeOf(field, customTypeOption);
}

/** Returns the Go type to which the bytes of a field are converted, without its package. undefined for most fields. */
export function castTypeOf(field: DescField): string | undefined {
  return goTypeOf(field, castTypeOption);
}

/** Whether a field is the text of an account's address, as the chain describes it (`cosmos.AddressString`). */
export function isAccountAddress(field: DescField): boolean {
  const data = field.scalar === ScalarType.STRING ? optionOf(field, scalarOption) : undefined;
  return data !== undefined && new BinaryReader(data).string() === 'cosmos.AddressString';
}

/** Whether a field is a Go `time.Time`, whose zero is in the year 1, and not a `Timestamp`, whose zero is in 1970. */
export function isStdTime(field: DescField): boolean {
  const data = optionOf(field, stdTimeOption);
  return data !== undefined && data[0] !== 0;
}

/** Whether a field is a pointer in Go, and can be absent (`gogoproto.nullable`, default true). */
export function isNullable(field: DescField): boolean {
  const data = optionOf(field, nullableOption);
  return data === undefined || data[0] !== 0;
}

/** Decimal places of `LegacyDec`, which is an integer on the wire (cosmossdk.io/math). */
const places = 18;

/** Formats a `LegacyDec` from the wire: `250000000000000000` becomes `0.250000000000000000`. Returns other text unchanged. */
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
 * Formats a number as the Go type of its field does (`customtype`): `LegacyDec` as a decimal, and the digits of both also if the field is
 * bytes. Returns null if the type encodes null, and undefined if the type is no number. An absent decimal is null: a guess.
 */
export function numberText(type: string, field: DescField, value: string | Uint8Array): string | null | undefined {
  switch (type) {
    case 'LegacyDec':
      return value.length === 0 ? null : decimalText(textOf(value));
    case 'Int':
      return value.length > 0 ? textOf(value) : isNullable(field) ? null : '0';
    default:
      return undefined;
  }
}

/** Whether the bytes of a field are JSON: the message of a contract (wasmd's `RawContractMessage`). */
export function isContractMessage(field: DescField): boolean {
  return castTypeOf(field) === 'RawContractMessage';
}

/** Most levels of arrays and objects in a contract message that is decoded. */
const deepestMessage = 100;

/**
 * Decodes the bytes of a contract message. Integers that a JavaScript number cannot hold are decimal strings. Returns undefined for bytes that
 * are not JSON in UTF-8 or that are nested deeper than 100 levels.
 */
export function contractMessageJson(bytes: Uint8Array): JsonValue | undefined {
  try {
    const json = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isDeeperThan(deepestMessage, json) ? undefined : json;
  } catch {
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

/** Compacts JSON as Go's encoder does: without white space, and with `<`, `>`, `&` and the two line separators escaped. */
function compactJson(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) =>
    part.startsWith('"')
      ? part.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : '',
  );
}

/**
 * Encodes bytes as JSON in the format of their Go type: CometBFT's `HexBytes` or wasmd's `RawContractMessage`. Returns
 * undefined for types that are encoded in base64. Guess: neither is recorded. Invalid JSON in a `RawContractMessage` is encoded
 * in base64; a node fails.
 */
export function castJson(type: string, value: Uint8Array): string | undefined {
  if (type === 'HexBytes') return `"${Buffer.from(value).toString('hex').toUpperCase()}"`;
  if (type !== 'RawContractMessage' || value.length === 0) return undefined;
  const text = Buffer.from(value).toString();
  return isJson(text) ? compactJson(text) : undefined;
}
