import type { ProposalStatus } from '../../gen/graphql.ts';

/** The filters of the board: the name in the URL, the text, and the statuses. */
export const filters: readonly {
  readonly name: string;
  readonly text: string;
  readonly statuses: readonly ProposalStatus[];
}[] = [
  { name: 'open', text: 'Open', statuses: ['PROPOSAL_STATUS_SUBMITTED'] },
  { name: 'accepted', text: 'Accepted', statuses: ['PROPOSAL_STATUS_ACCEPTED'] },
  { name: 'rejected', text: 'Rejected', statuses: ['PROPOSAL_STATUS_REJECTED'] },
  { name: 'closed', text: 'Withdrawn or aborted', statuses: ['PROPOSAL_STATUS_WITHDRAWN', 'PROPOSAL_STATUS_ABORTED'] },
];

/** The statuses of proposals whose voting has ended. */
export const closedStatuses: readonly ProposalStatus[] = filters.flatMap(({ name, statuses }) =>
  name === 'open' ? [] : statuses,
);

/** The statuses of a filter; null for all. */
export function statusesOf(name: string | null): readonly ProposalStatus[] | null {
  return filters.find((filter) => filter.name === name)?.statuses ?? null;
}
