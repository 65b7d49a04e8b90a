import {
  create,
  createRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  isMessage,
  type JsonValue,
  type MessageInitShape,
  type Registry,
  toBinary,
} from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { MsgSendSchema } from '../gen/proto/cosmos/bank/v1beta1/tx_pb.js';
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

/** A message as protobuf JSON, as wallets and the command line of the chain take it. */
export type MessageJson = { readonly '@type': string } & { readonly [key: string]: MessageValue };

type MessageValue = string | number | boolean | null | readonly MessageValue[] | { readonly [key: string]: MessageValue };

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

/** The messages that {@link encodeJson} knows without further descriptors. */
export const knownMessages: Registry = createRegistry(
  ...[MsgVoteSchema, MsgExecSchema, MsgSubmitProposalSchema, MsgWithdrawProposalSchema, MsgLeaveGroupSchema, MsgSendSchema],
);

/** Replaces the type URLs that protobuf JSON makes: the chain knows types by `/name`, without a host, also in messages within messages. */
function withChainTypes(value: unknown, registry: Registry): void {
  if (isMessage(value, AnySchema)) {
    const name = value.typeUrl.slice(value.typeUrl.lastIndexOf('/') + 1);
    value.typeUrl = `/${name}`;
    const schema = registry.getMessage(name);
    if (schema === undefined) return;
    const inner = fromBinary(schema, value.value);
    withChainTypes(inner, registry);
    value.value = toBinary(schema, inner);
  } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    for (const each of Object.values(value)) withChainTypes(each, registry);
}

/**
 * Encodes a message that is protobuf JSON. `registry` has the descriptors of its type and of those within it, by default {@link knownMessages}. Throws if
 * the type has none, or the JSON does not fit it.
 */
export function encodeJson({ '@type': typeUrl, ...fields }: MessageJson, registry: Registry = knownMessages): Message {
  const schema = registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
  if (schema === undefined) throw new Error(`There is no descriptor of ${typeUrl}.`);
  const json: JsonValue = JSON.parse(JSON.stringify(fields));
  const message = fromJson(schema, json, { registry });
  withChainTypes(message, registry);
  return { typeUrl: `/${schema.typeName}`, value: toBinary(schema, message) };
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
