import type { JsonValue } from './json.ts';

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
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close + 1;
}

/** Whether a colon follows, so that the text before it is the key of an object. A number cannot be a key. */
function isKey(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text.charAt(at))) at += 1;
  return text[at] === ':';
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
    const [found] = match;
    if (found === '"') {
      token.lastIndex = endOfString(text, match.index);
      continue;
    }
    const isExact = found.length < 16 || Number.isSafeInteger(Number(found)) || !/^-?[1-9]\d*$/.test(found);
    if (isExact || isKey(text, token.lastIndex)) continue;
    pieces.push(text.slice(from, match.index), encode(found));
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
  const value: JsonValue = JSON.parse(quoteLongIntegers(text));
  return value;
}
