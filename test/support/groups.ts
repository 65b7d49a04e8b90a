import { expect } from 'vitest';
import type { WalletAccount } from '../../src/devnet/app/runtime/wallet.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  Exec,
  MsgCreateGroupPolicySchema,
  MsgCreateGroupWithPolicySchema,
  MsgExecSchema,
  MsgLeaveGroupSchema,
  MsgSubmitProposalSchema,
  MsgUpdateGroupMembersSchema,
  MsgUpdateGroupMetadataSchema,
  MsgUpdateGroupPolicyMetadataSchema,
  MsgVoteSchema,
  MsgWithdrawProposalSchema,
} from '../../src/proto/cosmos/group/v1/tx_pb.js';
import { ThresholdDecisionPolicySchema, VoteOption } from '../../src/proto/cosmos/group/v1/types_pb.js';
import { any, type TestChain } from './chain.ts';

/** A group with one policy: a threshold, votes taken for `votingSeconds`, executable at once. */
export interface TestGroup {
  readonly id: bigint;
  readonly policy: string;
}

type Any = ReturnType<typeof any>;
type Account = Pick<WalletAccount, 'address'>;

/**
 * Makes a group of these accounts with these weights, in a block of its own; the first is its admin and the policy's, or with `own` the
 * policy is both.
 */
export async function createGroup(
  chain: TestChain,
  members: readonly (readonly [WalletAccount, string])[],
  { threshold = '2', votingSeconds = 20, own = false } = {},
): Promise<TestGroup> {
  const admin = members[0]![0];
  const created = await chain.run(
    admin,
    any(MsgCreateGroupWithPolicySchema, {
      admin: admin.address,
      groupPolicyAsAdmin: own,
      members: members.map(([{ address }, weight]) => ({ address, weight })),
      decisionPolicy: any(ThresholdDecisionPolicySchema, {
        threshold,
        windows: { votingPeriod: { seconds: BigInt(votingSeconds), nanos: 0 } },
      }),
    }),
  );
  const told = (type: string, key: string): string => JSON.parse(created.get(`cosmos.group.v1.${type}`)![key]!) as string;
  return { id: BigInt(told('EventCreateGroup', 'group_id')), policy: told('EventCreateGroupPolicy', 'address') };
}

/** A proposal that pays the proposer `amount` nhash of the policy's; with `exec` the proposers vote yes and it is tried at once. */
export function proposal(
  { policy }: TestGroup,
  proposers: readonly WalletAccount[],
  { amount = '0', exec = false, messages }: { amount?: string; exec?: boolean; messages?: readonly Any[] } = {},
): Any {
  const send = { fromAddress: policy, toAddress: proposers[0]!.address, amount: [{ denom: 'nhash', amount }] };
  return any(MsgSubmitProposalSchema, {
    groupPolicyAddress: policy,
    proposers: proposers.map(({ address }) => address),
    title: 'Pay',
    summary: 'Pay',
    messages: [...(messages ?? (amount === '0' ? [] : [any(MsgSendSchema, send)]))],
    exec: exec ? Exec.TRY : Exec.UNSPECIFIED,
  });
}

/** Submits a proposal in a block of its own: its id. */
export async function submitProposal(
  chain: TestChain,
  group: TestGroup,
  proposer: WalletAccount,
  options: Parameters<typeof proposal>[2] = {},
): Promise<bigint> {
  const events = await chain.run(proposer, proposal(group, [proposer], options));
  const id = JSON.parse(events.get('cosmos.group.v1.EventSubmitProposal')!.proposal_id!) as string;
  expect(id).toMatch(/^\d+$/);
  return BigInt(id);
}

/** A vote; with `exec` the proposal is tried too. */
export function vote(voter: WalletAccount, proposalId: bigint, option: keyof typeof VoteOption = 'YES', exec = false): Any {
  return any(MsgVoteSchema, {
    proposalId,
    voter: voter.address,
    option: VoteOption[option],
    exec: exec ? Exec.TRY : Exec.UNSPECIFIED,
  });
}

/** A try to execute. */
export function exec(executor: WalletAccount, proposalId: bigint): Any {
  return any(MsgExecSchema, { proposalId, executor: executor.address });
}

/** A withdrawal. */
export function withdraw({ address }: WalletAccount, proposalId: bigint): Any {
  return any(MsgWithdrawProposalSchema, { proposalId, address });
}

/** New weights of members; 0 removes. */
export function weigh(admin: Account, { id }: TestGroup, weights: readonly (readonly [WalletAccount, string])[]): Any {
  const memberUpdates = weights.map(([{ address }, weight]) => ({ address, weight }));
  return any(MsgUpdateGroupMembersSchema, { admin: admin.address, groupId: id, memberUpdates });
}

/** A change of a group that concerns no member. */
export function describeGroup(admin: Account, { id }: TestGroup, metadata: string): Any {
  return any(MsgUpdateGroupMetadataSchema, { admin: admin.address, groupId: id, metadata });
}

/** A change of a policy: it aborts the open proposals. */
export function describePolicy(admin: Account, { policy }: TestGroup, metadata: string): Any {
  return any(MsgUpdateGroupPolicyMetadataSchema, { admin: admin.address, groupPolicyAddress: policy, metadata });
}

/** A member leaves. */
export function leave({ address }: WalletAccount, { id }: TestGroup): Any {
  return any(MsgLeaveGroupSchema, { address, groupId: id });
}

/** Another policy of a group, as that of {@link createGroup}. */
export function addPolicy(admin: WalletAccount, { id }: TestGroup, { threshold = '2', votingSeconds = 20 } = {}): Any {
  const windows = { votingPeriod: { seconds: BigInt(votingSeconds), nanos: 0 } };
  const decisionPolicy = any(ThresholdDecisionPolicySchema, { threshold, windows });
  return any(MsgCreateGroupPolicySchema, { admin: admin.address, groupId: id, decisionPolicy });
}
