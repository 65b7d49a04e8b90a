import { expect, it } from 'vitest';
import { fileText } from '../../dashboard/src/components/lists/rows.ts';

it('a spreadsheet executes no cell of a CSV file', () => {
  const texts = ['=1+1', '+1', '-1', '-1.5', '-x', '@SUM(A1)', ' =x', '\t=x', '\r\n', 'a,b', 'say "x"', 'two\nlines', '1', ''];
  expect(
    fileText(
      texts.map((text) => ({ text })),
      'csv',
    )
      .split('\r\n')
      .slice(1, 11),
  ).toEqual([`"'=1+1"`, `"'+1"`, '-1', '-1.5', `"'-x"`, `"'@SUM(A1)"`, `"' =x"`, `"'\t=x"`, `"'`, '"']);
  expect(fileText([{ a: 'a,b', b: 'say "x"', c: 'two\nlines' }], 'csv')).toBe('a,b,c\r\n"a,b","say ""x""","two\nlines"\r\n');
});

it('a member of a member is a column, also if it is null elsewhere', () => {
  const rows = [
    { id: '1', closed: null, amount: [{ amount: '5', denom: 'uusd' }] },
    { id: '2', closed: { height: '7', time: null }, amount: [] },
    { id: '3', closed: null, amount: [{ option: 'YES', weight: '1' }] },
  ];
  expect(fileText(rows, 'csv').split('\r\n')).toEqual([
    'id,amount,closed.height,closed.time',
    '1,5uusd,,',
    '2,,7,',
    '3,"{""option"":""YES"",""weight"":""1""}",,',
    '',
  ]);
});

it('NDJSON has the rows as they are', () => {
  const rows = [
    { id: '1', name: '=x' },
    { id: '2', name: 'two\nlines' },
  ];
  const lines = fileText(rows, 'ndjson').split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
  expect([fileText([], 'ndjson'), fileText([], 'csv')]).toEqual(['', '\r\n']);
});
