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
import { AnySchema, BytesValueSchema } from '@bufbuild/protobuf/wkt';
import { contractMessageJson, customTypeOf, isContractMessage, numberText } from './goTypes.ts';
import type { JsonValue } from './json.ts';

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
  const known = formats.get(field);
  if (known !== undefined) return known.of;
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
    const held = typeof type === 'string' ? registry.getMessage(typeNameOf(type)) : undefined;
    if (held?.typeName === AnySchema.typeName && json.value !== undefined) json.value = formatted(registry, held, json.value);
    return held === undefined || held.typeName === AnySchema.typeName ? json : formatted(registry, held, json);
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
      const own = `/opaque.Any${opaque.size}`;
      opaque.set(own, any.typeUrl);
      any.typeUrl = own;
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
