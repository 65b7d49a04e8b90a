import { describe, expect, it } from 'vitest';
import { optionsOf, votingParts } from '../../dashboard/src/format/govPower.ts';

const yes = [{ option: 'VOTE_OPTION_YES', weight: '1' }];
const votes = { nodes: [{ proposalId: '7', options: yes }] };

function delegation(name: string, amount: string, govVotes: typeof votes | null = { nodes: [] }, isBonded = true) {
  return { balance: { amount }, validator: { name, isBonded, operator: { govVotes } } };
}

describe('the stake of an account that does not vote', () => {
  it('is voted with by its bonded validators, by descending share', () => {
    const delegations = [
      delegation('small', '25'),
      delegation('large', '75', votes),
      delegation('jailed', '900', votes, false),
      delegation('slashed to nothing', '0', votes),
    ];
    const gone = { balance: { amount: '5' }, validator: null };
    const parts = votingParts<{ readonly name: string }>([...delegations, gone], '7').map(({ validator, share, options }) => [
      validator.name,
      share,
      options,
    ]);
    expect(parts).toEqual([
      ['large', '75', yes],
      ['small', '25', undefined],
    ]);
  });

  it('has parts that add up with amounts above the exact numbers of JavaScript', () => {
    const parts = votingParts([delegation('one', '9007199254740993000'), delegation('other', '9007199254740993000')], '7');
    expect(parts.map(({ share }) => share)).toEqual(['50', '50']);
  });
});

it('a vote that could not be read differs from a vote that was not cast', () => {
  expect(optionsOf(votes, '7')).toEqual(yes);
  expect(optionsOf(votes, '8')).toBeUndefined();
  expect(optionsOf(null, '7')).toBeNull();
  expect(votingParts([delegation('unread', '1', null)], '7')[0]!.options).toBeNull();
});
