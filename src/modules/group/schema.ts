import { pageDefault } from '../../config/bounds.ts';
import { decimal, percentOf } from '../../reads/decimal.ts';
import { idInput } from '../../reads/input.ts';
import { andThen, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, nonNull, usesContext } from '../../schema/builder.ts';
import { addConnection, pageField } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { type Account, AccountRef, accountField, accountOf } from '../account/schema.ts';
import { accountMemberships, accountProposals, groupProposals, listPage, policyProposals, voteOn } from './connections.ts';
import { memberOf } from './derived.ts';
import type { Group } from './model.ts';
import { addDecisionPolicies, addProposals } from './proposalSchema.ts';
import * as lists from './query.ts';
import { createGroupLoaders, groupAt, groupPolicyAt, proposalAt } from './query.ts';
import * as refs from './refs.ts';
import { type GroupEnums, groupEnums } from './refs.ts';
import { addReminders } from './reminders.ts';
import { addGroupUpdates } from './updateSchema.ts';

function addAccountFields(builder: Builder, enums: GroupEnums): void {
  builder.objectFields(AccountRef, (t) => ({
    groups: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that the account is a member of, by ascending id.',
      ...pageField(builder, (pin, { address }: Account) => lists.groupsByMember(pin.loaders(createGroupLoaders), address)),
    }),
    memberships: t.field({
      type: refs.GroupMemberConnectionRef,
      description:
        'derived: what the account is in each group that it is a member of, by ascending group id: its weight, and what the group calls it. Fails\nwith OPERATION_TOO_COMPLEX if more than 5,000 items would be read.',
      args: {
        first: t.arg.int({ defaultValue: pageDefault }),
        after: t.arg.string(),
        reverse: t.arg.boolean({ defaultValue: false }),
      },
      resolve: usesContext((account, args, _context, info) => accountMemberships(account, args, info)),
    }),
    administeredGroups: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that the account administers, by ascending id.',
      ...pageField(builder, (pin, { address }: Account) => lists.groupsByAdmin(pin.loaders(createGroupLoaders), address)),
    }),
    administeredGroupPolicies: t.field({
      type: refs.GroupPolicyConnectionRef,
      description: 'Group policies that the account administers, by address.',
      ...pageField(builder, (pin, { address }: Account) =>
        lists.groupPoliciesByAdmin(pin.loaders(createGroupLoaders), address),
      ),
    }),
    votes: t.field({
      type: refs.VoteConnectionRef,
      description:
        'Stored votes of the account, by ascending proposal id. The chain deletes the votes of a proposal once its tally is final.',
      ...pageField(builder, (pin, { address }: Account) => lists.votesByVoter(pin.loaders(createGroupLoaders), address)),
    }),
    groupProposals: t.field({
      type: refs.ProposalConnectionRef,
      description:
        'derived: proposals of all groups that the account is a member of, by ascending id. `status` selects statuses. With `awaitingVote`,\nonly open proposals that the account has not voted on. Fails with OPERATION_TOO_COMPLEX if more than 5,000 items would be read.',
      args: {
        status: t.arg({ type: [enums.ProposalStatus] }),
        awaitingVote: t.arg.boolean({ defaultValue: false }),
        first: t.arg.int({ defaultValue: pageDefault }),
        after: t.arg.string(),
        reverse: t.arg.boolean({ defaultValue: false }),
      },
      resolve: usesContext((account, args, _context, info) => accountProposals(account, args, info)),
    }),
    groupPolicy: t.field({
      type: refs.GroupPolicyRef,
      description: 'The group policy with this address; null if the account is not a group policy.',
      resolve: (account) => groupPolicyAt(account, account.address),
    }),
  }));
}

function addGroupType(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.GroupRef, {
    description:
      'A group of accounts with voting weights (cosmos.group.v1). Its members vote on the proposals of its group policies.',
    fields: (t) => ({
      id: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ id }) => id.toString() }),
      admin: accountField(t, 'The account that may change the group: its members, admin and metadata.', ({ admin }) => admin),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the admin; empty if there is none.' }),
      version: t.expose('version', nonNull('UInt64', 'Increases by one with each change of the group.')),
      totalWeight: t.expose('totalWeight', nonNull('Decimal', 'Sum of the weights of all members.')),
      createdAt: t.expose('createdAt', nonNull('DateTime', 'Block time of the creation.')),
      members: t.field({
        type: refs.GroupMemberConnectionRef,
        description: 'Members of the group, by address.',
        ...pageField(builder, (pin, { id }: Group) => lists.groupMembers(pin.loaders(createGroupLoaders), id)),
      }),
      member: t.field({
        type: refs.GroupMemberRef,
        description: 'The member with this address; null if the account is not a member.',
        args: { address: t.arg.string({ required: true }) },
        resolve: (group, { address }) => {
          const pin = pinOf(group);
          const member = andThen(accountInput(pin, 'address', address), (of) => memberOf(pin, group.id, of));
          return pinnedValue(pin, member);
        },
      }),
      policies: t.field({
        type: refs.GroupPolicyConnectionRef,
        description: 'Policies of the group, by address.',
        ...pageField(builder, (pin, { id }: Group) => lists.groupPoliciesByGroup(pin.loaders(createGroupLoaders), id)),
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
        resolve: usesContext((group, args, _context, info) => groupProposals(group, args, info)),
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
        ...nonNull(AccountRef, 'The account of the member.'),
        resolve: (member) => accountOf(member, member.address),
      }),
      weight: t.expose('weight', nonNull('Decimal', 'Voting weight; can be a fraction.')),
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
      addedAt: t.expose('addedAt', nonNull('DateTime', 'Block time at which the account joined.')),
    }),
  });
}

function addGroupPolicy(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.GroupPolicyRef, {
    description:
      'An account that a group controls. Members propose messages, and the account signs them if its decision policy accepts the votes.',
    fields: (t) => ({
      address: t.exposeString('address', { nullable: false, description: 'Bech32 address of the account.' }),
      account: accountField(
        t,
        'The account of this address, with its balances, attributes and transfers.',
        ({ address }) => address,
      ),
      groupId: t.id({ nullable: false, description: 'Id of the group.', resolve: ({ groupId }) => groupId.toString() }),
      group: t.field({
        type: refs.GroupRef,
        description: 'The group whose members vote on the proposals of this policy.',
        resolve: (policy) => groupAt(policy, policy.groupId),
      }),
      admin: accountField(
        t,
        'The account that may change the policy: its admin, decision policy and metadata.',
        ({ admin }) => admin,
      ),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the admin; empty if there is none.' }),
      version: t.expose('version', nonNull('UInt64', 'Increases by one with each change of the policy.')),
      decisionPolicy: t.field({
        ...nonNull(refs.DecisionPolicyRef, 'The rule that decides the proposals of this policy.'),
        resolve: (policy) => pinned(pinOf(policy), policy.decisionPolicy),
      }),
      createdAt: t.expose('createdAt', nonNull('DateTime', 'Block time of the creation.')),
      proposals: t.field({
        type: refs.ProposalConnectionRef,
        description:
          'Proposals of the policy, by ascending id. With `status` (derived), only those with one of these statuses; Stele then reads all\nproposals, and more than 5,000 fail with OPERATION_TOO_COMPLEX.',
        args: { status: t.arg({ type: [enums.ProposalStatus] }), ...connectionArgs(builder) },
        resolve: usesContext((policy, { status, ...args }, _context, info) =>
          status == null
            ? listPage(policy, lists.proposalsByGroupPolicy, policy.address, args, info)
            : policyProposals(policy, status, args, info),
        ),
      }),
    }),
  });
}

function addGroupQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    proposal: t.field({
      type: refs.ProposalRef,
      description:
        'A group proposal; null if none has this id. The chain deletes a proposal when its execution succeeds, or some time after its voting\nperiod.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => proposalAt(root, idInput('id', id)),
    }),
    proposalsByGroupPolicy: t.field({
      type: refs.ProposalConnectionRef,
      description: 'Proposals of a group policy, by ascending id.',
      args: { address: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { address, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'address', address), (of) =>
          listPage(root, lists.proposalsByGroupPolicy, of, args, info),
        ),
      ),
    }),
    tallyResult: t.field({
      type: refs.TallyResultRef,
      description:
        'Tally of a proposal: the live count while it is open, then the stored tally. null if the proposal does not exist, was aborted or\nwas withdrawn.',
      args: { proposalId: t.arg.id({ required: true }) },
      resolve: (root, { proposalId }) => pinOf(root).loaders(createGroupLoaders).tally.load(idInput('proposalId', proposalId)),
    }),
    voteByProposalVoter: t.field({
      type: refs.VoteRef,
      description:
        'The vote of an account on a proposal; null if the account has not voted. The chain deletes the votes once the tally is final.',
      args: { proposalId: t.arg.id({ required: true }), voter: t.arg.string({ required: true }) },
      resolve: (root, { proposalId, voter }) => voteOn(root, idInput('proposalId', proposalId), voter),
    }),
    votesByProposal: t.field({
      type: refs.VoteConnectionRef,
      description:
        'Votes on a proposal, by address of the voter. Empty once the tally is final, because the chain then deletes the votes.',
      args: { proposalId: t.arg.id({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { proposalId, ...args }, _context, info) =>
        listPage(root, lists.votesByProposal, idInput('proposalId', proposalId), args, info),
      ),
    }),
    votesByVoter: t.field({
      type: refs.VoteConnectionRef,
      description:
        'Stored votes of an account, by ascending proposal id. The chain deletes the votes of a proposal once its tally is final.',
      args: { voter: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { voter, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'voter', voter), (of) => listPage(root, lists.votesByVoter, of, args, info)),
      ),
    }),
    group: t.field({
      type: refs.GroupRef,
      description: 'A group; null if none has this id.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => groupAt(root, idInput('id', id)),
    }),
    groups: t.field({
      type: refs.GroupConnectionRef,
      description: 'All groups, by ascending id.',
      ...pageField(builder, (pin) => lists.groups(pin.loaders(createGroupLoaders))),
    }),
    groupsByAdmin: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that an account administers, by ascending id.',
      args: { admin: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { admin, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'admin', admin), (of) => listPage(root, lists.groupsByAdmin, of, args, info)),
      ),
    }),
    groupsByMember: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that an account is a member of, by ascending id.',
      args: { address: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { address, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'address', address), (of) => listPage(root, lists.groupsByMember, of, args, info)),
      ),
    }),
    groupMembers: t.field({
      type: refs.GroupMemberConnectionRef,
      description: 'Members of a group, by address.',
      args: { groupId: t.arg.id({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { groupId, ...args }, _context, info) =>
        listPage(root, lists.groupMembers, idInput('groupId', groupId), args, info),
      ),
    }),
    groupPolicy: t.field({
      type: refs.GroupPolicyRef,
      description: 'A group policy; null if the address is not a group policy.',
      args: { address: t.arg.string({ required: true }) },
      resolve: (root, { address }) => andThen(accountInput(pinOf(root), 'address', address), (of) => groupPolicyAt(root, of)),
    }),
    groupPoliciesByGroup: t.field({
      type: refs.GroupPolicyConnectionRef,
      description: 'Policies of a group, by address.',
      args: { groupId: t.arg.id({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { groupId, ...args }, _context, info) =>
        listPage(root, lists.groupPoliciesByGroup, idInput('groupId', groupId), args, info),
      ),
    }),
    groupPoliciesByAdmin: t.field({
      type: refs.GroupPolicyConnectionRef,
      description: 'Group policies that an account administers, by address.',
      args: { admin: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { admin, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'admin', admin), (of) => listPage(root, lists.groupPoliciesByAdmin, of, args, info)),
      ),
    }),
  }));
}

/** Adds the group module: its types, queries and subscriptions, and its fields of `Account`. */
export function addGroup(builder: Builder): void {
  addConnection(builder, refs.ProposalRef, refs.ProposalConnectionRef, 'proposals');
  addConnection(builder, refs.VoteRef, refs.VoteConnectionRef, 'votes');
  addConnection(builder, refs.GroupRef, refs.GroupConnectionRef, 'groups');
  addConnection(builder, refs.GroupMemberRef, refs.GroupMemberConnectionRef, 'group members');
  addConnection(builder, refs.GroupPolicyRef, refs.GroupPolicyConnectionRef, 'group policies');
  addEntity(builder, refs.ProposalRef, { id: (root, id) => proposalAt(root, idInput('id', id)) });
  addEntity(builder, refs.GroupRef, { id: (root, id) => groupAt(root, idInput('id', id)) });
  addEntity(builder, refs.GroupPolicyRef, {
    address: (root, address) => andThen(accountInput(pinOf(root), 'address', address), (of) => groupPolicyAt(root, of)),
  });
  const enums = groupEnums(builder);
  addProposals(builder, enums);
  addGroupType(builder, enums);
  addGroupMember(builder);
  addGroupPolicy(builder, enums);
  addDecisionPolicies(builder);
  addGroupQueries(builder);
  addAccountFields(builder, enums);
  addGroupUpdates(builder, enums);
  addReminders(builder);
}
