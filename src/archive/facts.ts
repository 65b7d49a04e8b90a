import type { Nanoseconds } from '../chain/base/time.ts';
import type { CommittedBlock } from '../chain/blocks/committedBlock.ts';
import type { Pin } from '../reads/pin.ts';
import type { ProofRequest, ProofSubject } from './proofs.ts';

/** A place in the chain's history: the block, the order within it, and the transaction. */
export interface Place {
  readonly height: bigint;
  /** Order of the facts of a block, from 0. Facts with one number happened together. */
  readonly order: number;
  /** Time of the block. */
  readonly time: Nanoseconds;
  /** Hash of the transaction in upper case hex; null for what the block did by itself. */
  readonly hash: string | null;
}

/** A place of which only the time may be known, because it lies before the recorded range: the state shows when a vote was cast. */
export type KnownPlace = Place | { readonly height: null; readonly time: Nanoseconds };

/** A place of which nothing may be known: the state does not show when a proposal was closed or executed. */
export type UncertainPlace = KnownPlace | { readonly height: null; readonly time: null };

/** A member of a group. All weights and counts of facts are decimal text in canonical form, so that equal numbers have equal texts. */
export interface RecordedMember {
  readonly address: string;
  readonly weight: string;
  readonly metadata: string;
}

/** A version of a group. The chain counts the version up with each change of the group or of its members, so the members of a version never change. */
export interface GroupFact {
  readonly kind: 'group';
  readonly groupId: bigint;
  readonly version: bigint;
  /** Null if the version was read from the state at the start of a range. */
  readonly at: Place | null;
  readonly change: 'created' | 'members' | 'admin' | 'metadata' | 'left' | 'other';
  /** The account that made the change, if it is known. */
  readonly account: string | null;
  readonly admin: string;
  readonly metadata: string;
  readonly totalWeight: string;
  /** Null if neither a message nor the state shows them. */
  readonly members: readonly RecordedMember[] | null;
}

/** A version of a group policy. */
export interface PolicyFact {
  readonly kind: 'policy';
  readonly address: string;
  readonly groupId: bigint;
  readonly version: bigint;
  /** Null if the version was read from the state at the start of a range. */
  readonly at: Place | null;
  readonly change: 'created' | 'decisionPolicy' | 'admin' | 'metadata' | 'other';
  readonly account: string | null;
  readonly admin: string;
  readonly metadata: string;
  /** The decision policy as a protobuf `Any`: type without a leading path, and value. */
  readonly decisionPolicy: RecordedAny;
}

/** A protobuf `Any`. */
export interface RecordedAny {
  /** Type URL, such as `/cosmos.bank.v1beta1.MsgSend`. */
  readonly type: string;
  readonly value: Uint8Array;
}

/** A proposal as it was submitted. None of this changes later. */
export interface ProposalFact {
  readonly kind: 'proposal';
  readonly id: bigint;
  readonly groupPolicyAddress: string;
  /** Null if it is not known. */
  readonly groupId: bigint | null;
  readonly groupVersion: bigint | null;
  readonly groupPolicyVersion: bigint | null;
  readonly title: string;
  readonly summary: string;
  readonly metadata: string;
  readonly messages: readonly RecordedAny[];
  readonly proposers: readonly string[];
  readonly submitTime: Nanoseconds;
  readonly votingPeriodEnd: Nanoseconds;
  /** Null if the proposal was read from the state at the start of a range. */
  readonly submitted: Place | null;
}

/** How a vote was cast; the values of the enum `VoteOrigin`. */
export type RecordedOrigin = 'MESSAGE' | 'PROPOSER' | 'AUTHORIZATION' | 'PROPOSAL' | 'OTHER';

/** A vote as it was cast. */
export interface VoteFact {
  readonly kind: 'vote';
  readonly proposalId: bigint;
  readonly voter: string;
  /** Number of `cosmos.group.v1.VoteOption`. */
  readonly option: number;
  readonly metadata: string;
  readonly at: KnownPlace;
  readonly origin: RecordedOrigin;
}

/** An attempt to execute a proposal. At the start of a range, the failure of an earlier attempt; its logs are empty. */
export interface ExecutionFact {
  readonly kind: 'execution';
  readonly proposalId: bigint;
  readonly at: UncertainPlace;
  /** Null if it is not known. */
  readonly executor: string | null;
  /** Number of `cosmos.group.v1.ProposalExecutorResult`. */
  readonly result: number;
  readonly logs: string;
}

/** Voting weights by option. */
export interface RecordedTally {
  readonly yesCount: string;
  readonly abstainCount: string;
  readonly noCount: string;
  readonly noWithVetoCount: string;
}

/** The end of voting: the tally became final, or the proposal was withdrawn or aborted. A proposal has one at most. */
export interface CloseFact {
  readonly kind: 'close';
  readonly proposalId: bigint;
  readonly at: UncertainPlace;
  /** The values of the enum `ProposalClosing`. Null if it is not known, which can be the case only before the recorded range. */
  readonly by: 'DECIDED' | 'VOTING_ENDED' | 'WITHDRAWN' | 'ABORTED' | null;
  /** The account whose message withdrew or decided it, or changed its policy; null if there is none or it is not known. */
  readonly account: string | null;
  /** Number of `cosmos.group.v1.ProposalStatus` after the close. */
  readonly status: number;
  /** The chain's final tally; null if it computed none. */
  readonly tally: RecordedTally | null;
  /** The versions that applied at the close, before the update that aborted it; null if they are not known. The electorate is the members of the group's version. */
  readonly groupVersion: bigint | null;
  readonly policyVersion: bigint | null;
  readonly totalWeight: string | null;
  /** The tally computed from the recorded votes and the weights of the electorate; null if one of them is not known, or there is nothing to compare. */
  readonly computed: RecordedTally | null;
}

/** The deletion of a proposal by the chain. */
export interface PruneFact {
  readonly kind: 'prune';
  readonly proposalId: bigint;
  readonly at: Place;
  /** Number of `cosmos.group.v1.ProposalStatus` that it was deleted with. */
  readonly status: number;
}

/** What events name and neither a message nor the state explains. */
export interface UnexplainedFact {
  readonly kind: 'unexplained';
  readonly at: Place;
  readonly what: 'proposal' | 'vote';
  readonly proposalId: bigint;
}

/** Something that a block shows about group governance. */
export type GroupGovernanceFact =
  | GroupFact
  | PolicyFact
  | ProposalFact
  | VoteFact
  | ExecutionFact
  | CloseFact
  | PruneFact
  | UnexplainedFact;

/** An amount of a denom, in base units. */
export interface RecordedCoin {
  readonly denom: string;
  readonly amount: string;
}

/** An option of a vote, as the number of `cosmos.gov.v1.VoteOption`, with its part of the voting power. */
export interface RecordedOption {
  readonly option: number;
  /** Decimal text with 18 decimals at most. */
  readonly weight: string;
}

/** A proposal of the governance module as it was submitted. */
export interface GovProposalFact {
  readonly kind: 'govProposal';
  readonly id: bigint;
  /** Empty if the chain has not stored it. */
  readonly proposer: string;
  readonly title: string;
  readonly summary: string;
  readonly metadata: string;
  readonly messages: readonly RecordedAny[];
  readonly expedited: boolean;
  readonly submitTime: Nanoseconds;
  /** Null if it is not known. */
  readonly depositEndTime: Nanoseconds | null;
  /** Null if the proposal was read from the state at the start of a range. */
  readonly submitted: Place | null;
}

/** A vote on a proposal of the governance module. A later one of the same account replaces it. */
export interface GovVoteFact {
  readonly kind: 'govVote';
  readonly proposalId: bigint;
  readonly voter: string;
  readonly options: readonly RecordedOption[];
  /** Not known if the vote was read from the state at the start of a range. */
  readonly at: UncertainPlace;
}

/** A deposit. One without a place is the sum of an account's deposits in the state at the start of a range. */
export interface GovDepositFact {
  readonly kind: 'govDeposit';
  readonly proposalId: bigint;
  readonly depositor: string;
  readonly amount: readonly RecordedCoin[];
  readonly at: UncertainPlace;
}

/** What happens to a proposal once at most; the values of the enum `GovRecordStatus` that follow the deposit period, and BECAME_REGULAR. */
export const govSteps = ['VOTING_BEGAN', 'BECAME_REGULAR', 'PASSED', 'REJECTED', 'FAILED', 'CANCELLED', 'DROPPED'] as const;
export type GovStep = (typeof govSteps)[number];

/** What became of the deposits; the values of the enum `GovDepositEnd`. */
export const govDepositEnds = ['REFUNDED', 'BURNT', 'CHARGED'] as const;
export type GovDepositEnd = (typeof govDepositEnds)[number];

/** The part of an account in a tally. Powers are decimal text with 18 decimals. */
export interface GovPower {
  readonly address: string;
  /** The operator address if the account operates a bonded validator, else null. */
  readonly operator: string | null;
  /** Null for a bonded validator that did not vote. */
  readonly options: readonly RecordedOption[] | null;
  /** The power of the account's own delegations. They are taken from the vote of their validators. */
  readonly delegated: string;
  /** The power of the vote of a validator, without the delegators who voted themselves; null without such a vote. */
  readonly validator: string | null;
}

/** A step in the life of a proposal. */
export interface GovStepFact {
  readonly kind: 'govStep';
  readonly proposalId: bigint;
  readonly step: GovStep;
  /** Not known if the state at the start of a range shows the step. */
  readonly at: UncertainPlace;
  /** The account that cancelled it; else null. */
  readonly account: string | null;
  /** What the chain says of the decision; empty without one. */
  readonly log: string;
  /** The voting period that begins; null at its end, and if it is not known. */
  readonly votingStart: Nanoseconds | null;
  readonly votingEnd: Nanoseconds | null;
  /** Null if the deposits stay, or their end is not known. */
  readonly deposits: GovDepositEnd | null;
  /** The tally that the chain has stored; null if the step has none. */
  readonly tally: RecordedTally | null;
  /** The tally computed from the recorded votes and the stake; null if the step has none, or the votes are not known. */
  readonly computed: RecordedTally | null;
  /** Those who voted, and the bonded validators that did not. Empty without a computed tally. */
  readonly powers: readonly GovPower[];
}

/** Something that a block shows about the governance module. */
export type GovFact = GovProposalFact | GovVoteFact | GovDepositFact | GovStepFact;

const govKinds: ReadonlySet<string> = new Set<GovFact['kind']>(['govProposal', 'govVote', 'govDeposit', 'govStep']);

/** Whether a fact is about the governance module. */
export function isGovFact(fact: { readonly kind: string }): fact is GovFact {
  return govKinds.has(fact.kind);
}

/** Something that a block shows about governance: that of groups, or the governance module. */
export type Fact = GroupGovernanceFact | GovFact;

/**
 * What the recorder reads of the archive while it derives the facts of a block: the proposals that are open before it. The state of a node is read
 * with the pins.
 */
export interface OpenProposals {
  /** Ids of the recorded proposals that had no close before `height`, with the end of their voting period and their policy. */
  open(
    height: bigint,
  ): Promise<readonly { readonly id: bigint; readonly groupPolicyAddress: string; readonly votingPeriodEnd: Nanoseconds }[]>;
  /** The recorded proposal with its recorded votes that are counted, in the order in which they were cast; null if it is not recorded. */
  proposal(id: bigint): Promise<{ readonly proposal: ProposalFact; readonly votes: readonly VoteFact[] } | null>;
  /** The recorded votes on a proposal of the governance module that would be counted before the block: one for each account. */
  govVotes(id: bigint): Promise<readonly GovVoteFact[]>;
}

/** A proposal, and the base of the range whose first reading of the state showed it, its close or its execution without a place. */
export interface EarlierKey {
  readonly id: bigint;
  readonly base: bigint;
}

/** A proposal of which the state at the base of a range shows less than blocks and events may. */
export interface EarlierLife {
  readonly proposal: ProposalFact;
  /** The base of the range. Only what happened up to this height is looked for. */
  readonly base: bigint;
  /** Number of its status at the base if the place of its close is not known, else null. */
  readonly status: number | null;
  /** The final tally at the base; null if there is none. */
  readonly tally: RecordedTally | null;
  /** Its group and its policy at the base; null if they are not known. */
  readonly group: Pick<GroupFact, 'version' | 'totalWeight'> | null;
  readonly policy: Pick<PolicyFact, 'version' | 'decisionPolicy'> | null;
}

/** What blocks and events show of an {@link EarlierLife}. The orders of the places are below 0. */
export interface EarlierFacts {
  /** Null if it is not known. */
  readonly close: (Pick<CloseFact, 'by' | 'account'> & { readonly at: Place }) | null;
  /** Oldest first. */
  readonly executions: readonly (Omit<ExecutionFact, 'kind' | 'proposalId' | 'at'> & { readonly at: Place })[];
}

/** Derives facts. Implemented by the module that knows the messages and the state. */
export interface Recorder {
  /**
   * The facts of a block, in the order in which they happened. `before` and `now` are pins of the heights of the previous block and of this one; they
   * are read only if the messages of the block do not suffice. Rejects with a node's error, after which the same block is tried again with new
   * pins, because a pin keeps the errors of its reads.
   */
  block(block: CommittedBlock, before: Pin, now: Pin, recorded: OpenProposals): Promise<readonly Fact[]>;
  /**
   * The packages of the modules that this recorder records and that the chain does not have at the height of `pin`, such as `cosmos.group.v1`. Nothing of
   * them is recorded until an upgrade adds them. Rejects with a node's error.
   */
  absent(pin: Pin): Promise<readonly string[]>;
  /**
   * The facts that the state at `pin` shows, at the start of a range: groups with their members, policies, and proposals that the chain still has, with
   * their present votes.
   */
  start(pin: Pin): Promise<readonly Fact[]>;
  /**
   * What blocks and events up to the height of the pin show of a proposal, by the index of a node. Rejects with INDEX_UNAVAILABLE if no node has one,
   * and with other errors of nodes, after which it is tried again with a new pin.
   */
  earlier(life: EarlierLife, pin: Pin): Promise<EarlierFacts>;
  /** The requests whose answers are a proposal, its votes and its electorate: what is proven of it. */
  proofRequests(subject: ProofSubject): readonly ProofRequest[];
}
