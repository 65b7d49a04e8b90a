import { pageDefault } from '../../config/bounds.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { AccountRef } from '../account/schema.ts';
import * as connections from './connections.ts';
import type { GroupEnums } from './enums.ts';
import { groupPolicyAt } from './point.ts';
import * as refs from './refs.ts';

/** Adds what the group module knows of an account. */
export function addAccountFields(builder: Builder, enums: GroupEnums): void {
  builder.objectFields(AccountRef, (t) => ({
    groups: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that it is a member of.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.groupsByMember(account, account.address, args, info),
    }),
    administeredGroups: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that it administers.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.groupsByAdmin(account, account.address, args, info),
    }),
    administeredGroupPolicies: t.field({
      type: refs.GroupPolicyConnectionRef,
      description: 'Group policies that it administers.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.groupPoliciesByAdmin(account, account.address, args, info),
    }),
    votes: t.field({
      type: refs.VoteConnectionRef,
      description: 'Its votes that the chain still holds, by ascending proposal id.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.votesByVoter(account, account.address, args, info),
    }),
    groupProposals: t.field({
      type: refs.ProposalConnectionRef,
      description:
        'derived: proposals of all groups that it is a member of, by ascending id; with `awaitingVote`, those that it may still\nvote on and has not. OPERATION_TOO_COMPLEX rather than an incomplete list.',
      args: {
        status: t.arg({ type: [enums.ProposalStatus] }),
        awaitingVote: t.arg.boolean({ defaultValue: false }),
        first: t.arg.int({ defaultValue: pageDefault }),
        after: t.arg.string(),
        reverse: t.arg.boolean({ defaultValue: false }),
      },
      resolve: (account, args, _context, info) => connections.accountProposals(account, args, info),
    }),
    groupPolicy: t.field({
      type: refs.GroupPolicyRef,
      description: 'The group policy of this address; null when it is none.',
      resolve: (account) => groupPolicyAt(account, account.address),
    }),
  }));
}
