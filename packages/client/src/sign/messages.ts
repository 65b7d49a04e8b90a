import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { MsgMultiSendSchema, MsgSendSchema } from '../gen/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  Exec,
  MsgExecSchema,
  MsgLeaveGroupSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
  MsgWithdrawProposalSchema,
} from '../gen/proto/cosmos/group/v1/tx_pb.js';
import { VoteOption } from '../gen/proto/cosmos/group/v1/types_pb.js';

/** An encoded message of a transaction or of a proposal. */
export interface Message {
  /** `/cosmos.group.v1.MsgVote`. */
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/** The options of a vote, as the API names them. */
export type VoteChoice = 'VOTE_OPTION_YES' | 'VOTE_OPTION_NO' | 'VOTE_OPTION_ABSTAIN' | 'VOTE_OPTION_NO_WITH_VETO';

/** An id of a group or a proposal. A string in results. */
export type IdInput = string | number | bigint;

/** An amount in base units of a denomination. */
export interface Coin {
  readonly denom: string;
  readonly amount: string;
}

const votes: Readonly<Record<VoteChoice, VoteOption>> = {
  VOTE_OPTION_YES: VoteOption.YES,
  VOTE_OPTION_NO: VoteOption.NO,
  VOTE_OPTION_ABSTAIN: VoteOption.ABSTAIN,
  VOTE_OPTION_NO_WITH_VETO: VoteOption.NO_WITH_VETO,
};

const execOf = (isTried: boolean): Exec => (isTried ? Exec.TRY : Exec.UNSPECIFIED);

/** Encodes any message, by the descriptor that protoc-gen-es generates for it. */
export function encodeMessage<Schema extends DescMessage>(schema: Schema, fields: MessageInitShape<Schema>): Message {
  return { typeUrl: `/${schema.typeName}`, value: toBinary(schema, create(schema, fields)) };
}

/** A vote on a group proposal. `metadata` can have a reason. With `tryExec`, the chain tries to execute the proposal after the vote. */
export function msgVote(fields: {
  readonly voter: string;
  readonly proposalId: IdInput;
  readonly option: VoteChoice;
  readonly metadata?: string;
  readonly tryExec?: boolean;
}): Message {
  const { voter, proposalId, option, metadata = '', tryExec = false } = fields;
  const vote = { voter, proposalId: BigInt(proposalId), option: votes[option], metadata, exec: execOf(tryExec) };
  return encodeMessage(MsgVoteSchema, vote);
}

/** The execution of an accepted group proposal. */
export function msgExec({ executor, proposalId }: { readonly executor: string; readonly proposalId: IdInput }): Message {
  return encodeMessage(MsgExecSchema, { executor, proposalId: BigInt(proposalId) });
}

/** A group proposal. `messages` are signed by the policy. With `tryExec`, the votes of the proposers count as yes, and the chain tries to execute it. */
export function msgSubmitProposal(fields: {
  readonly groupPolicyAddress: string;
  readonly proposers: readonly string[];
  readonly messages: readonly Message[];
  readonly title: string;
  readonly summary: string;
  readonly metadata?: string;
  readonly tryExec?: boolean;
}): Message {
  const { proposers, messages, tryExec = false, ...rest } = fields;
  const proposal = { ...rest, proposers: [...proposers], messages: [...messages], exec: execOf(tryExec) };
  return encodeMessage(MsgSubmitProposalSchema, proposal);
}

/** The withdrawal of a group proposal, by a proposer or by the admin of its policy. */
export function msgWithdrawProposal({
  address,
  proposalId,
}: {
  readonly address: string;
  readonly proposalId: IdInput;
}): Message {
  return encodeMessage(MsgWithdrawProposalSchema, { address, proposalId: BigInt(proposalId) });
}

/** A member leaves a group. */
export function msgLeaveGroup({ address, groupId }: { readonly address: string; readonly groupId: IdInput }): Message {
  return encodeMessage(MsgLeaveGroupSchema, { address, groupId: BigInt(groupId) });
}

/** A payment. In a proposal, `from` is the address of the policy. */
export function msgSend({
  from,
  to,
  amount,
}: {
  readonly from: string;
  readonly to: string;
  readonly amount: readonly Coin[];
}): Message {
  return encodeMessage(MsgSendSchema, { fromAddress: from, toAddress: to, amount: amount.map((coin) => ({ ...coin })) });
}

/** Payments to several accounts at once. In a proposal, `from` is the address of the policy. Throws without a payment. */
export function msgMultiSend({
  from,
  payments,
}: {
  readonly from: string;
  readonly payments: readonly { readonly to: string; readonly amount: readonly Coin[] }[];
}): Message {
  const totals = new Map<string, bigint>();
  for (const { denom, amount } of payments.flatMap((payment) => payment.amount))
    totals.set(denom, (totals.get(denom) ?? 0n) + BigInt(amount));
  if (totals.size === 0) throw new Error('A message needs at least one payment.');
  // The chain takes the coins of a payment only in the order of their denominations.
  const sorted = (coins: readonly Coin[]): Coin[] =>
    coins.map(({ denom, amount }) => ({ denom, amount })).sort((one, other) => (one.denom < other.denom ? -1 : 1));
  const coins = sorted([...totals].map(([denom, amount]) => ({ denom, amount: String(amount) })));
  return encodeMessage(MsgMultiSendSchema, {
    inputs: [{ address: from, coins }],
    outputs: payments.map(({ to, amount }) => ({ address: to, coins: sorted(amount) })),
  });
}
