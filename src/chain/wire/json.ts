import { ChainError } from '../base/errors.ts';

/** A JSON value from a node. Nodes print 64-bit integers as strings (docs/chain.md, "JSON of the node RPC"), so numbers are small. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object from a node. An absent member is undefined. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether arrays and objects are nested deeper than `levels`. Recursion is safe on a value that is not. */
export function isDeeperThan(levels: number, value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/**
 * Integers of 16 digits may exceed the precision of a JavaScript number. The shortest is 2^53 + 1 = 9007199254740993. Outside of strings, a number follows
 * one of these characters.
 */
const longNumber = /(?:^|[[,:\s])-?\d{16}/;

/** Whether an odd number of backslashes precedes the character at `index`. */
function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** The index after the string that opens at `open`; the length of the text if the string is not closed. */
function endOfText(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close + 1;
}

/** Whether a colon follows, so that the text before it is the key of an object. A number cannot be a key. */
function isKey(text: string, end: number): boolean {
  let index = end;
  while (/\s/.test(text.charAt(index))) index += 1;
  return text[index] === ':';
}

/**
 * Replaces each integer that a JavaScript number cannot hold exactly. `encode` gets the digits and returns JSON. The time is
 * linear in the length of the text. Text that is not JSON does not become JSON.
 */
function replaceLongIntegers(text: string, encode: (digits: string) => string): string {
  const token = /"|-?\d[\d.eE+-]*/g;
  const pieces: string[] = [];
  let from = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [matchText] = match;
    if (matchText === '"') {
      token.lastIndex = endOfText(text, match.index);
      continue;
    }
    const isExact = matchText.length < 16 || Number.isSafeInteger(Number(matchText)) || !/^-?[1-9]\d*$/.test(matchText);
    if (isExact || isKey(text, token.lastIndex)) continue;
    pieces.push(text.slice(from, match.index), encode(matchText));
    from = token.lastIndex;
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(from);
}

/** Turns long integers into decimal strings, so that every parser reads them exactly. Text that is not JSON stays invalid. */
export function quoteLongIntegers(text: string): string {
  return longNumber.test(text) ? replaceLongIntegers(text, (digits) => `"${digits}"`) : text;
}

/** Replaces each long integer by 0. Compared with {@link quoteLongIntegers}, the result shows which strings were integers. */
export function zeroLongIntegers(text: string): string {
  return longNumber.test(text) ? replaceLongIntegers(text, () => '0') : text;
}

/**
 * Parses JSON like `JSON.parse`, but returns an integer that a JavaScript number cannot hold exactly as a decimal string.
 * Throws a SyntaxError for text that is not JSON.
 */
export function parseJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(longNumber.test(text) ? quoteLongIntegers(text) : text);
  return value;
}

/** Bounds of JSON text that a client sends. */
export interface JsonBounds {
  readonly depth: number;
  /** Number of values; each array and object counts as one. */
  readonly values: number;
  readonly number: number;
}

/** The JSON text exceeds one of its bounds. */
export class JsonBoundError extends Error {
  override readonly name = 'JsonBoundError';
  readonly bound: keyof JsonBounds;
  readonly max: number;

  constructor(bound: keyof JsonBounds, max: number) {
    super(`The JSON exceeds its limit of ${max} (${bound}).`);
    this.bound = bound;
    this.max = max;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBracket = 0x5d;
const closeBrace = 0x7d;

/** Strings up to this many bytes are scanned byte by byte. For longer ones, `indexOf` is faster in spite of the cost of its call. */
const shortString = 64;

/** The index after the string whose first byte is at `from`; the length of the text if the string is not closed. */
function endOfString(bytes: Uint8Array, from: number): number {
  const near = Math.min(bytes.length, from + shortString);
  for (let at = from; at < near; at += 1) {
    if (bytes[at] === quote) return at + 1;
    if (bytes[at] === backslash) at += 1;
  }
  // An escape may span `near`, so the backslashes before a quote are counted back to the start of the string.
  for (let close = bytes.indexOf(quote, near); close !== -1; close = bytes.indexOf(quote, close + 1)) {
    let first = close;
    while (first > from && bytes[first - 1] === backslash) first -= 1;
    if ((close - first) % 2 === 0) return close + 1;
  }
  return bytes.length;
}

/** 1 for each byte that may occur in a number. */
const numberBytes = new Uint8Array(256);
for (const byte of Buffer.from('0123456789+-.eE')) numberBytes[byte] = 1;

/**
 * Checks JSON text against bounds before it is parsed. It runs in one pass, allocates nothing and stops at the first bound that
 * is exceeded. It does not check that the text is JSON. Throws {@link JsonBoundError}.
 */
export function checkJson(bytes: Uint8Array, bounds: JsonBounds): void {
  const { length } = bytes;
  let depth = 0;
  let values = 1;
  // Counted separately, because text that is not JSON may contain numbers without commas.
  let numbers = 0;
  let at = 0;
  while (at < length) {
    const byte = bytes[at] ?? 0;
    at += 1;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      values += 1;
      if (depth > bounds.depth) throw new JsonBoundError('depth', bounds.depth);
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    else if (byte === comma) values += 1;
    else if (numberBytes[byte] === 1) {
      const begin = at - 1;
      while (at < length && numberBytes[bytes[at] ?? 0] === 1) at += 1;
      numbers += 1;
      if (at - begin > bounds.number) throw new JsonBoundError('number', bounds.number);
    }
    if (values > bounds.values || numbers > bounds.values) throw new JsonBoundError('values', bounds.values);
  }
}

/** Parses JSON like {@link parseJson}, within bounds. Throws {@link JsonBoundError}, or the error of `parseJson`. */
export function parseBoundedJson(bytes: Buffer, bounds: JsonBounds): JsonValue {
  checkJson(bytes, bounds);
  return parseJson(bytes.toString());
}

/**
 * The error for a response of a node that does not have the documented shape (docs/chain.md, "Results of the node RPC"). `what` describes the fault.
 */
export function malformed(what: string): ChainError<'NODE_INVALID_RESPONSE'> {
  return new ChainError('NODE_INVALID_RESPONSE', `Invalid response of the node: ${what}.`, {});
}

/** `value` as a JSON object. Throws NODE_INVALID_RESPONSE for anything else, as all functions of this file do. */
export function asObject(value: JsonValue | undefined, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw malformed(`${what} is not an object`);
}

/** The array at `name`. Null and absent are an empty array, because Go prints nil slices so. */
export function arrayAt(object: JsonObject, name: string): JsonValue[] {
  const value = object[name];
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw malformed(`${name} is not an array`);
}

export function objectAt(object: JsonObject, name: string): JsonObject {
  return asObject(object[name], name);
}

/** The text at `name`. Absent is "", because Go's `omitempty` leaves empty text out. */
export function textAt(object: JsonObject, name: string): string {
  const value = object[name];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw malformed(`${name} is not text`);
}

/** The 64-bit integer at `name`, which nodes print as a decimal string. Absent is 0. */
export function bigintAt(object: JsonObject, name: string): bigint {
  const value = object[name] ?? '0';
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw malformed(`${name} is not an integer`);
}

/** The 32-bit integer at `name`, which nodes print as a JSON number. Absent is 0. */
export function intAt(object: JsonObject, name: string): number {
  const value = object[name] ?? 0;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw malformed(`${name} is not an integer`);
}

/** The boolean at `name`. Absent is false. */
export function booleanAt(object: JsonObject, name: string): boolean {
  const value = object[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw malformed(`${name} is not a boolean`);
}

/** The base64 bytes at `name`; undefined if null or absent. */
export function bytesAt(object: JsonObject, name: string): Uint8Array | undefined {
  const value = object[name];
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  throw malformed(`${name} is not base64`);
}
