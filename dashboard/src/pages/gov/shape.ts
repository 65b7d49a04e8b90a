import type { GovProposalQuery } from '../../gen/graphql.ts';

/** A proposal of the governance module, as the page reads it. */
export type GovProposalData = NonNullable<GovProposalQuery['govProposal']>;
