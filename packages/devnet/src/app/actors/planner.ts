import { create } from '@bufbuild/protobuf';
import { MsgSendSchema } from '../../../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  Exec,
  MsgExecSchema,
  MsgSubmitProposalSchema,
  MsgUpdateGroupPolicyMetadataSchema,
  MsgVoteSchema,
  MsgWithdrawProposalSchema,
} from '../../../../../src/proto/cosmos/group/v1/tx_pb.js';
import {
  type Proposal,
  ProposalExecutorResult,
  ProposalStatus,
  VoteOption,
} from '../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { agendaItem, agendas, type PolicyName } from '../fixtures/agenda.ts';
import { actionMessages, type Fixtures, type PolicyFixture } from '../fixtures/fixtures.ts';
import { feeDenom } from '../runtime/coins.ts';
import { packAny } from '../runtime/keeper.ts';
import { mix, type Random } from '../runtime/random.ts';
import { momentOf, seconds } from '../runtime/time.ts';
import type { WalletAccount } from '../runtime/wallet.ts';
import type { ChainReader } from './chainReader.ts';
import { type Intent, intentOf, isOverdraw, type Shortage, shortageOf } from './intents.ts';
import type { PlannedTransaction } from './plannedTransaction.ts';
import { drawOption, mustAgree } from './votes.ts';

/** Plans the actors' transactions about proposals. */
export interface Planner {
  /**
   * Plans at most `count` transactions, from different actors that are not `occupied`, by the state that `reader` returns.
   * `now` is the time of its block.
   */
  readonly plan: (
    reader: ChainReader,
    now: bigint,
    count: number,
    occupied: ReadonlySet<WalletAccount>,
  ) => PlannedTransaction[];
}

/** The input for planning one transaction. */
interface PlanningContext {
  readonly reader: ChainReader;
  readonly now: bigint;
  readonly free: readonly WalletAccount[];
  /** Proposals that another transaction of this block concerns. */
  readonly busy: ReadonlySet<bigint>;
  readonly shortage: Shortage;
  readonly proposals: Readonly<Record<PolicyName, readonly Proposal[]>>;
}

const policyNames: readonly PolicyName[] = ['board', 'charter', 'treasury', 'grants', 'operations'];
const shortPolicies: readonly PolicyName[] = ['treasury', 'grants', 'operations'];
/** Shortest time between two submissions, so that there is time to vote. */
const submissionInterval = seconds(7);
/** Target number of open proposals: below the minimum, submissions have priority; at the maximum, there are none. */
const openTargets: Readonly<Record<PolicyName, readonly [number, number]>> = {
  board: [26, 31],
  charter: [4, 5],
  treasury: [5, 8],
  grants: [5, 8],
  operations: [4, 7],
};
/** Numbers of open and of all proposals of the board above which it passes every proposal it can, to make room for new ones. */
const fullBoard = { open: 28, all: 34 };
/** Number of proposals of the board at or below which it passes none, so that a page of them stays full. */
const leanBoard = 27;
const lowFunds = 10n ** 14n;
const remarks = [
  '',
  '',
  '',
  'As discussed in the call.',
  'Budgeted for.',
  'Please publish the receipts.',
  'Too early for this.',
  'No objection.',
];

/** Creates the planner. Its only state is the position in each agenda and the time of the last submission. */
export function createPlanner(options: {
  readonly fixtures: Fixtures;
  readonly actors: readonly WalletAccount[];
  readonly random: Random;
  /** Whether the chain has groups. Otherwise, the actors only send coins. */
  readonly hasGroups: boolean;
}): Planner {
  const { fixtures, actors, random, hasGroups } = options;
  const next: Record<PolicyName, number> = { board: 32, charter: 6, treasury: 6, grants: 4, operations: 5 };
  let submittedAt = 0n;

  const open = (context: PlanningContext, policy: PolicyName): readonly Proposal[] =>
    context.proposals[policy].filter((proposal) => proposal.status === ProposalStatus.SUBMITTED);

  const membersOf = (policy: PolicyFixture, free: readonly WalletAccount[]): WalletAccount[] =>
    free.filter((actor) => policy.members.some((member) => member.address === actor.address));

  const submit = (context: PlanningContext, name: PolicyName, overdraw = false): PlannedTransaction | undefined => {
    const policy = fixtures.policies[name];
    const [actor, second] = random.shuffle(membersOf(policy, context.free));
    if (actor === undefined) return undefined;
    if (overdraw) while (agendaItem(name, next[name]).action.kind !== 'overdraw') next[name] += 1;
    // Failed proposals of the board stay for days, and the genesis contains enough of them.
    if (name === 'board' && agendaItem(name, next[name]).action.kind === 'overdraw') next[name] += 1;
    const index = next[name];
    next[name] += 1;
    submittedAt = context.now;
    const item = agendaItem(name, index);
    const others = random.shuffle(actors.filter((other) => other !== actor)).map((other) => other.address);
    const message = create(MsgSubmitProposalSchema, {
      groupPolicyAddress: policy.address,
      proposers: [actor.address],
      metadata: second !== undefined && index % 4 === 0 ? JSON.stringify({ title: item.title, summary: item.summary }) : '',
      messages: actionMessages(policy, item.action, others, Math.floor(index / agendas[name].length) + index),
      title: item.title,
      summary: item.summary,
    });
    return { actor, message: packAny(MsgSubmitProposalSchema, message) };
  };

  /** Plans a change of the operations policy, which aborts its open proposals. */
  const abort = (context: PlanningContext): PlannedTransaction | undefined => {
    if (!context.shortage.aborted) return undefined;
    const lasting = open(context, 'operations').filter(
      (proposal) => momentOf(proposal.votingPeriodEnd) - context.now > seconds(420),
    );
    if (lasting.length < 2) return context.now - submittedAt > seconds(4) ? submit(context, 'operations') : undefined;
    const { admin } = fixtures.groups.operations;
    const actor = context.free.find((free) => free.address === admin);
    if (actor === undefined) return undefined;
    const minute = new Date(Number(context.now / 1_000_000n)).toISOString().slice(0, 16);
    const metadata = `Operations: machines and on-call, revised ${minute}Z`;
    const message = create(MsgUpdateGroupPolicyMetadataSchema, {
      admin,
      groupPolicyAddress: fixtures.policies.operations.address,
      metadata,
    });
    return { actor, message: packAny(MsgUpdateGroupPolicyMetadataSchema, message) };
  };

  const submitSomewhere = (context: PlanningContext): PlannedTransaction | undefined => {
    if (context.now - submittedAt < submissionInterval) return undefined;
    if (context.shortage.accepted) return submit(context, random.pick(shortPolicies) ?? 'treasury', true);
    const lacking = policyNames.filter((name) => open(context, name).length < openTargets[name][0]);
    const able = policyNames.filter((name) => open(context, name).length < openTargets[name][1]);
    const name = random.pick(lacking) ?? random.pick(able);
    return name === undefined ? undefined : submit(context, name);
  };

  const vote = (
    context: PlanningContext,
    policy: PolicyFixture,
    proposal: Proposal,
    intent: Intent,
  ): PlannedTransaction | undefined => {
    const voted = new Set(context.reader.votes(proposal.id).map((earlierVote) => earlierVote.voter));
    if (intent === 'leave' && voted.size >= mix(Number(BigInt.asUintN(31, proposal.id)) + 1) % (policy.members.length + 4))
      return undefined;
    const actor = random.pick(membersOf(policy, context.free).filter(({ address }) => !voted.has(address)));
    if (actor === undefined) return undefined;
    const message = create(MsgVoteSchema, {
      proposalId: proposal.id,
      voter: actor.address,
      option: mustAgree(policy, actor.address) ? VoteOption.YES : drawOption(intent, random),
      metadata: random.pick(remarks) ?? '',
      exec: intent === 'pass' && random.next() < 0.3 ? Exec.TRY : Exec.UNSPECIFIED,
    });
    return { actor, message: packAny(MsgVoteSchema, message), about: proposal.id };
  };

  const execute = (
    context: PlanningContext,
    policy: PolicyFixture,
    { id: proposalId }: Proposal,
  ): PlannedTransaction | undefined => {
    const actor = random.pick(membersOf(policy, context.free));
    if (actor === undefined) return undefined;
    const message = create(MsgExecSchema, { proposalId, executor: actor.address });
    return { actor, message: packAny(MsgExecSchema, message), about: proposalId };
  };

  const withdraw = (context: PlanningContext, proposal: Proposal): PlannedTransaction | undefined => {
    // A proposal stays visible for a while before it is withdrawn.
    if (context.now - momentOf(proposal.submitTime) < seconds(20)) return undefined;
    const actor = context.free.find((free) => proposal.proposers.includes(free.address));
    if (actor === undefined) return undefined;
    const message = create(MsgWithdrawProposalSchema, { proposalId: proposal.id, address: actor.address });
    return { actor, message: packAny(MsgWithdrawProposalSchema, message), about: proposal.id };
  };

  const intentFor = (context: PlanningContext, name: PolicyName, proposal: Proposal): Intent => {
    if (name !== 'board') return intentOf(name, proposal, context.shortage);
    if (context.proposals.board.length <= leanBoard) return 'leave';
    const crowded = open(context, name).length > fullBoard.open || context.proposals.board.length > fullBoard.all;
    return crowded ? 'pass' : intentOf(name, proposal, context.shortage);
  };

  const advance = (context: PlanningContext, name: PolicyName, proposal: Proposal): PlannedTransaction | undefined => {
    const policy = fixtures.policies[name];
    const intent = intentFor(context, name, proposal);
    if (intent === 'withdraw') return withdraw(context, proposal) ?? vote(context, policy, proposal, intent);
    const { allow, final } = context.reader.decision(proposal);
    if (intent === 'pass' && allow) return execute(context, policy, proposal);
    if (intent === 'reject' && final && !allow) return execute(context, policy, proposal);
    if (intent === 'shelve' && allow) return undefined;
    return vote(context, policy, proposal, intent);
  };

  /** Plans another execution of a proposal that was executed too early. */
  const retry = (context: PlanningContext): PlannedTransaction | undefined => {
    const { grants } = fixtures.policies;
    const early = context.proposals.grants.find(
      (proposal) =>
        proposal.executorResult === ProposalExecutorResult.FAILURE &&
        !isOverdraw(proposal) &&
        !context.busy.has(proposal.id) &&
        context.now - momentOf(proposal.submitTime) > seconds(45),
    );
    return early === undefined || context.shortage.accepted ? undefined : execute(context, grants, early);
  };

  const progress = (context: PlanningContext): PlannedTransaction | undefined => {
    const all = policyNames.flatMap((name) => open(context, name).map((proposal) => ({ name, proposal })));
    const lively = all.filter(
      ({ proposal }) => !context.busy.has(proposal.id) && momentOf(proposal.votingPeriodEnd) - context.now > seconds(5),
    );
    // Prefer the newest proposals.
    const newest = lively.sort((a, b) => (a.proposal.id < b.proposal.id ? 1 : -1)).slice(0, 12);
    const looked = [...random.shuffle(newest).slice(0, 8), ...random.shuffle(lively).slice(0, 8)];
    for (const { name, proposal } of looked) {
      const planned = advance(context, name, proposal);
      if (planned !== undefined) return planned;
    }
    return undefined;
  };

  const pay = (context: PlanningContext): PlannedTransaction | undefined => {
    const actor = random.pick(context.free);
    if (actor === undefined) return undefined;
    const poor = policyNames
      .map((name) => fixtures.policies[name].address)
      .find((policy) => context.reader.balance(policy) < lowFunds);
    const friend = random.pick(actors.filter((other) => other !== actor));
    const amount = poor === undefined ? BigInt(1 + random.below(40)) * 25_000_000n : lowFunds;
    const message = create(MsgSendSchema, {
      fromAddress: actor.address,
      toAddress: poor ?? friend?.address ?? actor.address,
      amount: [{ denom: feeDenom, amount: String(amount) }],
    });
    return { actor, message: packAny(MsgSendSchema, message) };
  };

  const planOne = (context: PlanningContext): PlannedTransaction | undefined => {
    if (!hasGroups) return pay(context);
    const tries = [abort, submitSomewhere, retry, random.next() < 0.06 ? pay : progress, random.next() < 0.6 ? pay : progress];
    for (const attempt of tries) {
      const planned = attempt(context);
      if (planned !== undefined) return planned;
    }
    return undefined;
  };

  return {
    plan(reader, now, count, occupied) {
      const proposals: Record<PolicyName, readonly Proposal[]> = {
        board: [],
        charter: [],
        treasury: [],
        grants: [],
        operations: [],
      };
      if (hasGroups) for (const name of policyNames) proposals[name] = reader.proposals(fixtures.policies[name].address);
      const shortage = shortageOf(
        shortPolicies.flatMap((name) => proposals[name]),
        now,
      );
      const chosen: PlannedTransaction[] = [];
      const touched = new Set(occupied);
      const busy = new Set<bigint>();
      for (let index = 0; index < count; index += 1) {
        const free = actors.filter((actor) => !touched.has(actor));
        const planned = planOne({ reader, now, free, busy, shortage, proposals });
        if (planned === undefined) break;
        touched.add(planned.actor);
        if (planned.about !== undefined) busy.add(planned.about);
        chosen.push(planned);
      }
      return chosen;
    },
  };
}
