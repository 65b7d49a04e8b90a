import type { ProposalStatus } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';

/** The filters of the board: the name in the URL, the text, and the statuses. */
export const filters = (): readonly {
  readonly name: string;
  readonly text: string;
  readonly statuses: readonly ProposalStatus[];
}[] => [
  { name: 'open', text: texts.value.proposal.open, statuses: ['PROPOSAL_STATUS_SUBMITTED'] },
  { name: 'accepted', text: texts.value.enums.PROPOSAL_STATUS_ACCEPTED, statuses: ['PROPOSAL_STATUS_ACCEPTED'] },
  { name: 'rejected', text: texts.value.proposal.rejected, statuses: ['PROPOSAL_STATUS_REJECTED'] },
  {
    name: 'closed',
    text: governanceTexts.value.policy.withdrawnOrAborted,
    statuses: ['PROPOSAL_STATUS_WITHDRAWN', 'PROPOSAL_STATUS_ABORTED'],
  },
];

/** The statuses of proposals whose voting has ended. */
export const closedStatuses: readonly ProposalStatus[] = filters().flatMap(({ name, statuses }) =>
  name === 'open' ? [] : statuses,
);

/** The statuses of a filter; null for all. */
export function statusesOf(name: string | null): readonly ProposalStatus[] | null {
  return filters().find((filter) => filter.name === name)?.statuses ?? null;
}
