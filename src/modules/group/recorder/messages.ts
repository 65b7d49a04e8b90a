import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { type AnyMessage, typeNameOf } from '../../../chain/wire/protoJson.ts';
import { type MsgExec as Authorized, MsgExecSchema as AuthorizedSchema } from '../../../proto/cosmos/authz/v1beta1/tx_pb.js';
import * as tx from '../../../proto/cosmos/group/v1/tx_pb.js';
import { recordedAddress } from './state.ts';

/** A message that changes group governance by itself, or that carries such messages. */
export type GovernanceMessage =
  | { readonly kind: 'authorized'; readonly message: Authorized }
  | { readonly kind: 'submit'; readonly message: tx.MsgSubmitProposal }
  | { readonly kind: 'vote'; readonly message: tx.MsgVote }
  | { readonly kind: 'exec'; readonly message: tx.MsgExec }
  | { readonly kind: 'withdraw'; readonly message: tx.MsgWithdrawProposal }
  | { readonly kind: 'createGroup'; readonly message: tx.MsgCreateGroup }
  | { readonly kind: 'createGroupWithPolicy'; readonly message: tx.MsgCreateGroupWithPolicy }
  | { readonly kind: 'createPolicy'; readonly message: tx.MsgCreateGroupPolicy }
  | { readonly kind: 'updateMembers'; readonly message: tx.MsgUpdateGroupMembers }
  | { readonly kind: 'updateGroupAdmin'; readonly message: tx.MsgUpdateGroupAdmin }
  | { readonly kind: 'updateGroupMetadata'; readonly message: tx.MsgUpdateGroupMetadata }
  | { readonly kind: 'leave'; readonly message: tx.MsgLeaveGroup }
  | { readonly kind: 'updatePolicyAdmin'; readonly message: tx.MsgUpdateGroupPolicyAdmin }
  | { readonly kind: 'updateDecisionPolicy'; readonly message: tx.MsgUpdateGroupPolicyDecisionPolicy }
  | { readonly kind: 'updatePolicyMetadata'; readonly message: tx.MsgUpdateGroupPolicyMetadata };

type Decode = (bytes: Uint8Array) => GovernanceMessage;

function decoder<D extends DescMessage>(
  schema: D,
  wrap: (message: MessageShape<D>) => GovernanceMessage,
): readonly [string, Decode] {
  return [schema.typeName, (bytes) => wrap(fromBinary(schema, bytes))];
}

const decoders: ReadonlyMap<string, Decode> = new Map([
  decoder(AuthorizedSchema, (message) => ({ kind: 'authorized', message })),
  decoder(tx.MsgSubmitProposalSchema, (message) => ({ kind: 'submit', message })),
  decoder(tx.MsgVoteSchema, (message) => ({ kind: 'vote', message })),
  decoder(tx.MsgExecSchema, (message) => ({ kind: 'exec', message })),
  decoder(tx.MsgWithdrawProposalSchema, (message) => ({ kind: 'withdraw', message })),
  decoder(tx.MsgCreateGroupSchema, (message) => ({ kind: 'createGroup', message })),
  decoder(tx.MsgCreateGroupWithPolicySchema, (message) => ({ kind: 'createGroupWithPolicy', message })),
  decoder(tx.MsgCreateGroupPolicySchema, (message) => ({ kind: 'createPolicy', message })),
  decoder(tx.MsgUpdateGroupMembersSchema, (message) => ({ kind: 'updateMembers', message })),
  decoder(tx.MsgUpdateGroupAdminSchema, (message) => ({ kind: 'updateGroupAdmin', message })),
  decoder(tx.MsgUpdateGroupMetadataSchema, (message) => ({ kind: 'updateGroupMetadata', message })),
  decoder(tx.MsgLeaveGroupSchema, (message) => ({ kind: 'leave', message })),
  decoder(tx.MsgUpdateGroupPolicyAdminSchema, (message) => ({ kind: 'updatePolicyAdmin', message })),
  decoder(tx.MsgUpdateGroupPolicyDecisionPolicySchema, (message) => ({ kind: 'updateDecisionPolicy', message })),
  decoder(tx.MsgUpdateGroupPolicyMetadataSchema, (message) => ({ kind: 'updatePolicyMetadata', message })),
]);

interface Addressed {
  admin?: string;
  newAdmin?: string;
  voter?: string;
  address?: string;
  executor?: string;
  groupPolicyAddress?: string;
  proposers?: string[];
  members?: { address: string }[];
  memberUpdates?: { address: string }[];
}

const addressFields = ['admin', 'newAdmin', 'voter', 'address', 'executor', 'groupPolicyAddress'] as const;

function replaceAddresses(message: Addressed): void {
  for (const field of addressFields) {
    const address = message[field];
    if (address !== undefined) message[field] = recordedAddress(address);
  }
  if (message.proposers !== undefined) message.proposers = message.proposers.map(recordedAddress);
  for (const member of [...(message.members ?? []), ...(message.memberUpdates ?? [])])
    member.address = recordedAddress(member.address);
}

/**
 * Decodes a message, with addresses as they are recorded. Returns null if its type has no part in group governance, or if its bytes are invalid.
 */
export function governanceMessage({ type, value }: AnyMessage): GovernanceMessage | null {
  try {
    const governance = decoders.get(typeNameOf(type))?.(value) ?? null;
    if (governance !== null && governance.kind !== 'authorized') replaceAddresses(governance.message);
    return governance;
  } catch {
    return null;
  }
}
