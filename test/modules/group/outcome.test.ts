import { describe, expect, it } from 'vitest';
import { type DecisionPolicy, proposalOutcome, type TallyResult } from '../../../src/modules/group/model.ts';
import { fc, rounds } from '../../support/atRandom.ts';

const any = { type: '', value: new Uint8Array() };
const windows = { votingPeriod: 0n, minExecutionPeriod: 0n };
const threshold = (value: string): DecisionPolicy => ({ kind: 'threshold', any, threshold: value, windows });
const percentage = (value: string): DecisionPolicy => ({ kind: 'percentage', any, percentage: value, windows });
const tally = (yesCount: string, abstainCount = '0', noCount = '0', noWithVetoCount = '0'): TallyResult => ({
  yesCount,
  abstainCount,
  noCount,
  noWithVetoCount,
});

describe('proposalOutcome', () => {
  it.each([
    ['enough yes', threshold('2'), tally('2'), '3', 'ACCEPTED', '0'],
    ['one short, one open', threshold('2'), tally('1', '0', '1'), '3', 'UNDECIDED', '1'],
    ['out of reach', threshold('2'), tally('0', '1', '1'), '3', 'REJECTED', '2'],
    ['a threshold above the whole weight is the whole weight', threshold('10'), tally('3'), '3', 'ACCEPTED', '0'],
    ['and then one no is enough to reject', threshold('10'), tally('2', '0', '1'), '3', 'REJECTED', '1'],
    ['fractions', threshold('2'), tally('1.75'), '2.75', 'UNDECIDED', '0.25'],
    ['half', percentage('0.5'), tally('50'), '100', 'ACCEPTED', '0'],
    ['less than half, still possible', percentage('0.5'), tally('49', '51'), '100', 'REJECTED', '1'],
    ['a third, met by a third', percentage('0.3333333333333333333333333333333333'), tally('1'), '3', 'ACCEPTED', '0'],
    ['a group without weight rejects', percentage('0.5'), tally('0'), '0', 'REJECTED', '0'],
    ['a group without weight meets a threshold', threshold('1'), tally('0'), '0', 'ACCEPTED', '0'],
    ['veto is no more than decided', percentage('0.5'), tally('50', '0', '0', '50'), '100', 'ACCEPTED', '0'],
  ] as const)('%s', (_name, policy, counts, total, decision, yesNeeded) => {
    expect(proposalOutcome(policy, counts, total)).toMatchObject({ decision, yesNeeded });
  });

  it('percentages are truncated to 18 decimals, and null if the total weight is 0', () => {
    expect(proposalOutcome(threshold('2'), tally('2', '0', '0.5'), '3')).toEqual({
      decision: 'ACCEPTED',
      totalWeight: '3',
      undecidedWeight: '0.5',
      yesNeeded: '0',
      yesPercent: '66.666666666666666666',
      abstainPercent: '0',
      noPercent: '16.666666666666666666',
      noWithVetoPercent: '0',
      votedPercent: '83.333333333333333333',
    });
    expect(proposalOutcome(threshold('2'), tally('0'), '0')).toMatchObject({ yesPercent: null, votedPercent: null });
  });

  it('returns null for a decision policy of an unknown type', () => {
    expect(proposalOutcome({ kind: 'other', any }, tally('1'), '3')).toBeNull();
  });

  it('further votes never change ACCEPTED or REJECTED; UNDECIDED can become either', () => {
    const hundredths = fc.nat(1000).map((value) => (value / 100).toFixed(2));
    const policy = fc.oneof(
      hundredths.map((value) => threshold(value)),
      fc.integer({ min: 1, max: 100 }).map((value) => percentage((value / 100).toFixed(2))),
    );
    fc.assert(
      fc.property(
        policy,
        fc.array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.constantFrom('yes', 'no', 'none')), {
          minLength: 1,
          maxLength: 12,
        }),
        (rule, members) => {
          const sum = (wanted: string): number =>
            members.reduce((total, [weight, vote]) => (vote === wanted ? total + weight : total), 0);
          const text = (value: number): string => (value / 100).toFixed(2);
          const [yes, no, open] = [sum('yes'), sum('no'), sum('none')];
          const now = proposalOutcome(rule, tally(text(yes), '0', text(no)), text(yes + no + open))?.decision;
          const allYes = proposalOutcome(rule, tally(text(yes + open), '0', text(no)), text(yes + no + open))?.decision;
          const allNo = proposalOutcome(rule, tally(text(yes), '0', text(no + open)), text(yes + no + open))?.decision;
          if (now === 'UNDECIDED') expect([allYes, allNo]).toEqual(['ACCEPTED', 'REJECTED']);
          else expect([allYes, allNo]).toEqual([now, now]);
        },
      ),
      { numRuns: rounds(500) },
    );
  });
});
