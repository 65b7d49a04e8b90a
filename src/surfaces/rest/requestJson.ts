import {
  type DescEnum,
  type DescField,
  type DescFile,
  type DescMessage,
  fromJson,
  type Registry,
  ScalarType,
} from '@bufbuild/protobuf';
import { timed } from '../../answers/caller.ts';
import { jsonBoundsOf } from '../../answers/errors.ts';
import { goBase64Error, goJsonError, goKindOf, goQuote } from '../../chain/wire/goText.ts';
import { isJsonObject, JsonBoundError, type JsonObject, type JsonValue, parseBoundedJson } from '../../chain/wire/json.ts';
import { typeNameOf } from '../../chain/wire/protoJson.ts';
import { pageKeyMax } from '../../config/bounds.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import type { RequestContext } from '../../server/router.ts';
import { ParameterError } from './dialect.ts';
import { fieldNamed, isLeaf, type RestRoute, valuesIn } from './routes.ts';

interface Unreadable {
  /** What the value must be, as the end of a sentence. */
  readonly bound: string;
  /** The text of the node's REST API. Recorded for integers; for other types, a guess from Go's own messages. */
  readonly nodeText: string;
}

/** The value of a field in protobuf JSON, or the problem of its text. */
type FieldValue = { readonly json: JsonValue } | Unreadable;

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

/** Reads an integer. `integerIn` parses its text, with its sign; undefined if the text is invalid. */
function readInteger(text: string, { name, least, most }: Range, integerIn: (text: string) => bigint | undefined): FieldValue {
  const bound = `an integer from ${least} to ${most}`;
  const value = least === 0n && /^[+-]/.test(text) ? undefined : integerIn(text);
  if (value === undefined) return { bound, nodeText: goError(name, text, 'invalid syntax') };
  if (value < least || value > most) return { bound, nodeText: goError(name, text, 'value out of range') };
  return { json: value.toString() };
}

/** Parses a decimal integer without exponent, space, plus sign or other bases. Never converts it to a JavaScript number. */
function decimalInteger(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return undefined;
  // Longer than any 64-bit integer.
  return text.length > 20 ? 2n ** 64n : BigInt(text);
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
  if (range !== undefined) return readInteger(text, range, decimalInteger);
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
function readFieldText(field: DescField, text: string): FieldValue {
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
 * Returns the name of the Go type of a message: the package of its file, and the name with `_` between nested types. Guess: the chain's descriptors
 * of SDK files contain the packages of `cosmossdk.io/api`, which the gateway does not use. The table contains those of the SDK.
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

/** Parses an integer as `strconv` does in base 0: the prefix selects the base, and `_` may separate digits. undefined if the text is invalid. */
function goInteger(text: string): bigint | undefined {
  const [, sign = '', unsignedText = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  const [, letter, prefixed] = /^0([xbo])(.+)$/i.exec(unsignedText) ?? [];
  const base = letter === undefined ? (/^0./.test(unsignedText) ? 8 : 10) : (bases[letter.toLowerCase()] ?? 10);
  // Each `_` must follow a digit or the prefix of the base, and precede a digit.
  const written = letter === undefined ? unsignedText : `0${prefixed}`;
  if (/__|^_|_$/.test(written)) return undefined;
  const digits = (prefixed ?? unsignedText).replaceAll('_', '');
  if (!digitsOf[base]?.test(digits)) return undefined;
  const bare = digits.replace(/^0+(?=.)/, '');
  // Longer than any 64-bit integer in base 2.
  const size = bare.length > 64 ? 2n ** 64n : BigInt(`${prefixOf[base]}${bare}`);
  return sign === '-' ? -size : size;
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

/**
 * Parses the value of a field from a path or a query as the node's gateway does (grpc-gateway 1, which uses Go's `strconv` and `encoding/base64`):
 * integers in every base of Go, base64 with padding. The error texts for decimal integers were recorded. The others are from the sources of Go and of
 * the gateway.
 */
function readGoFieldText(field: DescField, text: string): FieldValue {
  if (field.enum !== undefined) return readGoEnum(text, field.enum);
  if (field.message !== undefined) return readTime(text, field.message, goTimeError(text, field.message));
  if (field.scalar === ScalarType.BYTES) return readGoBytes(text);
  const range = field.scalar && rangeOf(field.scalar);
  return range === undefined ? readFieldText(field, text) : readInteger(text, range, goInteger);
}

/** A path and a query, percent-decoded once. */
export interface RequestText {
  readonly segments: readonly string[];
  /** The parameters in the order of the request. */
  readonly query: readonly { readonly name: string; readonly value: string }[];
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether a text has control characters. No name, address or denom has one. */
const hasControls = (text: string): boolean => [...text].some((character) => character < ' ' || character === '\u007f');

/** Patterns that no valid path segment contains: `..`, a URL, a second escape, a segment parameter, a backslash. */
const foreign = /(^|\/)\.{1,2}(\/|$)|:\/\/|%[0-9a-f]{2}|;|\\/i;

function refusalOf(where: 'path' | 'query', parameter: string, value: string): ParameterError {
  const bound = where === 'path' ? 'plain segments, each percent-encoded once' : 'plain text, percent-encoded once';
  return new ParameterError({ parameter, value, bound, nodeText: `invalid ${where}`, where });
}

/**
 * Splits and percent-decodes the path and the query of a request. Throws a {@link ParameterError} for invalid escapes and
 * control characters, and in a path for `..`, URLs and double encoding.
 */
export function readRequestText(path: string, query: string): RequestText {
  const segments = path
    .slice(1)
    .split('/')
    .map((raw) => {
      const segment = unescaped(raw);
      if (segment === undefined || hasControls(segment) || foreign.test(segment)) throw refusalOf('path', 'path', raw);
      return segment;
    });
  const pairs = query === '' ? [] : query.split('&').filter((pair) => pair !== '');
  return {
    segments,
    query: pairs.map((pair) => {
      const [rawName = '', ...rest] = pair.split('=');
      const [name, value] = [rawName, rest.join('=')].map((raw) => unescaped(raw.replaceAll('+', ' ')));
      if (name === undefined || value === undefined || hasControls(value)) throw refusalOf('query', rawName, pair);
      return { name, value };
    }),
  };
}

const deepest = 8;

/** Resolves a dotted name to its fields. undefined if it does not end at a field that takes text. */
function fieldsAt(request: DescMessage, names: readonly string[]): readonly DescField[] | undefined {
  if (names.length > deepest) return undefined;
  let message: DescMessage | undefined = request;
  const fields: DescField[] = [];
  for (const name of names) {
    const field: DescField | undefined = message && fieldNamed(message, name);
    if (field === undefined) return undefined;
    fields.push(field);
    message = field.fieldKind === 'message' && !isLeaf(field) ? field.message : undefined;
  }
  const last = fields.at(-1);
  return last !== undefined && isLeaf(last) ? fields : undefined;
}

/** Returns the gateway's error for a name that continues past a scalar field or ends at a message. undefined for all other names. */
function nameError(request: DescMessage, names: readonly string[]): string | undefined {
  let message: DescMessage | undefined = request;
  for (const [place, name] of names.entries()) {
    const field: DescField | undefined = message && fieldNamed(message, name);
    if (field === undefined) return undefined;
    const next = names[place + 1];
    if (field.fieldKind === 'message' && !isLeaf(field)) {
      if (next === undefined) return goMessageError(field.message);
      message = field.message;
    } else if (next === undefined) {
      return undefined;
    } else {
      const isSlice = field.fieldKind === 'list' || field.scalar === ScalarType.BYTES;
      if (isSlice) return `unexpected repeated field in ${names.join('.')}`;
      return `unexpected nested field ${next} in ${names.slice(0, place + 1).join('.')}`;
    }
  }
  return undefined;
}

/** Returns the object that contains the last field. Creates the objects on the way. */
function holderOf(json: JsonObject, fields: readonly DescField[]): JsonObject {
  return fields.slice(0, -1).reduce<JsonObject>((holder, { jsonName }) => {
    const inner = holder[jsonName];
    if (isJsonObject(inner)) return inner;
    const created: JsonObject = {};
    holder[jsonName] = created;
    return created;
  }, json);
}

/**
 * Converts the path and the query of a request to protobuf JSON. Names are in snake_case or camelCase, with dots for nested fields. Ignores unknown
 * parameters, as a node does, and query parameters that the path already contains. Throws a {@link ParameterError}.
 *
 * With `asGo`, values are parsed as by the node's gateway, names of fields that take no text get its error, and of a repeated parameter the first
 * value counts. Otherwise such names are ignored, an empty value is absent, and a repeated parameter is an error.
 */
export function requestJson(route: RestRoute, text: RequestText, asGo: boolean): JsonObject {
  const json: JsonObject = {};
  const places = new Map<string, 'path' | 'query'>();

  function set(names: readonly string[], value: string, where: 'path' | 'query'): void {
    const fields = fieldsAt(route.call.input, names);
    const field = fields?.at(-1);
    const error = (bound: string, nodeText: string): ParameterError =>
      new ParameterError({ parameter: names.join('.'), value, where, bound, nodeText });
    const problem = fields === undefined && asGo ? nameError(route.call.input, names) : undefined;
    if (problem !== undefined) throw error('the name of a parameter', problem);
    if (fields === undefined || field === undefined || (value === '' && !asGo)) return;
    const key = fields.map(({ name }) => name).join('.');
    const earlierPlace = places.get(key);
    places.set(key, earlierPlace ?? where);
    if (earlierPlace === 'path') return;
    if (earlierPlace === 'query' && field.fieldKind !== 'list') {
      if (asGo) return;
      throw error('given once', `too many field values: ${key}`);
    }
    const isKey = key.endsWith('pagination.key');
    if (isKey && value.length > Math.ceil(pageKeyMax / 3) * 4) {
      const bound = `at most ${pageKeyMax} bytes in base64`;
      throw error(bound, `${key} must be ${bound}`);
    }
    const fieldValue = asGo ? readGoFieldText(field, value) : readFieldText(field, value);
    if (!('json' in fieldValue)) throw error(fieldValue.bound, fieldValue.nodeText);
    const holder = holderOf(json, fields);
    const earlierValue = holder[field.jsonName];
    if (field.fieldKind !== 'list') holder[field.jsonName] = fieldValue.json;
    else holder[field.jsonName] = Array.isArray(earlierValue) ? [...earlierValue, fieldValue.json] : [fieldValue.json];
  }

  for (const { field, text: value } of valuesIn(route.template, text.segments)) set(field, value, 'path');
  if (!route.hasBody) for (const { name, value } of text.query) set(name.split('.'), value, 'query');
  return json;
}

/** Removes members that are not fields of the message from protobuf JSON, at every depth. The node's gateway ignores them. */
export function knownFields(registry: Registry, desc: DescMessage, json: JsonObject): JsonObject {
  const messageOf = (message: DescMessage, value: JsonValue | undefined): JsonValue | undefined =>
    isJsonObject(value) ? knownFields(registry, message, value) : value;

  function within(field: DescField, value: JsonValue | undefined): JsonValue | undefined {
    const { message } = field;
    if (message === undefined) return value;
    if (field.fieldKind === 'list') return Array.isArray(value) ? value.map((item) => messageOf(message, item) ?? null) : value;
    if (field.fieldKind !== 'map' || !isJsonObject(value)) return messageOf(message, value);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, messageOf(message, item) ?? null]));
  }

  if (desc.typeName === 'google.protobuf.Any') {
    const type = json['@type'];
    const messageType = typeof type === 'string' ? registry.getMessage(typeNameOf(type)) : undefined;
    if (type === undefined || messageType === undefined || messageType.typeName.startsWith('google.protobuf.')) return json;
    const { '@type': _, ...rest } = json;
    return { '@type': type, ...knownFields(registry, messageType, rest) };
  }
  if (desc.typeName.startsWith('google.protobuf.')) return json;
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => {
      const field = fieldNamed(desc, name);
      const knownValue = field === undefined ? undefined : within(field, value);
      return knownValue === undefined ? [] : [[name, knownValue]];
    }),
  );
}

/** Whether routes at a path accept a transaction, and therefore a large body. `path` excludes the base of the dialect. */
export function takesTransaction(path: string): boolean {
  return path.startsWith('/cosmos/tx/') || path.startsWith('/provenance/tx/');
}

export function bodyError(bound: string, nodeText = `body must be ${bound}`): ParameterError {
  return new ParameterError({ parameter: 'body', value: '', bound, nodeText, where: 'body' });
}

/** What a body must be if its JSON exceeds a bound. */
const bounds: Record<JsonBoundError['bound'], (max: number) => string> = {
  depth: (max) => `nested at most ${max} deep (json.depth)`,
  values: (max) => `of at most ${max} values (json.values)`,
  number: (max) => `without a number of more than ${max} characters (json.number)`,
};

/**
 * Waits for the turn of the caller, and returns the JSON object in the body of a POST. Throws if the body is too large or not a
 * JSON object. With `acceptsEmpty`, an empty body is an empty object.
 */
export async function readJsonBody(
  context: RequestContext,
  path: string,
  limits: Limits,
  acceptsEmpty: boolean,
): Promise<JsonObject> {
  const limit = takesTransaction(path) ? 'http.body' : 'http.otherBody';
  const max = limits[limit];
  const body = await context.body(max);
  if (body === null) {
    throw new RequestError('BAD_USER_INPUT', `The body is larger than ${max} bytes (${limit}).`, { limit, max });
  }
  let json: JsonValue;
  // The node's gateway decodes an empty body as an empty message.
  if (body.length === 0 && acceptsEmpty) return {};
  try {
    json = timed(context, () => parseBoundedJson(body, jsonBoundsOf(limits)));
  } catch (error) {
    if (error instanceof JsonBoundError) throw bodyError(bounds[error.bound](error.max));
    throw bodyError('JSON', goJsonError(body.toString(), 'unexpected EOF'));
  }
  if (!isJsonObject(json)) {
    const type = 'Go value of type map[string]json.RawMessage';
    throw bodyError('an object', `json: cannot unmarshal ${goKindOf(json)} into ${type}`);
  }
  return json;
}
