import { describe, expect, it } from 'vitest';
import { goBase64Error, goHexError, goJsonError, goQuote } from '../../../src/chain/wire/goText.ts';

// Go 1.26 printed every text.
const json: readonly (readonly [text: string, error: string | undefined])[] = [
  ['', 'unexpected end of JSON input'],
  ['abc', "invalid character 'a' looking for beginning of value"],
  ["'x'", "invalid character '\\'' looking for beginning of value"],
  ['"abc', 'unexpected end of JSON input'],
  ['05', "invalid character '5' after top-level value"],
  ['-', "invalid character ' ' in numeric literal"],
  ['-a', "invalid character 'a' in numeric literal"],
  ['1.', "invalid character ' ' after decimal point in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1e', "invalid character ' ' in exponent of numeric literal"],
  ['1e+', "invalid character ' ' in exponent of numeric literal"],
  ['1e+x', "invalid character 'x' in exponent of numeric literal"],
  ['tru', "invalid character ' ' in literal true (expecting 'e')"],
  ['trux', "invalid character 'x' in literal true (expecting 'e')"],
  ['null ', undefined],
  ['nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['{', 'unexpected end of JSON input'],
  ['{a', "invalid character 'a' looking for beginning of object key string"],
  ['{"a"', 'unexpected end of JSON input'],
  ['{"a" x', "invalid character 'x' after object key"],
  ['{"a":1', 'unexpected end of JSON input'],
  ['{"a":1 x', "invalid character 'x' after object key:value pair"],
  ['{"a":}', "invalid character '}' looking for beginning of value"],
  ['[', 'unexpected end of JSON input'],
  ['[1', 'unexpected end of JSON input'],
  ['[1 x', "invalid character 'x' after array element"],
  ['[,', "invalid character ',' looking for beginning of value"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['"a\\x"', "invalid character 'x' in string escape code"],
  ['"\\u00zz"', "invalid character 'z' in \\u hexadecimal character escape"],
  ['"\u0001"', "invalid character '\\x01' in string literal"],
  ['1 2', "invalid character '2' after top-level value"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
  ['\\"5\\"', "invalid character '\\\\' looking for beginning of value"],
  ['+5', "invalid character '+' looking for beginning of value"],
  ['1_0', "invalid character '_' after top-level value"],
  ['0x5', "invalid character 'x' after top-level value"],
  [']', "invalid character ']' looking for beginning of value"],
  ['"a" "b"', "invalid character '\"' after top-level value"],
  ['\u0000', "invalid character '\\x00' looking for beginning of value"],
  ['fals', "invalid character ' ' in literal false (expecting 'e')"],
  ['"\\', "invalid character ' ' in string escape code"],
  ['01', "invalid character '1' after top-level value"],
  ['-01', "invalid character '1' after top-level value"],
  ['1.5.2', "invalid character '.' after top-level value"],
  ['"\t"', "invalid character '\\t' in string literal"],
  ['', "invalid character '\\x7f' looking for beginning of value"],
];

const hex: readonly (readonly [text: string, error: string])[] = [
  ['ZZ', "encoding/hex: invalid byte: U+005A 'Z'"],
  ['0', 'encoding/hex: odd length hex string'],
  ['0g', "encoding/hex: invalid byte: U+0067 'g'"],
  ['é0', "encoding/hex: invalid byte: U+00C3 'Ã'"],
  [' 0', "encoding/hex: invalid byte: U+0020 ' '"],
  ['\n0', 'encoding/hex: invalid byte: U+000A'],
  ['00z', "encoding/hex: invalid byte: U+007A 'z'"],
  ['0', 'encoding/hex: invalid byte: U+007F'],
];

const base64: readonly (readonly [text: string, standard: string | undefined, url: string | undefined])[] = [
  ['A', 'illegal base64 data at input byte 0', 'illegal base64 data at input byte 0'],
  ['AA', 'illegal base64 data at input byte 0', 'illegal base64 data at input byte 0'],
  ['AAE', 'illegal base64 data at input byte 0', 'illegal base64 data at input byte 0'],
  ['AAE=', undefined, undefined],
  ['AA=', 'illegal base64 data at input byte 3', 'illegal base64 data at input byte 3'],
  ['AA==', undefined, undefined],
  ['A===', 'illegal base64 data at input byte 1', 'illegal base64 data at input byte 1'],
  ['=', 'illegal base64 data at input byte 0', 'illegal base64 data at input byte 0'],
  ['AAE=A', 'illegal base64 data at input byte 4', 'illegal base64 data at input byte 4'],
  ['AAEA=', 'illegal base64 data at input byte 4', 'illegal base64 data at input byte 4'],
  ['AA E=', 'illegal base64 data at input byte 2', 'illegal base64 data at input byte 2'],
  ['A-_A', 'illegal base64 data at input byte 1', undefined],
  ['A+_A', 'illegal base64 data at input byte 2', 'illegal base64 data at input byte 1'],
  ['AA=A', 'illegal base64 data at input byte 2', 'illegal base64 data at input byte 2'],
  ['AAAA====', 'illegal base64 data at input byte 4', 'illegal base64 data at input byte 4'],
  ['AAEAé', 'illegal base64 data at input byte 4', 'illegal base64 data at input byte 4'],
  ['AAE=\n', undefined, undefined],
  ['A\nAE=', undefined, undefined],
  ['AAF=', undefined, undefined],
  ['AAB=', undefined, undefined],
  ['AAEAA', 'illegal base64 data at input byte 4', 'illegal base64 data at input byte 4'],
  ['AAEAAA', 'illegal base64 data at input byte 4', 'illegal base64 data at input byte 4'],
  ['AA==AA==', 'illegal base64 data at input byte 4', 'illegal base64 data at input byte 4'],
  ['AA===', 'illegal base64 data at input byte 4', 'illegal base64 data at input byte 4'],
];

describe("errors of Go's standard library", () => {
  it.each(json)('the error of encoding/json for %j', (text, error) => {
    expect(goJsonError(text)).toBe(error);
  });

  it('encoding/json accepts what JSON.parse accepts', () => {
    for (const text of ['{"a":[1,-2.5e+3,"\\u00e9\\n",true,false,null,{}],"b":{"c":[]}}', ' [] ', '0', '-0.1E-2', '"é"']) {
      expect(JSON.parse(text)).toBeDefined();
      expect(goJsonError(text)).toBeUndefined();
    }
  });

  it.each(hex)('the error of encoding/hex for %j', (text, error) => {
    expect(goHexError(text)).toBe(error);
  });

  it.each(base64)('the error of encoding/base64 for %j', (text, standard, url) => {
    expect([goBase64Error(text, 'standard'), goBase64Error(text, 'url')]).toEqual([standard, url]);
  });

  it('quotes as strconv.Quote does', () => {
    expect(goQuote('\u0007\b\f\n\r\t\v\u0000\u001b\u007f\u00a0\u0085\u200b\u2028é\u{1f600}\u{e0001}<&>\'"\\')).toBe(
      '"\\a\\b\\f\\n\\r\\t\\v\\x00\\x1b\\x7f\\u00a0\\u0085\\u200b\\u2028é\u{1f600}\\U000e0001<&>\'\\"\\\\"',
    );
  });
});
