import type { Nanoseconds } from '../../chain/base/time.ts';
import { type Dec, decimal, decimalText, decText } from '../../reads/decimal.ts';
import { idInput } from '../../reads/input.ts';
import { readAll } from '../../reads/page.ts';
import { type Awaitable, andThen, both, type Pinned, pinnedValue, pinOf, weakMemo } from '../../reads/pin.ts';
import {
  type Builder,
  connectionArgs,
  createRef,
  enumValues,
  nonNull,
  nonNullList,
  usesContext,
} from '../../schema/builder.ts';
import { addConnection, type Connection, chainConnection, pageField } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { accountField, accountOrNull } from '../account/schema.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { coinsField } from '../bank/schema.ts';
import { blockTime } from '../group/derived.ts';
import { GovernanceProposalRef, groupEnums, ProposalRef } from '../group/refs.ts';
import { createStakingLoaders, operatorAccount } from '../staking/query.ts';
import { validatorOfOperator } from '../staking/schema.ts';
import { ValidatorRef } from '../validators/schema.ts';
import { type GovOutcome, type GovTallyAt, isVoting, outcomeOf, tallyOf } from './outcome.ts';
import {
  createGovLoaders,
  type GovDeposit,
  type GovParams,
  type GovProposal,
  type GovVote,
  govDeposits,
  govProposalAt,
  govProposals,
  govStatuses,
  govVotes,
} from './query.ts';

type GovVoteOption = GovVote['options'][number];

export const GovProposalRef = createRef<Pinned<GovProposal>>('GovProposal');
export const GovProposalConnectionRef = createRef<Connection<Pinned<GovProposal>>>('GovProposalConnection');
export const GovVoteRef = createRef<Pinned<GovVote>>('GovVote');
export const GovVoteConnectionRef = createRef<Connection<Pinned<GovVote>>>('GovVoteConnection');
const GovDepositRef = createRef<Pinned<GovDeposit>>('GovDeposit');
const GovDepositConnectionRef = createRef<Connection<Pinned<GovDeposit>>>('GovDepositConnection');
export const GovVoteOptionRef = createRef<GovVoteOption>('GovVoteOption');
export const GovTallyRef = createRef<GovTallyAt>('GovTally');
const GovOutcomeRef = createRef<GovOutcome>('GovOutcome');
const GovParamsRef = createRef<Pinned<GovParams>>('GovParams');

const percentText = (part: Dec): string => decimalText(decimal(decText(part)).times(100));

/** The end of the running period, and null after both. */
function timeLeft(proposal: Pinned<GovProposal>): Awaitable<Nanoseconds | null> {
  const { votingEndTime } = proposal;
  if (!isVoting(proposal) || votingEndTime === null) return null;
  return andThen(blockTime(pinOf(proposal)), (time) => votingEndTime - time);
}

/** The bonded validators that have not voted, by descending stake. null outside of the voting period. */
async function pendingValidators(proposal: Pinned<GovProposal>) {
  if (!isVoting(proposal)) return null;
  const pin = pinOf(proposal);
  const [votes, { bonded }] = await Promise.all([
    readAll(govVotes(pin.loaders(createGovLoaders), proposal.id), 'votes'),
    pin.loaders(createStakingLoaders).validators.load(''),
  ]);
  const voters = new Set(votes.map(({ voter }) => voter));
  const pending = bonded.filter(({ operatorAddress }) => !voters.has(operatorAccount(operatorAddress)));
  return Promise.all(pending.map(({ operatorAddress }) => validatorOfOperator(proposal, operatorAddress)));
}

/** Adds the module: its proposals, votes, deposits and parameters. */
export function addGov(builder: Builder): void {
  addConnection(builder, GovProposalRef, GovProposalConnectionRef, 'governance proposals');
  addConnection(builder, GovVoteRef, GovVoteConnectionRef, 'governance votes');
  addConnection(builder, GovDepositRef, GovDepositConnectionRef, 'deposits');
  addEntity(builder, GovProposalRef, { id: (root, id) => govProposalAt(root, idInput('id', id)) });
  addEitherProposal(builder);
  addProposal(builder);
  addTally(builder);
  addVotes(builder);
  addQueries(builder);
}

function addEitherProposal(builder: Builder): void {
  builder.interfaceType(GovernanceProposalRef, {
    description:
      'What a proposal of a group policy (`Proposal`) and one of the governance module (`GovProposal`) have in common.',
    resolveType: (proposal) => ('groupPolicyAddress' in proposal ? ProposalRef.name : GovProposalRef.name),
    fields: (t) => ({
      id: t.id({
        nullable: false,
        description: 'Decimal id. The two kinds count separately.',
        resolve: ({ id }) => id.toString(),
      }),
      title: t.exposeString('title', { nullable: false, description: 'Title; can be empty.' }),
      summary: t.exposeString('summary', { nullable: false, description: 'Summary in free text; can be empty.' }),
      metadata: t.exposeString('metadata', {
        nullable: false,
        description: 'Free text of the proposers; empty if there is none.',
      }),
      submitTime: t.expose('submitTime', nonNull('DateTime', 'Block time of the submission.')),
    }),
  });
}

/** The enum of the statuses. The first call adds it to the schema. */
const statusEnum = weakMemo((builder: Builder) =>
  builder.enumType('GovProposalStatus', {
    description: 'Status of a proposal of the governance module.',
    values: enumValues([...govStatuses, 'UNRECOGNIZED'], {
      PROPOSAL_STATUS_UNSPECIFIED: 'No status. Stored proposals never have it.',
      PROPOSAL_STATUS_DEPOSIT_PERIOD: 'Deposits are collected. There are no votes yet.',
      PROPOSAL_STATUS_VOTING_PERIOD: 'Open for voting.',
      PROPOSAL_STATUS_PASSED: 'It passed, and its messages were executed.',
      PROPOSAL_STATUS_REJECTED: 'It did not pass.',
      PROPOSAL_STATUS_FAILED: 'It passed, and a message failed: all of them were undone. `failedReason` says why.',
      UNRECOGNIZED: 'A value that this server does not recognize.',
    }),
  }),
);

function addProposal(builder: Builder): void {
  builder.objectType(GovProposalRef, {
    description:
      'A proposal of the governance module (cosmos.gov.v1): stakers vote on it with their voting power. The chain deletes its votes and deposits when it is\ndecided, and a proposal that never reaches its deposit.',
    interfaces: [GovernanceProposalRef],
    fields: (t) => ({
      status: t.expose('status', nonNull(statusEnum(builder), 'Status at this height.')),
      proposer: accountOrNull(
        t,
        'The account that submitted it; null if the chain has not stored it.',
        ({ proposer }) => proposer || null,
      ),
      messages: t.field({
        ...nonNullList(
          AnyMessageRef,
          'The messages that are executed if it passes, signed by the governance module. Empty for a text.',
        ),
        resolve: (proposal) => proposal.messages.map((message) => anyOf(proposal, message)),
      }),
      expedited: t.exposeBoolean('expedited', {
        nullable: false,
        description:
          'Whether it has the shorter voting period and the higher threshold. If it does not pass, it becomes a regular one: its votes are deleted, and voting begins again.',
      }),
      failedReason: t.exposeString('failedReason', {
        nullable: false,
        description: 'Why its execution failed; empty otherwise.',
      }),
      depositEndTime: t.expose('depositEndTime', nonNull('DateTime', 'When the deposit period ends.')),
      totalDeposit: coinsField(t, 'The sum of its deposits.', ({ totalDeposit }) => totalDeposit),
      votingStartTime: t.expose('votingStartTime', { type: 'DateTime', description: 'null until it has its deposit.' }),
      votingEndTime: t.expose('votingEndTime', {
        type: 'DateTime',
        description:
          'Votes count up to and including the first block whose time is not before this. null until it has its deposit.',
      }),
      votingTimeLeft: t.field({
        type: 'Duration',
        description: 'derived: time from the block time at this height to `votingEndTime`. null outside of the voting period.',
        resolve: timeLeft,
      }),
      tally: t.field({
        type: GovTallyRef,
        description:
          'The tally at this height: the live count in the voting period, then the stored one. All counts are 0 before.',
        resolve: tallyOf,
      }),
      outcome: t.field({
        type: GovOutcomeRef,
        description: 'derived: what the tally at this height would decide. null outside of the voting period.',
        resolve: outcomeOf,
      }),
      votes: t.field({
        type: GovVoteConnectionRef,
        description: 'Votes, by address of the voter. Empty once it is decided, because the chain then deletes them.',
        ...pageField(builder, (pin, { id }: GovProposal) => govVotes(pin.loaders(createGovLoaders), id)),
      }),
      deposits: t.field({
        type: GovDepositConnectionRef,
        description: 'Deposits, by address of the depositor. Empty once it is decided.',
        ...pageField(builder, (pin, { id }: GovProposal) => govDeposits(pin.loaders(createGovLoaders), id)),
      }),
      pendingValidators: t.field({
        type: [ValidatorRef],
        nullable: { list: true, items: true },
        description:
          'derived: bonded validators that have not voted, by descending stake. null outside of the voting period. Fails with OPERATION_TOO_COMPLEX if more than 5,000 votes\nwould be read.',
        resolve: pendingValidators,
      }),
    }),
  });
}

function addTally(builder: Builder): void {
  builder.objectType(GovTallyRef, {
    description: 'Voting power by option, in base units of the bonded denom.',
    fields: (t) => ({
      yesCount: t.field({ ...nonNull('Decimal', 'Power of the yes votes.'), resolve: ({ counts }) => String(counts.YES) }),
      abstainCount: t.field({
        ...nonNull('Decimal', 'Power of the abstentions.'),
        resolve: ({ counts }) => String(counts.ABSTAIN),
      }),
      noCount: t.field({ ...nonNull('Decimal', 'Power of the no votes.'), resolve: ({ counts }) => String(counts.NO) }),
      noWithVetoCount: t.field({
        ...nonNull('Decimal', 'Power of the votes of no with veto.'),
        resolve: ({ counts }) => String(counts.NO_WITH_VETO),
      }),
    }),
  });
  const GovReason = builder.enumType('GovReason', {
    description: 'Why a tally passes or not.',
    values: {
      PASSES: { description: 'The quorum is reached, and the yes votes are above the threshold.' },
      NO_STAKE: { description: 'Nothing is bonded.' },
      NO_QUORUM: { description: 'Too little of the bonded stake voted.' },
      ALL_ABSTAIN: { description: 'All votes are abstentions.' },
      VETO: {
        description: 'The votes of no with veto are above their threshold. The deposits are burnt if the parameters say so.',
      },
      BELOW_THRESHOLD: { description: 'The yes votes are not above the threshold.' },
    },
  });
  builder.objectType(GovOutcomeRef, {
    description:
      'derived: the rules of the module applied to the tally, with the stake, all at this height. The live counts have no decimals, so a part can differ from the exact\none by the last digits. Percentages are 0 to 100.',
    fields: (t) => ({
      passes: t.exposeBoolean('passes', { nullable: false, description: 'Whether it would pass now.' }),
      reason: t.expose('reason', nonNull(GovReason, 'Why it would pass or not.')),
      burnsDeposits: t.exposeBoolean('burnsDeposits', {
        nullable: false,
        description:
          'Whether its deposits would be burnt. They are refunded otherwise; an expedited proposal that becomes a regular one keeps them.',
      }),
      bondedTokens: t.field({
        ...nonNull('Decimal', 'All bonded stake, in base units.'),
        resolve: ({ bonded }) => String(bonded),
      }),
      turnoutPercent: t.field({
        ...nonNull('Decimal', 'Percentage of the bonded stake that voted.'),
        resolve: ({ turnout }) => percentText(turnout),
      }),
      quorumPercent: t.field({
        ...nonNull('Decimal', 'The turnout that is needed.'),
        resolve: ({ quorum }) => percentText(quorum),
      }),
      yesPercent: t.field({
        ...nonNull('Decimal', 'Yes votes as a percentage of all votes but abstentions. 0 if there are none.'),
        resolve: ({ yesPart }) => percentText(yesPart),
      }),
      thresholdPercent: t.field({
        ...nonNull('Decimal', 'What the yes votes must exceed: that of expedited proposals for an expedited one.'),
        resolve: ({ threshold }) => percentText(threshold),
      }),
      vetoPercent: t.field({
        ...nonNull('Decimal', 'Votes of no with veto as a percentage of all votes. 0 if there are none.'),
        resolve: ({ vetoPart }) => percentText(vetoPart),
      }),
      vetoThresholdPercent: t.field({
        ...nonNull('Decimal', 'What the votes of no with veto must not exceed.'),
        resolve: ({ vetoThreshold }) => percentText(vetoThreshold),
      }),
    }),
  });
}

function addVotes(builder: Builder): void {
  const { VoteOption } = groupEnums(builder);
  builder.objectType(GovVoteOptionRef, {
    description: 'An option of a vote, and its part of the voting power.',
    fields: (t) => ({
      option: t.expose('option', nonNull(VoteOption, 'The option.')),
      weight: t.expose('weight', nonNull('Decimal', 'Its part of the voting power: above 0, at most 1.')),
    }),
  });
  builder.objectType(GovVoteRef, {
    description:
      'A vote on a proposal of the governance module. A second vote of the account replaces the first. A validator votes for its delegators who do not vote. The chain deletes\nthe votes when the proposal is decided.',
    fields: (t) => ({
      proposalId: t.field({ ...nonNull('ID', 'Id of the proposal.'), resolve: ({ proposalId }) => proposalId.toString() }),
      proposal: t.field({
        type: GovProposalRef,
        description: 'The proposal, at the same height.',
        resolve: (vote) => govProposalAt(vote, vote.proposalId),
      }),
      voter: accountField(t, 'The account that voted.', ({ voter }) => voter),
      options: t.field({
        ...nonNullList(GovVoteOptionRef, 'The options, whose weights add up to 1.'),
        resolve: ({ options }) => options,
      }),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the voter; empty if there is none.' }),
    }),
  });
  builder.objectType(GovDepositRef, {
    description: 'What an account has deposited for a proposal.',
    fields: (t) => ({
      proposalId: t.field({ ...nonNull('ID', 'Id of the proposal.'), resolve: ({ proposalId }) => proposalId.toString() }),
      depositor: accountField(t, 'The account that deposited.', ({ depositor }) => depositor),
      amount: coinsField(t, 'What it deposited.', ({ amount }) => amount),
    }),
  });
}

function addQueries(builder: Builder): void {
  builder.objectType(GovParamsRef, {
    description: 'The parameters of the governance module. Percentages are 0 to 100.',
    fields: (t) => ({
      minDeposit: coinsField(t, 'The deposit that begins the voting period.', ({ minDeposit }) => minDeposit),
      expeditedMinDeposit: coinsField(
        t,
        'The same for an expedited proposal.',
        ({ expeditedMinDeposit }) => expeditedMinDeposit,
      ),
      maxDepositPeriod: t.expose('maxDepositPeriod', nonNull('Duration', 'How long deposits are collected at most.')),
      votingPeriod: t.expose('votingPeriod', nonNull('Duration', 'How long stakers vote.')),
      expeditedVotingPeriod: t.expose('expeditedVotingPeriod', nonNull('Duration', 'The same for an expedited proposal.')),
      quorumPercent: t.field({
        ...nonNull('Decimal', 'Percentage of the bonded stake that must vote.'),
        resolve: ({ quorum }) => percentText(quorum),
      }),
      thresholdPercent: t.field({
        ...nonNull('Decimal', 'What the yes votes must exceed, of all votes but abstentions.'),
        resolve: ({ threshold }) => percentText(threshold),
      }),
      expeditedThresholdPercent: t.field({
        ...nonNull('Decimal', 'The same for an expedited proposal.'),
        resolve: ({ expeditedThreshold }) => percentText(expeditedThreshold),
      }),
      vetoThresholdPercent: t.field({
        ...nonNull('Decimal', 'What the votes of no with veto must not exceed, of all votes.'),
        resolve: ({ vetoThreshold }) => percentText(vetoThreshold),
      }),
    }),
  });
  addHeightFields(builder, (t) => ({
    govProposal: t.field({
      type: GovProposalRef,
      description: 'A proposal of the governance module; null if the chain has none with this id.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => govProposalAt(root, idInput('id', id)),
    }),
    govProposals: t.field({
      type: GovProposalConnectionRef,
      description:
        'Proposals of the governance module, by ascending id. `status` selects a status, `voter` and `depositor` those that an account has voted on or deposited for; both\nonly find proposals that are not decided.',
      args: {
        status: t.arg({ type: statusEnum(builder) }),
        voter: t.arg.string(),
        depositor: t.arg.string(),
        ...connectionArgs(builder),
      },
      resolve: usesContext((root, { status, voter, depositor, ...args }, _context, info) => {
        const pin = pinOf(root);
        const input = (name: string, value: string | null | undefined) => (value ? accountInput(pin, name, value) : '');
        return andThen(
          both(input('voter', voter), input('depositor', depositor), (of, from) => ({ voter: of, depositor: from })),
          (addresses) => {
            const filter = { status: status ? govStatuses.indexOf(status as (typeof govStatuses)[number]) : 0, ...addresses };
            return chainConnection(pin, govProposals(pin.loaders(createGovLoaders), filter), args, info);
          },
        );
      }),
    }),
    govParams: t.field({
      type: GovParamsRef,
      description: 'The parameters of the governance module at this height.',
      resolve: (root) => pinnedValue(pinOf(root), pinOf(root).loaders(createGovLoaders).params.load('')),
    }),
  }));
}
