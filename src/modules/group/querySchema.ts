import { idInput } from '../../reads/input.ts';
import { andThen } from '../../reads/loader.ts';
import { pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs } from '../../schema/builder.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import * as connections from './connections.ts';
import { groupAt, groupPolicyAt, proposalAt, voteOn } from './lookups.ts';
import { createGroupLoaders } from './state/loaders.ts';
import * as refs from './state/refs.ts';

/** Adds the root queries of the module, one for each method of `cosmos.group.v1.Query`. */
export function addGroupQueries(builder: Builder): void {
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
      resolve: (root, { address, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'address', address), (of) =>
          connections.proposalsByGroupPolicy(root, of, args, info),
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
      resolve: (root, { proposalId, ...args }, _context, info) =>
        connections.votesByProposal(root, idInput('proposalId', proposalId), args, info),
    }),
    votesByVoter: t.field({
      type: refs.VoteConnectionRef,
      description:
        'Stored votes of an account, by ascending proposal id. The chain deletes the votes of a proposal once its tally is final.',
      args: { voter: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { voter, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'voter', voter), (of) => connections.votesByVoter(root, of, args, info)),
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
      args: connectionArgs(builder),
      resolve: (root, args, _context, info) => connections.groups(root, '', args, info),
    }),
    groupsByAdmin: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that an account administers, by ascending id.',
      args: { admin: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { admin, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'admin', admin), (of) => connections.groupsByAdmin(root, of, args, info)),
    }),
    groupsByMember: t.field({
      type: refs.GroupConnectionRef,
      description: 'Groups that an account is a member of, by ascending id.',
      args: { address: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { address, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'address', address), (of) => connections.groupsByMember(root, of, args, info)),
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
      description: 'A group policy; null if the address is not a group policy.',
      args: { address: t.arg.string({ required: true }) },
      resolve: (root, { address }) => andThen(accountInput(pinOf(root), 'address', address), (of) => groupPolicyAt(root, of)),
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
        andThen(accountInput(pinOf(root), 'admin', admin), (of) => connections.groupPoliciesByAdmin(root, of, args, info)),
    }),
  }));
}
