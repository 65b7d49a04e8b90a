import type { Event } from '../base/execution.ts';
import type { CommittedBlock, CommittedTx } from '../blocks/committedBlock.ts';
import type { CallOptions } from '../transports/transport.ts';
import type { Header } from '../wire/block.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';

/**
 * The event query language of a CometBFT node (docs/chain.md, "Event query language"): conditions joined by AND over attributes
 * flattened to `type.key`. This file parses, prints and evaluates queries.
 */

/** The operator of a condition. */
export type EventOperator = '=' | '<' | '<=' | '>' | '>=' | 'CONTAINS' | 'EXISTS';

/** The operand of a condition, as written: the text between the quotes, the digits, the RFC 3339 time or the date. */
interface EventArgument {
  readonly type: 'string' | 'number' | 'time' | 'date';
  readonly text: string;
}

/** A condition. `argument` is absent for EXISTS and present otherwise. */
export interface EventCondition {
  readonly tag: string;
  readonly operator: EventOperator;
  readonly argument?: EventArgument;
}

/** The text is not a valid query. `message` is the node's error, `offset` the byte at which parsing failed. */
export class EventQueryError extends Error {
  override readonly name = 'EventQueryError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

type TokenType = 'end' | 'invalid' | 'tag' | EventArgument['type'] | 'AND' | EventOperator;

interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** Its position, in characters. */
  readonly at: number;
  /** The position after it. */
  readonly next: number;
  /** The error of an invalid token, without its offset. */
  readonly fault?: string;
}

/** Names of tokens in the node's errors. Recordings show `tag`; the others come from the node's source. */
const labels: Record<TokenType, string> = {
  end: 'EOF',
  invalid: 'invalid token',
  tag: 'tag',
  string: 'string',
  number: 'number',
  time: 'timestamp',
  date: 'datestamp',
  AND: 'AND operator',
  CONTAINS: 'CONTAINS operator',
  EXISTS: 'EXISTS operator',
  '=': '= operator',
  '<': '< operator',
  '<=': '<= operator',
  '>': '> operator',
  '>=': '>= operator',
};

const operators = ['<=', '>=', '<', '>', '=', 'CONTAINS', 'EXISTS'] as const;
const keywords: ReadonlyMap<string, TokenType> = new Map([
  ['AND', 'AND'],
  ['CONTAINS', 'CONTAINS'],
  ['EXISTS', 'EXISTS'],
]);

const dateShape = /^\d{4}-\d{2}-\d{2}$/;
const timeShape = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** The text that `pattern`, which is sticky, matches at `at`; undefined if it does not match. */
function matchAt(text: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Nanoseconds since 1970 of a date or an RFC 3339 time; undefined if the text is invalid. */
function parseInstant(text: string, type: 'time' | 'date'): bigint | undefined {
  const shape = type === 'date' ? dateShape.exec(text) && [text, text, '00:00:00', undefined, 'Z'] : timeShape.exec(text);
  if (!shape) return undefined;
  const [, date, time, fraction = '', zone] = shape;
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  // Date.parse turns 30 February into a day of March. A node rejects it.
  if (Number.isNaN(milliseconds) || new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date) return undefined;
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

/** Reads the operand of TIME or DATE: all characters after one space that may belong to it. */
function scanInstant(text: string, at: number, start: number, type: 'time' | 'date'): Token {
  const value = matchAt(text, start, type === 'time' ? /[-T:+Z\d]*/y : /[-\d]*/y) ?? '';
  const next = start + value.length;
  const label = type === 'time' ? 'TIME' : 'DATE';
  if (parseInstant(value, type) === undefined) {
    // The node appends the error of Go's parser. The text after the colon is a guess.
    return { type: 'invalid', text: value, at, next, fault: `invalid ${label} value: cannot parse "${value}"` };
  }
  const year = Number(value.slice(0, 4));
  if (year < 1900 || year > 2999) {
    return { type: 'invalid', text: value, at, next, fault: `${labels[type]} year ${year} out of range` };
  }
  return { type, text: value, at, next };
}

function scan(text: string, from: number): Token {
  const at = from + (matchAt(text, from, /\s*/y)?.length ?? 0);
  const first = text[at];
  if (first === undefined) return { type: 'end', text: '', at, next: at };
  const number = matchAt(text, at, /[0-9]+(?:\.[0-9]*)?/y);
  if (number !== undefined) return { type: 'number', text: number, at, next: at + number.length };
  const word = matchAt(text, at, /[\p{L}\p{Nd}_][\p{L}\p{Nd}._-]*/uy);
  if (word !== undefined) {
    const next = at + word.length;
    if ((word === 'TIME' || word === 'DATE') && text[next] === ' ') {
      return scanInstant(text, at, next + 1, word === 'TIME' ? 'time' : 'date');
    }
    return { type: keywords.get(word) ?? 'tag', text: word, at, next };
  }
  if (first === "'") {
    const end = text.indexOf("'", at + 1);
    // A quote without an end reads to the end of the text, and the node's error is just EOF.
    if (end < 0) return { type: 'end', text: '', at, next: text.length };
    return { type: 'string', text: text.slice(at + 1, end), at, next: end + 1 };
  }
  const comparison = operators.slice(0, 5).find((operator) => text.startsWith(operator, at));
  if (comparison !== undefined) return { type: comparison, text: comparison, at, next: at + comparison.length };
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const next = at + character.length;
  return { type: 'invalid', text: character, at, next, fault: `invalid input ${character} at offset ${bytes(text, next)}` };
}

/** The node counts offsets in bytes, not characters. */
function bytes(text: string, characters: number): number {
  return new TextEncoder().encode(text.slice(0, characters)).length;
}

function isOneOf<T extends TokenType>(type: TokenType, wantedTypes: readonly T[]): type is T {
  return wantedTypes.some((one) => one === type);
}

/**
 * Parses a query. Throws {@link EventQueryError} with the node's text, without the prefix `failed to parse query: ` that
 * `subscribe` adds (docs/chain.md, "Errors of the node RPC"). It does not check the length; nodes accept 512 bytes.
 */
export function parseEventQuery(text: string): readonly EventCondition[] {
  let position = 0;

  function fail(token: Token, what: string): never {
    const offset = bytes(text, token.at);
    throw new EventQueryError(`offset ${offset}: ${what}`, offset);
  }

  function require<T extends TokenType>(wantedTypes: readonly T[]): Token & { readonly type: T } {
    const token = scan(text, position);
    position = token.next;
    const { type } = token;
    if (isOneOf(type, wantedTypes)) return { ...token, type };
    if (token.type === 'end') fail(token, 'EOF');
    if (token.fault !== undefined) fail(token, token.fault);
    const names = wantedTypes.map((one) => labels[one]);
    const last = names.pop();
    fail(token, `got ${labels[token.type]}, wanted ${names.length === 0 ? last : `${names.join(', ')} or ${last}`}`);
  }

  function condition(): EventCondition {
    const tag = require(['tag']).text;
    const operator = require(operators).type;
    if (operator === 'EXISTS') return { tag, operator };
    const { type, text: value } =
      operator === 'CONTAINS'
        ? require(['string'])
        : operator === '='
          ? require(['number', 'time', 'date', 'string'])
          : require(['number', 'time', 'date']);
    return { tag, operator, argument: { type, text: value } };
  }

  const conditions = [condition()];
  for (;;) {
    const token = scan(text, position);
    if (token.type === 'end') return conditions;
    // Recorded: the node prints the number of its AND token here, not its name.
    if (token.type !== 'AND') fail(token, `got ${labels[token.type]}, want 6`);
    position = token.next;
    conditions.push(condition());
  }
}

/** The query in the node's normal form. The node treats queries with the same normal form as the same subscription. */
export function formatEventQuery(conditions: readonly EventCondition[]): string {
  return conditions
    .map(({ tag, operator, argument }) => {
      if (argument === undefined) return `${tag} ${operator}`;
      const { type, text } = argument;
      const value = type === 'string' ? `'${text}'` : type === 'number' ? text : `${type === 'time' ? 'TIME' : 'DATE'} ${text}`;
      return `${tag} ${operator} ${value}`;
    })
    .join(' AND ');
}

/**
 * Compares the decimal numbers at the start of two texts, ignoring units. Returns -1, 0 or 1; undefined if either has no
 * number.
 */
function compareNumbers(a: string, b: string): number | undefined {
  const [left, right] = [a, b].map((text) => /^(\d+)(?:\.(\d+))?/.exec(text));
  if (!left || !right) return undefined;
  const digits = Math.max(left[2]?.length ?? 0, right[2]?.length ?? 0);
  const scaled = (match: RegExpExecArray) => BigInt(`${match[1]}${(match[2] ?? '').padEnd(digits, '0')}`);
  return order(scaled(left), scaled(right));
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether an attribute's value satisfies a condition. Does not compare the tag. */
function matchesValue(condition: EventCondition, value: string): boolean {
  const { operator, argument } = condition;
  if (argument === undefined) return true;
  if (operator === 'CONTAINS') return value.includes(argument.text);
  if (argument.type === 'string') return value === argument.text;
  let comparison: number | undefined;
  if (argument.type === 'number') {
    comparison = compareNumbers(value, argument.text);
  } else {
    const [is, wantedInstant] = [parseInstant(value, argument.type), parseInstant(argument.text, argument.type)];
    comparison = is === undefined || wantedInstant === undefined ? undefined : order(is, wantedInstant);
  }
  if (comparison === undefined) return false;
  switch (operator) {
    case '=':
      return comparison === 0;
    case '<':
      return comparison < 0;
    case '<=':
      return comparison <= 0;
    case '>':
      return comparison > 0;
    case '>=':
      return comparison >= 0;
    case 'EXISTS':
      return true;
  }
}

/**
 * Whether flattened events satisfy every condition. A condition is satisfied by any value of its tag, so different events may
 * satisfy different conditions. A tag that is the type of an event is compared with the empty string, so that EXISTS matches
 * it.
 */
export function matches(conditions: readonly EventCondition[], events: ReadonlyMap<string, readonly string[]>): boolean {
  return conditions.every((condition) => {
    if (condition.tag.includes('.') && events.get(condition.tag)?.some((value) => matchesValue(condition, value))) return true;
    if (!matchesValue(condition, '')) return false;
    for (const key of events.keys()) if (key.slice(0, Math.max(0, key.lastIndexOf('.'))) === condition.tag) return true;
    return false;
  });
}

/** Ranges of the index only match integers and decimals without a unit. */
const plainNumber = /^\d+(\.\d+)?$/;

/**
 * Whether an attribute's value satisfies a condition in the index of a node, which compares differently than subscriptions do. The
 * index compares texts even for numbers: 3 matches the value `3`, but not `"3"` or `3nhash`.
 */
export function matchesIndexedValue(condition: EventCondition, value: string): boolean {
  const { operator, argument } = condition;
  if (operator === '=') return value === argument?.text;
  if (operator === 'CONTAINS' || operator === 'EXISTS') return matchesValue(condition, value);
  return argument?.type === 'number' && plainNumber.test(value) && matchesValue(condition, value);
}

/** Attributes as `type.key`, with all values in the order of the events. */
export type EventMap = ReadonlyMap<string, readonly string[]>;

/**
 * Flattens events like a node: events without type and attributes without key are omitted, and the node's own attributes come
 * last.
 */
function flatten(events: readonly Event[], nodeTags: readonly (readonly [string, string])[]): EventMap {
  const flat = new Map<string, string[]>();
  const add = (tag: string, value: string): void => {
    const values = flat.get(tag);
    if (values === undefined) flat.set(tag, [value]);
    else values.push(value);
  };
  for (const { type, attributes } of events) {
    if (type === '') continue;
    for (const { key, value } of attributes) if (key !== '') add(`${type}.${key}`, value);
  }
  for (const [tag, value] of nodeTags) add(tag, value);
  return flat;
}

/** The events of a transaction, as subscribers to `tm.event='Tx'` on a node match them: with `tx.hash` and `tx.height`. */
export function flattenTx(
  { header }: { readonly header: Pick<Header, 'height'> },
  { hash, result }: Pick<CommittedTx, 'hash' | 'result'>,
): EventMap {
  return flatten(result.events, [
    ['tm.event', 'Tx'],
    ['tx.hash', hash],
    ['tx.height', header.height.toString()],
  ]);
}

/** Events, as subscribers to another kind of event on a node match them: with the kind, and no other attribute of the node. */
export function flattenKind(kind: string, events: readonly Event[] = []): EventMap {
  return flatten(events, [['tm.event', kind]]);
}

/**
 * A block's own events, as subscribers to `NewBlock` or `NewBlockEvents` on a node match them. For `NewBlockHeader` there are
 * none. `NewBlock` also gets `block.height`, which a node has in its block index but not in its subscriptions.
 */
export function flattenEvents(
  { header, events }: CommittedBlock,
  kind: 'NewBlock' | 'NewBlockEvents' | 'NewBlockHeader' = 'NewBlock',
): EventMap {
  return flatten(kind === 'NewBlockHeader' ? [] : events, [
    ['tm.event', kind],
    ...(kind === 'NewBlock' ? [['block.height', header.height.toString()] as const] : []),
  ]);
}

export type EventMatcher = ReturnType<typeof createEventMatcher>;

/** Evaluates queries on blocks. It flattens each block once, regardless of the number of queries. */
export function createEventMatcher() {
  const maps = new WeakMap<CommittedBlock, { readonly block: EventMap; readonly transactions: readonly EventMap[] }>();

  return {
    /** The parts of a block that satisfy all conditions: each transaction by its events, in block order, and the block by its own. */
    match(conditions: readonly EventCondition[], block: CommittedBlock) {
      let flat = maps.get(block);
      if (flat === undefined) {
        flat = { block: flattenEvents(block), transactions: block.transactions.map((tx) => flattenTx(block, tx)) };
        maps.set(block, flat);
      }
      const { transactions } = flat;
      return {
        block: matches(conditions, flat.block),
        transactions: block.transactions.filter((_, index) => matches(conditions, transactions[index] ?? new Map())),
      };
    },
  };
}

/** An index of transactions and blocks besides those of the nodes. */
export interface SearchIndex {
  /**
   * The result of `tx_search` or `block_search`, as a node with an index returns it. Undefined if a node must be asked, because the index does not
   * cover what the search may find. Rejects with the error that a node returns.
   */
  search(
    method: SearchMethod,
    params: JsonObject,
    options: Pick<CallOptions<unknown>, 'signal'>,
  ): Promise<JsonValue | undefined>;
}

/** The methods of the node RPC that search the index of a node. */
export type SearchMethod = 'tx_search' | 'block_search';

/** Whether a method searches the index of a node. */
export function isSearch(method: string): method is SearchMethod {
  return method === 'tx_search' || method === 'block_search';
}
