import { UnplannedRequest } from '../plans/plan.ts';
import { groupAccountRules, groupQueryRules, groupRules } from './groupRules.ts';
import { pageInfoRules, pageRules } from './pages.ts';
import { type Rule, type Rules, source } from './rules.ts';
import { accountRules, stateQueryRules, stateRules } from './stateRules.ts';

/** The height that an object was read at. */
const asOfHeight: Rule = { value: ({ run }) => String(run.context.height) };

/** The types whose objects tell their height. */
const entities = ['Account', 'Group', 'GroupPolicy', 'Proposal', 'Marker', 'Scope', 'Validator'];

const queryRules: Rules = {
  ...groupQueryRules,
  ...stateQueryRules,
};

const types: Readonly<Record<string, Rules>> = {
  Query: {
    ...queryRules,
    at: {
      types: ['Snapshot'],
      value({ args, run, on }) {
        if ((args.time ?? null) !== null || String(args.height) !== String(run.context.height))
          throw new UnplannedRequest('it is of another height than the proof, or of a time');
        return source('Snapshot', on.message);
      },
    },
  },
  Snapshot: { ...queryRules, height: asOfHeight },
  ...groupRules,
  ...stateRules,
  Account: { ...accountRules, ...groupAccountRules },
  PageInfo: pageInfoRules,
  ...pageRules('Account'),
};

/** The rule of a field; undefined if there is none. */
export function ruleOf(type: string, field: string): Rule | undefined {
  const rules = Object.hasOwn(types, type) ? types[type] : undefined;
  if (rules !== undefined && Object.hasOwn(rules, field)) return rules[field];
  return rules !== undefined && field === 'asOfHeight' && entities.includes(type) ? asOfHeight : undefined;
}

/** The types of an interface. */
const interfaces: Readonly<Record<string, readonly string[]>> = {
  DecisionPolicy: ['ThresholdDecisionPolicy', 'PercentageDecisionPolicy', 'OtherDecisionPolicy'],
  GovernanceProposal: ['Proposal'],
  FeeAllowance: ['BasicAllowance', 'PeriodicAllowance', 'AllowedMsgAllowance', 'OtherFeeAllowance'],
};

/** Whether a fragment on a type concerns objects of another. */
export const applies = (on: string, type: string): boolean =>
  on === type || (Object.hasOwn(interfaces, on) && interfaces[on]?.includes(type) === true);
