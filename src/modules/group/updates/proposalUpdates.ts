import type { CommittedBlock } from '../../../chain/blocks/blockLog.ts';
import type { Pin } from '../../../reads/pin.ts';
import { type Nanoseconds, parseTime } from '../../../reads/time.ts';
import { proposalsByGroupPolicy } from '../lists.ts';
import { createGroupLoaders } from '../loaders.ts';
import type { Proposal, ProposalExecutorResult, ProposalStatus, TallyResult } from '../model.ts';
import { type GroupEvents, groupEvents } from './blockEvents.ts';
import { changedGroups, readUnlessHuge } from './groupChanges.ts';
import { submittedTo } from './submissions.ts';
import { narrow, type Target, type Watched, widen } from './watched.ts';

/**
 * Names of the contract's ProposalUpdateReason, in its order. EXECUTED is told of every try, also of one that came to nothing.
 * VOTING_ENDED and GROUP_UPDATED are told of proposals on which votes were being taken before the block: nothing moves those that were
 * decided, aborted or withdrawn. POLICY_UPDATED is told of those that it aborted; an admin or metadata of a group is no GROUP_UPDATED.
 */
export type ProposalUpdateReason =
  | 'CURRENT'
  | 'SUBMITTED'
  | 'VOTED'
  | 'EXECUTED'
  | 'WITHDRAWN'
  | 'VOTING_ENDED'
  | 'POLICY_UPDATED'
  | 'GROUP_UPDATED'
  | 'PRUNED';

/** A proposal as a block left it. */
export interface ProposalUpdate {
  readonly proposalId: bigint;
  readonly height: bigint;
  /** Time of the block, as its header has it. */
  readonly time: string;
  readonly reasons: readonly ProposalUpdateReason[];
  /** As the block left it; of a deleted proposal, as it was deleted. */
  readonly status: ProposalStatus;
  readonly executorResult: ProposalExecutorResult;
  /** null once it is deleted. */
  readonly proposal: Proposal | null;
  /** The tally that it was deleted with; null when there was none, and while it is there. */
  readonly lastTally: TallyResult | null;
}

/** What a block did to proposals that are watched. */
export interface ProposalStep {
  /** By ascending id; at most one for each proposal. */
  readonly updates: readonly ProposalUpdate[];
  readonly watched: Watched;
}

/** The state of a proposal that is there, which no block has just changed. */
export function presentUpdate(proposal: Proposal, height: bigint, time: string): ProposalUpdate {
  const { id, status, executorResult } = proposal;
  return { proposalId: id, height, time, reasons: ['CURRENT'], status, executorResult, proposal, lastTally: null };
}

/** Proposals not among the open ones that an event of the block names and the target takes in. */
async function namedProposals(
  target: Target,
  { open, policies }: Watched,
  block: CommittedBlock,
  events: GroupEvents,
  before: Pin | null,
  pin: Pin,
): Promise<readonly bigint[]> {
  const { submitted, voted, withdrawn, executed, pruned } = events;
  if (target.of === 'id') {
    return [submitted, voted, withdrawn, executed, pruned].some((ids) => ids.has(target.id)) ? [target.id] : [];
  }
  // Only open proposals are voted on and withdrawn: those that are of interest are known, or submitted in this block.
  const ids = [...new Set([...submitted, ...executed.keys(), ...pruned.keys()])].filter((id) => !open.has(id));
  const taken = await Promise.all(
    ids.map(async (id) => {
      const proposal = await (pruned.has(id) ? before : pin)?.loaders(createGroupLoaders).proposal.load(id);
      return policies.has(proposal?.groupPolicyAddress ?? submittedTo(block, id) ?? '');
    }),
  );
  return ids.filter((_, index) => taken[index]);
}

function anyEnded({ open }: Watched, now: Nanoseconds): boolean {
  for (const { votingPeriodEnd } of open.values()) if (votingPeriodEnd < now) return true;
  return false;
}

/** What a block did to the proposals of a target, from what was watched before it. `before` is null at height 1. */
export async function advanceProposals(
  target: Target,
  watched: Watched,
  block: CommittedBlock,
  before: Pin | null,
  pin: Pin,
): Promise<ProposalStep> {
  const events = groupEvents(block);
  const now = parseTime(block.header.time);
  if (events.none && !anyEnded(watched, now)) return { updates: [], watched };

  const { wider, gone } = await widen(target, watched, events, before, pin);
  const [named, changed] = await Promise.all([
    namedProposals(target, wider, block, events, before, pin),
    changedGroups(wider, events, before, pin),
  ]);
  const touched = new Set(named);
  for (const [id, { policy, votingPeriodEnd }] of wider.open) {
    const byEvent = events.voted.has(id) || events.withdrawn.has(id) || events.executed.has(id) || events.pruned.has(id);
    const byGroup = changed.has(wider.policies.get(policy) ?? 0n);
    if (byEvent || byGroup || votingPeriodEnd < now || events.updatedPolicies.has(policy)) touched.add(id);
  }
  await readTogether(pin, wider, touched, events);
  const all = await Promise.all([...touched].map((id) => updateOf(id, { block, now, events, wider, changed, before, pin })));
  const updates = all.filter(({ reasons }) => reasons.length > 0).sort((a, b) => (a.proposalId < b.proposalId ? -1 : 1));
  const left = all.map(({ proposalId, proposal }) => ({ id: proposalId, proposal }));
  return { updates, watched: await narrow(wider, left, gone, pin) };
}

/** Proposals of one policy from which on they are read as a list: 200 cost one read. */
const listedFrom = 4;

/** Reads the open ones of the proposals that a block touched, where it touched several of a policy: all of its list at once. */
async function readTogether(pin: Pin, { open }: Watched, touched: ReadonlySet<bigint>, { pruned }: GroupEvents): Promise<void> {
  const counts = new Map<string, number>();
  for (const id of touched) {
    const policy = open.get(id)?.policy;
    if (policy !== undefined && !pruned.has(id)) counts.set(policy, (counts.get(policy) ?? 0) + 1);
  }
  const many = [...counts].filter(([, count]) => count >= listedFrom);
  await Promise.all(
    many.map(([policy]) => readUnlessHuge(proposalsByGroupPolicy(pin.loaders(createGroupLoaders), policy), 'proposals')),
  );
}

/** A block as it concerns one proposal. */
interface Happening {
  readonly block: CommittedBlock;
  readonly now: Nanoseconds;
  readonly events: GroupEvents;
  readonly wider: Watched;
  readonly changed: ReadonlySet<bigint>;
  readonly before: Pin | null;
  readonly pin: Pin;
}

/** What a block did to one proposal; without reasons when it did nothing. */
async function updateOf(id: bigint, happening: Happening): Promise<ProposalUpdate> {
  const { block, now, events, wider, changed, before, pin } = happening;
  const open = wider.open.get(id);
  const submitted = events.submitted.has(id);
  const pruned = events.pruned.get(id);
  const proposal = pruned === undefined ? await pin.loaders(createGroupLoaders).proposal.load(id) : null;
  // Nothing has run while votes are taken, and an event tells of a try: of all else that is deleted, the state before the block does.
  const told = pruned !== undefined && (open !== undefined || submitted || events.executed.has(id));
  const last = proposal ?? (told ? undefined : await before?.loaders(createGroupLoaders).proposal.load(id));
  const status = pruned?.status ?? last?.status ?? 'PROPOSAL_STATUS_UNSPECIFIED';
  const reasons: ProposalUpdateReason[] = [];
  if (submitted) reasons.push('SUBMITTED');
  if (events.voted.has(id)) reasons.push('VOTED');
  if (events.executed.has(id)) reasons.push('EXECUTED');
  if (events.withdrawn.has(id)) reasons.push('WITHDRAWN');
  if (open !== undefined && open.votingPeriodEnd < now && status !== 'PROPOSAL_STATUS_SUBMITTED') reasons.push('VOTING_ENDED');
  if (status === 'PROPOSAL_STATUS_ABORTED' && (open !== undefined || submitted)) reasons.push('POLICY_UPDATED');
  if (open !== undefined && changed.has(wider.policies.get(open.policy) ?? 0n)) reasons.push('GROUP_UPDATED');
  if (proposal === null) reasons.push('PRUNED');
  return {
    proposalId: id,
    height: block.header.height,
    time: block.header.time,
    reasons,
    status,
    executorResult:
      proposal?.executorResult ?? events.executed.get(id) ?? last?.executorResult ?? 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN',
    proposal,
    lastTally: pruned?.tally ?? null,
  };
}
