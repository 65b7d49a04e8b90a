/**
 * Error texts of Go's standard library. Nodes are written in Go, so their errors contain these texts. The rules are those of Go
 * 1.26; the tests contain a table of its outputs.
 */

const named: Readonly<Record<string, string>> = {
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
  const short = named[character];
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
export function goQuoteByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${escaped(character)}'`;
}

/** The error of `encoding/hex` for text that it cannot decode; undefined for valid hex. */
export function goHexError(text: string): string | undefined {
  const at = text.search(/[^0-9a-fA-F]/);
  if (at === -1) return text.length % 2 === 0 ? undefined : 'encoding/hex: odd length hex string';
  // Go reports the first byte of a character outside of ASCII.
  const [bad = 0] = Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? 0));
  const character = String.fromCharCode(bad);
  const shown = printable.test(character) ? ` '${character}'` : '';
  return `encoding/hex: invalid byte: U+${bad.toString(16).toUpperCase().padStart(4, '0')}${shown}`;
}

const [newline, carriageReturn, equals] = [0x0a, 0x0d, 0x3d];

const common = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const digitsOf = {
  standard: new Set(Buffer.from(`${common}+/`)),
  url: new Set(Buffer.from(`${common}-_`)),
} as const;

/**
 * The offset in bytes of the first fault that `encoding/base64` finds in padded text; undefined if there is none. Line breaks
 * are skipped.
 */
function base64Fault(source: Uint8Array, digits: ReadonlySet<number>): number | undefined {
  let at = 0;
  const skipBreaks = (): void => {
    while (source[at] === newline || source[at] === carriageReturn) at += 1;
  };
  for (;;) {
    for (let inQuantum = 0; inQuantum < 4; inQuantum += 1) {
      skipBreaks();
      const byte = source[at];
      if (byte === undefined) return inQuantum === 0 ? undefined : at - inQuantum;
      at += 1;
      if (digits.has(byte)) continue;
      if (byte !== equals || inQuantum < 2) return at - 1;
      skipBreaks();
      if (inQuantum === 2) {
        if (at === source.length) return at;
        if (source[at] !== equals) return at - 1;
        at += 1;
        skipBreaks();
      }
      return at < source.length ? at : undefined;
    }
  }
}

/** The error of `encoding/base64` for text that is not padded base64 of this alphabet; undefined for valid text. */
export function goBase64Error(text: string, alphabet: 'standard' | 'url'): string | undefined {
  const at = base64Fault(Buffer.from(text), digitsOf[alphabet]);
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`;
}
