import type { JsonValue } from './json.ts';
import { parseJson } from './parseJson.ts';

/** The most that a JSON text from a client may have. */
export interface JsonBounds {
  /** Levels of arrays and objects. */
  readonly depth: number;
  /** Values, each array and object included. */
  readonly values: number;
  /** Characters of a number. */
  readonly number: number;
}

/** A JSON text is beyond one of its bounds. */
export class JsonBoundError extends Error {
  override readonly name = 'JsonBoundError';
  readonly bound: keyof JsonBounds;
  readonly max: number;

  constructor(bound: keyof JsonBounds, max: number) {
    super(`The JSON is beyond its bound of ${max} (${bound}).`);
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

/** Strings up to this many bytes are read byte by byte, longer ones with a search for the quote: that costs a call, and is faster for each byte. */
const shortString = 64;

/** The index behind the string whose first byte is at `from`; the end of the text where nothing closes it. */
function endOfString(bytes: Uint8Array, from: number): number {
  const near = Math.min(bytes.length, from + shortString);
  for (let at = from; at < near; at += 1) {
    if (bytes[at] === quote) return at + 1;
    if (bytes[at] === backslash) at += 1;
  }
  // The byte at `near` may be escaped by the one before it: the backslashes are counted back to the beginning of the string.
  for (let close = bytes.indexOf(quote, near); close !== -1; close = bytes.indexOf(quote, close + 1)) {
    let first = close;
    while (first > from && bytes[first - 1] === backslash) first -= 1;
    if ((close - first) % 2 === 0) return close + 1;
  }
  return bytes.length;
}

/** Whether a byte may stand in a number: digits, signs, the point and the exponent. */
function isOfNumber(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65;
}

/**
 * Checks JSON text against bounds before it is parsed, in one pass that allocates nothing and stops at the first bound that is
 * passed. Throws {@link JsonBoundError}. It does not check that the text is JSON.
 */
export function checkJson(bytes: Uint8Array, bounds: JsonBounds): void {
  const { length } = bytes;
  let depth = 0;
  let values = 1;
  // Counted apart: text that is not JSON may have numbers without commas.
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

/** Parses JSON within bounds, as {@link parseJson} does. Throws {@link JsonBoundError}, or what `parseJson` throws. */
export function parseBoundedJson(bytes: Buffer, bounds: JsonBounds): JsonValue {
  checkJson(bytes, bounds);
  return parseJson(bytes.toString());
}
