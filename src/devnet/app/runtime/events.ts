import { create, type DescMessage, type JsonValue, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import type { AbciEvent } from '../../abci/abci.ts';

/** A plain event: attributes in the given order, all indexed, as the chain has it. */
export function plainEvent(type: string, attributes: readonly (readonly [key: string, value: string])[]): AbciEvent {
  return { type, attributes: attributes.map(([key, value]) => ({ key, value, index: true })) };
}

/**
 * A typed event as the Cosmos SDK emits it (chain.md 3.5): its type is the message's full name, its attributes are the fields by
 * their protobuf names in alphabetical order, defaults included, each value the field's JSON (so that strings, 64-bit integers and enums are in quotes;
 * an absent message is `null`).
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

/** JSON as Go writes it: `<`, `>`, `&` and the two line separators as escapes. */
export function goJson(value: JsonValue): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Every event with one attribute more at the end: `msg_index` of a message, `mode` of a block. */
export function tagEvents(events: readonly AbciEvent[], key: string, value: string): AbciEvent[] {
  return events.map((event) => ({ type: event.type, attributes: [...event.attributes, { key, value, index: true }] }));
}
