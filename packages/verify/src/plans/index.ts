import { accountPlans } from './account.ts';
import { attributePlans } from './attribute.ts';
import { bankPlans } from './bank.ts';
import { feegrantPlans } from './feegrant.ts';
import { groupPlans } from './group.ts';
import { markerPlans } from './marker.ts';
import { metadataPlans } from './metadata.ts';
import { namePlans } from './name.ts';
import type { Plan } from './plan.ts';
import { stakingPlans } from './staking.ts';

export { type MethodAnswer, type Plan, type PlanContext, type Refusal, UnplannedRequest } from './plan.ts';
export {
  computed,
  computedNow,
  type HeldReads,
  type KeyRead,
  type RangeBounds,
  type Reading,
  type Row,
  type StoreRead,
  type StoreReads,
} from './reads.ts';
export {
  type DecisionRule,
  type ProposalOutcome,
  proposalOutcome,
  type TallyDecision,
} from './rules/outcome.ts';
export { type CastVote, membersWithoutVote, type Tally, tallyOfVotes, votingTimeLeft } from './rules/tally.ts';

/** All plans, by the path of their method. An answer of a method without a plan can only be asserted by nodes. */
export const plans: ReadonlyMap<string, Plan> = new Map(
  [
    ...groupPlans,
    ...bankPlans,
    ...accountPlans,
    ...attributePlans,
    ...namePlans,
    ...markerPlans,
    ...metadataPlans,
    ...feegrantPlans,
    ...stakingPlans,
  ].map((plan) => [plan.path, plan]),
);
