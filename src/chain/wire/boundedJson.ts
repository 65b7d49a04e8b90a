import type { JsonValue } from './json.ts';
import { parseJson } from './parseJson.ts';

/** Bounds of JSON text that a client sends. */
export interface JsonBounds {
  /** Levels of arrays and objects. */
  readonly depth: number;
  /** Number of values; each array and object counts as one. */
  readonly values: number;
  /** Characters in one number. */
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

/**
 * Strings up to this many bytes are scanned byte by byte. For longer ones, `indexOf` is faster in spite of the cost of its
 * call.
 */
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

/** Whether a byte may occur in a number: digit, sign, decimal point or exponent. */
function isOfNumber(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65;
}

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
    else if (isOfNumber(byte)) {
      const begin = at - 1;
      while (at < length && isOfNumber(bytes[at] ?? 0)) at += 1;
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
