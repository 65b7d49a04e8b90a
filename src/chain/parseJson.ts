import { parse } from 'lossless-json';
import type { JsonValue } from './json.ts';

/** The shortest integer that a JavaScript number may not hold (2^53 + 1 = 9007199254740993) has 16 digits. */
const longNumber = /\d{16}/;

/** Whether a run of 16 or more digits stands outside the strings of `text`. Strings are hopped over, not looked into. */
export function hasLongNumber(text: string): boolean {
  if (!longNumber.test(text)) return false;
  let from = 0;
  for (;;) {
    const open = text.indexOf('"', from);
    if (longNumber.test(text.slice(from, open === -1 ? undefined : open))) return true;
    if (open === -1) return false;
    let close = text.indexOf('"', open + 1);
    while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
    if (close === -1) return false;
    from = close + 1;
  }
}

/** Whether an odd number of backslashes stands before the character at `index`. */
function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function parseNumber(text: string): number | string {
  const value = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value;
}

/**
 * Parses JSON as `JSON.parse` does, but for one thing: an integer that a JavaScript number cannot hold exactly is not rounded, it
 * comes as a decimal string. Throws (SyntaxError, or RangeError for one nested too deep) for what is not JSON.
 */
export function parseJson(text: string): JsonValue {
  if (!hasLongNumber(text)) {
    const value: JsonValue = JSON.parse(text);
    return value;
  }
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }) as JsonValue;
}
