import { create } from '@bufbuild/protobuf';
import { ModuleCredentialSchema } from '../../../../../../src/proto/cosmos/auth/v1beta1/auth_pb.js';
import {
  EventCreateGroupPolicySchema,
  EventUpdateGroupPolicySchema,
} from '../../../../../../src/proto/cosmos/group/v1/events_pb.js';
import {
  type MsgCreateGroupPolicy,
  MsgCreateGroupPolicyResponseSchema,
  MsgCreateGroupPolicySchema,
  MsgCreateGroupWithPolicyResponseSchema,
  MsgCreateGroupWithPolicySchema,
  MsgUpdateGroupPolicyAdminResponseSchema,
  MsgUpdateGroupPolicyAdminSchema,
  MsgUpdateGroupPolicyDecisionPolicyResponseSchema,
  MsgUpdateGroupPolicyDecisionPolicySchema,
  MsgUpdateGroupPolicyMetadataResponseSchema,
  MsgUpdateGroupPolicyMetadataSchema,
} from '../../../../../../src/proto/cosmos/group/v1/tx_pb.js';
import { type GroupPolicyInfo, GroupPolicyInfoSchema } from '../../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { abciError, wrapping } from '../../runtime/abciErrors.ts';
import { derivedAddress, encodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage, packAny } from '../../runtime/keeper.ts';
import { timestampOf } from '../../runtime/time.ts';
import { bytesOf, u64Key } from '../../state/bytes.ts';
import { createAccount, readAccount } from '../base/auth.ts';
import { requireAddress, requireAdmin, requireId, requireShort, requireUsable } from './checks.ts';
import { createGroup, updateGroupAdmin } from './groupMessages.ts';
import { abortProposals } from './lifecycle.ts';
import { decisionPolicyOf } from './policy.ts';
import { loadGroup, loadPolicy, nextNumber, policies } from './state.ts';

/** Creates the account of a policy, at the first derived address without an account, by the counter of policies. */
function createPolicyAccount(context: Context): string {
  for (;;) {
    const derivationKeys = [Uint8Array.of(0x20), bytesOf(u64Key(nextNumber(context, 'policy')))];
    const address = derivedAddress('group', derivationKeys);
    if (readAccount(context, address) !== undefined) continue;
    const credential = create(ModuleCredentialSchema, { moduleName: 'group', derivationKeys });
    createAccount(context, address, packAny(ModuleCredentialSchema, credential));
    return encodeAddress(address);
  }
}

function createPolicy(
  context: Context,
  message: Pick<MsgCreateGroupPolicy, 'admin' | 'groupId' | 'metadata' | 'decisionPolicy'>,
  maxExecutionPeriod: bigint,
): string {
  requireId(message.groupId, 'group id');
  requireAddress(message.admin, 'admin');
  requireShort(message.metadata, 'group policy metadata');
  const { decisionPolicy } = message;
  requireUsable(decisionPolicyOf(decisionPolicy), maxExecutionPeriod);
  const group = loadGroup(context, message.groupId);
  requireAdmin(group.admin, message.admin, 'group');
  const address = createPolicyAccount(context);
  const policy = create(GroupPolicyInfoSchema, {
    address,
    groupId: group.id,
    admin: message.admin,
    metadata: message.metadata,
    version: 1n,
    createdAt: timestampOf(context.block.time),
    ...(decisionPolicy && { decisionPolicy }),
  });
  policies.save(context, policy);
  context.emit(typedEvent(EventCreateGroupPolicySchema, { address }));
  return address;
}

function updatePolicy(context: Context, address: string, admin: string, change: (policy: GroupPolicyInfo) => void): void {
  requireAddress(address, 'group policy');
  requireAddress(admin, 'admin');
  const policy = wrapping('load group policy', () => loadPolicy(context, address));
  requireAdmin(policy.admin, admin, 'group policy');
  change(policy);
  policy.version += 1n;
  policies.save(context, policy);
  abortProposals(context, address);
  context.emit(typedEvent(EventUpdateGroupPolicySchema, { address }));
}

function updatePolicyAdmin(context: Context, address: string, admin: string, newAdmin: string): void {
  requireAddress(newAdmin, 'new admin');
  if (admin === newAdmin) throw abciError('groupInvalid', 'new and old admin are same');
  updatePolicy(context, address, admin, (policy) => {
    policy.admin = newAdmin;
  });
}

/** The messages of group policies. Every update of a policy aborts its open proposals. */
export function policyMessages(maxExecutionPeriod: bigint): MessageHandler[] {
  return [
    onMessage(
      MsgCreateGroupPolicySchema,
      MsgCreateGroupPolicyResponseSchema,
      (message) => [message.admin],
      (context, message) => ({ address: createPolicy(context, message, maxExecutionPeriod) }),
    ),
    onMessage(
      MsgCreateGroupWithPolicySchema,
      MsgCreateGroupWithPolicyResponseSchema,
      (message) => [message.admin],
      (context, message) => {
        const { admin, decisionPolicy } = message;
        const groupId = createGroup(context, { admin, members: message.members, metadata: message.groupMetadata });
        const policy = { admin, groupId, metadata: message.groupPolicyMetadata, decisionPolicy };
        const address = createPolicy(context, policy, maxExecutionPeriod);
        if (message.groupPolicyAsAdmin) {
          updateGroupAdmin(context, { groupId, admin, newAdmin: address });
          updatePolicyAdmin(context, address, admin, address);
        }
        return { groupId, groupPolicyAddress: address };
      },
    ),
    onMessage(
      MsgUpdateGroupPolicyAdminSchema,
      MsgUpdateGroupPolicyAdminResponseSchema,
      (message) => [message.admin],
      (context, message) => {
        updatePolicyAdmin(context, message.groupPolicyAddress, message.admin, message.newAdmin);
        return {};
      },
    ),
    onMessage(
      MsgUpdateGroupPolicyDecisionPolicySchema,
      MsgUpdateGroupPolicyDecisionPolicyResponseSchema,
      (message) => [message.admin],
      (context, message) => {
        const { decisionPolicy } = message;
        requireUsable(decisionPolicyOf(decisionPolicy), maxExecutionPeriod);
        updatePolicy(context, message.groupPolicyAddress, message.admin, (policy) => {
          if (decisionPolicy !== undefined) policy.decisionPolicy = decisionPolicy;
        });
        return {};
      },
    ),
    onMessage(
      MsgUpdateGroupPolicyMetadataSchema,
      MsgUpdateGroupPolicyMetadataResponseSchema,
      (message) => [message.admin],
      (context, message) => {
        requireShort(message.metadata, 'group policy metadata');
        updatePolicy(context, message.groupPolicyAddress, message.admin, (policy) => {
          policy.metadata = message.metadata;
        });
        return {};
      },
    ),
  ];
}
