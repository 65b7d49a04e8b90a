import type { Fact, GroupFact, PolicyFact, ProposalFact, VoteFact } from '../../../archive/facts.ts';
import type { Nanoseconds } from '../../../chain/base/time.ts';
import type { Pin } from '../../../reads/pin.ts';
import { blockTime, isOpen } from '../state/derived.ts';
import { groupPoliciesByGroup, groups, proposalsByGroupPolicy } from '../state/lists.ts';
import { createGroupLoaders } from '../state/loaders.ts';
import type { Group, GroupPolicy, Proposal, Vote } from '../state/model.ts';
import { optionNumber, proposalFactOf, recordedAddress, recordedTally, resultNumber, statusNumber } from './convert.ts';
import { groupVersionOf, policyVersionOf, readEvery, readMembers, readVotes } from './stateReads.ts';

/** Objects that are read at the same time. */
const atOnce = 16;

/** A vote that the state shows. How it was cast is not known. */
export function storedVoteFact({ proposalId, voter, option, metadata, submitTime }: Vote): VoteFact {
  const at = { height: null, time: submitTime };
  const cast = { voter: recordedAddress(voter), option: optionNumber(option), metadata };
  return { kind: 'vote', proposalId, ...cast, at, origin: 'OTHER' };
}

/** The state does not show when a proposal was closed or executed. */
const unknownPlace = { height: null, time: null } as const;

/**
 * The facts of a proposal that the state at `time` shows. After the voting period, the state does not show either whether the end of the period or an
 * execution before it closed the proposal.
 */
export function storedProposalFacts(
  proposal: Proposal,
  groupId: bigint | null,
  votes: readonly VoteFact[],
  time: Nanoseconds,
): readonly (ProposalFact | Fact)[] {
  const { id: proposalId, status, votingPeriodEnd } = proposal;
  const facts: Fact[] = [proposalFactOf(proposal, groupId, null), ...votes];
  if (isOpen(proposal)) return facts;
  const isOver = votingPeriodEnd < time;
  const isUncounted = status === 'PROPOSAL_STATUS_ABORTED' || status === 'PROPOSAL_STATUS_WITHDRAWN';
  const uncounted = status === 'PROPOSAL_STATUS_ABORTED' ? 'ABORTED' : 'WITHDRAWN';
  facts.push({
    kind: 'close',
    proposalId,
    at: unknownPlace,
    by: isUncounted ? uncounted : isOver ? null : 'DECIDED',
    account: null,
    status: statusNumber(status),
    tally: isUncounted ? null : recordedTally(proposal.finalTallyResult),
    groupVersion: null,
    policyVersion: null,
    totalWeight: null,
    computed: null,
  });
  if (proposal.executorResult === 'PROPOSAL_EXECUTOR_RESULT_FAILURE') {
    const result = resultNumber(proposal.executorResult);
    facts.push({ kind: 'execution', proposalId, at: unknownPlace, executor: null, result, logs: '' });
  }
  return facts;
}

/** Applies `work` to all items, a few at once. The results are in the order of the items. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<readonly R[]>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += atOnce) {
    for (const part of await Promise.all(items.slice(start, start + atOnce).map(work))) results.push(...part);
  }
  return results;
}

async function groupFacts(pin: Pin, group: Group): Promise<readonly GroupFact[]> {
  const members = await readMembers(pin, group.id);
  return [{ kind: 'group', ...groupVersionOf(group), members, at: null, change: 'other', account: null }];
}

function policyFact(policy: GroupPolicy): PolicyFact {
  return { kind: 'policy', ...policyVersionOf(policy), at: null, change: 'other', account: null };
}

/** The facts that the state at the height of the pin shows: groups, policies, and proposals with their votes. */
export async function startFacts(pin: Pin): Promise<readonly Fact[]> {
  const loaders = pin.loaders(createGroupLoaders);
  const time = await blockTime(pin);
  const allGroups = await readEvery(groups(loaders));
  const versions = await inTurn(allGroups, (group) => groupFacts(pin, group));
  const policies = await inTurn(allGroups, ({ id }) => readEvery(groupPoliciesByGroup(loaders, id)));
  const proposals = await inTurn(policies, async ({ address, groupId }) => {
    const list = await readEvery(proposalsByGroupPolicy(loaders, address));
    return list.map((proposal) => ({ proposal, groupId }));
  });
  // Ids ascend in the order of submission.
  const ordered = proposals.toSorted((a, b) => (a.proposal.id < b.proposal.id ? -1 : 1));
  const rest = await inTurn(ordered, async ({ proposal, groupId }) => {
    const votes = isOpen(proposal) ? (await readVotes(pin, proposal.id)).map(storedVoteFact) : [];
    return storedProposalFacts(proposal, groupId, votes, time);
  });
  return [...versions, ...policies.map(policyFact), ...rest];
}
