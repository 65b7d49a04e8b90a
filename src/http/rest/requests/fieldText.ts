import { type DescEnum, type DescField, fromJson, ScalarType } from '@bufbuild/protobuf';
import { goQuote } from '../../../chain/wire/goText.ts';
import type { JsonValue } from '../../../chain/wire/json.ts';

/** A text that a field does not take. */
export interface Unreadable {
  /** What it takes, as the end of a sentence. */
  readonly bound: string;
  /** What the node's REST says, where that was seen for integers; for all else it is a guess by Go's own messages. */
  readonly nodeText: string;
}

/** What a text means to a field, in protobuf JSON. */
export type Readable = { readonly json: JsonValue };

/** Least and most value, and the function of Go that reads it. */
export interface Range {
  readonly name: 'ParseUint' | 'ParseInt';
  readonly least: bigint;
  readonly most: bigint;
}

const unsigned = (bits: bigint): Range => ({ name: 'ParseUint', least: 0n, most: 2n ** bits - 1n });
const signed = (bits: bigint): Range => ({ name: 'ParseInt', least: -(2n ** (bits - 1n)), most: 2n ** (bits - 1n) - 1n });

/** What integers of a type may be; undefined for a type of no integers. */
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

/** Go's `strconv.NumError`. */
function goError(name: string, text: string, problem: string): string {
  return `strconv.${name}: parsing ${goQuote(text)}: ${problem}`;
}

/** An integer in plain decimal: no exponent, no space, no plus, no other base. Never by way of a JavaScript number. */
function readInteger(text: string, { name, least, most }: Range): Readable | Unreadable {
  const bound = `an integer from ${least} to ${most}`;
  if (!/^(0|-?[1-9]\d*)$/.test(text) || (least === 0n && text.startsWith('-'))) {
    return { bound, nodeText: goError(name, text, 'invalid syntax') };
  }
  // Longer text than any of 64 bits is not read at all.
  const value = text.length > 20 ? undefined : BigInt(text);
  if (value === undefined || value < least || value > most) {
    return { bound, nodeText: goError(name, text, 'value out of range') };
  }
  return { json: text };
}

function readBytes(text: string): Readable | Unreadable {
  // A plus that was not escaped has become a space.
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

const truths: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

function readScalar(text: string, type: ScalarType): Readable | Unreadable {
  const range = rangeOf(type);
  if (range !== undefined) return readInteger(text, range);
  if (type === ScalarType.STRING) return { json: text };
  if (type === ScalarType.BYTES) return readBytes(text);
  if (type === ScalarType.BOOL) {
    const truth = Object.hasOwn(truths, text) ? truths[text] : undefined;
    if (truth !== undefined) return { json: truth };
    return { bound: '`true` or `false`', nodeText: goError('ParseBool', text, 'invalid syntax') };
  }
  if (/^-?\d{1,40}(\.\d{1,40})?([eE][-+]?\d{1,3})?$/.test(text)) return { json: Number(text) };
  return { bound: 'a decimal number', nodeText: goError('ParseFloat', text, 'invalid syntax') };
}

/** Reads what a path or query gives a field: one that is a text of its own, or one value of several. */
export function readFieldText(field: DescField, text: string): Readable | Unreadable {
  if (field.enum !== undefined) return readEnum(text, field.enum);
  if (field.scalar !== undefined) return readScalar(text, field.scalar);
  const { message } = field;
  if (message === undefined) return { bound: 'absent', nodeText: 'unsupported field type' };
  try {
    fromJson(message, text);
    return { json: text };
  } catch {
    const bound = message.typeName.endsWith('Duration')
      ? 'a length of time such as `20s`'
      : 'a time such as `2026-11-21T02:48:11Z`';
    return { bound, nodeText: `invalid ${message.typeName}` };
  }
}
