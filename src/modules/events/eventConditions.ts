import { type EventCondition, type EventOperator, EventQueryError, parseEventQuery } from '../../chain/events/eventQuery.ts';
import { maxEventQueryBytes } from '../../config/bounds.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { isTyped } from './events.ts';

/** The names of the operators in the graph. */
const operators = {
  EQUAL: '=',
  LESS: '<',
  LESS_OR_EQUAL: '<=',
  GREATER: '>',
  GREATER_OR_EQUAL: '>=',
  CONTAINS: 'CONTAINS',
  EXISTS: 'EXISTS',
} as const satisfies Record<string, EventOperator>;

/** One condition as a caller gives it. */
export interface ConditionInput {
  readonly key: string;
  readonly op: keyof typeof operators;
  readonly value?: string | null | undefined;
}

/** A tag of the language that is no word of its own: an attribute `type.key`. */
const tagShape = /^[\p{L}\p{Nd}_][\p{L}\p{Nd}._-]*$/u;
const words = new Set(['AND', 'CONTAINS', 'EXISTS', 'TIME', 'DATE']);
const heights = new Set(['tx.height', 'block.height']);
/** Attributes of typed events that are plain text: the application adds them (chain.md 3.5). */
const plain = new Set(['msg_index', 'mode']);

/**
 * The text that an attribute has on the wire for this value. In a typed event a value is JSON text, which for text, 64-bit numbers,
 * ids and enums is quoted; that those of other kinds (booleans, objects) are not is for the caller to use CONTAINS.
 */
function onWire(key: string, value: string): string {
  const dot = key.lastIndexOf('.');
  return isTyped(key.slice(0, dot)) && !plain.has(key.slice(dot + 1)) ? JSON.stringify(value) : value;
}

function orderedArgument(value: string): EventCondition['argument'] {
  if (/^\d+(\.\d+)?$/.test(value)) return { type: 'number', text: value };
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return { type: 'date', text: value };
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(value)) return { type: 'time', text: value };
  throw badInput('where', value, 'a number, a date or a time where it is compared by order');
}

function compile({ key, op: name, value }: ConditionInput): EventCondition {
  const op = operators[name];
  if (!tagShape.test(key) || words.has(key) || /^\d/.test(key)) {
    throw badInput('where', key, 'a `key` of letters, digits and `. - _`, such as `transfer.recipient`');
  }
  if (op === 'EXISTS') {
    if (value != null) throw badInput('where', value, 'without a `value` for EXISTS');
    return { tag: key, operator: op };
  }
  if (value == null) throw badInput('where', key, `with a \`value\` for ${name}`);
  if (op !== '=' && op !== 'CONTAINS') {
    const argument = orderedArgument(value);
    return { tag: key, operator: op, ...(argument && { argument }) };
  }
  if (op === '=' && heights.has(key)) {
    if (!/^\d{1,19}$/.test(value)) throw badInput('where', value, 'a height where a height is compared');
    return { tag: key, operator: op, argument: { type: 'number', text: value } };
  }
  const text = key === 'tx.hash' ? value.toUpperCase().replace(/^0X/, '') : op === '=' ? onWire(key, value) : value;
  if (text.includes("'")) throw badInput('where', value, "without `'`, which the chain's query language cannot express");
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
 * The conditions of a `query`, of a `where` or of both, which must then all hold; empty when neither is given. What is wrong with
 * them is BAD_USER_INPUT, for a query in the node's own words.
 */
export function eventConditions(
  query: string | null | undefined,
  where: readonly ConditionInput[] | null | undefined,
): readonly EventCondition[] {
  return [...(query == null ? [] : parse(query)), ...(where ?? []).map(compile)];
}
