import { type Nanoseconds, parseTime } from '../../chain/base/time.ts';
import { type Awaitable, all, andThen, both } from '../../reads/loader.ts';
import { checkScan, readAll } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { createBlockLoaders } from '../blocks/query.ts';
import { createGroupLoaders, groupPoliciesByGroup, proposalsByGroupPolicy } from './loaders.ts';
import {
  type Group,
  type Proposal,
  type ProposalOutcome,
  type ProposalStatus,
  proposalOutcome,
  type TallyResult,
} from './model.ts';

export function blockTime(pin: Pin): Awaitable<Nanoseconds> {
  return andThen(pin.loaders(createBlockLoaders).block.load(pin.height), ({ header }) => parseTime(header.time));
}

/**
 * Returns whether a proposal is open for voting. The chain decides it at the latest in the first block after its voting period
 * (docs/chain.md, "Life cycle of a proposal").
 */
export function isOpen(proposal: Proposal): boolean {
  return proposal.status === 'PROPOSAL_STATUS_SUBMITTED';
}

/**
 * Reads the tally of a proposal at the height of the pin: the stored one of a decided proposal, the live count of an open one.
 * Returns null for an aborted or withdrawn proposal.
 */
export function tallyOf(pin: Pin, proposal: Proposal): Awaitable<TallyResult | null> {
  switch (proposal.status) {
    case 'PROPOSAL_STATUS_ACCEPTED':
    case 'PROPOSAL_STATUS_REJECTED':
      return proposal.finalTallyResult;
    case 'PROPOSAL_STATUS_ABORTED':
    case 'PROPOSAL_STATUS_WITHDRAWN':
      return null;
    default:
      return pin.loaders(createGroupLoaders).tally.load(proposal.id);
  }
}

/**
 * Applies the decision policy to the tally. Returns null unless the proposal is open, and for a decision policy of an unknown
 * type.
 */
export function outcomeOf(pin: Pin, proposal: Proposal): Awaitable<ProposalOutcome | null> {
  if (!isOpen(proposal)) return null;
  const { tally, groupPolicy, group } = pin.loaders(createGroupLoaders);
  return both(tally.load(proposal.id), groupPolicy.load(proposal.groupPolicyAddress), (count, policy) => {
    if (count === null || policy === null) return null;
    return andThen(
      group.load(policy.groupId),
      (owner) => owner && proposalOutcome(policy.decisionPolicy, count, owner.totalWeight),
    );
  });
}

/**
 * Returns the rest of the voting period at the block time of the pin, in nanoseconds. Returns null unless the proposal is open.
 */
export function votingTimeLeft(pin: Pin, proposal: Proposal): Awaitable<Nanoseconds | null> {
  return isOpen(proposal) ? andThen(blockTime(pin), (time) => proposal.votingPeriodEnd - time) : null;
}

/**
 * Returns the earliest block time at which the proposal can be executed. Returns null if its policy is deleted or of an unknown
 * type.
 */
export function executableFrom(pin: Pin, proposal: Proposal): Awaitable<Nanoseconds | null> {
  return andThen(pin.loaders(createGroupLoaders).groupPolicy.load(proposal.groupPolicyAddress), (policy) =>
    policy === null || policy.decisionPolicy.kind === 'other'
      ? null
      : proposal.submitTime + policy.decisionPolicy.windows.minExecutionPeriod,
  );
}

/**
 * Reads the proposals of a policy that have one of `statuses`, by ascending id. The chain cannot filter, so all are read, at
 * most 5,000.
 */
export function policyProposals(
  pin: Pin,
  address: string,
  statuses: readonly ProposalStatus[],
): Awaitable<readonly Proposal[]> {
  return andThen(readAll(proposalsByGroupPolicy(pin.loaders(createGroupLoaders), address), 'proposals'), (proposals) =>
    proposals.filter(({ status }) => statuses.includes(status)),
  );
}

/** Reads the proposals of all policies of these groups, by ascending id, at most 5,000. `statuses` selects statuses. */
export function groupsProposals(
  pin: Pin,
  groups: readonly Group[],
  statuses: readonly ProposalStatus[] | undefined,
): Awaitable<readonly Proposal[]> {
  const loaders = pin.loaders(createGroupLoaders);
  const policies = all(groups.map(({ id }) => readAll(groupPoliciesByGroup(loaders, id), 'group policies')));
  const lists = andThen(policies, (policyPage) => {
    const addresses = policyPage.flat().map(({ address }) => address);
    checkScan(addresses.length, 'group policies');
    return all(addresses.map((address) => readAll(proposalsByGroupPolicy(loaders, address), 'proposals')));
  });
  return andThen(lists, (proposalLists) => {
    const proposals = proposalLists.flat();
    checkScan(proposals.length, 'proposals');
    const selected = statuses === undefined ? proposals : proposals.filter(({ status }) => statuses.includes(status));
    return selected.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  });
}
