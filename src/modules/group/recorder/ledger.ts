import type { Fact, GroupFact, OpenProposals, PolicyFact, ProposalFact, VoteFact } from '../../../archive/facts.ts';
import { emptyTally } from '../../../archive/store/votes.ts';
import type { MsgSubmitProposal } from '../../../proto/cosmos/group/v1/tx_pb.js';
import type { GroupEvent } from '../events.ts';
import { type BlockGroups, type GroupChange, kindOfChange, type MemberUpdate, type PolicyChange } from './groups.ts';
import {
  type BlockFacts,
  createBlockProposals,
  createCloses,
  createFactLog,
  shownSubmission,
  submissionFact,
  type TrackedProposal,
} from './proposals.ts';
import {
  type GroupVersion,
  type PolicyVersion,
  type RecorderState,
  readAhead,
  recordedTally,
  resultNumber,
  statusNumber,
  storedVoteFact,
} from './state.ts';

type Executed = Extract<GroupEvent, { readonly kind: 'executed' }>;
type Pruned = Extract<GroupEvent, { readonly kind: 'pruned' }>;

const notRun = 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN';

/** Records what happens to groups, policies and proposals, in the order in which it happens. */
export interface Ledger {
  /** Begins to read what the closes of recorded proposals need, so that these reads share batches. */
  readAhead(): Promise<void>;
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
  recorded: OpenProposals,
): Ledger {
  const { time } = block;
  const log = createFactLog(block);
  const { nextPlace, add } = log;
  const { closeUncounted, closeCounted, isRejected } = createCloses(block, groups, before, log);
  const proposals = createBlockProposals(block, groups, before, now, recorded, (stored) => {
    const at = nextPlace();
    for (const fact of stored) add(at, fact);
  });
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
    if (unknownVotes.length === 0) return;
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
      const results = new Map(
        block.events.flatMap((event) => (event.kind === 'executed' ? [[event.proposalId, event.result]] : [])),
      );
      const isDecided = (id: bigint): boolean => (results.get(id) ?? notRun) !== notRun;
      const isOver = ({ votingPeriodEnd }: Pick<ProposalFact, 'votingPeriodEnd'>): boolean => votingPeriodEnd < time;
      for (const tracked of await proposals.open((each) => isOver(each) || results.has(each.id))) {
        const { fact } = tracked;
        if (isOver(fact) || isDecided(fact.id)) proposals.readAhead(tracked);
        else readAhead(proposals.lastState(fact.id));
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
        proposals.add(id, null);
        unexplained('proposal', id, at);
        return;
      }
      proposals.add(id, { fact, votes: [], unknownVotes: [], open: true });
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
      for (const tracked of proposals.all()) await resolveVotes(tracked);
      return log.inOrder();
    },
  };
}
