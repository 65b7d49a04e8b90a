import { create, toJson } from '@bufbuild/protobuf';
import { DurationSchema, TimestampSchema, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { durationText, fromSecondsAndNanos, parseTime, timeText } from '../../src/chain/base/time.ts';
import { canonicalDecimal, decimal, decimalText, percentOf } from '../../src/reads/decimal.ts';
import { addressBytes, addressInput, idInput } from '../../src/reads/input.ts';
import { decodeCursor, encodeCursor } from '../../src/reads/page.ts';
import { fc } from '../support/atRandom.ts';

describe('time', () => {
  it('prints times as protobuf JSON does, and parses them', () => {
    const seconds = fc.bigInt({ min: -62135596800n, max: 253402300799n });
    fc.assert(
      fc.property(
        seconds,
        fc.integer({ min: 0, max: 999_999_999 }),
        fc.constantFrom(1, 1000, 1_000_000),
        (whole, part, unit) => {
          const nanos = part - (part % unit);
          const time = create(TimestampSchema, { seconds: whole, nanos });
          const text = timeText(fromSecondsAndNanos(time));
          expect(text).toBe(toJson(TimestampSchema, time));
          expect(timeText(parseTime(text))).toBe(text);
        },
      ),
    );
  });

  it('parses times of a node with any number of decimals', () => {
    expect(parseTime('2026-11-21T02:48:14.45493472Z')).toBe(1795229294454934720n);
    expect(() => parseTime('2026-11-21 02:48:14')).toThrow(RangeError);
    expect(() => parseTime('2026-13-21T02:48:14Z')).toThrow(RangeError);
  });

  it('prints durations exactly', () => {
    expect([0n, 20_000_000_000n, 500_000_000n, -1_250_000_000n, 1n].map(durationText)).toEqual([
      '0s',
      '20s',
      '0.5s',
      '-1.25s',
      '0.000000001s',
    ]);
    const whole = create(DurationSchema, { seconds: 2592000n, nanos: 0 });
    expect(durationText(fromSecondsAndNanos(whole))).toBe(toJson(DurationSchema, whole));
    expect(fromSecondsAndNanos(timestampFromMs(1))).toBe(1_000_000n);
  });
});

describe('decimal', () => {
  it.each([
    ['32.0', '32'],
    ['8', '8'],
    ['2.50', '2.5'],
    ['0.00', '0'],
    ['-0.0', '0'],
    ['-1.10', '-1.1'],
    ['007', '7'],
    ['100', '100'],
    ['0.010', '0.01'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['+5', '5'],
    ['1E+3', '1000'],
    ['1.50e-2', '0.015'],
    ['0E-18', '0'],
    ['340282366920938463463374607431768211456.0', '340282366920938463463374607431768211456'],
    ['1e100000', '1e100000'],
    ['NaN', 'NaN'],
    ['', ''],
  ])('%j of the chain is returned as %j', (text, shown) => {
    expect(canonicalDecimal(text)).toBe(shown);
  });

  it('has one text for each number', () => {
    const zeros = fc.integer({ min: 0, max: 20 }).map((count) => '0'.repeat(count));
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(1_000_000), zeros, zeros, (whole, part, before, after) => {
        const sign = whole < 0n ? '-' : '';
        const digits = (whole < 0n ? -whole : whole).toString();
        const shown = canonicalDecimal(`${sign}${before}${digits}.${part}${after}`);
        expect(shown).toMatch(/^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/);
        expect(decimal(shown).eq(decimal(`${sign}${digits}.${part}`))).toBe(true);
        expect(canonicalDecimal(shown)).toBe(shown);
      }),
    );
  });

  it('is exact and without an exponent at any size', () => {
    expect(decimalText(decimal('123456789012345678901234567890.5').plus('0.5'))).toBe('123456789012345678901234567891');
    expect(decimalText(decimal('0.000000000000000000000000000001'))).toBe('0.000000000000000000000000000001');
    expect(percentOf(decimal('1'), decimal('3'))).toBe('33.333333333333333333');
    expect(percentOf(decimal('2'), decimal('3'))).toBe('66.666666666666666666');
  });
});

describe('cursor', () => {
  it('decodes to its key and place, only for its own list', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { nil: undefined }),
        (key, place) => {
          const text = encodeCursor('votes/7', { key, place });
          expect(text).toMatch(/^[\w-]*$/);
          const cursor = decodeCursor('votes/7', text);
          expect(Buffer.from(cursor.key).equals(key)).toBe(true);
          expect(cursor.place).toBe(place);
          expect(() => decodeCursor('votes/8', text)).toThrow('another list');
        },
      ),
    );
  });

  it('rejects any other text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), (text) => {
        expect(() => decodeCursor('votes/7', text)).toThrow(expect.objectContaining({ code: 'BAD_CURSOR' }));
      }),
    );
    const long = encodeCursor('votes/7', { key: new Uint8Array(1000), place: undefined });
    expect(() => decodeCursor('votes/7', long)).toThrow(expect.objectContaining({ code: 'BAD_CURSOR' }));
  });
});

describe('input', () => {
  it('accepts every unsigned 64-bit id and nothing else', () => {
    expect(idInput('id', '18446744073709551615')).toBe(2n ** 64n - 1n);
    for (const text of ['18446744073709551616', '-1', '+5', ' 5', '0x10', '1e3', '1.5', '007', '', '９']) {
      expect(() => idInput('id', text)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
    }
  });

  it('accepts bech32 addresses of any length and returns them in lower case', () => {
    const policy = 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf';
    expect(addressInput('address', policy.toUpperCase())).toBe(policy);
    expect(addressBytes(policy)?.length).toBe(32);
    for (const text of [
      '',
      'nonsense',
      policy.slice(0, -1),
      `${policy.slice(0, -1)}g`,
      'Tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf',
    ]) {
      expect(() => addressInput('address', text)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
    }
  });
});
