import { type DescEnum, type DescField, fromJson, ScalarType } from '@bufbuild/protobuf';
import { goQuote } from '../../../chain/wire/goText.ts';
import type { JsonValue } from '../../../chain/wire/json.ts';

/** The problem of a text that is no valid value of a field. */
export interface Unreadable {
  /** What the value must be, as the end of a sentence. */
  readonly bound: string;
  /** The text of the node's REST API. Recorded for integers; for other types, a guess from Go's own messages. */
  readonly nodeText: string;
}

/** The value of a field, in protobuf JSON. */
export type Readable = { readonly json: JsonValue };

/** The range of an integer type, and the Go function that parses it. */
export interface Range {
  readonly name: 'ParseUint' | 'ParseInt';
  readonly least: bigint;
  readonly most: bigint;
}

const unsigned = (bits: bigint): Range => ({ name: 'ParseUint', least: 0n, most: 2n ** bits - 1n });
const signed = (bits: bigint): Range => ({ name: 'ParseInt', least: -(2n ** (bits - 1n)), most: 2n ** (bits - 1n) - 1n });

/** Returns the range of an integer type. undefined for other types. */
export function rangeOf(type: ScalarType): Range | undefined {
  switch (type) {
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return unsigned(32n);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return unsigned(64n);
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return signed(32n);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return signed(64n);
    default:
      return undefined;
  }
}

/** Formats Go's `strconv.NumError`. */
function goError(name: string, text: string, problem: string): string {
  return `strconv.${name}: parsing ${goQuote(text)}: ${problem}`;
}

/** Parses a decimal integer without exponent, space, plus sign or other bases. Never converts it to a JavaScript number. */
function readInteger(text: string, { name, least, most }: Range): Readable | Unreadable {
  const bound = `an integer from ${least} to ${most}`;
  if (!/^(0|-?[1-9]\d*)$/.test(text) || (least === 0n && text.startsWith('-'))) {
    return { bound, nodeText: goError(name, text, 'invalid syntax') };
  }
  // Longer than any 64-bit integer.
  const value = text.length > 20 ? undefined : BigInt(text);
  if (value === undefined || value < least || value > most) {
    return { bound, nodeText: goError(name, text, 'value out of range') };
  }
  return { json: text };
}

function readBytes(text: string): Readable | Unreadable {
  // An unescaped plus sign was decoded to a space.
  const standard = text
    .replaceAll(' ', '+')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={0,2}$/, '');
  const bytes = Buffer.from(standard, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') === standard) return { json: bytes.toString('base64') };
  const at = /[^A-Za-z0-9+/]/.exec(standard)?.index ?? standard.length;
  return { bound: 'bytes in base64', nodeText: `illegal base64 data at input byte ${at}` };
}

function readEnum(text: string, { values, typeName }: DescEnum): Readable | Unreadable {
  const named = values.find(({ name }) => name === text);
  if (named !== undefined) return { json: named.number };
  if (/^(0|-?[1-9]\d{0,9})$/.test(text) && Math.abs(Number(text)) < 2 ** 31) return { json: Number(text) };
  const bound = `a value of ${typeName}: ${values.map(({ name }) => name).join(', ')}`;
  return { bound, nodeText: `${JSON.stringify(text)} is not a valid ${typeName}` };
}

const booleans: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

function readScalar(text: string, type: ScalarType): Readable | Unreadable {
  const range = rangeOf(type);
  if (range !== undefined) return readInteger(text, range);
  if (type === ScalarType.STRING) return { json: text };
  if (type === ScalarType.BYTES) return readBytes(text);
  if (type === ScalarType.BOOL) {
    const value = Object.hasOwn(booleans, text) ? booleans[text] : undefined;
    if (value !== undefined) return { json: value };
    return { bound: '`true` or `false`', nodeText: goError('ParseBool', text, 'invalid syntax') };
  }
  if (/^-?\d{1,40}(\.\d{1,40})?([eE][-+]?\d{1,3})?$/.test(text)) return { json: Number(text) };
  return { bound: 'a decimal number', nodeText: goError('ParseFloat', text, 'invalid syntax') };
}

/** Parses the value of a scalar field, or one value of a repeated field, from a path or a query. */
export function readFieldText(field: DescField, text: string): Readable | Unreadable {
  if (field.enum !== undefined) return readEnum(text, field.enum);
  if (field.scalar !== undefined) return readScalar(text, field.scalar);
  const { message } = field;
  if (message === undefined) return { bound: 'absent', nodeText: 'unsupported field type' };
  try {
    fromJson(message, text);
    return { json: text };
  } catch {
    const bound = message.typeName.endsWith('Duration') ? 'a duration such as `20s`' : 'a time such as `2026-11-21T02:48:11Z`';
    return { bound, nodeText: `invalid ${message.typeName}` };
  }
}
