import { type Money, unitOf } from '../../components/Amount.tsx';
import { enumWords } from '../../components/Badge.tsx';
import { count, percent } from '../../format/numbers.ts';
import { type Counts, ruleWords } from '../../format/tally.ts';
import type { AccountChangesQuery, GroupChangesQuery, ProposalChangesQuery, ValidatorChangesQuery } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';

/** What is known at a block, in words: names with values. */
export type Facts = ReadonlyMap<string, string>;

/** A fact that became another one. undefined: there was none, or there is none any more. */
export interface Change {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const options = (): readonly (readonly [name: string, count: keyof Counts])[] => [
  [texts.value.proposal.yes, 'yesCount'],
  [texts.value.proposal.abstain, 'abstainCount'],
  [texts.value.proposal.no, 'noCount'],
  [texts.value.proposal.veto, 'noWithVetoCount'],
];

const amountText = (coin: Money): string => `${count(coin.display?.amount ?? coin.amount)} ${unitOf(coin)}`;

/** The facts of a proposal. None while the chain does not have it. */
export function proposalFacts({ proposal }: ProposalChangesQuery): Facts {
  if (proposal === null) return new Map();
  const { status, executorResult, tally } = proposal;
  const votes = tally === null ? [] : options().map(([name, key]) => [name, count(tally[key])] as const);
  return new Map([
    [texts.value.words.status, enumWords(status)],
    [governanceTexts.value.changes.execution, enumWords(executorResult)],
    ...votes,
  ]);
}

/** The facts of a group: of itself, of its members and of its policies. */
export function groupFacts({ group }: GroupChangesQuery): Facts {
  if (group === null) return new Map();
  const { metadata, totalWeight, admin, members, policies } = group;
  return new Map([
    [texts.value.words.name, metadata],
    [governanceTexts.value.changes.totalWeight, count(totalWeight)],
    [governanceTexts.value.changes.administrator, admin.address],
    [texts.value.words.members, members?.totalCount ?? ''],
    ...(members?.nodes ?? []).map(
      ({ account: { address }, metadata: name, weight }) =>
        [governanceTexts.value.changes.weightOf(name || address), count(weight)] as const,
    ),
    ...(policies?.nodes ?? []).map(
      ({ address, metadata: name, decisionPolicy }) =>
        [
          governanceTexts.value.changes.policy(name || address),
          decisionPolicy === null ? governanceTexts.value.changes.noRule : ruleWords(decisionPolicy),
        ] as const,
    ),
  ]);
}

/** The facts of an account: what it holds, and its groups. */
export function accountFacts({ account }: AccountChangesQuery): Facts {
  return new Map([
    ...(account?.balances?.nodes ?? []).map(
      (coin) => [governanceTexts.value.changes.balance(unitOf(coin)), count(coin.display?.amount ?? coin.amount)] as const,
    ),
    ...(account?.groups?.nodes ?? []).map(
      ({ id, metadata }) => [governanceTexts.value.changes.memberOf(id), metadata || texts.value.words.yes] as const,
    ),
  ]);
}

/** The facts of a validator. */
export function validatorFacts({ validator, account }: ValidatorChangesQuery): Facts {
  const of = validator ?? account?.validator ?? null;
  if (of === null) return new Map();
  const { moniker, isBonded, jailed, commissionPercent, tokens } = of;
  return new Map([
    [texts.value.words.name, moniker ?? ''],
    [texts.value.words.bonded, isBonded ? texts.value.words.yes : texts.value.words.no],
    [texts.value.words.jailed, jailed ? texts.value.words.yes : texts.value.words.no],
    [texts.value.words.commission, commissionPercent == null ? '' : percent(commissionPercent)],
    [texts.value.words.stake, tokens == null ? '' : amountText(tokens)],
  ]);
}

/** What differs between two blocks, in the order of the facts; those that are gone last. */
export function changesBetween(before: Facts, after: Facts): readonly Change[] {
  const names = new Set([...after.keys(), ...before.keys()]);
  return [...names].flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    return old === now ? [] : [{ name, before: old, after: now }];
  });
}
