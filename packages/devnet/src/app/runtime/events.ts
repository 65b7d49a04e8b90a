import { create, type DescMessage, type JsonValue, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import type { AbciEvent } from '../../abci/abci.ts';

/** Creates a plain event. Its attributes are in the given order and indexed. */
export function plainEvent(type: string, attributes: readonly (readonly [key: string, value: string])[]): AbciEvent {
  return { type, attributes: attributes.map(([key, value]) => ({ key, value, index: true })) };
}

/**
 * Creates a typed event as the Cosmos SDK does (docs/chain.md, "Typed events"). Its type is the full name of the message. Its
 * attributes are the fields by protobuf name in alphabetical order, including defaults. Each value is the JSON of the field:
 * strings, 64-bit integers and enums are in quotes, and an absent message is `null`.
 */
export function typedEvent<D extends DescMessage>(schema: D, init: MessageInitShape<D>): AbciEvent {
  const json = toJson(schema, create(schema, init), { alwaysEmitImplicit: true, useProtoFieldName: true });
  const fields = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
  const attributes = schema.fields.map((field): [string, string] => [field.name, valueText(fields[field.name])]);
  return plainEvent(
    schema.typeName,
    attributes.sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function valueText(value: JsonValue | undefined): string {
  return value === undefined ? 'null' : goJson(value);
}

/** Encodes JSON as Go does: `<`, `>`, `&` and the two line separators are escaped. */
export function goJson(value: JsonValue): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Appends an attribute to every event: `msg_index` for a message, `mode` for a block. */
export function tagEvents(events: readonly AbciEvent[], key: string, value: string): AbciEvent[] {
  return events.map((event) => ({ type: event.type, attributes: [...event.attributes, { key, value, index: true }] }));
}
