import { expect } from 'vitest';
import type { WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
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

/** A group with one policy: a threshold, a voting period of `votingSeconds`, and a minimum execution period, which is none by default. */
export interface TestGroup {
  readonly id: bigint;
  readonly policy: string;
}

type Any = ReturnType<typeof any>;
type Account = Pick<WalletAccount, 'address'>;

/**
 * Creates a group of accounts with weights, in its own block. The first account is the admin of the group and of its policy.
 * With `own`, the policy is the admin of both.
 */
export async function createGroup(
  chain: TestChain,
  members: readonly (readonly [WalletAccount, string])[],
  {
    threshold = '2',
    votingSeconds = 20,
    minExecutionSeconds = 0,
    own = false,
    contracts = [],
  }: {
    threshold?: string;
    votingSeconds?: number;
    minExecutionSeconds?: number;
    own?: boolean;
    /** Members that do not sign. */
    contracts?: readonly (readonly [Account, string])[];
  } = {},
): Promise<TestGroup> {
  const admin = members[0]![0];
  const created = await chain.run(
    admin,
    any(MsgCreateGroupWithPolicySchema, {
      admin: admin.address,
      groupPolicyAsAdmin: own,
      members: [...members, ...contracts].map(([{ address }, weight]) => ({ address, weight })),
      decisionPolicy: any(ThresholdDecisionPolicySchema, {
        threshold,
        windows: {
          votingPeriod: { seconds: BigInt(votingSeconds), nanos: 0 },
          minExecutionPeriod: { seconds: BigInt(minExecutionSeconds), nanos: 0 },
        },
      }),
    }),
  );
  const attribute = (type: string, key: string): string => JSON.parse(created.get(`cosmos.group.v1.${type}`)![key]!) as string;
  return { id: BigInt(attribute('EventCreateGroup', 'group_id')), policy: attribute('EventCreateGroupPolicy', 'address') };
}

/**
 * A proposal that pays `amount` nhash from the policy to the first proposer. With `exec`, the proposers vote yes and it is
 * executed if it passes.
 */
export function proposal(
  { policy }: TestGroup,
  proposers: readonly WalletAccount[],
  {
    amount = '0',
    exec = false,
    title = 'Pay',
    summary = 'Pay',
    messages,
  }: { amount?: string; exec?: boolean; title?: string; summary?: string; messages?: readonly Any[] } = {},
): Any {
  const send = { fromAddress: policy, toAddress: proposers[0]!.address, amount: [{ denom: 'nhash', amount }] };
  return any(MsgSubmitProposalSchema, {
    groupPolicyAddress: policy,
    proposers: proposers.map(({ address }) => address),
    title,
    summary,
    messages: [...(messages ?? (amount === '0' ? [] : [any(MsgSendSchema, send)]))],
    exec: exec ? Exec.TRY : Exec.UNSPECIFIED,
  });
}

/** Submits a proposal in its own block. Returns its id. */
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

/** A vote. With `exec`, the proposal is executed if it passes. */
export function vote(voter: Account, proposalId: bigint, option: keyof typeof VoteOption = 'YES', exec = false): Any {
  return any(MsgVoteSchema, {
    proposalId,
    voter: voter.address,
    option: VoteOption[option],
    exec: exec ? Exec.TRY : Exec.UNSPECIFIED,
  });
}

/** A `MsgExec`. */
export function exec(executor: WalletAccount, proposalId: bigint): Any {
  return any(MsgExecSchema, { proposalId, executor: executor.address });
}

/** A `MsgWithdrawProposal`. */
export function withdraw({ address }: WalletAccount, proposalId: bigint): Any {
  return any(MsgWithdrawProposalSchema, { proposalId, address });
}

/** An update of the weights of members. Weight 0 removes a member. */
export function weigh(admin: Account, { id }: TestGroup, weights: readonly (readonly [WalletAccount, string])[]): Any {
  const memberUpdates = weights.map(([{ address }, weight]) => ({ address, weight }));
  return any(MsgUpdateGroupMembersSchema, { admin: admin.address, groupId: id, memberUpdates });
}

/** An update of the metadata of a group, which does not change its members. */
export function describeGroup(admin: Account, { id }: TestGroup, metadata: string): Any {
  return any(MsgUpdateGroupMetadataSchema, { admin: admin.address, groupId: id, metadata });
}

/** An update of the metadata of a policy, which aborts its open proposals. */
export function describePolicy(admin: Account, { policy }: TestGroup, metadata: string): Any {
  return any(MsgUpdateGroupPolicyMetadataSchema, { admin: admin.address, groupPolicyAddress: policy, metadata });
}

/** A `MsgLeaveGroup`. */
export function leave({ address }: WalletAccount, { id }: TestGroup): Any {
  return any(MsgLeaveGroupSchema, { address, groupId: id });
}

/** A `MsgCreateGroupPolicy` with a policy like that of {@link createGroup}. */
export function addPolicy(admin: WalletAccount, { id }: TestGroup, { threshold = '2', votingSeconds = 20 } = {}): Any {
  const windows = { votingPeriod: { seconds: BigInt(votingSeconds), nanos: 0 } };
  const decisionPolicy = any(ThresholdDecisionPolicySchema, { threshold, windows });
  return any(MsgCreateGroupPolicySchema, { admin: admin.address, groupId: id, decisionPolicy });
}
