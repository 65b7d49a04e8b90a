import { pageDefault } from '../../config/bounds.ts';
import { decimal, percentOf } from '../../reads/decimal.ts';
import { andThen } from '../../reads/loader.ts';
import { pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs } from '../../schema/builder.ts';
import { accountInput } from '../account/query.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { groupMembers, groupPoliciesByGroup, groupProposals, policyProposals, proposalsByGroupPolicy } from './connections.ts';
import { groupAt } from './lookups.ts';
import * as derived from './state/derived.ts';
import type { GroupEnums } from './state/enums.ts';
import { createGroupLoaders } from './state/loaders.ts';
import * as refs from './state/refs.ts';

/** Adds the types `Group`, `GroupMember` and `GroupPolicy`. */
export function addGroups(builder: Builder, enums: GroupEnums): void {
  addGroupType(builder, enums);
  addGroupMember(builder);
  addGroupPolicy(builder, enums);
}

function addGroupType(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.GroupRef, {
    description:
      'A group of accounts with voting weights (cosmos.group.v1). Its members vote on the proposals of its group policies.',
    fields: (t) => ({
      id: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ id }) => id.toString() }),
      admin: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The account that may change the group: its members, admin and metadata.',
        resolve: (group) => accountOf(group, group.admin),
      }),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the admin; empty if there is none.' }),
      version: t.expose('version', {
        type: 'UInt64',
        nullable: false,
        description: 'Increases by one with each change of the group.',
      }),
      totalWeight: t.expose('totalWeight', {
        type: 'Decimal',
        nullable: false,
        description: 'Sum of the weights of all members.',
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', nullable: false, description: 'Block time of the creation.' }),
      members: t.field({
        type: refs.GroupMemberConnectionRef,
        description: 'Members of the group, by address.',
        args: connectionArgs(builder),
        resolve: (group, args, _context, info) => groupMembers(group, group.id, args, info),
      }),
      member: t.field({
        type: refs.GroupMemberRef,
        description: 'The member with this address; null if the account is not a member.',
        args: { address: t.arg.string({ required: true }) },
        resolve: (group, { address }) => {
          const pin = pinOf(group);
          const member = andThen(accountInput(pin, 'address', address), (of) => derived.memberOf(pin, group.id, of));
          return andThen(member, (found) => found && pinned(pin, found));
        },
      }),
      policies: t.field({
        type: refs.GroupPolicyConnectionRef,
        description: 'Policies of the group, by address.',
        args: connectionArgs(builder),
        resolve: (group, args, _context, info) => groupPoliciesByGroup(group, group.id, args, info),
      }),
      proposals: t.field({
        type: refs.ProposalConnectionRef,
        description:
          'derived: proposals of all policies of the group, by ascending id. `status` selects statuses. Fails with OPERATION_TOO_COMPLEX if\nmore than 5,000 items would be read.',
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
    description: "An account's membership in a group.",
    fields: (t) => ({
      groupId: t.id({ nullable: false, description: 'Id of the group.', resolve: ({ groupId }) => groupId.toString() }),
      group: t.field({
        type: refs.GroupRef,
        description: 'The group, at the same height.',
        resolve: (member) => groupAt(member, member.groupId),
      }),
      account: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The account of the member.',
        resolve: (member) => accountOf(member, member.address),
      }),
      weight: t.expose('weight', { type: 'Decimal', nullable: false, description: 'Voting weight; can be a fraction.' }),
      weightPercent: t.field({
        type: 'Decimal',
        description: 'derived: percentage of the total weight of the group, 0 to 100. null if the total weight is 0.',
        resolve: (member) =>
          andThen(
            pinOf(member).loaders(createGroupLoaders).group.load(member.groupId),
            (group) => group && percentOf(decimal(member.weight), decimal(group.totalWeight)),
          ),
      }),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the admin; empty if there is none.' }),
      addedAt: t.expose('addedAt', {
        type: 'DateTime',
        nullable: false,
        description: 'Block time at which the account joined.',
      }),
    }),
  });
}

function addGroupPolicy(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.GroupPolicyRef, {
    description:
      'An account that a group controls. Members propose messages, and the account signs them if its decision policy accepts the votes.',
    fields: (t) => ({
      address: t.exposeString('address', { nullable: false, description: 'Bech32 address of the account.' }),
      account: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The account of this address, with its balances, attributes and transfers.',
        resolve: (policy) => accountOf(policy, policy.address),
      }),
      groupId: t.id({ nullable: false, description: 'Id of the group.', resolve: ({ groupId }) => groupId.toString() }),
      group: t.field({
        type: refs.GroupRef,
        description: 'The group whose members vote on the proposals of this policy.',
        resolve: (policy) => groupAt(policy, policy.groupId),
      }),
      admin: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The account that may change the policy: its admin, decision policy and metadata.',
        resolve: (policy) => accountOf(policy, policy.admin),
      }),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the admin; empty if there is none.' }),
      version: t.expose('version', {
        type: 'UInt64',
        nullable: false,
        description: 'Increases by one with each change of the policy.',
      }),
      decisionPolicy: t.field({
        type: refs.DecisionPolicyRef,
        nullable: false,
        description: 'The rule that decides the proposals of this policy.',
        resolve: (policy) => pinned(pinOf(policy), policy.decisionPolicy),
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', nullable: false, description: 'Block time of the creation.' }),
      proposals: t.field({
        type: refs.ProposalConnectionRef,
        description:
          'Proposals of the policy, by ascending id. With `status` (derived), only those with one of these statuses; Stele then reads all\nproposals, and more than 5,000 fail with OPERATION_TOO_COMPLEX.',
        args: { status: t.arg({ type: [enums.ProposalStatus] }), ...connectionArgs(builder) },
        resolve: (policy, { status, ...args }, _context, info) =>
          status == null
            ? proposalsByGroupPolicy(policy, policy.address, args, info)
            : policyProposals(policy, status, args, info),
      }),
    }),
  });
}
