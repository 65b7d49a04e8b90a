import type { DescField, DescMessage, Registry } from '@bufbuild/protobuf';
import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import { typeNameOf } from '../../../chain/wire/protoJson.ts';
import { fieldNamed } from '../routes/routeParameters.ts';

function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Removes members that are not fields of the message from protobuf JSON, at every depth. The node's gateway ignores them. */
export function knownFields(registry: Registry, desc: DescMessage, json: JsonObject): JsonObject {
  const messageOf = (message: DescMessage, value: JsonValue | undefined): JsonValue | undefined =>
    isObject(value) ? knownFields(registry, message, value) : value;

  function within(field: DescField, value: JsonValue | undefined): JsonValue | undefined {
    const { message } = field;
    if (message === undefined) return value;
    if (field.fieldKind === 'list') return Array.isArray(value) ? value.map((item) => messageOf(message, item) ?? null) : value;
    if (field.fieldKind !== 'map' || !isObject(value)) return messageOf(message, value);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, messageOf(message, item) ?? null]));
  }

  if (desc.typeName === 'google.protobuf.Any') {
    const type = json['@type'];
    const held = typeof type === 'string' ? registry.getMessage(typeNameOf(type)) : undefined;
    if (type === undefined || held === undefined || held.typeName.startsWith('google.protobuf.')) return json;
    const { '@type': _, ...rest } = json;
    return { '@type': type, ...knownFields(registry, held, rest) };
  }
  if (desc.typeName.startsWith('google.protobuf.')) return json;
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => {
      const field = fieldNamed(desc, name);
      const known = field === undefined ? undefined : within(field, value);
      return known === undefined ? [] : [[name, known]];
    }),
  );
}
