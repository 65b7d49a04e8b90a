import type { CloseFact, Place, RecordedTally } from '../../../archive/facts.ts';
import type { ProposalStatus } from '../state/model.ts';
import { proposalOutcome, type TallyDecision } from '../state/outcome.ts';
import type { BlockFacts, ProposalState, TrackedProposal } from './blockProposals.ts';
import { type PolicyVersion, statusNumber } from './convert.ts';
import type { FactLog } from './factLog.ts';
import type { BlockGroups } from './groups.ts';
import type { RecorderState } from './stateReads.ts';
import { decisionPolicyOf } from './submissions.ts';
import { countVotes, inferVotes } from './tally.ts';

/** How a proposal is closed. Its place is by default the next one. */
export type Closing = Pick<CloseFact, 'by' | 'account' | 'status' | 'tally'> & { readonly at?: Place };

/** Closes the proposals of one block: adds the facts of their closes, with tallies recomputed from the recorded votes. */
export interface Closes {
  /** Closes a proposal without a tally. */
  closeUncounted(tracked: TrackedProposal, closing: Closing): Promise<void>;
  /** Closes a proposal whose tally became final. If nothing shows the status, the recomputed tally decides. */
  closeCounted(
    tracked: TrackedProposal,
    account: string | null,
    last: ProposalState | undefined,
    atEnd: boolean,
  ): Promise<void>;
  /** Whether a proposal is rejected: by its status, or if that is not known by the recomputed tally and the end of its voting period. */
  isRejected(tracked: TrackedProposal, status: ProposalStatus | undefined): Promise<boolean>;
}

/** Makes the closes of one block. `before` is the state before it. */
export function createCloses(
  { time }: Pick<BlockFacts, 'time'>,
  groups: BlockGroups,
  before: Pick<RecorderState, 'group'>,
  { nextPlace, add }: Pick<FactLog, 'nextPlace' | 'add'>,
): Closes {
  /** The electorate and the policy of a proposal at this point of the block, and the tally of its votes. */
  async function count({ fact, votes, unknownVotes }: TrackedProposal) {
    groups.readAhead(fact.groupPolicyAddress, fact.groupId);
    const policy = await groups.policy(fact.groupPolicyAddress);
    const group = policy && (await groups.group(policy.groupId));
    const members = group && (await groups.members(group.groupId));
    const computed = members && unknownVotes.length === 0 ? countVotes(votes, members) : null;
    return { policy, group, computed };
  }

  function decide(policy: PolicyVersion | null, computed: RecordedTally | null, totalWeight: string | undefined) {
    if (policy === null || computed === null || totalWeight === undefined) return undefined;
    return proposalOutcome(decisionPolicyOf(policy), computed, totalWeight)?.decision;
  }

  /**
   * Records the votes of this block whose voters no message names, if the final tally and the weights of the members leave one possibility. The members
   * must be those of the state before the block: a vote of an account that has left since does not count.
   */
  async function inferUnknown({ fact, votes, unknownVotes }: TrackedProposal, tally: RecordedTally | null): Promise<void> {
    if (unknownVotes.length === 0 || tally === null || fact.groupId === null) return;
    const [members, group, old] = [
      await groups.members(fact.groupId),
      await groups.group(fact.groupId),
      await before.group(fact.groupId),
    ];
    if (members === null || group === null || group.version !== old?.version) return;
    const inferred = inferVotes(tally, votes, members, unknownVotes.length);
    for (const [index, { voter, option }] of (inferred ?? []).entries()) {
      const at = unknownVotes[index] ?? nextPlace();
      const vote = { kind: 'vote', proposalId: fact.id, voter, option, metadata: '', at, origin: 'OTHER' } as const;
      votes.push(vote);
      add(at, vote);
    }
    if (inferred !== null) unknownVotes.length = 0;
  }

  async function closeUncounted(tracked: TrackedProposal, { at = nextPlace(), ...closing }: Closing): Promise<void> {
    const policy = await groups.policy(tracked.fact.groupPolicyAddress);
    const group = policy && (await groups.group(policy.groupId));
    tracked.open = false;
    add(at, {
      kind: 'close',
      proposalId: tracked.fact.id,
      at,
      ...closing,
      groupVersion: group?.version ?? null,
      policyVersion: policy?.version ?? null,
      totalWeight: group?.totalWeight ?? null,
      computed: null,
    });
  }

  async function closeCounted(
    tracked: TrackedProposal,
    account: string | null,
    last: ProposalState | undefined,
    atEnd: boolean,
  ): Promise<void> {
    await inferUnknown(tracked, last?.tally ?? null);
    const { policy, group, computed } = await count(tracked);
    const decision: TallyDecision | undefined = decide(policy, computed, group?.totalWeight);
    const isOver = tracked.fact.votingPeriodEnd < time && decision !== 'ACCEPTED' && decision !== 'REJECTED';
    const guessed: ProposalStatus = decision === 'ACCEPTED' ? 'PROPOSAL_STATUS_ACCEPTED' : 'PROPOSAL_STATUS_REJECTED';
    const at = nextPlace();
    tracked.open = false;
    add(at, {
      kind: 'close',
      proposalId: tracked.fact.id,
      at,
      by: atEnd || isOver ? 'VOTING_ENDED' : 'DECIDED',
      account,
      status: statusNumber(last?.status ?? guessed),
      tally: last?.tally ?? null,
      groupVersion: group?.version ?? null,
      policyVersion: policy?.version ?? null,
      totalWeight: group?.totalWeight ?? null,
      computed,
    });
  }

  async function isRejected(tracked: TrackedProposal, status: ProposalStatus | undefined): Promise<boolean> {
    if (status !== undefined) return status === 'PROPOSAL_STATUS_REJECTED';
    const { policy, group, computed } = await count(tracked);
    return decide(policy, computed, group?.totalWeight) === 'REJECTED' || tracked.fact.votingPeriodEnd < time;
  }

  return { closeUncounted, closeCounted, isRejected };
}
