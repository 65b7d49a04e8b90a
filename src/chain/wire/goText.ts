import type { JsonValue } from './json.ts';

/**
 * Error texts of Go's standard library. Nodes are written in Go, so their errors contain these texts. The rules are those of Go
 * 1.26; the tests contain a table of its outputs.
 */

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** One character, escaped like in `strconv.Quote`. */
function escaped(character: string): string {
  const short = escapes[character];
  if (short !== undefined) return short;
  if (printable.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

/** Text in double quotes, like `strconv.Quote` and `%q`. */
export function goQuote(text: string): string {
  return `"${[...text].map(escaped).join('')}"`;
}

/** A byte in single quotes, as `encoding/json` prints an unexpected character. */
function goQuoteByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${escaped(character)}'`;
}

/** The error of `encoding/hex` for text that it cannot decode; undefined for valid hex. */
export function goHexError(text: string): string | undefined {
  const index = text.search(/[^0-9a-fA-F]/);
  if (index === -1) return text.length % 2 === 0 ? undefined : 'encoding/hex: odd length hex string';
  // Go reports the first byte of a character outside of ASCII.
  const [bad = 0] = Buffer.from(String.fromCodePoint(text.codePointAt(index) ?? 0));
  const character = String.fromCharCode(bad);
  const characterText = printable.test(character) ? ` '${character}'` : '';
  return `encoding/hex: invalid byte: U+${bad.toString(16).toUpperCase().padStart(4, '0')}${characterText}`;
}

const [newline, carriageReturn, equals] = [0x0a, 0x0d, 0x3d];

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const digitsOf = {
  standard: new Set(Buffer.from(`${alphanumerics}+/`)),
  url: new Set(Buffer.from(`${alphanumerics}-_`)),
} as const;

/** The offset in bytes of the first fault that `encoding/base64` finds in padded text; undefined if there is none. Line breaks are skipped. */
function base64Fault(source: Uint8Array, digits: ReadonlySet<number>): number | undefined {
  let offset = 0;
  const skipBreaks = (): void => {
    while (source[offset] === newline || source[offset] === carriageReturn) offset += 1;
  };
  for (;;) {
    for (let inQuantum = 0; inQuantum < 4; inQuantum += 1) {
      skipBreaks();
      const byte = source[offset];
      if (byte === undefined) return inQuantum === 0 ? undefined : offset - inQuantum;
      offset += 1;
      if (digits.has(byte)) continue;
      if (byte !== equals || inQuantum < 2) return offset - 1;
      skipBreaks();
      if (inQuantum === 2) {
        if (offset === source.length) return offset;
        if (source[offset] !== equals) return offset - 1;
        offset += 1;
        skipBreaks();
      }
      return offset < source.length ? offset : undefined;
    }
  }
}

/** The error of `encoding/base64` for text that is not padded base64 of this alphabet; undefined for valid text. */
export function goBase64Error(text: string, alphabet: 'standard' | 'url'): string | undefined {
  const offset = base64Fault(Buffer.from(text), digitsOf[alphabet]);
  return offset === undefined ? undefined : `illegal base64 data at input byte ${offset}`;
}

const space = 0x20;

/** What the scanner expects next, outside of strings, numbers and literals. */
type Expected = 'value' | 'firstItem' | 'firstKey' | 'key' | 'colon' | 'endOfPair' | 'endOfItem' | 'end';

/** Number of characters that are scanned, which bounds the time. A longer text without a fault in this part is reported as one that ends too early. */
const maxLength = 65_536;

const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

const isDigit = (character: string): boolean => character >= '0' && character <= '9';

/**
 * The error that Go's `encoding/json` returns for text that is not JSON; undefined for JSON. Go reads a space after the end of
 * the text, so it reports an unfinished literal as one that contains a space. With `atEnd`, every unfinished text returns that
 * error instead, as Go's stream decoder does.
 */
export function goJsonError(text: string, atEnd?: string): string | undefined {
  const bytes = Buffer.from(`${text.slice(0, maxLength)} `);
  /** Each byte as one character. */
  const source = bytes.toString('latin1');
  /** The open objects and arrays, outermost first. */
  const containers: ('object' | 'array')[] = [];
  let expected: Expected = 'value';
  /** The index of the next character, and of the faulty one after a fault. Each function below returns the fault, if any. */
  let at = 0;

  const here = (): string => source.charAt(at);
  const isWhole = (): boolean => expected === 'end';

  function pass(next: Expected): undefined {
    at += 1;
    expected = next;
  }

  function afterValue(): Expected {
    const inner = containers.at(-1);
    if (inner === undefined) return 'end';
    return inner === 'object' ? 'endOfPair' : 'endOfItem';
  }

  function close(): undefined {
    containers.pop();
    return pass(afterValue());
  }

  function readString(next: Expected): string | undefined {
    for (at += 1; at < source.length; at += 1) {
      const character = here();
      if (character === '"') return pass(next);
      if (character < ' ') return 'in string literal';
      if (character !== '\\') continue;
      at += 1;
      if (!/["\\/bfnrtu]/.test(here())) return 'in string escape code';
      for (let digits = here() === 'u' ? 4 : 0; digits > 0; digits -= 1) {
        at += 1;
        if (!/[0-9a-fA-F]/.test(here())) return 'in \\u hexadecimal character escape';
      }
    }
    return undefined;
  }

  /** Passes digits. Returns whether there was one. */
  function passDigits(): boolean {
    const start = at;
    while (isDigit(here())) at += 1;
    return at > start;
  }

  function readNumber(): string | undefined {
    if (here() === '-') at += 1;
    if (here() === '0') at += 1;
    else if (!passDigits()) return 'in numeric literal';
    if (here() === '.') {
      at += 1;
      if (!passDigits()) return 'after decimal point in numeric literal';
    }
    if (/[eE]/.test(here())) {
      at += 1;
      if (/[+-]/.test(here())) at += 1;
      if (!passDigits()) return 'in exponent of numeric literal';
    }
    expected = afterValue();
    return undefined;
  }

  function readValue(character: string): string | undefined {
    if (character === '"') return readString(afterValue());
    if (character === '-' || isDigit(character)) return readNumber();
    if (character === '{' || character === '[') {
      containers.push(character === '{' ? 'object' : 'array');
      return pass(character === '{' ? 'firstKey' : 'firstItem');
    }
    const literal = literals[character];
    if (literal === undefined) return 'looking for beginning of value';
    for (const letter of literal) {
      if (here() !== letter) return `in literal ${literal} (expecting '${letter}')`;
      at += 1;
    }
    expected = afterValue();
    return undefined;
  }

  /** Reads a punctuation mark, or a whole string, number or literal. */
  function readNext(character: string): string | undefined {
    switch (expected) {
      case 'firstKey':
      case 'key':
        if (character === '"') return readString('colon');
        return character === '}' && expected === 'firstKey' ? close() : 'looking for beginning of object key string';
      case 'colon':
        return character === ':' ? pass('value') : 'after object key';
      case 'endOfPair':
        if (character === ',') return pass('key');
        return character === '}' ? close() : 'after object key:value pair';
      case 'endOfItem':
        if (character === ',') return pass('value');
        return character === ']' ? close() : 'after array element';
      case 'end':
        return 'after top-level value';
      default:
        return character === ']' && expected === 'firstItem' ? close() : readValue(character);
    }
  }

  let fault: string | undefined;
  while (fault === undefined && at < source.length) {
    if (/[ \t\r\n]/.test(here())) at += 1;
    else fault = readNext(here());
  }
  if (fault === undefined && isWhole() && text.length <= maxLength) return undefined;
  if (atEnd !== undefined && (fault === undefined || at === source.length - 1)) return atEnd;
  return fault === undefined ? 'unexpected end of JSON input' : `invalid character ${goQuoteByte(bytes[at] ?? space)} ${fault}`;
}

/** The name of a JSON value's type in errors of `encoding/json`. */
export function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** JSON with the characters escaped that Go escapes in strings: `<`, `>`, `&` and the two Unicode line separators. */
export function goEscaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Compact JSON as Go encodes it. */
export function stringify(value: JsonValue): string {
  return goEscaped(JSON.stringify(value));
}
