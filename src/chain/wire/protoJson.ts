import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  isMessage,
  type Registry,
  ScalarType,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { AnySchema, BytesValueSchema } from '@bufbuild/protobuf/wkt';
import { goEscaped } from './goText.ts';
import { isDeeperThan, type JsonValue, parseJson } from './json.ts';

/** Numbers of the gogoproto field options that affect JSON. */
const customTypeOption = 65003;
const nullableOption = 65001;
const castTypeOption = 65007;
const stdTimeOption = 65010;
const scalarOption = 93002;
/** Number of the option of a message. */
const interfaceOption = 93001;

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

/** What the text of a field is, as the chain describes it: `cosmos.AddressString`, `cosmos.Dec`, … undefined for most fields. */
export function scalarNameOf(field: DescField): string | undefined {
  const data = field.scalar === ScalarType.STRING ? optionOf(field, scalarOption) : undefined;
  return data === undefined ? undefined : new BinaryReader(data).string();
}

/** Whether a field is the text of an account's address. */
export function isAccountAddress(field: DescField): boolean {
  return scalarNameOf(field) === 'cosmos.AddressString';
}

/** Whether the chain says that a message implements an interface, so that an `Any` can hold it (`cosmos_proto.implements_interface`). */
export function implementsInterface(desc: DescMessage): boolean {
  return desc.proto.options?.$unknown?.some(({ no }) => no === interfaceOption) ?? false;
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
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part.startsWith('"') ? goEscaped(part) : ''));
}

/**
 * Encodes bytes as JSON in the format of their Go type: CometBFT's `HexBytes` or wasmd's `RawContractMessage`. Returns undefined for types that are
 * encoded in base64. Guess: neither is recorded. Invalid JSON in a `RawContractMessage` is encoded in base64; a node fails.
 */
export function castJson(type: string, value: Uint8Array): string | undefined {
  if (type === 'HexBytes') return `"${Buffer.from(value).toString('hex').toUpperCase()}"`;
  if (type !== 'RawContractMessage' || value.length === 0) return undefined;
  const text = Buffer.from(value).toString();
  return isJson(text) ? compactJson(text) : undefined;
}

/** A protobuf `Any`: the type URL (`/cosmos.bank.v1beta1.MsgSend`) and the encoded message. */
export interface AnyMessage {
  readonly type: string;
  readonly value: Uint8Array;
}

/** The full name in a type URL: the part after its last slash. */
export function typeNameOf(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
}

/**
 * Converts an encoded message to canonical protobuf JSON: lowerCamelCase names, defaults included, unset messages omitted,
 * 64-bit integers as strings, bytes in base64, `@type` in each `Any`. Two Go types are formatted as a node's REST API formats them, because
 * their bytes say something else than their value: a `LegacyDec`, which is an integer on the wire, is a decimal with 18 places, and the message
 * of a contract is the JSON that it contains. A nested `Any` of an unknown type, or with bytes that do not decode, has its bytes in base64 as
 * `value`. Throws if the bytes of the message itself do not decode.
 */
export function messageJson(registry: Registry, desc: DescMessage, bytes: Uint8Array): JsonValue {
  const options = { registry, alwaysEmitImplicit: true };
  // toJson returns JSON.
  try {
    return formatted(registry, desc, toJson(desc, fromBinary(desc, bytes), options) as JsonValue);
  } catch {
    const message = fromBinary(desc, bytes);
    const opaque = new Map<string, string>();
    wrapUnknown(registry, reflect(desc, message), opaque);
    const getMessage = (name: string): DescMessage | undefined =>
      opaque.has(`/${name}`) ? { ...BytesValueSchema, typeName: name } : registry.getMessage(name);
    const json = toJson(desc, message, { ...options, registry: { ...registry, getMessage } }) as JsonValue;
    return withTypes(formatted(registry, desc, json), opaque);
  }
}

/** The JSON of the message in an `Any`, with `@type`; null if its type is unknown or its bytes do not decode. */
export function anyJson(registry: Registry, { type, value }: AnyMessage): JsonValue {
  const desc = registry.getMessage(typeNameOf(type));
  if (desc === undefined) return null;
  try {
    fromBinary(desc, value);
    return messageJson(registry, AnySchema, toBinary(AnySchema, create(AnySchema, { typeUrl: type, value })));
  } catch {
    return null;
  }
}

type Format = (value: JsonValue) => JsonValue;

const formats = new WeakMap<DescField, { readonly of: Format | undefined }>();

/** Returns the format of the Go type of a field. undefined if it is that of protobuf JSON. */
function formatOf(field: DescField): Format | undefined {
  const knownFormat = formats.get(field);
  if (knownFormat !== undefined) return knownFormat.of;
  const isBytes = field.scalar === ScalarType.BYTES;
  const number = customTypeOf(field);
  let of: Format | undefined;
  if (number === 'LegacyDec' || number === 'Int') {
    of = (value) =>
      typeof value === 'string' ? (numberText(number, field, isBytes ? Buffer.from(value, 'base64') : value) ?? null) : value;
  } else if (isBytes && isContractMessage(field)) {
    of = (value) => (typeof value === 'string' ? (contractMessageJson(Buffer.from(value, 'base64')) ?? value) : value);
  }
  formats.set(field, { of });
  return of;
}

/** Formats the fields of a message in canonical JSON, in place and at any depth, and returns it. */
function formatted(registry: Registry, desc: DescMessage, json: JsonValue): JsonValue {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  if (desc.typeName === AnySchema.typeName) {
    const type = json['@type'];
    const heldMessage = typeof type === 'string' ? registry.getMessage(typeNameOf(type)) : undefined;
    if (heldMessage?.typeName === AnySchema.typeName && json.value !== undefined)
      json.value = formatted(registry, heldMessage, json.value);
    return heldMessage === undefined || heldMessage.typeName === AnySchema.typeName
      ? json
      : formatted(registry, heldMessage, json);
  }
  for (const field of desc.fields) {
    const value = json[field.jsonName];
    const { message } = field;
    const one = message === undefined ? formatOf(field) : (inner: JsonValue) => formatted(registry, message, inner);
    if (value === undefined || one === undefined) continue;
    if (field.fieldKind === 'list' && Array.isArray(value)) json[field.jsonName] = value.map(one);
    else if (field.fieldKind === 'map' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) if (inner !== undefined) value[key] = one(inner);
    } else json[field.jsonName] = one(value);
  }
  return json;
}

/** Restores the types of each `Any` that could not be decoded. */
function withTypes(json: JsonValue, opaque: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(json)) return json.map((item) => withTypes(item, opaque));
  if (typeof json !== 'object' || json === null) return json;
  const restore = (key: string, value: JsonValue): JsonValue =>
    key === '@type' && typeof value === 'string' ? (opaque.get(value) ?? value) : withTypes(value, opaque);
  return Object.fromEntries(
    Object.entries(json).flatMap(([key, value]) => (value === undefined ? [] : [[key, restore(key, value)]])),
  );
}

/**
 * Rewrites each `Any` that cannot be decoded, in place and at any depth: its bytes become one field, `value`, and it gets a
 * unique type, because another `Any` of the same type may decode. `opaque` maps the new type to the original one.
 */
function wrapUnknown(registry: Registry, message: ReflectMessage, opaque: Map<string, string>): void {
  if (isMessage(message.message, AnySchema)) {
    const any = message.message;
    const name = typeNameOf(any.typeUrl);
    const desc = registry.getMessage(name);
    try {
      if (desc === undefined) throw new Error('not described');
      const inner = reflect(desc, fromBinary(desc, any.value));
      wrapUnknown(registry, inner, opaque);
      any.value = toBinary(desc, inner.message);
    } catch {
      const ownName = `/opaque.Any${opaque.size}`;
      opaque.set(ownName, any.typeUrl);
      any.typeUrl = ownName;
      any.value = toBinary(BytesValueSchema, create(BytesValueSchema, { value: any.value }));
    }
    return;
  }
  for (const field of message.desc.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === 'message') wrapUnknown(registry, message.get(field), opaque);
    if (field.fieldKind === 'list' && field.listKind === 'message')
      for (const item of message.get(field)) if (isReflectMessage(item)) wrapUnknown(registry, item, opaque);
    if (field.fieldKind === 'map' && field.mapKind === 'message')
      for (const item of message.get(field).values()) if (isReflectMessage(item)) wrapUnknown(registry, item, opaque);
  }
}
