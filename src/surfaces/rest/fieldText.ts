import { type DescEnum, type DescField, type DescFile, type DescMessage, fromJson, ScalarType } from '@bufbuild/protobuf';
import { goBase64Error, goQuote } from '../../chain/wire/goText.ts';
import type { JsonValue } from '../../chain/wire/json.ts';

/** The problem of a text that is no valid value of a field. */
interface Unreadable {
  /** What the value must be, as the end of a sentence. */
  readonly bound: string;
  /** The text of the node's REST API. Recorded for integers; for other types, a guess from Go's own messages. */
  readonly nodeText: string;
}

/** The value of a field in protobuf JSON, or the problem of its text. */
type FieldValue = { readonly json: JsonValue } | Unreadable;

/** The range of an integer type, and the Go function that parses it. */
interface Range {
  readonly name: 'ParseUint' | 'ParseInt';
  readonly least: bigint;
  readonly most: bigint;
}

const unsigned = (bits: bigint): Range => ({ name: 'ParseUint', least: 0n, most: 2n ** bits - 1n });
const signed = (bits: bigint): Range => ({ name: 'ParseInt', least: -(2n ** (bits - 1n)), most: 2n ** (bits - 1n) - 1n });

function rangeOf(type: ScalarType): Range | undefined {
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

function goError(name: string, text: string, problem: string): string {
  return `strconv.${name}: parsing ${goQuote(text)}: ${problem}`;
}

/** Parses a decimal integer without exponent, space, plus sign or other bases. Never converts it to a JavaScript number. */
function readInteger(text: string, { name, least, most }: Range): FieldValue {
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

function readBytes(text: string): FieldValue {
  // An unescaped plus sign was decoded to a space.
  const standard = text
    .replaceAll(' ', '+')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={0,2}$/, '');
  const bytes = Buffer.from(standard, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') === standard) return { json: bytes.toString('base64') };
  const position = /[^A-Za-z0-9+/]/.exec(standard)?.index ?? standard.length;
  return { bound: 'bytes in base64', nodeText: `illegal base64 data position input byte ${position}` };
}

function readEnum(text: string, { values, typeName }: DescEnum): FieldValue {
  const member = values.find(({ name }) => name === text);
  if (member !== undefined) return { json: member.number };
  if (/^(0|-?[1-9]\d{0,9})$/.test(text) && Math.abs(Number(text)) < 2 ** 31) return { json: Number(text) };
  const bound = `a value of ${typeName}: ${values.map(({ name }) => name).join(', ')}`;
  return { bound, nodeText: `${JSON.stringify(text)} is not a valid ${typeName}` };
}

const trueTexts: readonly string[] = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const falseTexts: readonly string[] = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

function readScalar(text: string, type: ScalarType): FieldValue {
  const range = rangeOf(type);
  if (range !== undefined) return readInteger(text, range);
  if (type === ScalarType.STRING) return { json: text };
  if (type === ScalarType.BYTES) return readBytes(text);
  if (type === ScalarType.BOOL) {
    if (trueTexts.includes(text) || falseTexts.includes(text)) return { json: trueTexts.includes(text) };
    return { bound: '`true` or `false`', nodeText: goError('ParseBool', text, 'invalid syntax') };
  }
  if (/^-?\d{1,40}(\.\d{1,40})?([eE][-+]?\d{1,3})?$/.test(text)) return { json: Number(text) };
  return { bound: 'a decimal number', nodeText: goError('ParseFloat', text, 'invalid syntax') };
}

/** Parses the value of a scalar field, or one value of a repeated field, from a path or a query. */
export function readFieldText(field: DescField, text: string): FieldValue {
  if (field.enum !== undefined) return readEnum(text, field.enum);
  if (field.scalar !== undefined) return readScalar(text, field.scalar);
  if (field.message === undefined) return { bound: 'absent', nodeText: 'unsupported field type' };
  return readTime(text, field.message, `invalid ${field.message.typeName}`);
}

/** Parses a `Duration` or a `Timestamp`. `nodeText` is the node's error for an invalid text. */
function readTime(text: string, message: DescMessage, nodeText: string): FieldValue {
  try {
    fromJson(message, text);
    return { json: text };
  } catch {
    const isDuration = message.typeName.endsWith('Duration');
    return { bound: isDuration ? 'a duration such as `20s`' : 'a time such as `2026-11-21T02:48:11Z`', nodeText };
  }
}

/**
 * Parses values of paths and queries as the node's gRPC gateway does (grpc-gateway 1, which uses Go's `strconv` and
 * `encoding/base64`). The error texts for decimal integers were recorded. The others are from the sources of Go and of the
 * gateway.
 */

/** Go packages of SDK files whose name is not `types`. */
const sdkPackages: Readonly<Record<string, string>> = {
  'cosmos.authz.v1beta1': 'authz',
  'cosmos.base.query.v1beta1': 'query',
  'cosmos.feegrant.v1beta1': 'feegrant',
  'cosmos.gov.v1': 'v1',
  'cosmos.gov.v1beta1': 'v1beta1',
  'cosmos.group.v1': 'group',
  'cosmos.tx.v1beta1': 'tx',
};

/**
 * Returns the name of the Go type of a message: the package of its file, and the name with `_` between nested types. Guess: the
 * chain's descriptors of SDK files contain the packages of `cosmossdk.io/api`, which the gateway does not use. The table
 * contains those of the SDK.
 */
function goName(file: DescFile, typeName: string): string {
  const path = file.proto.options?.goPackage ?? '';
  const lastPart = path.startsWith('cosmossdk.io/api/') ? '' : path.replace(/^.*[/;]/, '');
  const packageName = sdkPackages[file.proto.package] ?? (lastPart || 'types');
  const inFile = file.proto.package === '' ? typeName : typeName.slice(file.proto.package.length + 1);
  return `${packageName}.${inFile.replaceAll('.', '_')}`;
}

export function goMessageError({ file, typeName }: DescMessage): string {
  return `field type *${goName(file, typeName)} is not supported in query parameters`;
}

const bases: Readonly<Record<string, number>> = { x: 16, b: 2, o: 8 };
const digitsOf: Readonly<Record<number, RegExp>> = { 2: /^[01]+$/, 8: /^[0-7]+$/, 10: /^\d+$/, 16: /^[0-9a-f]+$/i };
const prefixOf: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 10: '', 16: '0x' };

/**
 * Parses an unsigned integer as `strconv` does in base 0: the prefix selects the base, and `_` may separate digits. undefined
 * if the text is invalid.
 */
function unsignedIn(text: string): bigint | undefined {
  const [, letter, prefixed] = /^0([xbo])(.+)$/i.exec(text) ?? [];
  const base = letter === undefined ? (/^0./.test(text) ? 8 : 10) : (bases[letter.toLowerCase()] ?? 10);
  // Each `_` must follow a digit or the prefix of the base, and precede a digit.
  const written = letter === undefined ? text : `0${prefixed}`;
  if (/__|^_|_$/.test(written)) return undefined;
  const digits = (prefixed ?? text).replaceAll('_', '');
  if (!digitsOf[base]?.test(digits)) return undefined;
  const bare = digits.replace(/^0+(?=.)/, '');
  // Longer than any 64-bit integer in base 2.
  return bare.length > 64 ? 2n ** 64n : BigInt(`${prefixOf[base]}${bare}`);
}

function readGoInteger(text: string, type: ScalarType): FieldValue | undefined {
  const range = rangeOf(type);
  if (range === undefined) return undefined;
  const { name, least, most } = range;
  const bound = `an integer from ${least} to ${most}`;
  const wrong = (problem: string): Unreadable => ({ bound, nodeText: goError(name, text, problem) });
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  const size = least === 0n && sign !== '' ? undefined : unsignedIn(rest);
  if (size === undefined) return wrong('invalid syntax');
  const value = sign === '-' ? -size : size;
  return value < least || value > most ? wrong('value out of range') : { json: value.toString() };
}

function readGoBytes(text: string): FieldValue {
  if (goBase64Error(text, 'standard') === undefined) return { json: Buffer.from(text, 'base64').toString('base64') };
  const nodeText = goBase64Error(text, 'url');
  if (nodeText === undefined) return { json: Buffer.from(text, 'base64url').toString('base64') };
  return { bound: 'bytes in padded base64', nodeText };
}

function readGoEnum(text: string, { values, file, typeName }: DescEnum): FieldValue {
  const member = values.find(({ name, number }) => name === text || (/^[+-]?\d{1,10}$/.test(text) && number === Number(text)));
  if (member !== undefined) return { json: member.number };
  const bound = `a value of ${typeName}: ${values.map(({ name }) => name).join(', ')}`;
  return { bound, nodeText: `${text} is not a valid ${goName(file, typeName)}` };
}

function goTimeError(text: string, { typeName }: DescMessage): string {
  const quoted = goQuote(text);
  return typeName.endsWith('Duration')
    ? `bad Duration: time: invalid duration ${quoted}`
    : `bad Timestamp: parsing time ${quoted} as "2006-01-02T15:04:05.999999999Z07:00": cannot parse ${quoted} as "2006"`;
}

/** Parses the value of a field from a path or a query as a node does: integers in every base of Go, base64 with padding. */
export function readGoFieldText(field: DescField, text: string): FieldValue {
  if (field.enum !== undefined) return readGoEnum(text, field.enum);
  if (field.message !== undefined) return readTime(text, field.message, goTimeError(text, field.message));
  if (field.scalar === ScalarType.BYTES) return readGoBytes(text);
  return (field.scalar === undefined ? undefined : readGoInteger(text, field.scalar)) ?? readFieldText(field, text);
}
