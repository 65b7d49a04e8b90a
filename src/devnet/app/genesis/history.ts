import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { MsgSendSchema } from '../../../proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  Exec,
  MsgCreateGroupPolicySchema,
  MsgCreateGroupSchema,
  MsgCreateGroupWithPolicySchema,
  MsgExecSchema,
  MsgSubmitProposalSchema,
  MsgUpdateGroupAdminSchema,
  MsgUpdateGroupPolicyMetadataSchema,
  MsgVoteSchema,
  MsgWithdrawProposalSchema,
} from '../../../proto/cosmos/group/v1/tx_pb.js';
import { VoteOption } from '../../../proto/cosmos/group/v1/types_pb.js';
import { agendaItem, type BodyName } from '../fixtures/agenda.ts';
import { type Body, type BodyGroup, businessMessages, type Cast } from '../fixtures/fixtures.ts';
import { feeDenom } from '../runtime/coins.ts';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { packAny } from '../runtime/keeper.ts';
import { createRandom, type Random } from '../runtime/random.ts';

/** What is to become of a proposal before the first block. */
type End = 'open' | 'executed' | 'failed' | 'rejected' | 'withdrawn' | 'aborted';

const hour = 3600;
const day = 24 * hour;
const { YES, NO, ABSTAIN, NO_WITH_VETO } = VoteOption;
/** How many of each vote, of every twenty. */
const mixed = [...Array(9).fill(YES), ...Array(6).fill(NO), ...Array(3).fill(ABSTAIN), ...Array(2).fill(NO_WITH_VETO)];

interface Story {
  readonly cast: Cast;
  readonly random: Random;
  readonly steps: HistoryStep[];
  /** Proposals so far: their ids are given in order. */
  proposals: number;
}

function tell(story: Story, secondsBefore: number, message: Any): void {
  story.steps.push({ secondsBefore, message });
}

function policyMessage({ groupId, metadata, decision: decisionPolicy }: Body, admin: string): Any {
  const message = create(MsgCreateGroupPolicySchema, { admin, groupId, metadata, decisionPolicy });
  return packAny(MsgCreateGroupPolicySchema, message);
}

function groupMessage({ admin, members, metadata }: BodyGroup): Any {
  return packAny(MsgCreateGroupSchema, create(MsgCreateGroupSchema, { admin, members: [...members], metadata }));
}

/** Groups and policies, in the order that `bodies.ts` counts on, and their money. */
function found(story: Story): void {
  const { groups, bodies, foundation } = story.cast;
  const { assembly, council, grants, operations } = groups;
  tell(story, 60 * day, groupMessage(assembly));
  tell(story, 60 * day - 60, policyMessage(bodies.board, assembly.admin));
  tell(story, 60 * day - 120, policyMessage(bodies.charter, assembly.admin));
  const handOver = { admin: assembly.admin, groupId: assembly.id, newAdmin: bodies.charter.policy };
  tell(story, 60 * day - 180, packAny(MsgUpdateGroupAdminSchema, create(MsgUpdateGroupAdminSchema, handOver)));
  tell(story, 55 * day, groupMessage(council));
  tell(story, 55 * day - 60, policyMessage(bodies.treasury, council.admin));
  const ownMaster = create(MsgCreateGroupWithPolicySchema, {
    admin: grants.admin,
    members: [...grants.members],
    groupMetadata: grants.metadata,
    groupPolicyMetadata: bodies.grants.metadata,
    groupPolicyAsAdmin: true,
    decisionPolicy: bodies.grants.decision,
  });
  tell(story, 40 * day, packAny(MsgCreateGroupWithPolicySchema, ownMaster));
  tell(story, 30 * day, groupMessage(operations));
  tell(story, 30 * day - 60, policyMessage(bodies.operations, operations.admin));
  for (const { policy } of Object.values(bodies)) {
    const amount = [{ denom: feeDenom, amount: String(10n ** 15n) }];
    const gift = create(MsgSendSchema, { fromAddress: foundation, toAddress: policy, amount });
    tell(story, 29 * day, packAny(MsgSendSchema, gift));
  }
}

interface ProposalPlan {
  readonly body: BodyName;
  /** Which of the body's agenda. */
  readonly index: number;
  readonly secondsBefore: number;
  readonly end: End;
  /** How many vote, for those that stay open. */
  readonly voters: number;
}

/** One proposal with all that happened to it, within `span` seconds of its submission. */
function propose(story: Story, plan: ProposalPlan, span: number): void {
  const { cast, random } = story;
  const body = cast.bodies[plan.body];
  const item = agendaItem(plan.body, plan.index);
  const addresses = body.members.map((member) => member.address);
  // The last two accounts are left to people.
  const people = cast.groups.assembly.members.slice(8, 10).map((member) => member.address);
  const authors = addresses.filter((address) => !people.includes(address));
  const [proposer = '', second = ''] = random.shuffle(authors.slice(0, 8));
  const proposers = plan.index % 7 === 3 ? [proposer, second] : [proposer];
  story.proposals += 1;
  const proposalId = BigInt(story.proposals);
  const submission = create(MsgSubmitProposalSchema, {
    groupPolicyAddress: body.policy,
    proposers,
    metadata: plan.index % 3 === 0 ? JSON.stringify({ title: item.title, summary: item.summary }) : '',
    messages: businessMessages(body, item.business, random.shuffle(authors), plan.index),
    title: item.title,
    summary: item.summary,
  });
  tell(story, plan.secondsBefore, packAny(MsgSubmitProposalSchema, submission));

  let at = plan.secondsBefore;
  const later = (): number => {
    at -= Math.max(1, Math.floor(span / 60));
    return at;
  };
  const vote = (voter: string, option: VoteOption): void => {
    const message = create(MsgVoteSchema, { proposalId, voter, option, exec: Exec.UNSPECIFIED });
    tell(story, later(), packAny(MsgVoteSchema, message));
  };
  const execute = (): void => {
    const message = create(MsgExecSchema, { proposalId, executor: proposer });
    tell(story, later(), packAny(MsgExecSchema, message));
  };
  switch (plan.end) {
    case 'executed':
    case 'failed':
      for (const voter of authors) vote(voter, YES);
      execute();
      break;
    case 'rejected':
      for (const voter of authors) vote(voter, random.next() < 0.8 ? NO : NO_WITH_VETO);
      execute();
      break;
    case 'withdrawn': {
      for (const voter of random.shuffle(authors).slice(0, plan.voters)) vote(voter, random.pick(mixed) ?? ABSTAIN);
      const message = create(MsgWithdrawProposalSchema, { proposalId, address: proposer });
      tell(story, later(), packAny(MsgWithdrawProposalSchema, message));
      break;
    }
    case 'aborted':
    case 'open':
      for (const voter of random.shuffle(addresses).slice(0, plan.voters)) vote(voter, random.pick(mixed) ?? ABSTAIN);
      break;
  }
}

function updatePolicy(story: Story, body: Body, admin: string, secondsBefore: number, metadata: string): void {
  const message = create(MsgUpdateGroupPolicyMetadataSchema, { admin, groupPolicyAddress: body.policy, metadata });
  tell(story, secondsBefore, packAny(MsgUpdateGroupPolicyMetadataSchema, message));
}

/**
 * What happened before the first block: four groups, five policies, and proposals to every end, the board's and the charter's over
 * the last days, the others in the last minutes. Votes of the open ones go from none to all twenty members. Always the same.
 */
export function createHistory(cast: Cast): HistoryStep[] {
  const story: Story = { cast, random: createRandom(7), steps: [], proposals: 0 };
  const { bodies, groups } = story.cast;
  found(story);

  const board: End[] = ['executed', 'executed', 'aborted', 'aborted'];
  board.forEach((end, index) => {
    propose(story, { body: 'board', index, secondsBefore: Math.round((6.5 - index * 0.2) * day), end, voters: 6 }, 3 * hour);
  });
  updatePolicy(story, bodies.board, groups.assembly.admin, 5.5 * day, 'The board: strategy, budget, appointments');
  const ends: Partial<Record<number, End>> = {
    6: 'rejected',
    8: 'failed',
    11: 'withdrawn',
    14: 'rejected',
    17: 'withdrawn',
    21: 'rejected',
    28: 'failed',
  };
  for (let index = 4; index < 32; index += 1) {
    const secondsBefore = Math.round((5.2 - index * 0.15) * day);
    const end = ends[index] ?? 'open';
    propose(story, { body: 'board', index, secondsBefore, end, voters: (index * 5) % 21 }, 2 * hour);
  }
  const charter: End[] = ['open', 'withdrawn', 'open', 'open', 'rejected', 'open'];
  charter.forEach((end, index) => {
    propose(
      story,
      {
        body: 'charter',
        index,
        secondsBefore: Math.round((0.3 - index * 0.04) * day),
        end,
        voters: [20, 4, 9, 13, 0, 2][index] ?? 0,
      },
      hour,
    );
  });

  const recent: [BodyName, End, number][] = [
    ['operations', 'aborted', 520],
    ['operations', 'aborted', 490],
    ['treasury', 'rejected', 420],
    ['treasury', 'failed', 380],
    ['grants', 'withdrawn', 330],
    ['treasury', 'open', 300],
    ['grants', 'open', 240],
    ['treasury', 'withdrawn', 210],
    ['grants', 'open', 150],
    ['operations', 'open', 120],
    ['treasury', 'open', 90],
    ['operations', 'open', 40],
  ];
  const next: Partial<Record<BodyName, number>> = { treasury: 2 };
  recent.forEach(([body, end, secondsBefore], order) => {
    const index = next[body] ?? 0;
    next[body] = index + 1;
    propose(story, { body, index: end === 'failed' ? 4 : index, secondsBefore, end, voters: order % 3 }, 60);
    if (order === 1) updatePolicy(story, bodies.operations, groups.operations.admin, 450, 'Operations: machines and on-call');
  });
  // What happened to a proposal may reach past the next one's submission.
  return story.steps.sort((a, b) => b.secondsBefore - a.secondsBefore);
}
