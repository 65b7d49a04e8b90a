import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as rule from '../../../src/modules/gov/tally.ts';
import { finalTallies, liveTallies, recordedRules } from '../../recordings/govTallies.ts';
import { some } from '../../support/atRandom.ts';

type Rule = Pick<typeof rule, 'tallyVotes' | 'decide'>;

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The rule in one text, with its decimals under short names. */
const source = [
  read('packages/verify/src/plans/rules/dec.ts').replace(/^.*?(?=\/\*\* One, as)/s, ''),
  read('src/modules/gov/tally.ts').replace(/^import .*$/m, ''),
]
  .join('\n')
  .replaceAll('oneDec', 'one')
  .replaceAll('wholeOf', 'rounded')
  .replaceAll('decTimes', 'times')
  .replaceAll('decDividedBy', 'dividedBy');

/** A mutation of the rule: what is replaced, and by what. The text occurs once in the source. */
type Mutation = readonly [name: string, from: string, to: string];

/** Mutations that a recorded tally or decision contradicts. */
const mutations: readonly Mutation[] = [
  [
    'products and quotients are cut off',
    'return rest > half || (rest === half && quotient % 2n === 1n) ? quotient + 1n : quotient;',
    'return quotient;',
  ],
  ['quotients are computed without further decimals', 'rounded((a * one * one) / b)', '(a / b) * one'],
  ['weights of options are ignored', 'sums[option] += times(power, weight)', 'sums[option] += power'],
  [
    'only the first option of a vote counts',
    'for (const { option, weight } of options) sums',
    'for (const { option, weight } of options.slice(0, 1)) sums',
  ],
  ['the total is not summed up', 'total += power;', ''],
  ['stake of delegators who vote is not taken from their validators', 'validator.deducted += shares;', ''],
  ['the stake that is taken is replaced, not summed up', 'validator.deducted += shares;', 'validator.deducted = shares;'],
  ['validators are deducted twice', 'validator.deducted += shares;', 'validator.deducted += 2n * shares;'],
  ['delegators do not count', 'count(options, power);\n      sum += power;', 'sum += power;'],
  ['shares of delegators count as tokens', 'dividedBy(shares * validator.tokens, validator.shares)', 'shares'],
  [
    'the ratio of delegators is turned round',
    'dividedBy(shares * validator.tokens, validator.shares)',
    '((shares * validator.shares) / validator.tokens / one)',
  ],
  [
    'validators vote with all their stake',
    '(validator.shares - validator.deducted) * validator.tokens',
    'validator.shares * validator.tokens',
  ],
  [
    'validators vote with what delegators took',
    '(validator.shares - validator.deducted) * validator.tokens',
    'validator.deducted * validator.tokens',
  ],
  [
    'shares of validators count as tokens',
    'dividedBy((validator.shares - validator.deducted) * validator.tokens, validator.shares)',
    'validator.shares - validator.deducted',
  ],
  ['validators do not count', 'count(options, rest);', ''],
  ['validators are found by their operator address', '[validator.account, validator]', '[validator.operator, validator]'],
  [
    'validators whose operator delegates do not count',
    'if (validator === undefined) return { voter',
    'if (validator === undefined || power > 0n) return { voter',
  ],
  ['sums are rounded up to tokens', 'counts[option] = sums[option] / one', 'counts[option] = (sums[option] + one - 1n) / one'],
  [
    'the last option has no count',
    'for (const option of govOptions) counts',
    'for (const option of govOptions.slice(0, 3)) counts',
  ],
  ['abstentions count against a proposal', 'total - sums.ABSTAIN', 'total'],
  ['there is no quorum', 'parts.turnout < rules.quorum', 'false'],
  ['there is no veto', 'parts.vetoPart > rules.vetoThreshold', 'false'],
  ['a veto burns nothing', "rejected('VETO', rules.burnsAfterVeto)", "rejected('VETO', false)"],
  ['a missing quorum burns the deposits', "rejected('NO_QUORUM', rules.burnsWithoutQuorum)", "rejected('NO_QUORUM', true)"],
  ['no votes count as a veto', 'dividedBy(sums.NO_WITH_VETO, total)', 'dividedBy(sums.NO_WITH_VETO + sums.NO, total)'],
  ['every vote passes', 'parts.yesPart > rules.threshold', 'true'],
  ['yes votes are measured against all stake', 'dividedBy(sums.YES, effective)', 'dividedBy(sums.YES, bonded * one)'],
];

/** Mutations that no recorded tally contradicts: what they change does not happen in the recordings. */
const unproven: readonly Mutation[] = [
  [
    'products and quotients are rounded up',
    'return rest > half || (rest === half && quotient % 2n === 1n) ? quotient + 1n : quotient;',
    'return rest > 0n ? quotient + 1n : quotient;',
  ],
  ['halves are rounded up', 'rest === half && quotient % 2n === 1n', 'rest === half'],
  ['halves are cut off', 'rest > half || (rest === half && quotient % 2n === 1n)', 'rest > half'],
  [
    'delegations to validators that are not bonded end the vote',
    'if (validator === undefined) continue;\n',
    'if (validator === undefined) break;\n',
  ],
  ['the quorum is the threshold', 'parts.turnout < rules.quorum', 'parts.turnout < rules.threshold'],
  ['the turnout leaves out abstentions', 'dividedBy(total, bonded * one)', 'dividedBy(effective, bonded * one)'],
  ['the threshold is that of a veto', 'parts.yesPart > rules.threshold', 'parts.yesPart > rules.vetoThreshold'],
];

async function mutated(from: string, to: string): Promise<Rule> {
  expect(source.split(from), from).toHaveLength(2);
  const { code } = transformSync(source.replace(from, to), { loader: 'ts', format: 'esm' });
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`);
}

/** The tallies and decisions of the recorded chain that a rule does not compute as the chain did. */
function contradictions({ tallyVotes, decide }: Rule): readonly string[] {
  const wrong = [...liveTallies, ...finalTallies].filter(({ input, tally }) => {
    const { counts } = tallyVotes(input);
    return Object.values(counts).map(String).join() !== tally.join();
  });
  const decisions = finalTallies.filter(({ input, result, isExpedited, areBurnt }) => {
    const bonded = input.validators.reduce((sum, { tokens }) => sum + tokens, 0n);
    const { passes, burnsDeposits } = decide(tallyVotes(input), recordedRules(isExpedited), bonded);
    const hasPassed = result === 'proposal_passed' || result === 'proposal_failed';
    return passes !== hasPassed || burnsDeposits !== areBurnt;
  });
  return [...wrong, ...decisions].map(({ name }) => name);
}

describe('the recorded tallies', () => {
  it('are those of the rule', () => {
    expect(contradictions(rule)).toEqual([]);
  });

  it.each(some(mutations, 3))('contradict the rule if %s', async (_, from, to) => {
    expect(contradictions(await mutated(from, to)).length).toBeGreaterThan(0);
  });

  it.each(unproven)('do not tell whether %s', async (_, from, to) => {
    expect(contradictions(await mutated(from, to))).toEqual([]);
  });
});
