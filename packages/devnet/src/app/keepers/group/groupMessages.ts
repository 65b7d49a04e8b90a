import { create } from '@bufbuild/protobuf';
import {
  EventCreateGroupSchema,
  EventLeaveGroupSchema,
  EventUpdateGroupSchema,
} from '../../../../../../src/proto/cosmos/group/v1/events_pb.js';
import {
  type MsgCreateGroup,
  MsgCreateGroupResponseSchema,
  MsgCreateGroupSchema,
  type MsgLeaveGroup,
  MsgLeaveGroupResponseSchema,
  MsgLeaveGroupSchema,
  type MsgUpdateGroupAdmin,
  MsgUpdateGroupAdminResponseSchema,
  MsgUpdateGroupAdminSchema,
  type MsgUpdateGroupMembers,
  MsgUpdateGroupMembersResponseSchema,
  MsgUpdateGroupMembersSchema,
  MsgUpdateGroupMetadataResponseSchema,
  MsgUpdateGroupMetadataSchema,
} from '../../../../../../src/proto/cosmos/group/v1/tx_pb.js';
import {
  type GroupInfo,
  GroupInfoSchema,
  GroupMemberSchema,
  type MemberRequest,
} from '../../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { timestampOf } from '../../runtime/time.ts';
import { requireAddress, requireAdmin, requireId, requireMembers, requireShort, requireUsablePolicies } from './checks.ts';
import { add, isZero, subtract } from './decimal.ts';
import { addressKey, findMember, groups, loadGroup, members, nextNumber } from './state.ts';

/** Creates a group and returns its id. */
export function createGroup(
  context: Context,
  message: Pick<MsgCreateGroup, 'admin' | 'metadata'> & { readonly members: readonly MemberRequest[] },
): bigint {
  requireAddress(message.admin, 'admin');
  requireMembers(message.members, false);
  requireShort(message.metadata, 'group metadata');
  const now = timestampOf(context.block.time);
  const group = create(GroupInfoSchema, {
    id: nextNumber(context, 'group'),
    admin: message.admin,
    metadata: message.metadata,
    version: 1n,
    totalWeight: message.members.reduce((sum, member) => add(sum, member.weight), '0'),
    createdAt: now,
  });
  groups.save(context, group);
  for (const { address, weight, metadata } of message.members) {
    const member = { address, weight, metadata, addedAt: now };
    members.save(context, create(GroupMemberSchema, { groupId: group.id, member }));
  }
  context.emit(typedEvent(EventCreateGroupSchema, { groupId: group.id }));
  return group.id;
}

function updateGroup(context: Context, groupId: bigint, admin: string, change: (group: GroupInfo) => void): void {
  requireId(groupId, 'group id');
  requireAddress(admin, 'admin');
  const group = loadGroup(context, groupId);
  requireAdmin(group.admin, admin, 'group');
  change(group);
  group.version += 1n;
  groups.save(context, group);
  context.emit(typedEvent(EventUpdateGroupSchema, { groupId }));
}

function updateMember(context: Context, group: GroupInfo, update: MemberRequest): void {
  const before = findMember(context, group.id, addressKey(update.address));
  if (before?.member !== undefined) group.totalWeight = subtract(group.totalWeight, before.member.weight);
  if (isZero(update.weight)) {
    if (before === undefined) throw abciError('notFound', 'unknown member');
    members.remove(context, before);
    return;
  }
  const { address, weight, metadata } = update;
  const addedAt = before?.member?.addedAt ?? timestampOf(context.block.time);
  members.save(context, create(GroupMemberSchema, { groupId: group.id, member: { address, weight, metadata, addedAt } }));
  group.totalWeight = add(group.totalWeight, weight);
}

function updateMembers(context: Context, message: MsgUpdateGroupMembers, maxExecutionPeriod: bigint): void {
  if (message.memberUpdates.length === 0) throw abciError('groupEmpty', 'member updates');
  requireMembers(message.memberUpdates, true);
  updateGroup(context, message.groupId, message.admin, (group) => {
    for (const update of message.memberUpdates) updateMember(context, group, update);
    requireUsablePolicies(context, group, maxExecutionPeriod);
  });
}

/** Changes the admin of a group. */
export function updateGroupAdmin(context: Context, message: Pick<MsgUpdateGroupAdmin, 'groupId' | 'admin' | 'newAdmin'>): void {
  requireAddress(message.newAdmin, 'new admin');
  if (message.admin === message.newAdmin) throw abciError('groupInvalid', 'new and old admin are same');
  updateGroup(context, message.groupId, message.admin, (group) => {
    group.admin = message.newAdmin;
  });
}

function leaveGroup(context: Context, message: MsgLeaveGroup, maxExecutionPeriod: bigint): void {
  requireId(message.groupId, 'group-id');
  requireAddress(message.address, 'group member');
  const group = loadGroup(context, message.groupId);
  const member = findMember(context, group.id, addressKey(message.address));
  if (member === undefined) throw abciError('notFound', `${message.address} is not part of group ${message.groupId}`);
  members.remove(context, member);
  group.totalWeight = subtract(group.totalWeight, member.member?.weight ?? '0');
  group.version += 1n;
  requireUsablePolicies(context, group, maxExecutionPeriod);
  groups.save(context, group);
  context.emit(typedEvent(EventLeaveGroupSchema, { groupId: message.groupId, address: message.address }));
}

/** The messages of groups and members. Changes of members do not abort proposals. */
export function groupMessages(maxExecutionPeriod: bigint): MessageHandler[] {
  return [
    onMessage(
      MsgCreateGroupSchema,
      MsgCreateGroupResponseSchema,
      (message) => [message.admin],
      (context, message) => ({ groupId: createGroup(context, message) }),
    ),
    onMessage(
      MsgUpdateGroupMembersSchema,
      MsgUpdateGroupMembersResponseSchema,
      (message) => [message.admin],
      (context, message) => {
        updateMembers(context, message, maxExecutionPeriod);
        return {};
      },
    ),
    onMessage(
      MsgUpdateGroupAdminSchema,
      MsgUpdateGroupAdminResponseSchema,
      (message) => [message.admin],
      (context, message) => {
        updateGroupAdmin(context, message);
        return {};
      },
    ),
    onMessage(
      MsgUpdateGroupMetadataSchema,
      MsgUpdateGroupMetadataResponseSchema,
      (message) => [message.admin],
      (context, message) => {
        requireShort(message.metadata, 'group metadata');
        updateGroup(context, message.groupId, message.admin, (group) => {
          group.metadata = message.metadata;
        });
        return {};
      },
    ),
    onMessage(
      MsgLeaveGroupSchema,
      MsgLeaveGroupResponseSchema,
      (message) => [message.address],
      (context, message) => {
        leaveGroup(context, message, maxExecutionPeriod);
        return {};
      },
    ),
  ];
}
