import type {
  CloseFact,
  Fact,
  GroupFact,
  OpenProposals,
  Place,
  PolicyFact,
  ProposalFact,
  RecordedTally,
  VoteFact,
} from '../../../archive/facts.ts';
import { emptyTally } from '../../../archive/store/votes.ts';
import type { Nanoseconds } from '../../../chain/base/time.ts';
import type { MsgSubmitProposal } from '../../../proto/cosmos/group/v1/tx_pb.js';
import { fromAny } from '../../any/codec.ts';
import type { GroupEvent } from '../events.ts';
import {
  type DecisionPolicy,
  decisionPolicyFromWire,
  type ProposalStatus,
  proposalOutcome,
  type TallyDecision,
} from '../model.ts';
import {
  type BlockGroups,
  countVotes,
  type GroupChange,
  inferVotes,
  kindOfChange,
  type MemberUpdate,
  type PolicyChange,
} from './groups.ts';
import {
  type GroupVersion,
  type PolicyVersion,
  proposalFactOf,
  type RecorderState,
  readAhead,
  recordedAny,
  recordedTally,
  resultNumber,
  statusNumber,
  storedProposalFacts,
  storedVoteFact,
} from './state.ts';

type Executed = Extract<GroupEvent, { readonly kind: 'executed' }>;
type Pruned = Extract<GroupEvent, { readonly kind: 'pruned' }>;

/** What the whole block shows of its proposals. */
interface BlockFacts {
  readonly height: bigint;
  readonly time: Nanoseconds;
  /** All events of the group module, in order. */
  readonly events: readonly GroupEvent[];
}

/** A proposal within a block. */
interface TrackedProposal {
  readonly fact: ProposalFact;
  /** The votes so far that are known. */
  readonly votes: VoteFact[];
  /** Votes of this block whose voters are not known, with their places. */
  readonly unknownVotes: Place[];
  open: boolean;
}

type OpenProposal = Awaited<ReturnType<OpenProposals['open']>>[number];

/** What is recorded of proposals before the block. */
interface RecordedProposals {
  readonly open: readonly OpenProposal[];
  readonly proposal: OpenProposals['proposal'];
}

interface ProposalState {
  readonly status: ProposalStatus;
  /** Null if the chain computed none. */
  readonly tally: RecordedTally | null;
}

type FactLog = Pick<ReturnType<typeof createFactLog>, 'nextPlace' | 'add'>;

/** The facts of one block, and their places in the order in which they happen. */
function createFactLog({ height, time }: Pick<BlockFacts, 'height' | 'time'>) {
  const facts: { readonly order: number; readonly fact: Fact }[] = [];
  let hash: string | null = null;
  let order = 0;

  function nextPlace(): Place {
    const place = { height, order, time, hash };
    order += 1;
    return place;
  }

  /** Adds a fact at a place, which may be earlier than those of other facts. */
  function add(at: Place, fact: Fact): void {
    facts.push({ order: at.order, fact });
  }

  return {
    /** Sets the transaction of the next places; null for what the block does by itself. */
    enter(next: string | null): void {
      hash = next;
    },
    /** Whether the next places are outside the transactions. */
    isOutside: (): boolean => hash === null,
    nextPlace,
    add,
    /** In the order of their places. */
    facts: (): readonly Fact[] => {
      const ordered: Fact[] = [];
      for (const { fact } of facts.toSorted((a, b) => a.order - b.order)) ordered.push(fact);
      return ordered;
    },
  };
}

/**
 * The proposals that a block concerns: recorded ones, those of the state before it, and those that it submits. What the state shows of a
 * proposal that is not recorded yet is added to the log.
 */
function createBlockProposals(
  { time, events }: BlockFacts,
  groups: BlockGroups,
  before: RecorderState,
  now: RecorderState,
  recorded: RecordedProposals,
  { nextPlace, add }: FactLog,
) {
  const tracked = new Map<bigint, TrackedProposal | null>();
  const openBefore = new Set<bigint>();
  for (const { id } of recorded.open) openBefore.add(id);
  const pruned = new Map<bigint, Pruned>();
  const failed = new Set<bigint>();
  /** Executions of each proposal that are still to come. */
  const executionsLeft = new Map<bigint, number>();
  for (const event of events) {
    if (event.kind === 'executed') executionsLeft.set(event.proposalId, (executionsLeft.get(event.proposalId) ?? 0) + 1);
    else if (event.kind === 'pruned') pruned.set(event.proposalId, event);
    else if (event.kind === 'tallyFailed') failed.add(event.proposalId);
  }

  async function load(id: bigint): Promise<TrackedProposal | null> {
    readAhead(before.votes(id));
    const stateBefore = await before.proposal(id);
    if (stateBefore == null) return null;
    const policy = await groups.policy(stateBefore.groupPolicyAddress);
    const votes = ((await before.votes(id)) ?? []).map(storedVoteFact);
    const at = nextPlace();
    for (const fact of storedProposalFacts(stateBefore, policy?.groupId ?? null, votes, time)) add(at, fact);
    const fact = proposalFactOf(stateBefore, policy?.groupId ?? null, null);
    return { fact, votes, unknownVotes: [], open: stateBefore.status === 'PROPOSAL_STATUS_SUBMITTED' };
  }

  /** A proposal, as it is recorded or as the state before the block shows it; null if it is known by its id alone. */
  async function get(id: bigint): Promise<TrackedProposal | null> {
    const present = tracked.get(id);
    if (present !== undefined) return present;
    const record = await recorded.proposal(id);
    const proposal =
      record === null
        ? await load(id)
        : { fact: record.proposal, votes: [...record.votes], unknownVotes: [], open: openBefore.has(id) };
    tracked.set(id, proposal);
    return proposal;
  }

  return {
    /** Those that were asked for or submitted so far; null for those that are known by their ids alone. */
    tracked,
    get,
    /** The proposals that are open now and fulfil a condition, by the end of their voting period, as the chain walks them. */
    async open(where: (proposal: OpenProposal) => boolean): Promise<readonly TrackedProposal[]> {
      for (const each of recorded.open) if (where(each)) await get(each.id);
      const open: TrackedProposal[] = [];
      for (const each of tracked.values()) if (each?.open && where(each.fact)) open.push(each);
      return open.sort((a, b) => Number(a.fact.votingPeriodEnd - b.fact.votingPeriodEnd) || Number(a.fact.id - b.fact.id));
    },
    /** Begins to read what the last state of a proposal and the tally of its votes need. */
    readAhead({ fact: { id, groupPolicyAddress, groupId } }: TrackedProposal): void {
      groups.readAhead(groupPolicyAddress, groupId);
      if (!pruned.has(id)) readAhead(now.proposal(id));
    },
    /** State of a proposal after the block, or the one that it was deleted with. Undefined if it is not known. */
    async lastState(id: bigint): Promise<ProposalState | undefined> {
      const deleted = pruned.get(id);
      if (deleted !== undefined) return { status: deleted.status, tally: deleted.tally && recordedTally(deleted.tally) };
      const after = await now.proposal(id);
      return after == null ? undefined : { status: after.status, tally: recordedTally(after.finalTallyResult) };
    },
    /** Notes an execution of a proposal. Returns whether it is the last one in the block. */
    isLastExecution(id: bigint): boolean {
      const left = (executionsLeft.get(id) ?? 1) - 1;
      executionsLeft.set(id, left);
      return left === 0;
    },
    /** Whether the tally of a proposal failed at the end of its voting period. */
    tallyFailed: (id: bigint): boolean => failed.has(id),
  };
}

function decisionPolicyOf({ decisionPolicy: { type, value } }: PolicyVersion): DecisionPolicy {
  return decisionPolicyFromWire({ $typeName: 'google.protobuf.Any', typeUrl: type, value });
}

/** The fact of a submission, from its message. Null if the voting period of the policy is not known. */
async function submissionFact(
  groups: BlockGroups,
  id: bigint,
  message: MsgSubmitProposal,
  submitted: Place,
): Promise<ProposalFact | null> {
  const policy = await groups.policy(message.groupPolicyAddress);
  const group = policy && (await groups.group(policy.groupId));
  const decisionPolicy = policy && decisionPolicyOf(policy);
  if (policy === null || decisionPolicy === null || decisionPolicy.kind === 'other') return null;
  const { groupPolicyAddress, title, summary, metadata, proposers } = message;
  return {
    kind: 'proposal',
    ...{ id, groupPolicyAddress, title, summary, metadata, proposers },
    groupId: policy.groupId,
    groupVersion: group?.version ?? null,
    groupPolicyVersion: policy.version,
    messages: message.messages.map((any) => recordedAny(fromAny(any))),
    submitTime: submitted.time,
    votingPeriodEnd: submitted.time + decisionPolicy.windows.votingPeriod,
    submitted,
  };
}

/** The fact of a submission, from the state after the block. Null if it does not have the proposal. */
async function shownSubmission(
  groups: BlockGroups,
  now: RecorderState,
  id: bigint,
  submitted: Place,
): Promise<ProposalFact | null> {
  const after = await now.proposal(id);
  const policy = after && (await groups.policy(after.groupPolicyAddress));
  return after ? proposalFactOf(after, policy?.groupId ?? null, submitted) : null;
}

/** How a proposal is closed. Its place is by default the next one. */
type Closing = Pick<CloseFact, 'by' | 'account' | 'status' | 'tally'> & { readonly at?: Place };

/**
 * Closes the proposals of one block: adds the facts of their closes, with tallies recomputed from the recorded votes. `before` is the state before the
 * block.
 */
function createCloses(
  { time }: Pick<BlockFacts, 'time'>,
  groups: BlockGroups,
  before: Pick<RecorderState, 'group'>,
  { nextPlace, add }: FactLog,
) {
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

  /** Closes a proposal without a tally. */
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

  /** Closes a proposal whose tally became final. If nothing shows the status, the recomputed tally decides. */
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

  /** Whether a proposal is rejected: by its status, or if that is not known by the recomputed tally and the end of its voting period. */
  async function isRejected(tracked: TrackedProposal, status: ProposalStatus | undefined): Promise<boolean> {
    if (status !== undefined) return status === 'PROPOSAL_STATUS_REJECTED';
    const { policy, group, computed } = await count(tracked);
    return decide(policy, computed, group?.totalWeight) === 'REJECTED' || tracked.fact.votingPeriodEnd < time;
  }

  return { closeUncounted, closeCounted, isRejected };
}

const notRun = 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN';

/** Records what happens to groups, policies and proposals, in the order in which it happens. */
export interface Ledger {
  /** Sets the transaction of what follows; null for what the block does by itself. */
  enter(hash: string | null): void;
  /** A group that its admin creates. */
  groupCreated(group: Omit<GroupVersion, 'totalWeight' | 'members'>, members: readonly MemberUpdate[]): void;
  groupAdopted(groupId: bigint): Promise<void>;
  groupChanged(groupId: bigint, change: GroupChange, account: string | null): Promise<void>;
  left(groupId: bigint, address: string): Promise<void>;
  /** A policy that its admin creates. */
  policyCreated(version: PolicyVersion): void;
  policyAdopted(address: string): Promise<void>;
  policyChanged(address: string, change: PolicyChange, account: string | null): Promise<void>;
  submitted(id: bigint, message: MsgSubmitProposal | null): Promise<void>;
  voted(vote: Pick<VoteFact, 'proposalId' | 'voter' | 'option' | 'metadata' | 'origin'>): Promise<void>;
  /** A vote that no message explains. */
  votedUnknown(proposalId: bigint): Promise<void>;
  withdrawn(proposalId: bigint, account: string | null): Promise<void>;
  /** The tally of an execution that succeeds, before the messages of the proposal run. Returns these messages; null if they are not known. */
  accepted(proposalId: bigint, executor: string | null): Promise<ProposalFact['messages'] | null>;
  executed(event: Executed, executor: string | null): Promise<void>;
  pruned(event: Pruned): Promise<void>;
}

/** The ledger of one block. */
interface BlockLedger extends Ledger {
  /** Begins to read what the closes of recorded proposals need, so that these reads share batches. */
  readAhead(): Promise<void>;
  /** The end of voting periods, at the end of the block. */
  endVoting(): Promise<void>;
  /** The facts of the block, once everything has been recorded. */
  finish(): Promise<readonly Fact[]>;
}

export function createLedger(
  block: BlockFacts,
  groups: BlockGroups,
  before: RecorderState,
  now: RecorderState,
  recorded: RecordedProposals,
): BlockLedger {
  const { time } = block;
  const log = createFactLog(block);
  const { nextPlace, add } = log;
  const { closeUncounted, closeCounted, isRejected } = createCloses(block, groups, before, log);
  const proposals = createBlockProposals(block, groups, before, now, recorded, log);

  function addGroup(version: GroupVersion | null, change: GroupFact['change'], account: string | null): void {
    if (version === null) return;
    const at = nextPlace();
    add(at, { kind: 'group', ...version, at, change, account });
  }

  function addPolicy(version: PolicyVersion, change: PolicyFact['change'], account: string | null, at = nextPlace()): void {
    add(at, { kind: 'policy', ...version, at, change, account });
  }

  function unexplained(what: 'proposal' | 'vote', proposalId: bigint, at = nextPlace()): void {
    add(at, { kind: 'unexplained', at, what, proposalId });
  }

  async function resolveVotes({ fact: { id }, votes, unknownVotes, open }: TrackedProposal): Promise<void> {
    const knownVoters = new Set(votes.map(({ voter }) => voter));
    const otherVotes = open
      ? ((await now.votes(id)) ?? []).map(storedVoteFact).filter(({ voter }) => !knownVoters.has(voter))
      : [];
    for (const [index, at] of unknownVotes.entries()) {
      const vote = otherVotes[index];
      if (vote === undefined) unexplained('vote', id, at);
      else add(at, { ...vote, at });
    }
  }

  return {
    async readAhead() {
      const results = new Map<bigint, Executed['result']>();
      for (const event of block.events) if (event.kind === 'executed') results.set(event.proposalId, event.result);
      for (const { id, votingPeriodEnd } of recorded.open)
        if (votingPeriodEnd < time || results.has(id)) await proposals.get(id);
      for (const tracked of proposals.tracked.values()) {
        if (!tracked?.open) continue;
        const { id, votingPeriodEnd } = tracked.fact;
        if (votingPeriodEnd < time || (results.get(id) ?? notRun) !== notRun) proposals.readAhead(tracked);
        else readAhead(proposals.lastState(id));
      }
    },
    enter: log.enter,
    groupCreated: (group, members) => addGroup(groups.createGroup(group, members), 'created', group.admin),
    async groupAdopted(groupId) {
      addGroup(await groups.adoptGroup(groupId), 'created', null);
    },
    async groupChanged(groupId, change, account) {
      addGroup(await groups.changeGroup(groupId, change), kindOfChange(change), account);
    },
    async left(groupId, address) {
      addGroup(await groups.changeGroup(groupId, { members: [{ address, weight: '0', metadata: '' }] }), 'left', address);
    },
    policyCreated(version) {
      groups.createPolicy(version);
      addPolicy(version, 'created', version.admin);
    },
    async policyAdopted(address) {
      const version = await groups.adoptPolicy(address);
      if (version !== null) addPolicy(version, 'created', null);
    },
    async policyChanged(address, change, account) {
      const at = nextPlace();
      for (const tracked of await proposals.open((each) => each.groupPolicyAddress === address)) {
        const status = statusNumber('PROPOSAL_STATUS_ABORTED');
        await closeUncounted(tracked, { at, by: 'ABORTED', account, status, tally: null });
      }
      const version = await groups.changePolicy(address, change);
      if (version !== null) addPolicy(version, kindOfChange(change), account, at);
    },
    async submitted(id, message) {
      const at = nextPlace();
      const fact = (message && (await submissionFact(groups, id, message, at))) ?? (await shownSubmission(groups, now, id, at));
      if (fact === null) {
        proposals.tracked.set(id, null);
        unexplained('proposal', id, at);
        return;
      }
      proposals.tracked.set(id, { fact, votes: [], unknownVotes: [], open: true });
      add(at, fact);
    },
    async voted(cast) {
      const tracked = await proposals.get(cast.proposalId);
      const at = nextPlace();
      const vote: VoteFact = { kind: 'vote', ...cast, at };
      tracked?.votes.push(vote);
      add(at, vote);
    },
    async votedUnknown(proposalId) {
      const tracked = await proposals.get(proposalId);
      const at = nextPlace();
      if (tracked === null) unexplained('vote', proposalId, at);
      else tracked.unknownVotes.push(at);
    },
    async withdrawn(proposalId, account) {
      const tracked = await proposals.get(proposalId);
      // A proposal that withdraws itself while it is executed is decided already.
      if (tracked === null || !tracked.open) return;
      const status = statusNumber('PROPOSAL_STATUS_WITHDRAWN');
      await closeUncounted(tracked, { by: 'WITHDRAWN', account, status, tally: null });
    },
    async accepted(proposalId, executor) {
      const tracked = await proposals.get(proposalId);
      if (tracked === null) return null;
      if (tracked.open) {
        proposals.readAhead(tracked);
        await closeCounted(tracked, executor, await proposals.lastState(proposalId), false);
      }
      return tracked.fact.messages;
    },
    async executed({ proposalId, result, logs }, executor) {
      const tracked = await proposals.get(proposalId);
      const isLast = proposals.isLastExecution(proposalId);
      if (tracked?.open) {
        if (result === 'PROPOSAL_EXECUTOR_RESULT_FAILURE') proposals.readAhead(tracked);
        const last = await proposals.lastState(proposalId);
        if (result === 'PROPOSAL_EXECUTOR_RESULT_FAILURE') {
          const tally = last?.tally ?? null;
          await closeCounted(tracked, executor, { status: 'PROPOSAL_STATUS_ACCEPTED', tally }, false);
        }
        // The chain does not execute a rejected proposal, so its last execution is the one that rejected it.
        if (result === 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN' && isLast && (await isRejected(tracked, last?.status))) {
          await closeCounted(tracked, executor, last, false);
        }
      }
      const at = nextPlace();
      add(at, { kind: 'execution', proposalId, at, executor, result: resultNumber(result), logs });
    },
    async pruned({ proposalId, status, tally }) {
      const tracked = await proposals.get(proposalId);
      if (tracked?.open) {
        const last = { status, tally: tally && recordedTally(tally) };
        if (status === 'PROPOSAL_STATUS_WITHDRAWN' || status === 'PROPOSAL_STATUS_ABORTED') {
          const by = status === 'PROPOSAL_STATUS_WITHDRAWN' ? 'WITHDRAWN' : 'ABORTED';
          await closeUncounted(tracked, { by, account: null, status: statusNumber(status), tally: null });
        } else await closeCounted(tracked, null, last, log.isOutside());
      }
      const at = nextPlace();
      add(at, { kind: 'prune', proposalId, at, status: statusNumber(status) });
    },
    async endVoting() {
      const ended = await proposals.open(({ votingPeriodEnd }) => votingPeriodEnd < time);
      for (const tracked of ended) proposals.readAhead(tracked);
      for (const tracked of ended) {
        const { id } = tracked.fact;
        const last = await proposals.lastState(id);
        if (last?.status === 'PROPOSAL_STATUS_SUBMITTED') continue;
        if (proposals.tallyFailed(id)) {
          const status = statusNumber('PROPOSAL_STATUS_REJECTED');
          await closeUncounted(tracked, { by: 'VOTING_ENDED', account: null, status, tally: emptyTally });
        } else if (last?.status === 'PROPOSAL_STATUS_WITHDRAWN' || last?.status === 'PROPOSAL_STATUS_ABORTED') {
          const by = last.status === 'PROPOSAL_STATUS_WITHDRAWN' ? 'WITHDRAWN' : 'ABORTED';
          await closeUncounted(tracked, { by, account: null, status: statusNumber(last.status), tally: null });
        } else await closeCounted(tracked, null, last, true);
      }
    },
    async finish() {
      for (const tracked of proposals.tracked.values()) if (tracked?.unknownVotes.length) await resolveVotes(tracked);
      return log.facts();
    },
  };
}
