import { describe, expect, it } from 'vitest';
import { developmentActors } from '../../dashboard/src/actions/developmentActors.ts';
import { developmentKeys } from '../../dashboard/src/actions/developmentKeys.ts';
import { failureWords } from '../../dashboard/src/format/failures.ts';
import { bytes, count, counted, percent } from '../../dashboard/src/format/numbers.ts';
import { decidesBy, markOf, partsOf, requiredWeight } from '../../dashboard/src/format/tally.ts';
import { duration, relative } from '../../dashboard/src/format/times.ts';
import { baseUnits } from '../../dashboard/src/format/units.ts';
import { createAccounts } from '../../src/devnet/app/runtime/wallet.ts';

describe('numbers', () => {
  it('keep every digit', () => {
    expect(['0', '-1234.50', '123456789012345678901234567890.000000001', 1234n].map(count)).toEqual([
      '0',
      '-1,234.50',
      '123,456,789,012,345,678,901,234,567,890.000000001',
      '1,234',
    ]);
    expect([counted('1', 'vote'), counted('2000', 'vote')]).toEqual(['1 vote', '2,000 votes']);
  });

  it('of shares and sizes are short, and what is not zero is not shown as zero', () => {
    expect(['0', '0.0001', '21.875', '100'].map(percent)).toEqual(['0 %', '< 0.01 %', '21.88 %', '100 %']);
    expect(['999', '65536', '8388608'].map(bytes)).toEqual(['999 B', '65.5 kB', '8.4 MB']);
  });

  it('entered in display units become base units, exactly', () => {
    const hash = { amount: '999400000000000', display: { amount: '999400' } };
    expect(['2.5', '1,000', '0.000000001', '0.0000000001', '0', '-1', 'x'].map((text) => baseUnits(text, hash))).toEqual([
      '2500000000',
      '1000000000000',
      '1',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(baseUnits('7', { amount: '5', display: null })).toBe('7');
  });
});

describe('times', () => {
  it('are relative in their two largest units', () => {
    const times = [0, 400, 12_000, 90_000, 3_600_000, 100_000_000, -5_000];
    expect(times.map((time) => relative(-time, 0))).toEqual([
      'now',
      'now',
      '12 s ago',
      '1 min ago',
      '1 h ago',
      '1 d 3 h ago',
      'in 5 s',
    ]);
    expect(['0s', '0.012s', '604800s', '5400s'].map(duration)).toEqual(['none', '12 ms', '7 d', '1 h 30 min']);
  });
});

describe('tallies', () => {
  const counts = { yesCount: '2.5', noCount: '1', abstainCount: '0', noWithVetoCount: '0.5' };
  const rule = (of: object) => ({ type: '/cosmos.group.v1.X', windows: null, ...of });

  it('fill the bar to the weight of the group', () => {
    const parts = partsOf(counts, '8', true);
    expect(parts.map(({ option, weight, share }) => [option, weight, share])).toEqual([
      ['yes', '2.5', 31.25],
      ['abstain', '0', 0],
      ['no', '1', 12.5],
      ['veto', '0.5', 6.25],
      ['open', '4', 50],
    ]);
    // Votes of members who left can exceed the weight that is left.
    expect(partsOf(counts, '2', true).at(-1)).toMatchObject({ weight: '0', share: 0 });
  });

  it('mark the weight that is required: the threshold at most the total weight, or the share of it', () => {
    expect([requiredWeight(rule({ threshold: '4.5' }), '8'), requiredWeight(rule({ threshold: '9' }), '8')]).toEqual([
      '4.5',
      '8',
    ]);
    expect([requiredWeight(rule({ percentage: '0.667' }), '32'), requiredWeight(rule({}), '32')]).toEqual([
      '21.344',
      undefined,
    ]);
    expect([markOf(rule({ percentage: '0.5' }), '32'), markOf(rule({ threshold: '1' }), '0')]).toEqual([50, undefined]);
  });

  it.each([
    // [yes weight missing, weight that has not voted, weight of the voter]
    ['1', '3', '1', 'accepts'],
    ['3', '3', '1', 'rejects'],
    ['2', '2', '2', 'both'],
    ['2', '4', '1', undefined],
    ['0', '4', '4', undefined],
    ['5', '4', '4', undefined],
  ])(
    'of which %s is missing and %s has not voted: a vote of weight %s decides: %s',
    (yesNeeded, undecidedWeight, weight, decides) => {
      expect(decidesBy({ yesNeeded, undecidedWeight }, weight)).toBe(decides);
    },
  );
});

it('failures are put plainly, and keep what the chain says', () => {
  const log = 'failed to execute message; message index: 0: 5nhash is smaller than 7nhash: insufficient funds';
  expect(failureWords({ code: 5, codespace: 'sdk', log })).toBe(
    'The account has too few coins. (5nhash is smaller than 7nhash: insufficient funds)',
  );
  expect(failureWords({ code: 9, codespace: 'x', log: '' })).toBe('x code 9');
});

it('the accounts that a visitor acts as are those of the embedded chain, with their public keys', () => {
  const accounts = createAccounts();
  for (const { id, address } of developmentActors) {
    const { privateKey, ...account } = accounts[Number(id)]!;
    expect([address, developmentKeys[id]]).toEqual([account.address, Buffer.from(privateKey).toString('hex')]);
  }
});
