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

/** What the scanner expects next. */
type State =
  | 'value'
  | 'firstItem'
  | 'firstKey'
  | 'key'
  | 'colon'
  | 'endOfPair'
  | 'endOfItem'
  | 'end'
  | 'string'
  | 'escape'
  | 'hex'
  | 'literal'
  | 'minus'
  | 'zero'
  | 'digits'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponentSign'
  | 'exponentDigits';

const space = 0x20;

/** Number of bytes that are scanned, which bounds the time. A longer text without a fault in this part is reported as one that ends too early. */
const maxBytes = 65_536;

const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

const isSpace = (character: string): boolean => /[ \t\r\n]/.test(character);
const isDigit = (character: string): boolean => /[0-9]/.test(character);

/**
 * The error that Go's `encoding/json` returns for text that is not JSON; undefined for JSON. Go reads a space after the end of
 * the text, so it reports an unfinished literal as one that contains a space. With `atEnd`, every unfinished text returns that
 * error instead, as Go's stream decoder does.
 */
export function goJsonError(text: string, atEnd?: string): string | undefined {
  /** The open objects and arrays, outermost first. */
  const containers: ('object' | 'array')[] = [];
  let state: State = 'value';
  let isKey = false;
  let literal = '';
  let remaining = 0;

  const afterValue = (): State => {
    const inner = containers.at(-1);
    if (inner === undefined) return 'end';
    return inner === 'object' ? 'endOfPair' : 'endOfItem';
  };

  /** Reads a character outside of strings, numbers and literals. Returns the fault, if any. */
  function outside(character: string): string | undefined {
    if (isSpace(character)) return undefined;
    const opensKey = state === 'key' || state === 'firstKey';
    if (opensKey) {
      if (character === '"') {
        isKey = true;
        state = 'string';
        return undefined;
      }
      if (character !== '}' || state === 'key') return 'looking for beginning of object key string';
      containers.pop();
      state = afterValue();
      return undefined;
    }
    switch (state) {
      case 'colon':
        if (character !== ':') return 'after object key';
        state = 'value';
        return undefined;
      case 'endOfPair':
        if (character !== ',' && character !== '}') return 'after object key:value pair';
        if (character === '}') containers.pop();
        state = character === ',' ? 'key' : afterValue();
        return undefined;
      case 'endOfItem':
        if (character !== ',' && character !== ']') return 'after array element';
        if (character === ']') containers.pop();
        state = character === ',' ? 'value' : afterValue();
        return undefined;
      case 'end':
        return 'after top-level value';
      default:
        return beginning(character);
    }
  }

  /** Reads the first character of a value. Returns the fault, if any. */
  function beginning(character: string): string | undefined {
    const word = literals[character];
    if (character === ']' && state === 'firstItem') {
      containers.pop();
      state = afterValue();
    } else if (character === '{' || character === '[') {
      containers.push(character === '{' ? 'object' : 'array');
      state = character === '{' ? 'firstKey' : 'firstItem';
    } else if (character === '"') {
      isKey = false;
      state = 'string';
    } else if (character === '-') state = 'minus';
    else if (character === '0') state = 'zero';
    else if (isDigit(character)) state = 'digits';
    else if (word !== undefined) {
      state = 'literal';
      literal = word;
      remaining = word.length - 1;
    } else return 'looking for beginning of value';
    return undefined;
  }

  /** Reads a character of a string. Returns the fault, if any. */
  function inString(character: string): string | undefined {
    if (state === 'hex') {
      if (!/[0-9a-fA-F]/.test(character)) return 'in \\u hexadecimal character escape';
      remaining -= 1;
      if (remaining === 0) state = 'string';
    } else if (state === 'escape') {
      if (!/["\\/bfnrtu]/.test(character)) return 'in string escape code';
      state = character === 'u' ? 'hex' : 'string';
      remaining = 4;
    } else if (character === '"') state = isKey ? 'colon' : afterValue();
    else if (character === '\\') state = 'escape';
    else if (character < ' ') return 'in string literal';
    return undefined;
  }

  /** Reads a character of a number or literal, or the first one after it. Returns the fault, if any. */
  function inToken(character: string): string | undefined {
    switch (state) {
      case 'literal': {
        const expected = literal[literal.length - remaining] ?? '';
        if (character !== expected) return `in literal ${literal} (expecting '${expected}')`;
        remaining -= 1;
        if (remaining === 0) state = afterValue();
        return undefined;
      }
      case 'minus':
        if (!isDigit(character)) return 'in numeric literal';
        state = character === '0' ? 'zero' : 'digits';
        return undefined;
      case 'point':
        if (!isDigit(character)) return 'after decimal point in numeric literal';
        state = 'fraction';
        return undefined;
      case 'exponent':
      case 'exponentSign':
        if (isDigit(character)) state = 'exponentDigits';
        else if (state === 'exponent' && /[+-]/.test(character)) state = 'exponentSign';
        else return 'in exponent of numeric literal';
        return undefined;
      default:
        if (state !== 'zero' && isDigit(character)) return undefined;
        if (character === '.' && (state === 'zero' || state === 'digits')) state = 'point';
        else if (/[eE]/.test(character) && state !== 'exponentDigits') state = 'exponent';
        else {
          state = afterValue();
          return outside(character);
        }
        return undefined;
    }
  }

  function readByte(byte: number): string | undefined {
    const character = String.fromCharCode(byte);
    switch (state) {
      case 'string':
      case 'escape':
      case 'hex':
        return inString(character);
      case 'literal':
      case 'minus':
      case 'zero':
      case 'digits':
      case 'point':
      case 'fraction':
      case 'exponent':
      case 'exponentSign':
      case 'exponentDigits':
        return inToken(character);
      default:
        return outside(character);
    }
  }

  const isWhole = (): boolean => state === 'end';
  const bytes = Buffer.from(text.slice(0, maxBytes));
  for (const byte of bytes) {
    const fault = readByte(byte);
    if (fault !== undefined) return `invalid character ${goQuoteByte(byte)} ${fault}`;
  }
  const cutOff = readByte(space);
  if (isWhole() && text.length <= maxBytes) return undefined;
  if (atEnd !== undefined) return atEnd;
  return cutOff === undefined ? 'unexpected end of JSON input' : `invalid character ${goQuoteByte(space)} ${cutOff}`;
}

/** The name of a JSON value's type in errors of `encoding/json`. */
export function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Compact JSON as Go encodes it: `<`, `>`, `&` and the two Unicode line separators are escaped in strings. */
export function stringify(value: JsonValue): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
