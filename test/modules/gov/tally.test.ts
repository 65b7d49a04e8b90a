import { describe, expect, it } from 'vitest';
import { decide, type GovTally, tallyVotes } from '../../../src/modules/gov/tally.ts';
import { decOf, decText } from '../../../src/reads/decimal.ts';
import { finalInput, govBlocks, govState, stateAt } from '../../recordings/gov.ts';
import { finalTallies as final, liveTallies as live, recordedRules as rules } from '../../recordings/govTallies.ts';

const texts = ({ counts }: GovTally) => Object.values(counts).map(String);

describe('a tally', () => {
  it('of each open proposal at each height is the one of the node', () => {
    expect(live).toHaveLength(145);
    expect(live.map(({ name, input }) => [name, texts(tallyVotes(input))])).toEqual(
      live.map(({ name, tally }) => [name, tally]),
    );
  });

  it('of each decided proposal is the stored one', () => {
    expect(final).toHaveLength(11);
    expect(final.map(({ name, input }) => [name, texts(tallyVotes(input))])).toEqual(
      final.map(({ name, tally }) => [name, tally]),
    );
  });

  it('needs the votes and the stake of the deciding block', () => {
    const recorded = govState('late');
    const [
      {
        H,
        final: { yes },
      } = expect.fail(),
    ] = recorded.finals;
    const input = finalInput(recorded, govBlocks('late'), H, '13');
    const before = stateAt(recorded, String(H - 1));
    const withoutVotes = tallyVotes({ ...input, votes: before.votes('13') });
    expect(String(withoutVotes.counts.YES)).not.toBe(yes);
    // The delegation is one of the last votes' voter; those who had none were not asked before.
    const stakeBefore = (voter: string) =>
      voter === 'tp1lrp26pn0fqpm5vzajpyjk7t33ylsh5jrql6nhg' ? [] : input.delegations(voter);
    expect(texts(tallyVotes({ ...input, delegations: stakeBefore }))).not.toEqual(texts(tallyVotes(input)));
  });
});

describe('a decision', () => {
  it.each(final)('of $name is that of the node: $result', ({ input, result, isExpedited }) => {
    const bonded = input.validators.reduce((sum, { tokens }) => sum + tokens, 0n);
    const { passes } = decide(tallyVotes(input), rules(isExpedited), bonded);
    // A proposal whose execution fails has passed.
    expect(passes).toBe(result === 'proposal_passed' || result === 'proposal_failed');
  });
});

describe('a decimal', () => {
  it.each(['0.000000000000000001', '1.000000000000000000', '-0.500000000000000000', '123456789.000000000000000010'])(
    '%s is printed as it was read',
    (text) => {
      expect(decText(decOf(text))).toBe(text);
    },
  );
  it.each(['', '1.', '.5', '1e3', '0.0000000000000000001', 'x'])('"%s" is refused', (text) => {
    expect(() => decOf(text)).toThrow('not a decimal');
  });
});
