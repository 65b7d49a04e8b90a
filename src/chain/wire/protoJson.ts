import { create, type DescMessage, fromBinary, isMessage, type Registry, toBinary, toJson } from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { AnySchema, BytesValueSchema } from '@bufbuild/protobuf/wkt';
import type { JsonValue } from './json.ts';

/** A protobuf message inside another: its type URL (`/cosmos.bank.v1beta1.MsgSend`) and its bytes as on the wire. */
export interface AnyMessage {
  readonly type: string;
  readonly value: Uint8Array;
}

/** Full name in a type URL: what stands behind its last slash. */
export function typeNameOf(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
}

/**
 * A message of the wire in canonical protobuf JSON: names in lowerCamelCase, defaults written, unset messages left out, 64-bit integers as
 * strings, bytes in base64, an `Any` with `@type`. An `Any` within it whose type is not described, or whose bytes are not of it,
 * has its bytes as `value`, in base64. Throws when the bytes are not of the message.
 */
export function messageJson(registry: Registry, desc: DescMessage, bytes: Uint8Array): JsonValue {
  const options = { registry, alwaysEmitImplicit: true };
  // What toJson gives is JSON.
  try {
    return toJson(desc, fromBinary(desc, bytes), options) as JsonValue;
  } catch {
    const message = fromBinary(desc, bytes);
    const opaque = new Map<string, string>();
    wrapUnknown(registry, reflect(desc, message), opaque);
    const getMessage = (name: string): DescMessage | undefined =>
      opaque.has(`/${name}`) ? { ...BytesValueSchema, typeName: name } : registry.getMessage(name);
    return withTypes(toJson(desc, message, { ...options, registry: { ...registry, getMessage } }) as JsonValue, opaque);
  }
}

/** The message in an `Any`, with `@type`; null when its type is not described, or its bytes are not of it. */
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

/** Puts the types of those that could not be read back. */
function withTypes(json: JsonValue, opaque: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(json)) return json.map((item) => withTypes(item, opaque));
  if (typeof json !== 'object' || json === null) return json;
  const told = (key: string, value: JsonValue): JsonValue =>
    key === '@type' && typeof value === 'string' ? (opaque.get(value) ?? value) : withTypes(value, opaque);
  return Object.fromEntries(
    Object.entries(json).flatMap(([key, value]) => (value === undefined ? [] : [[key, told(key, value)]])),
  );
}

/**
 * Gives each `Any` that cannot be read bytes in one field, `value`, in place and at any depth, and a type of its own: others of the same type can
 * be read. `opaque` gets what it was, by the type that it has now.
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
