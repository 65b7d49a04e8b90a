import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { MsgSendSchema } from '../../../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
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
} from '../../../../../src/proto/cosmos/group/v1/tx_pb.js';
import { VoteOption } from '../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { agendaItem, type PolicyName } from '../fixtures/agenda.ts';
import { actionMessages, type Fixtures, type GroupFixture, type PolicyFixture } from '../fixtures/fixtures.ts';
import { feeDenom } from '../runtime/coins.ts';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { packAny } from '../runtime/keeper.ts';
import { createRandom, type Random } from '../runtime/random.ts';

/** The state of a proposal at the first block. */
type Outcome = 'open' | 'executed' | 'failed' | 'rejected' | 'withdrawn' | 'aborted';

const hour = 3600;
const day = 24 * hour;
const { YES, NO, ABSTAIN, NO_WITH_VETO } = VoteOption;
/** Twenty votes with a typical mix of options. */
const mixed = [...Array(9).fill(YES), ...Array(6).fill(NO), ...Array(3).fill(ABSTAIN), ...Array(2).fill(NO_WITH_VETO)];

interface History {
  readonly fixtures: Fixtures;
  readonly random: Random;
  readonly steps: HistoryStep[];
  /** Number of proposals so far. Ids are assigned in order. */
  proposals: number;
}

function addStep(history: History, secondsBefore: number, message: Any): void {
  history.steps.push({ secondsBefore, message });
}

function policyMessage({ groupId, metadata, decision: decisionPolicy }: PolicyFixture, admin: string): Any {
  const message = create(MsgCreateGroupPolicySchema, { admin, groupId, metadata, decisionPolicy });
  return packAny(MsgCreateGroupPolicySchema, message);
}

function groupMessage({ admin, members, metadata }: GroupFixture): Any {
  return packAny(MsgCreateGroupSchema, create(MsgCreateGroupSchema, { admin, members: [...members], metadata }));
}

/** Adds the groups and policies, in the order of `fixtures.ts`, and funds them. */
function addGroups(history: History): void {
  const { groups, policies, foundation } = history.fixtures;
  const { assembly, council, grants, operations } = groups;
  addStep(history, 60 * day, groupMessage(assembly));
  addStep(history, 60 * day - 60, policyMessage(policies.board, assembly.admin));
  addStep(history, 60 * day - 120, policyMessage(policies.charter, assembly.admin));
  const update = { admin: assembly.admin, groupId: assembly.id, newAdmin: policies.charter.address };
  addStep(history, 60 * day - 180, packAny(MsgUpdateGroupAdminSchema, create(MsgUpdateGroupAdminSchema, update)));
  addStep(history, 55 * day, groupMessage(council));
  addStep(history, 55 * day - 60, policyMessage(policies.treasury, council.admin));
  const withPolicy = create(MsgCreateGroupWithPolicySchema, {
    admin: grants.admin,
    members: [...grants.members],
    groupMetadata: grants.metadata,
    groupPolicyMetadata: policies.grants.metadata,
    groupPolicyAsAdmin: true,
    decisionPolicy: policies.grants.decision,
  });
  addStep(history, 40 * day, packAny(MsgCreateGroupWithPolicySchema, withPolicy));
  addStep(history, 30 * day, groupMessage(operations));
  addStep(history, 30 * day - 60, policyMessage(policies.operations, operations.admin));
  for (const { address } of Object.values(policies)) {
    const amount = [{ denom: feeDenom, amount: String(10n ** 15n) }];
    const payment = create(MsgSendSchema, { fromAddress: foundation, toAddress: address, amount });
    addStep(history, 29 * day, packAny(MsgSendSchema, payment));
  }
}

interface ProposalPlan {
  readonly policy: PolicyName;
  /** Position in the agenda of the policy. */
  readonly index: number;
  readonly secondsBefore: number;
  readonly end: Outcome;
  /** Number of voters, if the proposal stays open. */
  readonly voters: number;
}

/** Adds a proposal with its votes and its execution, within `span` seconds after its submission. */
function addProposal(history: History, plan: ProposalPlan, span: number): void {
  const { fixtures, random } = history;
  const policy = fixtures.policies[plan.policy];
  const item = agendaItem(plan.policy, plan.index);
  const addresses = policy.members.map((member) => member.address);
  // The last two accounts are for users.
  const reserved = fixtures.groups.assembly.members.slice(8, 10).map((member) => member.address);
  const authors = addresses.filter((address) => !reserved.includes(address));
  const [proposer = '', second = ''] = random.shuffle(authors.slice(0, 8));
  const proposers = plan.index % 7 === 3 ? [proposer, second] : [proposer];
  history.proposals += 1;
  const proposalId = BigInt(history.proposals);
  const submission = create(MsgSubmitProposalSchema, {
    groupPolicyAddress: policy.address,
    proposers,
    metadata: plan.index % 3 === 0 ? JSON.stringify({ title: item.title, summary: item.summary }) : '',
    messages: actionMessages(policy, item.action, random.shuffle(authors), plan.index),
    title: item.title,
    summary: item.summary,
  });
  addStep(history, plan.secondsBefore, packAny(MsgSubmitProposalSchema, submission));

  let at = plan.secondsBefore;
  const later = (): number => {
    at -= Math.max(1, Math.floor(span / 60));
    return at;
  };
  const vote = (voter: string, option: VoteOption): void => {
    const message = create(MsgVoteSchema, { proposalId, voter, option, exec: Exec.UNSPECIFIED });
    addStep(history, later(), packAny(MsgVoteSchema, message));
  };
  const execute = (): void => {
    const message = create(MsgExecSchema, { proposalId, executor: proposer });
    addStep(history, later(), packAny(MsgExecSchema, message));
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
      addStep(history, later(), packAny(MsgWithdrawProposalSchema, message));
      break;
    }
    case 'aborted':
    case 'open':
      for (const voter of random.shuffle(addresses).slice(0, plan.voters)) vote(voter, random.pick(mixed) ?? ABSTAIN);
      break;
  }
}

function updatePolicy(history: History, policy: PolicyFixture, admin: string, secondsBefore: number, metadata: string): void {
  const message = create(MsgUpdateGroupPolicyMetadataSchema, { admin, groupPolicyAddress: policy.address, metadata });
  addStep(history, secondsBefore, packAny(MsgUpdateGroupPolicyMetadataSchema, message));
}

/**
 * Creates the steps before the first block, which are always the same: four groups, five policies, and proposals of every
 * status. Those of the board and the charter are from the last days, the others from the last minutes. Open proposals have
 * between 0 and 20 votes.
 */
export function createHistory(fixtures: Fixtures): HistoryStep[] {
  const history: History = { fixtures, random: createRandom(7), steps: [], proposals: 0 };
  const { policies, groups } = history.fixtures;
  addGroups(history);

  const board: Outcome[] = ['executed', 'executed', 'aborted', 'aborted'];
  board.forEach((end, index) => {
    addProposal(
      history,
      { policy: 'board', index, secondsBefore: Math.round((6.5 - index * 0.2) * day), end, voters: 6 },
      3 * hour,
    );
  });
  updatePolicy(history, policies.board, groups.assembly.admin, 5.5 * day, 'The board: strategy, budget, appointments');
  const ends: Partial<Record<number, Outcome>> = {
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
    addProposal(history, { policy: 'board', index, secondsBefore, end, voters: (index * 5) % 21 }, 2 * hour);
  }
  const charter: Outcome[] = ['open', 'withdrawn', 'open', 'open', 'rejected', 'open'];
  charter.forEach((end, index) => {
    addProposal(
      history,
      {
        policy: 'charter',
        index,
        secondsBefore: Math.round((0.3 - index * 0.04) * day),
        end,
        voters: [20, 4, 9, 13, 0, 2][index] ?? 0,
      },
      hour,
    );
  });

  const recent: [PolicyName, Outcome, number][] = [
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
  const next: Partial<Record<PolicyName, number>> = { treasury: 2 };
  recent.forEach(([policy, end, secondsBefore], order) => {
    const index = next[policy] ?? 0;
    next[policy] = index + 1;
    addProposal(history, { policy, index: end === 'failed' ? 4 : index, secondsBefore, end, voters: order % 3 }, 60);
    if (order === 1)
      updatePolicy(history, policies.operations, groups.operations.admin, 450, 'Operations: machines and on-call');
  });
  // The votes on a proposal can be later than the next submission.
  return history.steps.sort((a, b) => b.secondsBefore - a.secondsBefore);
}
