import { pageDefault } from '../../config/bounds.ts';
import { type Builder, connectionArgs } from '../../schema/builder.ts';
import { AccountRef } from '../account/schema.ts';
import * as connections from './connections.ts';
import { groupPolicyAt } from './lookups.ts';
import type { GroupEnums } from './state/enums.ts';
import * as refs from './state/refs.ts';

/** Adds the fields of the group module to `Account`. */
export function addAccountFields(builder: Builder, enums: GroupEnums): void {
  builder.objectFields(AccountRef, (t) => ({
    groups: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that the account is a member of, by ascending id.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.groupsByMember(account, account.address, args, info),
    }),
    administeredGroups: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that the account administers, by ascending id.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.groupsByAdmin(account, account.address, args, info),
    }),
    administeredGroupPolicies: t.field({
      type: refs.GroupPolicyConnectionRef,
      description: 'Group policies that the account administers, by address.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.groupPoliciesByAdmin(account, account.address, args, info),
    }),
    votes: t.field({
      type: refs.VoteConnectionRef,
      description:
        'Stored votes of the account, by ascending proposal id. The chain deletes the votes of a proposal once its tally is final.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.votesByVoter(account, account.address, args, info),
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
      resolve: (account, args, _context, info) => connections.accountProposals(account, args, info),
    }),
    groupPolicy: t.field({
      type: refs.GroupPolicyRef,
      description: 'The group policy with this address; null if the account is not a group policy.',
      resolve: (account) => groupPolicyAt(account, account.address),
    }),
  }));
}
