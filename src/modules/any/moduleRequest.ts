import { type DescMessage, fromJson, type JsonObject, type JsonValue, type Registry, toBinary } from '@bufbuild/protobuf';
import { badInput } from '../../reads/errors.ts';

/**
 * Encodes a message from protobuf JSON in camelCase or snake_case. Invalid JSON is BAD_USER_INPUT; the error names the field.
 */
export function encodeRequest(registry: Registry, desc: DescMessage, argument: string, given: unknown): Uint8Array {
  // Values of the scalar JSON are JSON.
  const json = given as JsonValue;
  if (!isObject(json)) throw badInput(argument, shown(json), 'an object');
  try {
    return toBinary(desc, fromJson(desc, json, { registry }));
  } catch (error) {
    throw requestError(registry, desc, argument, json, error);
  }
}

function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function shown(json: JsonValue | undefined): string {
  return typeof json === 'string' ? json : (JSON.stringify(json) ?? '');
}

/** The text of the library's error after the name of the type. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(text.indexOf('JSON: ') + 'JSON: '.length).slice(0, 200);
}

/** The error of the first field that fails on its own, or of the whole message if none does. */
function requestError(registry: Registry, desc: DescMessage, path: string, json: JsonObject, error: unknown): Error {
  for (const [key, value] of Object.entries(json)) {
    const field = desc.fields.find(({ jsonName, name }) => jsonName === key || name === key);
    const within = `${path}.${key}`;
    if (field === undefined) return badInput(within, shown(value), `absent: ${desc.typeName} has no such field`);
    try {
      fromJson(desc, { [key]: value ?? null }, { registry });
    } catch (inner) {
      const isMessage = field.fieldKind === 'message' && !field.message.typeName.startsWith('google.protobuf.');
      if (isMessage && isObject(value)) return requestError(registry, field.message, within, value, inner);
      return badInput(within, shown(value), `of the type of ${field.toString()}: ${reasonOf(inner)}`);
    }
  }
  return badInput(path, shown(json), `a ${desc.typeName}: ${reasonOf(error)}`);
}
