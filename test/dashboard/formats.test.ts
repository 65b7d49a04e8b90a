import { toBech32 } from '@cosmjs/encoding';
import { describe, expect, it } from 'vitest';
import { developmentActors } from '../../dashboard/src/actions/developmentActors.ts';
import { developmentKeys } from '../../dashboard/src/actions/developmentKeys.ts';
import { operatorAccount, readAddress } from '../../dashboard/src/format/addresses.ts';
import { contractKeyParts } from '../../dashboard/src/format/contractKeys.ts';
import { failureWords } from '../../dashboard/src/format/failures.ts';
import { personName } from '../../dashboard/src/format/names.ts';
import { bytes, count, countOf, percent, rounded } from '../../dashboard/src/format/numbers.ts';
import { type SortKey, sortRows } from '../../dashboard/src/format/sorting.ts';
import { decidesBy, markOf, partsOf, requiredWeight } from '../../dashboard/src/format/tally.ts';
import { duration, relative } from '../../dashboard/src/format/times.ts';
import { type Holding, readAmount } from '../../dashboard/src/format/units.ts';
import { createAccounts } from '../../packages/devnet/src/app/runtime/wallet.ts';

describe('names of accounts', () => {
  it('are those in metadata, without characters that nobody sees, and never look like an address', () => {
    expect(personName('{"name":"Ada"}')).toBe('Ada');
    expect(personName(' ada\u202Ebac\u0007 ')).toBe('adabac');
    for (const none of [null, undefined, '', '{}', '\u200B', 'tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk', 'tp1e85ww…vljl9mk'])
      expect([none, personName(none)]).toEqual([none, undefined]);
  });
});

describe('numbers', () => {
  it('keep every digit', () => {
    expect(['0', '-1234.50', '123456789012345678901234567890.000000001', 1234n].map(count)).toEqual([
      '0',
      '-1,234.50',
      '123,456,789,012,345,678,901,234,567,890.000000001',
      '1,234',
    ]);
    expect([countOf('1', 'vote'), countOf('2000', 'vote')]).toEqual(['1 vote', '2,000 votes']);
  });

  it('of shares and sizes are short, and what is not zero is not shown as zero', () => {
    expect(['0', '0.0001', '21.875', '100'].map(percent)).toEqual(['0 %', '< 0.01 %', '21.88 %', '100 %']);
    expect(['999', '65536', '8388608'].map(bytes)).toEqual(['999 B', '65.5 kB', '8.4 MB']);
  });

  it('of money are rounded to two decimals, not cut', () => {
    expect(['12', '12.5', '0.029', '1234.996', '0.004', '0.00', '0.005'].map(rounded)).toEqual([
      '12',
      '12.50',
      '≈ 0.03',
      '≈ 1,235.00',
      '< 0.01',
      '0.00',
      '≈ 0.01',
    ]);
  });
});

describe('entered amounts', () => {
  const hash = { denom: 'nhash', amount: '5000000000000', display: { exponent: 9 } };
  const read = (text: string, coin: Holding = hash, unit = 'HASH') => readAmount(text, coin, unit, 'The policy');

  it('in display units become base units, exactly, up to what the policy holds', () => {
    expect(['2.5', ' 1000 ', '0.000000001', '0.500', '5000'].map((text) => read(text).value)).toEqual([
      '2500000000',
      '1000000000000',
      '1',
      '500000000',
      '5000000000000',
    ]);
    expect(read('7', { denom: 'share', amount: '7', display: null }, 'share')).toEqual({ value: '7' });
    expect(read('')).toEqual({});
  });

  it('with two meanings are refused with both', () => {
    expect(['1,5', '1,500', '1.500', '1.234', '0,5'].map((text) => read(text).problem)).toEqual([
      '“1,5” can mean 1.5 or 15. Write 1.5 or 15.',
      '“1,500” can mean 1.50 or 1,500. Write 1.50 or 1500.',
      '“1.500” can mean 1.50 or 1,500. Write 1.50 or 1500.',
      '“1.234” can mean 1.2340 or 1,234. Write 1.2340 or 1234.',
      '“0,5” means 0.5 if the comma separates decimals. Write 0.5.',
    ]);
  });

  it.each(['1.000,50', '1,000.50', '1,000,000', '1.000.000', "1'000", '1 000', '1_000', '1\u00a0000'])(
    'with separators are refused: %s',
    (text) => {
      expect(read(text)).toEqual({
        problem: 'Write it without separators of thousands, with a point before decimals, such as 1234.5.',
      });
    },
  );

  it.each(['-1', '+1', '1e3', '0x10', '.5', '5.', 'x', '1.2.', '١٢', 'Infinity', 'NaN'])(
    'that are no plain number are refused: %s',
    (text) => {
      expect(read(text)).toEqual({
        problem: 'This is not an amount. Write digits, and a point before decimals, such as 1234.5.',
      });
    },
  );

  it('with too many decimals, of zero and above the holding are refused', () => {
    const share = { denom: 'share', amount: '7', display: null };
    expect([
      read('0.0000000001'),
      read('1.5', share, 'share'),
      read('0.0'),
      read('5000.000000001'),
      read('8', share, 'share'),
    ]).toEqual([
      { problem: 'HASH has at most 9 decimals.' },
      { problem: 'share has no decimals.' },
      { problem: 'The amount must be more than 0.' },
      { problem: 'The policy holds only 5,000 HASH.' },
      { problem: 'The policy holds only 7 share.' },
    ]);
  });
});

describe('entered addresses', () => {
  const bytes = Uint8Array.from({ length: 20 }, (_, index) => index);
  const of = (prefix: string, data = bytes) => toBech32(prefix, data);
  const read = (text: string) => readAddress(text, 'tp');

  it('of accounts and contracts of the chain are accepted', () => {
    const contract = of('tp', new Uint8Array(32).fill(7));
    expect([read(` ${of('tp')} `), read(of('tp').toUpperCase()), read(contract), read('')]).toEqual([
      { value: of('tp') },
      { value: of('tp') },
      { value: contract },
      {},
    ]);
  });

  it('that are none, or have a typo, are refused', () => {
    const typo = of('tp').replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'));
    expect([read('hello'), read('tp1'), read(typo), read(of('tp').slice(0, -1)), read(of('tp', bytes.slice(0, 10)))]).toEqual([
      { problem: 'This is not an address. Accounts of this chain begin with tp1.' },
      { problem: 'This is not an address. Accounts of this chain begin with tp1.' },
      { problem: 'This address has a wrong or missing character: its checksum is not valid.' },
      { problem: 'This address has a wrong or missing character: its checksum is not valid.' },
      { problem: 'No account has an address of 10 bytes.' },
    ]);
  });

  it('of an operator names its account', () => {
    expect([operatorAccount(of('tpvaloper'), 'tp'), operatorAccount(of('cosmosvaloper'), 'tp')]).toEqual([of('tp'), undefined]);
  });

  it('of other chains and of other things are refused with what they are', () => {
    const prefixes = ['cosmos', 'pb', 'xyz', 'cosmosvaloper', 'tpvaloper', 'tpvalcons', 'tppub', 'scope'];
    expect(prefixes.map((prefix) => read(of(prefix)).problem)).toEqual([
      'This is an address of the Cosmos Hub: it begins with cosmos1. Accounts of this chain begin with tp1.',
      'This is an address of the main network of Provenance: it begins with pb1. Accounts of this chain begin with tp1.',
      'This is an address of another chain: it begins with xyz1. Accounts of this chain begin with tp1.',
      'This is an address of the Cosmos Hub: it begins with cosmosvaloper1. Accounts of this chain begin with tp1.',
      'This is the address of the operator of a validator, not of an account. Accounts of this chain begin with tp1.',
      'This is the address of the consensus key of a validator, not of an account. Accounts of this chain begin with tp1.',
      'This is the address of a public key, not of an account. Accounts of this chain begin with tp1.',
      'This is the address of a scope of the metadata module, not of an account.',
    ]);
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

describe('the keys of the state of a contract', () => {
  const hex = (text: string) => Buffer.from(text, 'latin1').toString('hex').toUpperCase();

  it('are the name of a map and the parts of its key', () => {
    expect(contractKeyParts(hex('config'))).toEqual(['config']);
    expect(contractKeyParts(hex('\0\x07balancetp1abc'))).toEqual(['balance', 'tp1abc']);
    expect(contractKeyParts(hex('\0\x09allowance\0\x03bobann'))).toEqual(['allowance', 'bob', 'ann']);
    expect(contractKeyParts(hex('\0\x05votes\0\x08\0\0\0\0\0\0\0\x2ann'))).toEqual(['votes', '0x000000000000002a', 'nn']);
  });

  it('of another form are one part, as text or in hex', () => {
    expect(contractKeyParts(hex('\0\x07bal'))).toEqual(['0x000762616c']);
    expect(contractKeyParts('FFFE')).toEqual(['0xfffe']);
    expect(contractKeyParts(hex('\0\x02\x01\x02x'))).toEqual(['0x0002010278']);
    expect(contractKeyParts(hex('\0\x07balance'))).toEqual(['balance']);
  });
});

describe('sorting', () => {
  it('sorts numbers of any size exactly, texts with numbers in their order, and what is not known last in both directions', () => {
    const sorted = (keys: readonly SortKey[], isDescending: boolean) => sortRows(keys, (key) => key, { isDescending });
    const [low, high] = ['9007199254740993', '9007199254740994.5'];
    expect(sorted([high, null, '12', low, '-3', '12.25'], false)).toEqual(['-3', '12', '12.25', low, high, null]);
    expect(sorted([high, undefined, '12', low], true)).toEqual([high, low, '12', undefined]);
    expect(sorted(['node-10', 'node-2', 'Älter', 'zwei'], false)).toEqual(['Älter', 'node-2', 'node-10', 'zwei']);
  });
});
