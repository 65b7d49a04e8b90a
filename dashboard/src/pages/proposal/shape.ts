import type { ProposalQuery } from '../../gen/graphql.ts';

/** A proposal as its page reads it. */
export type ProposalData = NonNullable<ProposalQuery['proposal']>;

/** A vote on it. */
export type VoteData = NonNullable<ProposalData['votes']>['nodes'][number];

/** The total weight that its tally is measured against. undefined if its group is gone. */
export function totalOf({ outcome, groupPolicy }: ProposalData): string | undefined {
  return outcome?.totalWeight ?? groupPolicy?.group?.totalWeight;
}
