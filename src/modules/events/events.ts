import type { Event } from '../../chain/base/execution.ts';

/** Attributes that the application adds to every event of a message or a block; the only ones of a typed event that are no JSON. */
const added = new Set(['msg_index', 'mode']);

/** The events of one type; all without one. */
export function ofType(events: readonly Event[], type: string | null | undefined): readonly Event[] {
  return type == null ? events : events.filter((event) => event.type === type);
}

/** Place of the message that emitted an event; null for events of fees and blocks. */
export function msgIndex({ attributes }: Event): number | null {
  const value = attributes.find(({ key }) => key === 'msg_index')?.value;
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null;
}

/** Whether a type is a typed event's: a protobuf name, which has dots (chain.md 3.5). */
export function isTyped(type: string): boolean {
  return type.includes('.');
}

function lowerCamel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [lowerCamel(key), camelKeys(item)]));
}

/**
 * A typed event's fields in lowerCamelCase, each read from its JSON text; null for plain events. A value that is no JSON (some
 * modules write raw text, chain.md 4) is given as text. Attributes that the application adds are left out.
 */
export function eventFields({ type, attributes }: Event): Record<string, unknown> | null {
  if (!isTyped(type)) return null;
  const fields = attributes.filter(({ key }) => !added.has(key));
  return Object.fromEntries(fields.map(({ key, value }) => [lowerCamel(key), camelKeys(parsed(value))]));
}

function parsed(value: string): unknown {
  try {
    // Numbers of 64 bits are strings in protobuf JSON, so none is rounded here.
    return JSON.parse(value);
  } catch {
    return value;
  }
}
