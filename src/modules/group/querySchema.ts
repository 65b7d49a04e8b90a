import { addressInput, idInput } from '../../reads/input.ts';
import { pinOf } from '../../reads/pin.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import * as connections from './connections.ts';
import { createGroupLoaders } from './loaders.ts';
import { groupAt, groupPolicyAt, proposalAt, voteOn } from './point.ts';
import * as refs from './refs.ts';

/** Adds the module's queries to the root: one for each method of `cosmos.group.v1.Query`. */
export function addGroupQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    proposal: t.field({
      type: refs.ProposalRef,
      description: 'A group proposal; null when the chain has none of this id (executed and expired ones are deleted).',
      args: { id: t.arg.id({ required: true }) },
      resolve: async (root, { id }) => proposalAt(root, idInput('id', id)),
    }),
    proposalsByGroupPolicy: t.field({
      type: refs.ProposalConnectionRef,
      description: 'Proposals of a group policy, by ascending id.',
      args: { address: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { address, ...args }, _context, info) =>
        connections.proposalsByGroupPolicy(root, addressInput('address', address), args, info),
    }),
    tallyResult: t.field({
      type: refs.TallyResultRef,
      description:
        'The live tally while votes are taken, the stored one after. null when there is no such proposal, or it is aborted or withdrawn.',
      args: { proposalId: t.arg.id({ required: true }) },
      resolve: (root, { proposalId }) => pinOf(root).loaders(createGroupLoaders).tally.load(idInput('proposalId', proposalId)),
    }),
    voteByProposalVoter: t.field({
      type: refs.VoteRef,
      description: 'One vote; null when this account has not voted or the votes are already deleted.',
      args: { proposalId: t.arg.id({ required: true }), voter: t.arg.string({ required: true }) },
      resolve: async (root, { proposalId, voter }) => voteOn(root, idInput('proposalId', proposalId), voter),
    }),
    votesByProposal: t.field({
      type: refs.VoteConnectionRef,
      description: 'Votes on a proposal, by voter. Empty once the tally is final: the chain deletes them.',
      args: { proposalId: t.arg.id({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { proposalId, ...args }, _context, info) =>
        connections.votesByProposal(root, idInput('proposalId', proposalId), args, info),
    }),
    votesByVoter: t.field({
      type: refs.VoteConnectionRef,
      description: 'Votes of an account that the chain still holds, by ascending proposal id.',
      args: { voter: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { voter, ...args }, _context, info) =>
        connections.votesByVoter(root, addressInput('voter', voter), args, info),
    }),
    group: t.field({
      type: refs.GroupRef,
      description: 'A group; null when there is none of this id.',
      args: { id: t.arg.id({ required: true }) },
      resolve: async (root, { id }) => groupAt(root, idInput('id', id)),
    }),
    groups: t.field({
      type: refs.GroupConnectionRef,
      description: 'All groups, by ascending id.',
      args: connectionArgs(builder),
      resolve: (root, args, _context, info) => connections.groups(root, '', args, info),
    }),
    groupsByAdmin: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that an account administers.',
      args: { admin: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { admin, ...args }, _context, info) =>
        connections.groupsByAdmin(root, addressInput('admin', admin), args, info),
    }),
    groupsByMember: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that an account is a member of.',
      args: { address: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { address, ...args }, _context, info) =>
        connections.groupsByMember(root, addressInput('address', address), args, info),
    }),
    groupMembers: t.field({
      type: refs.GroupMemberConnectionRef,
      description: 'Members of a group, by address.',
      args: { groupId: t.arg.id({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { groupId, ...args }, _context, info) =>
        connections.groupMembers(root, idInput('groupId', groupId), args, info),
    }),
    groupPolicy: t.field({
      type: refs.GroupPolicyRef,
      description: 'A group policy; null when this address is none.',
      args: { address: t.arg.string({ required: true }) },
      resolve: async (root, { address }) => groupPolicyAt(root, addressInput('address', address)),
    }),
    groupPoliciesByGroup: t.field({
      type: refs.GroupPolicyConnectionRef,
      description: 'Policies of a group, by address.',
      args: { groupId: t.arg.id({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { groupId, ...args }, _context, info) =>
        connections.groupPoliciesByGroup(root, idInput('groupId', groupId), args, info),
    }),
    groupPoliciesByAdmin: t.field({
      type: refs.GroupPolicyConnectionRef,
      description: 'Group policies that an account administers, by address.',
      args: { admin: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { admin, ...args }, _context, info) =>
        connections.groupPoliciesByAdmin(root, addressInput('admin', admin), args, info),
    }),
  }));
}
