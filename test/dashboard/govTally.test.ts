import { describe, expect, it } from 'vitest';
import { accountOfOperator } from '../../dashboard/src/format/addresses.ts';
import { conditionsOf, govShares, govVerdict, weightWords } from '../../dashboard/src/format/govTally.ts';

const rules = {
  ...{ passes: true, reason: 'PASSES', bondedTokens: '1000' },
  ...{ turnoutPercent: '33.4', quorumPercent: '33.4', yesPercent: '50.1', thresholdPercent: '50' },
  ...{ vetoPercent: '33.4', vetoThresholdPercent: '33.4' },
};

const wordsOf = (changes: Partial<typeof rules>) => conditionsOf({ ...rules, ...changes }).map(({ words }) => words);

describe('the rules of the governance module', () => {
  it('are met at the quorum, above the threshold, and up to the veto', () => {
    expect(wordsOf({})).toEqual(['Quorum reached', 'Threshold reached', 'Not vetoed']);
    expect(wordsOf({ turnoutPercent: '33.399999999999999999' })[0]).toBe('Quorum not reached');
    expect(wordsOf({ yesPercent: '50' })[1]).toBe('Threshold not reached');
    expect(wordsOf({ vetoPercent: '33.400000000000000001' })[2]).toBe('Vetoed');
  });

  it('say what is asked for', () => {
    expect(conditionsOf(rules).map(({ limitWords }) => limitWords)).toEqual([
      'at least 33.4 %',
      'more than 50 %',
      'at most 33.4 %',
    ]);
  });

  it('come to a verdict: by the tally while voting goes on, then by the status', () => {
    const open = 'PROPOSAL_STATUS_VOTING_PERIOD';
    expect(govVerdict({ status: open, outcome: { reason: 'PASSES' } })).toBe('Would pass now');
    expect(govVerdict({ status: open, outcome: { reason: 'NO_QUORUM' } })).toBe('Would fail now: too few votes');
    expect(govVerdict({ status: 'PROPOSAL_STATUS_FAILED', outcome: null })).toBe('Passed, and its execution failed');
    expect(govVerdict({ status: 'UNRECOGNIZED', outcome: null })).toBe('Closed');
  });

  it('measure yes without abstentions, and veto in all votes', () => {
    const counts = { yesCount: '30', noCount: '10', abstainCount: '50', noWithVetoCount: '10' };
    expect(govShares(counts)).toEqual({ yes: '60', veto: '10' });
    expect(govShares({ yesCount: '0', noCount: '0', abstainCount: '0', noWithVetoCount: '0' })).toEqual({
      yes: '0',
      veto: '0',
    });
  });
});

it('a vote with one option has no weight in words', () => {
  expect(['1.000000000000000000', '1', '0.6', '0.333333333333333333'].map(weightWords)).toEqual(['', '', '60 %', '33.33 %']);
});

it('an operator address names its account, on any chain', () => {
  expect(accountOfOperator('wasmvaloper1cyyzpxplxdzkeea7kwsydadg87357qnaqxpy8n')).toBe(
    'wasm1cyyzpxplxdzkeea7kwsydadg87357qna465cff',
  );
  expect(accountOfOperator('wasm1cyyzpxplxdzkeea7kwsydadg87357qna465cff')).toBeUndefined();
  expect(accountOfOperator('wasmvaloper1cyyzpxplxdzkeea7kwsydadg87357qnaqxpy8m')).toBeUndefined();
});
