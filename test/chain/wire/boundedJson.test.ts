import { describe, expect, it, test } from 'vitest';
import {
  checkJson,
  isDeeperThan,
  type JsonBoundError,
  type JsonValue,
  parseBoundedJson,
} from '../../../src/chain/wire/json.ts';
import { fc } from '../../support/atRandom.ts';

const bounds = { depth: 3, values: 5, number: 8 };

function boundOf(text: string, within = bounds): string | undefined {
  try {
    checkJson(Buffer.from(text), within);
    return undefined;
  } catch (error) {
    return (error as JsonBoundError).bound;
  }
}

describe('the bounds of JSON', () => {
  test.each<[string, string | undefined]>([
    ['[[[]]]', undefined],
    ['[[[[', 'depth'],
    ['[{"a":[{}]}]', 'depth'],
    ['[][][][]', undefined],
    ['["[[[[", "{{{{"]', undefined],
    ['["\\"[[[["]', undefined],
    ['["\\\\",[[[[', 'depth'],
    ['[1,2,3,4]', undefined],
    ['[1,2,3,4,5]', 'values'],
    ['1 2 3 4 5 6', 'values'],
    ['[[],[],[]]', 'values'],
    ['["1,2,3,4,5,6"]', undefined],
    ['[12345678]', undefined],
    ['[123456789]', 'number'],
    ['[-1.25e+10]', 'number'],
    ['["123456789"]', undefined],
    ['"', undefined],
  ])('the bound of JSON %s: %s', (text, bound) => {
    expect(boundOf(text)).toBe(bound);
  });

  it('find the end of a string at its first unescaped quote, however long it is', () => {
    const end = (string: string) => boundOf(`["${string}",[[[[`);
    for (let length = 0; length < 140; length += 1) {
      const filler = 'é'.repeat(length);
      expect(end(filler)).toBe('depth');
      expect(end(`${filler}\\"[[[[`)).toBe('depth');
      expect(boundOf(`["${filler}\\\\\\"[[[[["]`)).toBeUndefined();
      expect(boundOf(`["${filler}\\"[[[[[`)).toBeUndefined();
    }
  });

  it('apply to random JSON as to its value', () => {
    const count = (value: JsonValue | undefined): number =>
      typeof value === 'object' && value !== null
        ? 1 + Object.values(value).reduce((sum: number, each) => sum + count(each), 0)
        : 1;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(6), fc.nat(20), (given, depth, values) => {
        const value = given as JsonValue;
        const text = JSON.stringify(value);
        const within = (some: object): boolean =>
          boundOf(text, { depth: 1e9, values: 1e9, number: 1e9, ...some }) === undefined;
        expect(within({ depth })).toBe(!isDeeperThan(depth, value));
        // An upper bound: an empty container is one value, and its content is counted in addition.
        if (count(value) > values + 1) expect(within({ values: Math.floor(values / 2) })).toBe(false);
        expect(parseBoundedJson(Buffer.from(text), { depth: 1e9, values: 1e9, number: 1e9 })).toEqual(JSON.parse(text));
      }),
    );
  });
});

test('a megabyte of any text is checked and parsed without recursion, and long integers in linear time', () => {
  const large = { depth: 1e9, values: 1e9, number: 1e9 };
  const digits = '9'.repeat(1_000_000);
  expect(parseBoundedJson(Buffer.from(`[${digits}]`), large)).toEqual([digits]);
  const long = Array.from({ length: 50_000 }, (_, index) => `${9_007_199_254_740_993n + BigInt(index)}`);
  expect(parseBoundedJson(Buffer.from(`[${long.join(',')}]`), large)).toEqual(
    long.map((text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text)),
  );
});
