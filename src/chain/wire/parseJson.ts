import type { JsonValue } from './json.ts';

/** The shortest integer that a JavaScript number may not hold (2^53 + 1 = 9007199254740993) has 16 digits. */
const longNumber = /\d{16}/;

/** Whether an odd number of backslashes stands before the character at `index`. */
function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** The index behind the string that opens at `open`; the end of the text where nothing closes it. */
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close + 1;
}

/** Whether a colon comes next: what stands before it is the key of an object, which no number may be. */
function isKey(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text.charAt(at))) at += 1;
  return text[at] === ':';
}

/**
 * JSON text in which `encode` has replaced each integer that a JavaScript number cannot hold exactly; `encode` gets its digits and
 * returns JSON. The time it takes grows with the length of the text alone. What is not JSON does not become JSON.
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

/** JSON text whose long integers are decimal strings, so that every parser reads them exactly. What is not JSON stays as wrong as it was. */
export function quoteLongIntegers(text: string): string {
  return longNumber.test(text) ? replaceLongIntegers(text, (digits) => `"${digits}"`) : text;
}

/** The same text with 0 in place of each long integer: beside {@link quoteLongIntegers} it shows which strings were integers. */
export function zeroLongIntegers(text: string): string {
  return longNumber.test(text) ? replaceLongIntegers(text, () => '0') : text;
}

/**
 * Parses JSON as `JSON.parse` does, except that an integer that a JavaScript number cannot hold exactly comes as a decimal string.
 * Throws a SyntaxError for what is not JSON.
 */
export function parseJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(quoteLongIntegers(text));
  return value;
}
