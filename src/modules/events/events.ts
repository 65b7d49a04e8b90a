import type { Event } from '../../chain/base/execution.ts';
import { type EventCondition, type EventOperator, EventQueryError, parseEventQuery } from '../../chain/events/eventQuery.ts';
import { maxEventQueryBytes } from '../../config/bounds.ts';
import { badInput, RequestError } from '../../reads/errors.ts';

/** Attributes that the application adds to the events of messages and blocks. In typed events, only these are not JSON. */
const applicationAttributes: ReadonlySet<string> = new Set(['msg_index', 'mode']);

/** The events of one type; all events if `type` is absent. */
export function eventsOfType(events: readonly Event[], type: string | null | undefined): readonly Event[] {
  return type == null ? events : events.filter((event) => event.type === type);
}

/** Index of the message that emitted an event; null for events of fees and blocks. */
export function msgIndex({ attributes }: Event): number | null {
  for (const { key, value } of attributes) if (key === 'msg_index') return /^\d{1,9}$/.test(value) ? Number(value) : null;
  return null;
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
  // The type of a typed event is a protobuf name, which contains dots (docs/chain.md, "Typed events").
  if (!type.includes('.')) return null;
  const fields: [string, unknown][] = [];
  for (const { key, value } of attributes) {
    if (applicationAttributes.has(key)) continue;
    let field: unknown = value;
    try {
      // 64-bit numbers are strings in protobuf JSON, so parsing rounds none of them.
      field = JSON.parse(value);
    } catch {
      // Raw text.
    }
    fields.push([lowerCamel(key), camelKeys(field)]);
  }
  return Object.fromEntries(fields);
}

/** The operators of the query language by their GraphQL names. */
const operators = {
  EQUAL: '=',
  LESS: '<',
  LESS_OR_EQUAL: '<=',
  GREATER: '>',
  GREATER_OR_EQUAL: '>=',
  CONTAINS: 'CONTAINS',
  EXISTS: 'EXISTS',
} as const satisfies Record<string, EventOperator>;

/** A condition as a caller passes it. */
export interface ConditionInput {
  readonly key: string;
  readonly op: keyof typeof operators;
  readonly value?: string | null | undefined;
}

/** A tag of the query language, such as `type.key`. */
const tagShape = /^[\p{L}\p{Nd}_][\p{L}\p{Nd}._-]*$/u;
const keywords: ReadonlySet<string> = new Set(['AND', 'CONTAINS', 'EXISTS', 'TIME', 'DATE']);
const heightTags: ReadonlySet<string> = new Set(['tx.height', 'block.height']);

/**
 * The text of an attribute on the wire. Values of typed events are JSON: text, 64-bit numbers, ids and enums are quoted.
 * Booleans and objects are not quoted; callers match them with CONTAINS.
 */
function wireValue(key: string, value: string): string {
  const dot = key.lastIndexOf('.');
  return key.slice(0, dot).includes('.') && !applicationAttributes.has(key.slice(dot + 1)) ? JSON.stringify(value) : value;
}

function orderedArgument(value: string): EventCondition['argument'] {
  if (/^\d+(\.\d+)?$/.test(value)) return { type: 'number', text: value };
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return { type: 'date', text: value };
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(value)) return { type: 'time', text: value };
  throw badInput('where', value, 'a number, a date or a time for a comparison by order');
}

function compile({ key, op: name, value }: ConditionInput): EventCondition {
  const op = operators[name];
  if (!tagShape.test(key) || keywords.has(key) || /^\d/.test(key)) {
    throw badInput('where', key, 'a `key` of letters, digits and `. - _`, such as `transfer.recipient`');
  }
  if (op === 'EXISTS') {
    if (value != null) throw badInput('where', value, 'absent for EXISTS');
    return { tag: key, operator: op };
  }
  if (value == null) throw badInput('where', key, `accompanied by a \`value\` for ${name}`);
  if (op !== '=' && op !== 'CONTAINS') {
    const argument = orderedArgument(value);
    return { tag: key, operator: op, ...(argument && { argument }) };
  }
  if (op === '=' && heightTags.has(key)) {
    if (!/^\d{1,19}$/.test(value)) throw badInput('where', value, 'a height for a tag that is a height');
    return { tag: key, operator: op, argument: { type: 'number', text: value } };
  }
  const text = key === 'tx.hash' ? value.toUpperCase().replace(/^0X/, '') : op === '=' ? wireValue(key, value) : value;
  if (text.includes("'"))
    throw badInput('where', value, "text without `'`, which the query language of the chain cannot express");
  return { tag: key, operator: op, argument: { type: 'string', text } };
}

function parse(query: string): readonly EventCondition[] {
  if (Buffer.byteLength(query) > maxEventQueryBytes) {
    const facts = { argument: 'query', bound: `at most ${maxEventQueryBytes} bytes` };
    throw new RequestError('BAD_USER_INPUT', 'maximum query length exceeded', facts);
  }
  try {
    return parseEventQuery(query);
  } catch (error) {
    if (!(error instanceof EventQueryError)) throw error;
    const facts = { argument: 'query', value: query.slice(0, 64), bound: 'a query of events' };
    throw new RequestError('BAD_USER_INPUT', `failed to parse query: ${error.message}`, facts);
  }
}

/**
 * The conditions of `query` and `where`; all of them must hold. Empty if neither is given. Invalid conditions are
 * BAD_USER_INPUT; for `query` with the message of a node.
 */
export function eventConditions(
  query: string | null | undefined,
  where: readonly ConditionInput[] | null | undefined,
): readonly EventCondition[] {
  return [...(query == null ? [] : parse(query)), ...(where ?? []).map(compile)];
}
