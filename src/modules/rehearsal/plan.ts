import { create, toBinary } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import { decimalOf, printed, sumOf } from '../../../packages/verify/src/plans/rules/decimal.ts';
import { membersWithoutVote } from '../../../packages/verify/src/plans/rules/tally.ts';
import { type Nanoseconds, timeText, toSecondsAndNanos } from '../../chain/base/time.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import {
  Exec,
  MsgExecSchema,
  MsgSubmitProposalSchema,
  MsgUpdateGroupMembersSchema,
  MsgUpdateGroupPolicyDecisionPolicySchema,
  MsgVoteSchema,
} from '../../proto/cosmos/group/v1/tx_pb.js';
import {
  PercentageDecisionPolicySchema,
  ThresholdDecisionPolicySchema,
  VoteOption,
} from '../../proto/cosmos/group/v1/types_pb.js';
import { readAll } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { createAccountLoaders, type StoredAccount } from '../account/query.ts';
import { blockTime } from '../group/derived.ts';
import {
  type Group,
  type GroupMember,
  type GroupPolicy,
  type Proposal,
  proposalOutcome,
  type TallyResult,
} from '../group/model.ts';
import { createGroupLoaders, groupMembers, votesByProposal } from '../group/query.ts';
import { CannotRehearse } from './causes.ts';
import { canSign, packed, type Step } from './envelope.ts';

/** How a proposal is rehearsed. */
export interface Plan {
  readonly steps: readonly Step[];
  /** The accounts that the steps need, as they are stored. */
  readonly accounts: ReadonlyMap<string, StoredAccount | null>;
  /** The index of the step that runs the messages. */
  readonly runs: number;
  /** Whether that step also submits the proposal, so that the chain checks the messages as it does at a submission. */
  readonly submits: boolean;
  /** The number of votes that are cast. */
  readonly votes: number;
  /** What is taken for granted, in a sentence. */
  readonly assumption: string;
  /** The time of the block that the plan was made for. */
  readonly time: Nanoseconds;
}

/** The most votes that a rehearsal casts. Above that, the admin of the group gives one account enough weight. */
const mostVotes = 60;

/** The longest list of voters that an assumption names. */
const namedVoters = 3;

/** A percentage above which no single weight is tried. */
const highPercentage = 0.999;

const noVotes: TallyResult = { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' };

const sum = (a: string, b: string): string => printed(sumOf(decimalOf(a), decimalOf(b)));

/** Reads what the plans of one rehearsal need. Each account is read once. */
function createReader(pin: Pin) {
  const accounts = new Map<string, StoredAccount | null>();
  const group = pin.loaders(createGroupLoaders);
  return {
    accounts,
    time: async () => blockTime(pin),
    async signs(address: string): Promise<boolean> {
      const stored = accounts.get(address) ?? (await pin.loaders(createAccountLoaders).account.load(address));
      accounts.set(address, stored);
      return canSign(stored);
    },
    async groupOf(policy: GroupPolicy): Promise<Group> {
      const owner = await group.group.load(policy.groupId);
      if (owner === null) throw new CannotRehearse('NOBODY_CAN_SIGN');
      return owner;
    },
    members: async (groupId: bigint) => readAll(groupMembers(group, groupId), 'members'),
    votes: async (id: bigint) => readAll(votesByProposal(group, id), 'votes'),
    tally: async (id: bigint) => (await group.tally.load(id)) ?? noVotes,
  };
}

type Reader = ReturnType<typeof createReader>;

const vote = (proposalId: bigint, voter: string): Step => ({
  message: packed(
    MsgVoteSchema.typeName,
    toBinary(MsgVoteSchema, create(MsgVoteSchema, { proposalId, voter, option: VoteOption.YES })),
  ),
  signers: [voter],
});

const execution = (proposalId: bigint, executor: string): Step => ({
  message: packed(MsgExecSchema.typeName, toBinary(MsgExecSchema, create(MsgExecSchema, { proposalId, executor }))),
  signers: [executor],
});

function weighing({ id, admin }: Group, address: string, weight: string): Step {
  const update = create(MsgUpdateGroupMembersSchema, { admin, groupId: id, memberUpdates: [{ address, weight }] });
  return {
    message: packed(MsgUpdateGroupMembersSchema.typeName, toBinary(MsgUpdateGroupMembersSchema, update)),
    signers: [admin],
  };
}

function submission(policy: GroupPolicy, proposers: readonly string[], messages: readonly Any[]): Step {
  const value = create(MsgSubmitProposalSchema, {
    groupPolicyAddress: policy.address,
    proposers: [...proposers],
    messages: [...messages],
    title: 'Rehearsal',
    summary: 'Rehearsal',
    exec: Exec.TRY,
  });
  return {
    message: packed(MsgSubmitProposalSchema.typeName, toBinary(MsgSubmitProposalSchema, value)),
    signers: proposers,
  };
}

/** The step in which the admin of a policy sets its minimum execution period to nothing. */
function shortening({ address, admin, decisionPolicy }: GroupPolicy): Step {
  if (decisionPolicy.kind === 'other') throw new CannotRehearse('UNKNOWN_POLICY');
  const windows = { votingPeriod: toSecondsAndNanos(decisionPolicy.windows.votingPeriod), minExecutionPeriod: {} };
  const shorter =
    decisionPolicy.kind === 'threshold'
      ? packed(
          ThresholdDecisionPolicySchema.typeName,
          toBinary(
            ThresholdDecisionPolicySchema,
            create(ThresholdDecisionPolicySchema, { threshold: decisionPolicy.threshold, windows }),
          ),
        )
      : packed(
          PercentageDecisionPolicySchema.typeName,
          toBinary(
            PercentageDecisionPolicySchema,
            create(PercentageDecisionPolicySchema, { percentage: decisionPolicy.percentage, windows }),
          ),
        );
  const value = create(MsgUpdateGroupPolicyDecisionPolicySchema, {
    admin,
    groupPolicyAddress: address,
    decisionPolicy: shorter,
  });
  return {
    message: packed(
      MsgUpdateGroupPolicyDecisionPolicySchema.typeName,
      toBinary(MsgUpdateGroupPolicyDecisionPolicySchema, value),
    ),
    signers: [admin],
  };
}

const accepts = (policy: GroupPolicy, tally: TallyResult, total: string): boolean =>
  proposalOutcome(policy.decisionPolicy, tally, total)?.decision === 'ACCEPTED';

/** The fewest of these members, heaviest first, whose yes votes would accept a proposal; undefined if all together would not, or too many are needed. */
async function acceptingVoters(
  reader: Reader,
  policy: GroupPolicy,
  { totalWeight }: Group,
  from: readonly GroupMember[],
  tally: TallyResult,
): Promise<readonly string[] | undefined> {
  const heaviest = from.toSorted((a, b) => Number(b.weight) - Number(a.weight));
  const voters: string[] = [];
  let { yesCount } = tally;
  for (const { address, weight } of heaviest) {
    if (accepts(policy, { ...tally, yesCount }, totalWeight)) return voters;
    if (voters.length === mostVotes) return undefined;
    if (!(await reader.signs(address))) continue;
    voters.push(address);
    yesCount = sum(yesCount, weight);
  }
  return accepts(policy, { ...tally, yesCount }, totalWeight) ? voters : undefined;
}

/** A weight that outweighs a group, for an account that the admin of the group adds. undefined if a single weight may not decide. */
function heavyWeight({ decisionPolicy }: GroupPolicy, { totalWeight }: Group): string | undefined {
  if (decisionPolicy.kind === 'other') return undefined;
  if (decisionPolicy.kind === 'percentage' && Number(decisionPolicy.percentage) > highPercentage) return undefined;
  const needed = decisionPolicy.kind === 'threshold' ? Number(decisionPolicy.threshold) : 1;
  return String(BigInt(Math.ceil(Math.max(Number(totalWeight), needed, 1))) * 1_000_000n);
}

function votersInWords(voters: readonly string[]): string {
  const names = voters.slice(0, namedVoters).join(', ');
  const more = voters.length - namedVoters;
  return more > 0 ? `${names} and ${more} more ${more === 1 ? 'member' : 'members'}` : names;
}

/** Whether the policy would hold back the execution at this time. */
function isWaiting({ decisionPolicy }: GroupPolicy, submitted: Nanoseconds, time: Nanoseconds): boolean {
  return decisionPolicy.kind !== 'other' && submitted + decisionPolicy.windows.minExecutionPeriod > time;
}

async function requireShortening(reader: Reader, policy: GroupPolicy, until: Nanoseconds | undefined): Promise<void> {
  if (policy.admin !== policy.address && (await reader.signs(policy.admin))) return;
  throw new CannotRehearse('EXECUTION_PERIOD', until === undefined ? '' : `It ends at ${timeText(until)}.`);
}

const shortened = 'The minimum execution period is over.';

/** The plan for messages that are not submitted yet. `copies` says that they are those of a closed proposal. */
async function planOfMessages(reader: Reader, policy: GroupPolicy, messages: readonly Any[], copies?: string): Promise<Plan> {
  const time = await reader.time();
  const group = await reader.groupOf(policy);
  const waits = isWaiting(policy, 0n, 0n);
  if (waits) await requireShortening(reader, policy, undefined);
  const members = await reader.members(policy.groupId);
  const voters = await acceptingVoters(reader, policy, group, members, noVotes);
  const before: Step[] = waits ? [shortening(policy)] : [];
  let proposers = voters ?? [];
  let acceptance = `It is submitted and accepted by ${votersInWords(proposers)}.`;
  if (voters === undefined || voters.length === 0) {
    const weight = heavyWeight(policy, group);
    if (weight === undefined || !(await reader.signs(group.admin))) throw new CannotRehearse('NOBODY_CAN_SIGN');
    before.unshift(weighing(group, group.admin, weight));
    proposers = [group.admin];
    acceptance = `The admin of the group, ${group.admin}, has enough weight to accept it alone.`;
  }
  return {
    steps: [...before, submission(policy, proposers, messages)],
    accounts: reader.accounts,
    runs: before.length,
    submits: true,
    votes: proposers.length,
    assumption: [copies ?? '', acceptance, waits ? shortened : ''].filter((text) => text !== '').join(' '),
    time,
  };
}

/** The steps that make an open proposal acceptable, and what they assume; undefined if nobody can take them. */
async function accepting(
  reader: Reader,
  proposal: Proposal,
  policy: GroupPolicy,
): Promise<{ steps: readonly Step[]; executor: string; assumption: string; votes: number } | undefined> {
  const group = await reader.groupOf(policy);
  const [members, cast, tally] = await Promise.all([
    reader.members(policy.groupId),
    reader.votes(proposal.id),
    reader.tally(proposal.id),
  ]);
  const pending = membersWithoutVote(members, cast);
  const voters = await acceptingVoters(reader, policy, group, pending, tally);
  const executor = voters?.[0] ?? (await firstThatSigns(reader, [policy.admin, group.admin, ...proposal.proposers]));
  if (voters !== undefined && executor !== undefined) {
    const assumption =
      voters.length === 0
        ? 'The votes so far accept it.'
        : `${votersInWords(voters)} ${voters.length === 1 ? 'votes' : 'vote'} yes.`;
    return { steps: voters.map((voter) => vote(proposal.id, voter)), executor, assumption, votes: voters.length };
  }
  const weight = heavyWeight(policy, group);
  if (weight === undefined || !(await reader.signs(group.admin))) return undefined;
  const voted = new Set(cast.map(({ voter }) => voter));
  const candidates = [
    group.admin,
    policy.admin,
    ...proposal.proposers,
    ...pending.slice(0, mostVotes).map(({ address }) => address),
  ];
  const heavy = await firstThatSigns(
    reader,
    candidates.filter((address) => !voted.has(address)),
  );
  if (heavy !== undefined)
    return {
      steps: [weighing(group, heavy, weight), vote(proposal.id, heavy)],
      executor: heavy,
      assumption: `The votes that are left do not suffice, so the admin of the group gives ${heavy} enough weight, who votes yes.`,
      votes: 1,
    };
  const supporter = cast.find(({ option }) => option === 'VOTE_OPTION_YES')?.voter;
  if (supporter === undefined) return undefined;
  return {
    steps: [weighing(group, supporter, weight)],
    executor: group.admin,
    assumption: `The votes that are left do not suffice, so the admin of the group gives ${supporter}, who voted yes, enough weight.`,
    votes: 0,
  };
}

async function firstThatSigns(reader: Reader, addresses: readonly string[]): Promise<string | undefined> {
  for (const address of new Set(addresses)) if (await reader.signs(address)) return address;
  return undefined;
}

const anyOf = ({ type, value }: AnyMessage): Any => create(AnySchema, { typeUrl: type, value });

const statusWords: Readonly<Record<string, string>> = {
  PROPOSAL_STATUS_REJECTED: 'rejected',
  PROPOSAL_STATUS_ABORTED: 'aborted',
  PROPOSAL_STATUS_WITHDRAWN: 'withdrawn',
};

/** The plan for a proposal that the chain has. */
async function planOfProposal(reader: Reader, proposal: Proposal, policy: GroupPolicy): Promise<Plan> {
  const time = await reader.time();
  const messages = proposal.messages.map(anyOf);
  const closed = statusWords[proposal.status];
  if (closed !== undefined)
    return planOfMessages(reader, policy, messages, `The proposal is ${closed}: this is a copy with the same messages.`);
  const isOpen = proposal.status === 'PROPOSAL_STATUS_SUBMITTED';
  const accepted = isOpen
    ? await accepting(reader, proposal, policy)
    : {
        steps: [],
        executor: await acceptedExecutor(reader, proposal, policy),
        assumption: 'The proposal is accepted.',
        votes: 0,
      };
  if (accepted?.executor === undefined)
    return planOfMessages(
      reader,
      policy,
      messages,
      'Nobody can sign the votes that it lacks: this is a copy with the same messages.',
    );
  const { executor } = accepted;
  const steps = [...accepted.steps];
  const assumptions = [accepted.assumption];
  if (isWaiting(policy, proposal.submitTime, time)) {
    const { decisionPolicy } = policy;
    const until = decisionPolicy.kind === 'other' ? undefined : proposal.submitTime + decisionPolicy.windows.minExecutionPeriod;
    await requireShortening(reader, policy, until);
    // An open proposal has to be accepted first: a change of its policy would abort it.
    if (isOpen) steps.push(execution(proposal.id, executor));
    steps.push(shortening(policy));
    assumptions.push(shortened);
  }
  steps.push(execution(proposal.id, executor));
  return {
    steps,
    accounts: reader.accounts,
    runs: steps.length - 1,
    submits: false,
    votes: accepted.votes,
    assumption: assumptions.join(' '),
    time,
  };
}

async function acceptedExecutor(reader: Reader, { proposers }: Proposal, policy: GroupPolicy): Promise<string | undefined> {
  const group = await reader.groupOf(policy);
  const members = (await reader.members(policy.groupId)).slice(0, mostVotes).map(({ address }) => address);
  return firstThatSigns(reader, [...proposers, group.admin, policy.admin, ...members]);
}

/** Plans the rehearsal of a proposal at the height of a pin, or of messages that are not submitted. Throws {@link CannotRehearse}. */
export async function planFor(pin: Pin, policy: GroupPolicy, what: Proposal | readonly Any[]): Promise<Plan> {
  if (policy.decisionPolicy.kind === 'other') throw new CannotRehearse('UNKNOWN_POLICY');
  const reader = createReader(pin);
  return 'messages' in what ? planOfProposal(reader, what, policy) : planOfMessages(reader, policy, what);
}
