import type { Fact, OpenProposals, Place, ProposalFact, RecordedTally, VoteFact } from '../../../archive/facts.ts';
import type { Nanoseconds } from '../../../chain/base/time.ts';
import type { GroupEvent } from '../state/groupEvent.ts';
import type { ProposalStatus } from '../state/model.ts';
import { proposalFactOf, recordedTally } from './convert.ts';
import type { BlockGroups } from './groups.ts';
import { storedProposalFacts, storedVoteFact } from './start.ts';
import { type RecorderState, readAhead } from './stateReads.ts';

/** What the whole block shows of its proposals. */
export interface BlockFacts {
  readonly height: bigint;
  readonly time: Nanoseconds;
  /** All events of the group module, in order. */
  readonly events: readonly GroupEvent[];
}

/** A proposal within a block. */
export interface TrackedProposal {
  readonly fact: ProposalFact;
  /** The votes so far that are known. */
  readonly votes: VoteFact[];
  /** Votes of this block whose voters are not known, with their places. */
  readonly unknownVotes: Place[];
  open: boolean;
}

/** The end of a proposal, or its present state. */
export interface ProposalState {
  readonly status: ProposalStatus;
  /** Null if the chain computed none. */
  readonly tally: RecordedTally | null;
}

/** The proposals that a block concerns: recorded ones, those of the state before it, and those that it submits. */
export interface BlockProposals {
  /** A proposal; null if it is known by its id alone. */
  get(id: bigint): Promise<TrackedProposal | null>;
  /** Adds a proposal that the block submits; null if it is known by its id alone. */
  add(id: bigint, tracked: TrackedProposal | null): void;
  /** The proposals that are open now and fulfil a condition, by the end of their voting period, as the chain walks them. */
  open(
    where: (proposal: Pick<ProposalFact, 'id' | 'groupPolicyAddress' | 'votingPeriodEnd'>) => boolean,
  ): Promise<readonly TrackedProposal[]>;
  /** The proposals so far. */
  all(): readonly TrackedProposal[];
  /** Begins to read what {@link lastState} of a proposal and the tally of its votes need. */
  readAhead(tracked: TrackedProposal): void;
  /** State of a proposal after the block, or the one that it was deleted with. Undefined if it is not known. */
  lastState(id: bigint): Promise<ProposalState | undefined>;
  /** Notes an execution of a proposal. Returns whether it is the last one in the block. */
  isLastExecution(id: bigint): boolean;
  /** Whether the tally of a proposal failed at the end of its voting period. */
  tallyFailed(id: bigint): boolean;
}

/** Makes the proposals of one block. `addStored` records what the state shows of a proposal that is not recorded yet. */
export function createBlockProposals(
  { height, time, events }: BlockFacts,
  groups: BlockGroups,
  before: RecorderState,
  now: RecorderState,
  recorded: OpenProposals,
  addStored: (facts: readonly Fact[]) => void,
): BlockProposals {
  const proposals = new Map<bigint, TrackedProposal | null>();
  const pruned = new Map(events.flatMap((event) => (event.kind === 'pruned' ? [[event.proposalId, event] as const] : [])));
  const failed = new Set(events.flatMap((event) => (event.kind === 'tallyFailed' ? [event.proposalId] : [])));
  /** Executions of each proposal that are still to come. */
  const executionsLeft = new Map<bigint, number>();
  for (const event of events) {
    if (event.kind === 'executed') executionsLeft.set(event.proposalId, (executionsLeft.get(event.proposalId) ?? 0) + 1);
  }
  let openBefore: Awaited<ReturnType<OpenProposals['open']>> | undefined;

  async function openIds(): Promise<NonNullable<typeof openBefore>> {
    openBefore ??= await recorded.open(height);
    return openBefore;
  }

  async function load(id: bigint): Promise<TrackedProposal | null> {
    const known = await recorded.proposal(id);
    if (known !== null) {
      const open = (await openIds()).some((proposal) => proposal.id === id);
      return { fact: known.proposal, votes: [...known.votes], unknownVotes: [], open };
    }
    readAhead(before.votes(id));
    const stored = await before.proposal(id);
    if (stored == null) return null;
    const policy = await groups.policy(stored.groupPolicyAddress);
    const votes = ((await before.votes(id)) ?? []).map(storedVoteFact);
    addStored(storedProposalFacts(stored, policy?.groupId ?? null, votes, time));
    const fact = proposalFactOf(stored, policy?.groupId ?? null, null);
    return { fact, votes, unknownVotes: [], open: stored.status === 'PROPOSAL_STATUS_SUBMITTED' };
  }

  async function get(id: bigint): Promise<TrackedProposal | null> {
    if (!proposals.has(id)) proposals.set(id, await load(id));
    return proposals.get(id) ?? null;
  }

  const all = (): readonly TrackedProposal[] => [...proposals.values()].filter((each) => each !== null);

  return {
    get,
    add: (id, tracked) => void proposals.set(id, tracked),
    async open(where) {
      for (const each of await openIds()) if (where(each)) await get(each.id);
      return all()
        .filter(({ open, fact }) => open && where(fact))
        .sort((a, b) => Number(a.fact.votingPeriodEnd - b.fact.votingPeriodEnd) || Number(a.fact.id - b.fact.id));
    },
    all,
    readAhead({ fact: { id, groupPolicyAddress, groupId } }) {
      groups.readAhead(groupPolicyAddress, groupId);
      if (!pruned.has(id)) readAhead(now.proposal(id));
    },
    async lastState(id) {
      const deleted = pruned.get(id);
      if (deleted !== undefined) return { status: deleted.status, tally: deleted.tally && recordedTally(deleted.tally) };
      const after = await now.proposal(id);
      return after == null ? undefined : { status: after.status, tally: recordedTally(after.finalTallyResult) };
    },
    isLastExecution(id) {
      const left = (executionsLeft.get(id) ?? 1) - 1;
      executionsLeft.set(id, left);
      return left === 0;
    },
    tallyFailed: (id) => failed.has(id),
  };
}
