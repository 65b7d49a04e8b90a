import { pageDefault } from '../../config/bounds.ts';
import { decimal, percentOf } from '../../reads/decimal.ts';
import { addressInput } from '../../reads/input.ts';
import { pinned, pinOf } from '../../reads/pin.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { groupMembers, groupPoliciesByGroup, groupProposals, policyProposals, proposalsByGroupPolicy } from './connections.ts';
import * as derived from './derived.ts';
import type { GroupEnums } from './enums.ts';
import { createGroupLoaders } from './loaders.ts';
import { groupAt } from './point.ts';
import * as refs from './refs.ts';

/** Adds `Group`, `GroupMember` and `GroupPolicy`. */
export function addGroups(builder: Builder, enums: GroupEnums): void {
  addGroupType(builder, enums);
  addGroupMember(builder);
  addGroupPolicy(builder, enums);
}

function addGroupType(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.GroupRef, {
    description: 'A group of accounts with voting weights.',
    fields: (t) => ({
      id: t.id({ nullable: false, resolve: ({ id }) => id.toString() }),
      admin: t.field({ type: AccountRef, nullable: false, resolve: (group) => accountOf(group, group.admin) }),
      metadata: t.exposeString('metadata', { nullable: false }),
      version: t.expose('version', {
        type: 'UInt64',
        nullable: false,
        description: 'Goes up by one with each change of the group.',
      }),
      totalWeight: t.expose('totalWeight', { type: 'Decimal', nullable: false }),
      createdAt: t.expose('createdAt', { type: 'DateTime', nullable: false }),
      members: t.field({
        type: refs.GroupMemberConnectionRef,
        description: 'By address.',
        args: connectionArgs(builder),
        resolve: (group, args, _context, info) => groupMembers(group, group.id, args, info),
      }),
      member: t.field({
        type: refs.GroupMemberRef,
        description: 'One member; null when the account is none.',
        args: { address: t.arg.string({ required: true }) },
        resolve: async (group, { address }) => {
          const pin = pinOf(group);
          const member = await derived.memberOf(pin, group.id, addressInput('address', address));
          return member && pinned(pin, member);
        },
      }),
      policies: t.field({
        type: refs.GroupPolicyConnectionRef,
        description: 'By address.',
        args: connectionArgs(builder),
        resolve: (group, args, _context, info) => groupPoliciesByGroup(group, group.id, args, info),
      }),
      proposals: t.field({
        type: refs.ProposalConnectionRef,
        description:
          'derived: proposals of all policies of the group, by ascending id. OPERATION_TOO_COMPLEX rather than an incomplete list.',
        args: {
          status: t.arg({ type: [enums.ProposalStatus] }),
          first: t.arg.int({ defaultValue: pageDefault }),
          after: t.arg.string(),
          reverse: t.arg.boolean({ defaultValue: false }),
        },
        resolve: (group, args, _context, info) => groupProposals(group, args, info),
      }),
    }),
  });
}

function addGroupMember(builder: Builder): void {
  builder.objectType(refs.GroupMemberRef, {
    description: "An account's membership of a group.",
    fields: (t) => ({
      groupId: t.id({ nullable: false, resolve: ({ groupId }) => groupId.toString() }),
      group: t.field({ type: refs.GroupRef, resolve: (member) => groupAt(member, member.groupId) }),
      account: t.field({ type: AccountRef, nullable: false, resolve: (member) => accountOf(member, member.address) }),
      weight: t.expose('weight', { type: 'Decimal', nullable: false }),
      weightPercent: t.field({
        type: 'Decimal',
        description: "derived: percent of the group's total weight, 0 to 100; null when that is 0.",
        resolve: async (member) => {
          const group = await pinOf(member).loaders(createGroupLoaders).group.load(member.groupId);
          return group && percentOf(decimal(member.weight), decimal(group.totalWeight));
        },
      }),
      metadata: t.exposeString('metadata', { nullable: false }),
      addedAt: t.expose('addedAt', { type: 'DateTime', nullable: false }),
    }),
  });
}

function addGroupPolicy(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.GroupPolicyRef, {
    description: 'An account that a group controls through a decision policy.',
    fields: (t) => ({
      address: t.exposeString('address', { nullable: false }),
      account: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The same address as an account: its balances, attributes, transfers.',
        resolve: (policy) => accountOf(policy, policy.address),
      }),
      groupId: t.id({ nullable: false, resolve: ({ groupId }) => groupId.toString() }),
      group: t.field({ type: refs.GroupRef, resolve: (policy) => groupAt(policy, policy.groupId) }),
      admin: t.field({ type: AccountRef, nullable: false, resolve: (policy) => accountOf(policy, policy.admin) }),
      metadata: t.exposeString('metadata', { nullable: false }),
      version: t.expose('version', {
        type: 'UInt64',
        nullable: false,
        description: 'Goes up by one with each change of the policy.',
      }),
      decisionPolicy: t.field({
        type: refs.DecisionPolicyRef,
        nullable: false,
        resolve: (policy) => pinned(pinOf(policy), policy.decisionPolicy),
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', nullable: false }),
      proposals: t.field({
        type: refs.ProposalConnectionRef,
        description: 'By ascending id. With `status`, only these (derived: the chain cannot filter).',
        args: { status: t.arg({ type: [enums.ProposalStatus] }), ...connectionArgs(builder) },
        resolve: (policy, { status, ...args }, _context, info) =>
          status == null
            ? proposalsByGroupPolicy(policy, policy.address, args, info)
            : policyProposals(policy, status, args, info),
      }),
    }),
  });
}
