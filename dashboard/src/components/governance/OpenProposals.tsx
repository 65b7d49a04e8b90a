import type { GovProposalRowFragment, ProposalRowFragment } from '../../gen/graphql.ts';
import { GovCard } from './GovCard.tsx';
import { ProposalCard } from './ProposalCard.tsx';

interface OpenProposalsProps {
  readonly groups: readonly ProposalRowFragment[];
  readonly gov: readonly GovProposalRowFragment[];
  /** The most proposals that are shown. */
  readonly max?: number;
}

/** Open proposals of groups and of the governance module in one list: those first whose voting ends first. */
export function OpenProposals({ groups, gov, max }: OpenProposalsProps) {
  const cards = [
    ...groups.map((proposal) => ({
      end: Date.parse(proposal.votingPeriodEnd),
      card: <ProposalCard key={`group-${proposal.id}`} of={proposal} hasPolicy />,
    })),
    ...gov.map((proposal) => ({
      end: Date.parse(proposal.votingEndTime ?? ''),
      card: <GovCard key={`gov-${proposal.id}`} of={proposal} />,
    })),
  ].toSorted((one, other) => one.end - other.end);
  return <div class="proposal-grid">{cards.slice(0, max).map(({ card }) => card)}</div>;
}
