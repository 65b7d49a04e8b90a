import { describe, expect, it } from 'vitest';
import { distributionOf } from '../../dashboard/src/pages/trends/holders.ts';
import { ascending, chancesOf, gapsOf, turnoutsOf } from '../../dashboard/src/pages/trends/turnout.ts';

const minute = (number: number): string => new Date(Date.parse('2026-01-01T00:00:00Z') + number * 60_000).toISOString();
const at = (number: number): number => Date.parse(minute(number));
const counts = (yesCount: string, noCount = '0') => ({ yesCount, noCount, abstainCount: '0', noWithVetoCount: '0' });
const number = (totalCount: string) => ({ totalCount });

describe('the turnout of closed proposals', () => {
  const proposal = { title: 'Pay', totalWeight: '8', members: number('3'), voters: number('1'), complete: true };

  it('is of the weight and of the members at the close, in the order of the submissions', () => {
    const { points } = turnoutsOf([
      { ...proposal, id: '2', submitTime: minute(5), tally: counts('8') },
      { ...proposal, id: '1', submitTime: minute(1), tally: counts('2', '1') },
    ]);
    expect(points).toEqual([
      { id: '1', title: 'Pay', time: at(1), weight: 37.5, members: 33.33 },
      { id: '2', title: 'Pay', time: at(5), weight: 100, members: 33.33 },
    ]);
  });

  it('is not known without the weights or the voters, and is none without a tally', () => {
    const { points, noTally } = turnoutsOf([
      { ...proposal, id: '3', submitTime: minute(3), tally: counts('2'), totalWeight: null, members: null, voters: null },
      { ...proposal, id: '2', submitTime: minute(2), tally: counts('2'), complete: false },
      { ...proposal, id: '1', submitTime: minute(1), tally: null },
    ]);
    expect(points.map(({ weight, members }) => [weight, members])).toEqual([
      [25, null],
      [null, null],
    ]);
    expect(noTally).toBe(1);
  });

  it('has one gap for proposals in a row whose turnout is not known', () => {
    expect(gapsOf([1, 2, 3, 4, 5, 6], [null, null, 7, null, 9, null])).toEqual([
      { from: 1, to: 3 },
      { from: 3, to: 5 },
      { from: 5, to: 6 },
    ]);
  });

  it('has times that ascend, also of proposals of one block', () => {
    expect(ascending([5, 5, 5, 6, 20])).toEqual([5, 6, 7, 8, 20]);
  });
});

describe('the participation of a member', () => {
  const of = (id: string, time: number) => ({ id, title: `Proposal ${id}`, submitTime: minute(time) });
  const page = { pageInfo: { hasNextPage: false } };

  it('is the share of the proposals up to each one; votes that did not count are left out', () => {
    const voted = [
      { ...of('4', 4), vote: { weight: '1' } },
      { ...of('3', 3), vote: { weight: null } },
      { ...of('1', 1), vote: { weight: '1' } },
    ];
    const read = { voted: { ...page, nodes: voted }, missed: { ...page, nodes: [of('2', 2)] } };
    expect(chancesOf(read, 10).map(({ id, hasVoted, share }) => [id, hasVoted, share])).toEqual([
      ['1', true, 100],
      ['2', false, 50],
      ['4', true, 66.67],
    ]);
    // Of more than asked for, the newest ones.
    expect(chancesOf(read, 2).map(({ id, share }) => [id, share])).toEqual([
      ['2', 0],
      ['4', 50],
    ]);
  });
});

describe('the distribution of a supply', () => {
  const holder = (address: string, amount: string) => ({ address, moduleName: null, amount });

  it('adds up the largest holders, exactly, and says what others hold', () => {
    const big = '90071992547409930';
    const distribution = distributionOf([holder('a', '1'), holder('b', big), holder('c', '9')], `${big}0`);
    expect(distribution?.holdings.map(({ address }) => address)).toEqual(['b', 'c', 'a']);
    expect([distribution?.shares, distribution?.sums, distribution?.rest]).toEqual([[10, 0, 0], [10, 10, 10], 90]);
  });

  it('is none of a token without a supply', () => {
    expect(distributionOf([], '0')).toBeUndefined();
  });
});
