import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/chain/wire/json.ts';
import { recording } from '../../recordings/recording.ts';
import { fc } from '../../support/atRandom.ts';

describe('integers that a number cannot hold become strings', () => {
  test.each<[string, unknown]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['{"id":18446744073709551615,"n":[1,9223372036854775807]}', { id: '18446744073709551615', n: [1, '9223372036854775807'] }],
    ['{"a\\"":9223372036854775807}', { 'a"': '9223372036854775807' }],
    ['["\\\\",9223372036854775807,"\\\\\\"12345678901234567"]', ['\\', '9223372036854775807', '\\"12345678901234567']],
    ['[0.12345678901234567,1e3]', [Number('0.12345678901234567'), 1000]],
    ['{"amount":"123456789012345678901234567890"}', { amount: '123456789012345678901234567890' }],
    ['{"a":1,"a":9223372036854775807}', { a: '9223372036854775807' }],
  ])('keeps the integers of %s exact', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });
});

test.each([
  '',
  '{',
  '01234567890123456789',
  '{9223372036854775807:1}',
  '[9223372036854775807',
  '9223372036854775807 x',
  '\uFEFF{}',
  '"abc',
])('%j is not JSON', (text) => {
  expect(() => parseJson(text)).toThrow();
});

test('does not let a key reach a prototype', () => {
  const value = parseJson('{"__proto__":{"polluted":9223372036854775807}}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('equals JSON.parse for everything else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!/\d{16}/.test(text.replace(/"(\\.|[^"\\])*"/g, '')));
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), fc.string(), (integer, key) => {
      const exact = Number.isSafeInteger(Number(integer)) ? Number(integer) : integer.toString();
      expect(parseJson(`{"x":${JSON.stringify(key)},"y":${integer}}`)).toEqual({ x: key, y: exact });
    }),
  );
});

test('leaves responses of a real node unchanged', () => {
  const rows = recording<unknown[]>('rpc');
  expect(parseJson(JSON.stringify(rows))).toEqual(rows);
});
