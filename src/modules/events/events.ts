import type { Event } from '../../chain/base/execution.ts';

/** Attributes that the application adds to the events of messages and blocks. In typed events, only these are not JSON. */
const applicationAttributes = new Set(['msg_index', 'mode']);

/** The events of one type; all events if `type` is absent. */
export function eventsOfType(events: readonly Event[], type: string | null | undefined): readonly Event[] {
  return type == null ? events : events.filter((event) => event.type === type);
}

/** Index of the message that emitted an event; null for events of fees and blocks. */
export function msgIndex({ attributes }: Event): number | null {
  const value = attributes.find(({ key }) => key === 'msg_index')?.value;
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null;
}

/** Whether an event type is a protobuf name, which contains dots (docs/chain.md, "Typed events"). */
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
 * The fields of a typed event in lowerCamelCase, each parsed from its JSON text; null for plain events. A value that is not
 * JSON is returned as text, because some modules write raw text (docs/chain.md, "Events of the attribute module"). Attributes
 * that the application adds are left out.
 */
export function eventFields({ type, attributes }: Event): Record<string, unknown> | null {
  if (!isTyped(type)) return null;
  const fields = attributes.filter(({ key }) => !applicationAttributes.has(key));
  return Object.fromEntries(fields.map(({ key, value }) => [lowerCamel(key), camelKeys(parsed(value))]));
}

function parsed(value: string): unknown {
  try {
    // 64-bit numbers are strings in protobuf JSON, so parsing rounds none of them.
    return JSON.parse(value);
  } catch {
    return value;
  }
}
