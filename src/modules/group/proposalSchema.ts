import { pageDefault } from '../../config/bounds.ts';
import { pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Builder, nonNull, nonNullList, usesContext } from '../../schema/builder.ts';
import { pageField } from '../../schema/connection.ts';
import { AccountRef, accountField, accountOf } from '../account/schema.ts';
import { decodeAny } from '../any/codec.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { pendingVoters, voteOn } from './connections.ts';
import * as derived from './derived.ts';
import { memberOfVote } from './electorate.ts';
import type { DecisionPolicy, Proposal } from './model.ts';
import { createGroupLoaders, groupPolicyAt, proposalAt, votesByProposal } from './query.ts';
import type { GroupEnums } from './refs.ts';
import * as refs from './refs.ts';

export function addProposals(builder: Builder, enums: GroupEnums): void {
  addProposal(builder, enums);
  addTally(builder, enums);
  addVote(builder, enums);
}

function addProposal(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.ProposalRef, {
    interfaces: [refs.GovernanceProposalRef],
    description:
      'A proposal to execute messages in the name of a group policy (cosmos.group.v1). Members of the group vote on it. The chain deletes a\nproposal when its execution succeeds, or some time after its voting period.',
    fields: (t) => ({
      id: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ id }) => id.toString() }),
      groupPolicyAddress: t.expose(
        'groupPolicyAddress',
        nonNull('String', 'Address of the group policy that the messages act for.'),
      ),
      groupPolicy: t.field({
        type: refs.GroupPolicyRef,
        description: 'The group policy that the messages act for.',
        resolve: (proposal) => groupPolicyAt(proposal, proposal.groupPolicyAddress),
      }),
      metadata: t.expose('metadata', nonNull('String', 'Free text of the proposers; empty if there is none.')),
      proposers: t.field({
        ...nonNullList(AccountRef, 'The members who submitted the proposal.'),
        resolve: (proposal) => proposal.proposers.map((address) => accountOf(proposal, address)),
      }),
      submitTime: t.expose('submitTime', nonNull('DateTime', 'Block time of the submission.')),
      groupVersion: t.expose('groupVersion', nonNull('UInt64', 'Version of the group at the submission.')),
      groupPolicyVersion: t.expose(
        'groupPolicyVersion',
        nonNull('UInt64', 'Version of the group policy at the submission. A change of the policy aborts its open proposals.'),
      ),
      status: t.expose('status', nonNull(enums.ProposalStatus, 'Status at this height. SUBMITTED means open for voting.')),
      finalTallyResult: t.expose(
        'finalTallyResult',
        nonNull(
          refs.TallyResultRef,
          'The tally that the chain stored. All counts are 0 until the tally is final; for the live count use `tally`.',
        ),
      ),
      votingPeriodEnd: t.expose(
        'votingPeriodEnd',
        nonNull('DateTime', 'Block time after which the chain accepts no more votes.'),
      ),
      executorResult: t.expose(
        'executorResult',
        nonNull(enums.ProposalExecutorResult, 'Result of the last execution attempt.'),
      ),
      messages: t.field({
        ...nonNullList(
          AnyMessageRef,
          'The messages that are executed if the proposal is accepted, signed by the group policy.',
        ),
        resolve: (proposal) => proposal.messages.map((message) => anyOf(proposal, message)),
      }),
      title: t.exposeString('title', { nullable: false, description: 'Title; can be empty.' }),
      summary: t.exposeString('summary', { nullable: false, description: 'Summary in free text; can be empty.' }),
      tally: t.field({
        type: refs.TallyResultRef,
        description:
          'The tally at this height: the live count while the proposal is open, then the stored tally. null if the proposal was aborted or\nwithdrawn.',
        resolve: (proposal) => derived.tallyOf(pinOf(proposal), proposal),
      }),
      outcome: t.field({
        type: refs.ProposalOutcomeRef,
        description:
          'derived: the decision of the policy on the tally at this height, with percentages. null unless the proposal is open, and for an\nOtherDecisionPolicy.',
        resolve: (proposal) => derived.outcomeOf(pinOf(proposal), proposal),
      }),
      votingTimeLeft: t.field({
        type: 'Duration',
        description: 'derived: time from the block time at this height to `votingPeriodEnd`. null unless the proposal is open.',
        resolve: (proposal) => derived.timeLeftOf(pinOf(proposal), proposal),
      }),
      executableFrom: t.field({
        type: 'DateTime',
        description:
          'derived: earliest block time at which the proposal can be executed: `submitTime` plus `minExecutionPeriod` of the policy. null if the\npolicy no longer exists or is an OtherDecisionPolicy.',
        resolve: (proposal) => derived.executableFrom(pinOf(proposal), proposal),
      }),
      votes: t.field({
        type: refs.VoteConnectionRef,
        description: 'Votes, by address of the voter. Empty once the tally is final, because the chain then deletes the votes.',
        ...pageField(builder, (pin, { id }: Proposal) => votesByProposal(pin.loaders(createGroupLoaders), id)),
      }),
      vote: t.field({
        type: refs.VoteRef,
        description: 'The vote of one account; null if it has not voted. The chain deletes the votes once the tally is final.',
        args: { voter: t.arg.string({ required: true }) },
        resolve: (proposal, { voter }) => voteOn(proposal, proposal.id, voter),
      }),
      pendingVoters: t.field({
        type: refs.GroupMemberConnectionRef,
        description:
          'derived: members of the group who have not voted, by address. null unless the proposal is open. Fails with OPERATION_TOO_COMPLEX if\nmore than 5,000 votes or members would be read.',
        args: { first: t.arg.int({ defaultValue: pageDefault }), after: t.arg.string() },
        resolve: usesContext((proposal, args, _context, info) => pendingVoters(proposal, args, info)),
      }),
    }),
  });
}

function addTally(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.TallyResultRef, {
    description:
      'Voting weights by option. The unit is the weight of group members, not the number of votes; weights can be fractions: "2.5".',
    fields: (t) => ({
      yesCount: t.expose('yesCount', nonNull('Decimal', 'Weight of the yes votes.')),
      abstainCount: t.expose('abstainCount', nonNull('Decimal', 'Weight of the abstentions.')),
      noCount: t.expose('noCount', nonNull('Decimal', 'Weight of the no votes.')),
      noWithVetoCount: t.expose('noWithVetoCount', nonNull('Decimal', 'Weight of the votes of no with veto.')),
    }),
  });
  builder.objectType(refs.ProposalOutcomeRef, {
    description:
      'derived: the decision policy applied to the tally, with the total weight of the group, all at this height. Weights are in the unit of\n`GroupMember.weight`.',
    fields: (t) => ({
      decision: t.expose('decision', nonNull(enums.TallyDecision, 'The decision that an execution now would make.')),
      totalWeight: t.expose('totalWeight', nonNull('Decimal', 'Total weight of the group.')),
      undecidedWeight: t.expose('undecidedWeight', nonNull('Decimal', 'Weight of the members who have not voted.')),
      yesNeeded: t.expose(
        'yesNeeded',
        nonNull('Decimal', 'Yes weight that is still missing for acceptance; 0 if the yes weight suffices.'),
      ),
      yesPercent: t.expose('yesPercent', {
        type: 'Decimal',
        description: 'Weight of the yes votes as a percentage of the total weight, 0 to 100. null if the total weight is 0.',
      }),
      abstainPercent: t.expose('abstainPercent', {
        type: 'Decimal',
        description: 'Weight of the abstentions as a percentage of the total weight, 0 to 100. null if the total weight is 0.',
      }),
      noPercent: t.expose('noPercent', {
        type: 'Decimal',
        description: 'Weight of the no votes as a percentage of the total weight, 0 to 100. null if the total weight is 0.',
      }),
      noWithVetoPercent: t.expose('noWithVetoPercent', {
        type: 'Decimal',
        description:
          'Weight of the votes of no with veto as a percentage of the total weight, 0 to 100. null if the total weight is 0.',
      }),
      votedPercent: t.expose('votedPercent', {
        type: 'Decimal',
        description:
          'Turnout: weight of all votes as a percentage of the total weight, 0 to 100. null if the total weight is 0.',
      }),
    }),
  });
}

function addVote(builder: Builder, enums: GroupEnums): void {
  builder.objectType(refs.VoteRef, {
    description:
      'A vote on a group proposal. A member votes once and cannot change the vote. The chain deletes the votes once the tally is final.',
    fields: (t) => ({
      proposalId: t.field({
        ...nonNull('ID', 'Id of the proposal.'),
        resolve: ({ proposalId }) => proposalId.toString(),
      }),
      proposal: t.field({
        type: refs.ProposalRef,
        description: 'The proposal, at the same height.',
        resolve: (vote) => proposalAt(vote, vote.proposalId),
      }),
      voter: accountField(t, 'The account that voted.', ({ voter }) => voter),
      option: t.expose('option', nonNull(enums.VoteOption, 'The chosen option.')),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the voter; empty if there is none.' }),
      submitTime: t.expose('submitTime', nonNull('DateTime', 'Block time of the vote.')),
      member: t.field({
        type: refs.GroupMemberRef,
        description:
          'derived: membership of the voter in the group at this height, with the weight of the vote. null if the voter has left the group; the\nvote then does not count.',
        resolve: (vote) => {
          const pin = pinOf(vote);
          return pinnedValue(pin, memberOfVote(pin, vote.proposalId, vote.voter));
        },
      }),
    }),
  });
}

export function addDecisionPolicies(builder: Builder): void {
  builder.objectType(refs.DecisionPolicyWindowsRef, {
    description: 'Time limits of the proposals of a group policy.',
    fields: (t) => ({
      votingPeriod: t.expose(
        'votingPeriod',
        nonNull('Duration', 'Time for voting, counted from the submission of a proposal.'),
      ),
      minExecutionPeriod: t.expose(
        'minExecutionPeriod',
        nonNull('Duration', 'Minimum time between the submission of a proposal and its execution.'),
      ),
    }),
  });
  builder.interfaceType(refs.DecisionPolicyRef, {
    description: 'The rule that decides whether a tally accepts a proposal. Each group policy has one.',
    resolveType: ({ kind }) => typeNames[kind],
    fields: (t) => ({
      type: t.field({
        ...nonNull('String', 'Protobuf type URL, such as `/cosmos.group.v1.ThresholdDecisionPolicy`.'),
        resolve: ({ any }) => any.type,
      }),
      windows: t.field({
        type: refs.DecisionPolicyWindowsRef,
        description: 'Time limits for voting and execution. null for OtherDecisionPolicy.',
        resolve: (policy) => (policy.kind === 'other' ? null : policy.windows),
      }),
      json: t.field({
        type: 'JSON',
        description: 'The policy as canonical protobuf JSON. null if the chain has no descriptor of the type.',
        resolve: (policy) => decodeAny(pinOf(policy), policy.any),
      }),
    }),
  });
  builder.objectType(refs.ThresholdDecisionPolicyRef, {
    description: 'Accepts a proposal if the yes weight reaches `threshold`, or the total weight of the group if that is lower.',
    interfaces: [refs.DecisionPolicyRef],
    fields: (t) => ({
      threshold: t.expose('threshold', nonNull('Decimal', 'Required yes weight. An absolute weight, not a share.')),
    }),
  });
  builder.objectType(refs.PercentageDecisionPolicyRef, {
    description: 'Accepts a proposal if the share of the yes weight in the total weight of the group reaches `percentage`.',
    interfaces: [refs.DecisionPolicyRef],
    fields: (t) => ({
      percentage: t.expose(
        'percentage',
        nonNull('Decimal', 'Required share of the yes weight, greater than 0 and at most 1: `0.5` is 50 percent.'),
      ),
    }),
  });
  builder.objectType(refs.OtherDecisionPolicyRef, {
    description:
      'A decision policy of a type that this server does not recognize. Proposals of its group policy have no `outcome`.',
    interfaces: [refs.DecisionPolicyRef],
    fields: (t) => ({
      value: t.field({
        ...nonNull('Base64', 'Protobuf encoding of the policy.'),
        resolve: ({ any }) => any.value,
      }),
    }),
  });
}

const typeNames: Readonly<Record<DecisionPolicy['kind'], string>> = {
  threshold: refs.ThresholdDecisionPolicyRef.name,
  percentage: refs.PercentageDecisionPolicyRef.name,
  other: refs.OtherDecisionPolicyRef.name,
};
