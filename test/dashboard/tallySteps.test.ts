import { describe, expect, it } from 'vitest';
import { tallySteps } from '../../dashboard/src/pages/proposal/tallySteps.ts';

const yes = (yesCount: string) => ({ yesCount, noCount: '0', abstainCount: '0', noWithVetoCount: '0' });
const at = (minute: number): number => Date.parse('2026-01-01T00:00:00Z') + minute * 60_000;
const point = (minute: number, weight: string) => ({ time: new Date(at(minute)).toISOString(), tally: yes(weight) });
const submitTime = new Date(at(0)).toISOString();

describe('the steps of a tally over time', () => {
  it('are at the times of the votes, and the last one holds until the end', () => {
    expect(tallySteps({ submitTime, tally: yes('3.50') }, [point(5, '1'), point(9, '3.5')], at(60))).toEqual({
      times: [at(0), at(5), at(9), at(60)],
      tallies: [yes('0'), yes('1'), yes('3.5'), yes('3.5')],
    });
  });

  it('have a gap where votes are not known, and end with the tally of the chain', () => {
    expect(tallySteps({ submitTime, tally: yes('4') }, [point(5, '1')], at(60))).toEqual({
      times: [at(0), at(5), at(5) + 1, at(60)],
      tallies: [yes('0'), yes('1'), null, yes('4')],
      gap: { from: at(5), to: at(60) },
    });
  });

  it('have no gap if there is no tally to compare with, as of a withdrawn proposal', () => {
    expect(tallySteps({ submitTime, tally: null }, [point(5, '1')], at(6))).toEqual({
      times: [at(0), at(5), at(6)],
      tallies: [yes('0'), yes('1'), yes('1')],
    });
  });
});
