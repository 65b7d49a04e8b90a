import { pageDefault } from '../../config/bounds.ts';
import { pinned, pinOf } from '../../reads/pin.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { pendingVoters, votesByProposal } from './connections.ts';
import * as derived from './derived.ts';
import type { GroupEnums } from './enums.ts';
import { groupPolicyAt, proposalAt, voteOn } from './point.ts';
import * as refs from './refs.ts';

/** Adds `Proposal`, `TallyResult`, `ProposalOutcome` and `Vote`. */
export function addProposals(builder: Builder, enums: GroupEnums): void {
  addProposal(builder, enums);
  addTally(builder, enums);
  addVote(builder, enums);
}

function addProposal(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.ProposalRef, {
    description: 'A proposal of a group policy (cosmos.group.v1).',
    fields: (t) => ({
      id: t.id({ nullable: false, resolve: ({ id }) => id.toString() }),
      groupPolicyAddress: t.exposeString('groupPolicyAddress', { nullable: false }),
      groupPolicy: t.field({
        type: refs.GroupPolicyRef,
        resolve: (proposal) => groupPolicyAt(proposal, proposal.groupPolicyAddress),
      }),
      metadata: t.exposeString('metadata', { nullable: false }),
      proposers: t.field({
        type: [AccountRef],
        nullable: false,
        resolve: (proposal) => proposal.proposers.map((address) => accountOf(proposal, address)),
      }),
      submitTime: t.expose('submitTime', { type: 'DateTime', nullable: false }),
      groupVersion: t.expose('groupVersion', {
        type: 'UInt64',
        nullable: false,
        description: 'Version of the group when the proposal was submitted.',
      }),
      groupPolicyVersion: t.expose('groupPolicyVersion', {
        type: 'UInt64',
        nullable: false,
        description: 'Version of the policy when the proposal was submitted; changing the policy aborts its open proposals.',
      }),
      status: t.expose('status', { type: enums.ProposalStatus, nullable: false }),
      finalTallyResult: t.expose('finalTallyResult', {
        type: refs.TallyResultRef,
        nullable: false,
        description: 'The stored tally: all 0 until it is final.',
      }),
      votingPeriodEnd: t.expose('votingPeriodEnd', { type: 'DateTime', nullable: false }),
      executorResult: t.expose('executorResult', { type: enums.ProposalExecutorResult, nullable: false }),
      messages: t.field({
        type: [AnyMessageRef],
        nullable: false,
        description: 'What runs if it is accepted and executed.',
        resolve: (proposal) => proposal.messages.map((message) => anyOf(proposal, message)),
      }),
      title: t.exposeString('title', { nullable: false }),
      summary: t.exposeString('summary', { nullable: false }),
      tally: t.field({
        type: refs.TallyResultRef,
        description:
          'The tally at this height, live while votes are taken. null when the chain gives none: aborted or withdrawn.',
        resolve: (proposal) => derived.tallyOf(pinOf(proposal), proposal),
      }),
      outcome: t.field({
        type: refs.ProposalOutcomeRef,
        description: 'derived: what the decision policy says of the tally at this height. null unless votes are being taken.',
        resolve: (proposal) => derived.outcomeOf(pinOf(proposal), proposal),
      }),
      votingTimeLeft: t.field({
        type: 'Duration',
        description: 'derived: votingPeriodEnd less the time of the block read. null when no more votes are taken.',
        resolve: (proposal) => derived.votingTimeLeft(pinOf(proposal), proposal),
      }),
      executableFrom: t.field({
        type: 'DateTime',
        description: "derived: block time before which executing it fails: submitTime plus the policy's minExecutionPeriod.",
        resolve: (proposal) => derived.executableFrom(pinOf(proposal), proposal),
      }),
      votes: t.field({
        type: refs.VoteConnectionRef,
        description: 'Votes, by voter. Empty once the tally is final: the chain deletes them.',
        args: connectionArgs(builder),
        resolve: (proposal, args, _context, info) => votesByProposal(proposal, proposal.id, args, info),
      }),
      vote: t.field({
        type: refs.VoteRef,
        description: 'The vote of one account; null when it has not voted or the votes are deleted.',
        args: { voter: t.arg.string({ required: true }) },
        resolve: (proposal, { voter }) => voteOn(proposal, proposal.id, voter),
      }),
      pendingVoters: t.field({
        type: refs.GroupMemberConnectionRef,
        description:
          'derived: members of the group who may still vote and have not, by address. null when no more votes are taken.',
        args: { first: t.arg.int({ defaultValue: pageDefault }), after: t.arg.string() },
        resolve: (proposal, args, _context, info) => pendingVoters(proposal, args, info),
      }),
    }),
  });
}

function addTally(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.TallyResultRef, {
    description: 'Weights by option. Weights can be fractions: "2.5".',
    fields: (t) => ({
      yesCount: t.expose('yesCount', { type: 'Decimal', nullable: false }),
      abstainCount: t.expose('abstainCount', { type: 'Decimal', nullable: false }),
      noCount: t.expose('noCount', { type: 'Decimal', nullable: false }),
      noWithVetoCount: t.expose('noWithVetoCount', { type: 'Decimal', nullable: false }),
    }),
  });
  builder.objectType(refs.ProposalOutcomeRef, {
    description: "derived: the tally of this height put to the decision policy and the group's total weight of this height.",
    fields: (t) => ({
      decision: t.expose('decision', { type: enums.TallyDecision, nullable: false }),
      totalWeight: t.expose('totalWeight', { type: 'Decimal', nullable: false }),
      undecidedWeight: t.expose('undecidedWeight', {
        type: 'Decimal',
        nullable: false,
        description: 'Weight of the members who have not voted.',
      }),
      yesNeeded: t.expose('yesNeeded', {
        type: 'Decimal',
        nullable: false,
        description: 'Yes weight still missing for acceptance; 0 when there is enough.',
      }),
      yesPercent: t.expose('yesPercent', {
        type: 'Decimal',
        description: 'Percent of the total weight, 0 to 100; null when the total weight is 0. So the four below.',
      }),
      abstainPercent: t.expose('abstainPercent', { type: 'Decimal' }),
      noPercent: t.expose('noPercent', { type: 'Decimal' }),
      noWithVetoPercent: t.expose('noWithVetoPercent', { type: 'Decimal' }),
      votedPercent: t.expose('votedPercent', { type: 'Decimal', description: 'All four options together (turnout).' }),
    }),
  });
}

function addVote(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.VoteRef, {
    description: 'A vote on a group proposal; it cannot be changed.',
    fields: (t) => ({
      proposalId: t.id({ nullable: false, resolve: ({ proposalId }) => proposalId.toString() }),
      proposal: t.field({ type: refs.ProposalRef, resolve: (vote) => proposalAt(vote, vote.proposalId) }),
      voter: t.field({ type: AccountRef, nullable: false, resolve: (vote) => accountOf(vote, vote.voter) }),
      option: t.expose('option', { type: enums.VoteOption, nullable: false }),
      metadata: t.exposeString('metadata', { nullable: false }),
      submitTime: t.expose('submitTime', { type: 'DateTime', nullable: false }),
      member: t.field({
        type: refs.GroupMemberRef,
        description:
          "derived: the voter's membership at this height. null when it has left the group: its vote then does not count.",
        resolve: async (vote) => {
          const pin = pinOf(vote);
          const member = await derived.memberOfVote(pin, vote.proposalId, vote.voter);
          return member && pinned(pin, member);
        },
      }),
    }),
  });
}
