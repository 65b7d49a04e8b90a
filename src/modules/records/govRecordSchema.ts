import type { GraphQLResolveInfo } from 'graphql';
import { govDepositEnds, type RecordedTally } from '../../archive/facts.ts';
import { type GovProposalRecord, type GovVoteRecord, govRecordStatuses } from '../../archive/govRecords.ts';
import { decimal, percentOf } from '../../reads/decimal.ts';
import { type Awaitable, andThen, type Pinned, pinned, pinOf, weakMemo } from '../../reads/pin.ts';
import {
  type Builder,
  enumValues,
  type GraphQLContext,
  nonNull,
  nonNullList,
  rowsField,
  usesContext,
} from '../../schema/builder.ts';
import type { Connection, ConnectionArgs } from '../../schema/connection.ts';
import { accountField, accountOrNull } from '../account/schema.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { coinsField } from '../bank/schema.ts';
import { govProposalAt } from '../gov/query.ts';
import { GovProposalRef, GovTallyRef, GovVoteOptionRef } from '../gov/schema.ts';
import { optionName } from '../group/model.ts';
import { validatorOfOperator } from '../staking/schema.ts';
import { ValidatorRef } from '../validators/schema.ts';
import { govRecordsAt } from './govLoaders.ts';
import { auditAgrees, auditOf, powersOf, roundsOf, votingBegan, votingOf } from './govParts.ts';
import * as refs from './govRefs.ts';
import { recordArgs } from './recordSchema.ts';
import { OccurrenceRef } from './refs.ts';
import { placeOf } from './timeline.ts';

/** The enum of the statuses of records. The first call adds it to the schema. */
export const govRecordStatus = weakMemo((builder: Builder) =>
  builder.enumType('GovRecordStatus', {
    description: 'The last status of a recorded proposal of the governance module, also of one that the chain has deleted.',
    values: enumValues([...govRecordStatuses], {
      DEPOSIT_PERIOD: 'Deposits are collected.',
      VOTING_PERIOD: 'Open for voting.',
      PASSED: 'It passed, and its messages were executed.',
      REJECTED: 'It did not pass.',
      FAILED: 'It passed, and a message failed: all of them were undone.',
      CANCELLED: 'The proposer cancelled it. The chain has deleted it.',
      DROPPED: 'It did not get its deposit in time. The chain has deleted it.',
    }),
  }),
);

/** The tally of a record as the types of the governance module show it. */
function countsOf({ yesCount, abstainCount, noCount, noWithVetoCount }: RecordedTally) {
  const [YES, ABSTAIN, NO, NO_WITH_VETO] = [yesCount, abstainCount, noCount, noWithVetoCount].map(BigInt);
  return { counts: { YES: YES ?? 0n, ABSTAIN: ABSTAIN ?? 0n, NO: NO ?? 0n, NO_WITH_VETO: NO_WITH_VETO ?? 0n } };
}

interface VoteReads {
  votesOf(
    record: Pinned<GovProposalRecord>,
    args: ConnectionArgs,
    context: GraphQLContext,
    info: GraphQLResolveInfo,
  ): Awaitable<Connection<Pinned<GovVoteRecord>> | null>;
  voteOf(record: Pinned<GovProposalRecord>, voter: string, context: GraphQLContext): Awaitable<Pinned<GovVoteRecord> | null>;
}

/** Adds the types of the records of the governance module. */
export function addGovRecordTypes(builder: Builder, reads: VoteReads): void {
  addRecord(builder, reads);
  addVote(builder);
  addParts(builder);
}

function addRecord(builder: Builder, { votesOf, voteOf }: VoteReads): void {
  const GovDepositEnd = builder.enumType('GovDepositEnd', {
    description: 'What became of the deposits for a proposal.',
    values: enumValues([...govDepositEnds], {
      REFUNDED: 'The depositors got them back.',
      BURNT: 'They were burnt.',
      CHARGED: 'A part was burnt because the proposal was cancelled. The depositors got the rest back.',
    }),
  });
  builder.objectType(refs.GovProposalRecordRef, {
    description:
      'A proposal of the governance module from submission to end, as recorded by this server. The chain deletes votes and deposits when it decides; a record keeps them,\nwith the power of each vote at the close. Facts of later heights than the one read are not in it.',
    fields: (t) => ({
      id: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ id }) => id.toString() }),
      title: t.exposeString('title', { nullable: false, description: 'Title; can be empty.' }),
      summary: t.exposeString('summary', { nullable: false, description: 'Summary in free text; can be empty.' }),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the proposer; can be empty.' }),
      messages: t.field({
        ...nonNullList(AnyMessageRef, 'The messages of the proposal. Empty for a text.'),
        resolve: (record) => record.messages.map((message) => anyOf(record, message)),
      }),
      proposer: accountOrNull(
        t,
        'The account that submitted it; null if the chain has not stored it.',
        ({ proposer }) => proposer || null,
      ),
      expedited: t.exposeBoolean('expedited', {
        nullable: false,
        description: 'Whether it was submitted as an expedited one. `rounds` has two items if it became a regular one.',
      }),
      submitTime: t.expose('submitTime', nonNull('DateTime', 'Block time of the submission.')),
      submitted: t.field({
        type: OccurrenceRef,
        description: 'The submission. null if it lies before the coverage.',
        resolve: (record) => placeOf(pinOf(record), record.submitted),
      }),
      depositEndTime: t.expose('depositEndTime', {
        type: 'DateTime',
        description: 'When the deposit period ends. null if it was deleted in the block of its submission.',
      }),
      votingBegan: t.field({
        type: OccurrenceRef,
        description: 'When it had its deposit. null before, and without a height if it lies before the coverage.',
        resolve: (record) => placeOf(pinOf(record), votingBegan(record)?.at),
      }),
      votingStartTime: t.field({
        type: 'DateTime',
        description: 'null until it has its deposit.',
        resolve: (record) => votingOf(record)?.votingStart ?? null,
      }),
      votingEndTime: t.field({
        type: 'DateTime',
        description: 'The end of the present or the last voting period. null until it has its deposit.',
        resolve: (record) => votingOf(record)?.votingEnd ?? null,
      }),
      status: t.expose('status', nonNull(govRecordStatus(builder), 'The last status.')),
      decided: t.field({
        type: OccurrenceRef,
        description:
          'When it was decided, cancelled or dropped. null while it is open. Its height and time are null if it lies before the coverage.',
        resolve: (record) => placeOf(pinOf(record), record.end?.at),
      }),
      decidedBy: accountOrNull(t, 'The account that cancelled it; else null.', ({ end }) => end?.account ?? null),
      log: t.string({
        description: 'What the chain says of the decision, such as which message failed and why. null while it is open.',
        resolve: ({ end }) => end?.log ?? null,
      }),
      tally: t.field({
        type: GovTallyRef,
        description: 'The final tally of the chain. null while it is open, and if there is none.',
        resolve: ({ end }) => (end?.tally ? countsOf(end.tally) : null),
      }),
      audit: t.field({
        type: refs.GovAuditRef,
        description:
          "The tally computed from the recorded votes and the stake of the deciding block beside the chain's. null while it is open, and if there is nothing to compare.",
        resolve: ({ end }) => auditOf(end),
      }),
      rounds: t.field({
        ...nonNullList(
          refs.GovRoundRef,
          'Its voting periods: two for an expedited proposal that became a regular one, whose votes were deleted between them.',
        ),
        resolve: (record) => roundsOf(record).map((round) => pinned(pinOf(record), round)),
      }),
      votes: t.field({
        type: refs.GovVoteRecordConnectionRef,
        description: 'Every vote of all rounds, in the order in which they were cast, also those that a later one replaced.',
        args: recordArgs(builder),
        resolve: usesContext(votesOf),
      }),
      vote: t.field({
        type: refs.GovVoteRecordRef,
        description: 'The last vote of this account. null if none is recorded.',
        args: { voter: t.arg.string({ required: true }) },
        resolve: usesContext((record, { voter }, context) => voteOf(record, voter, context)),
      }),
      missedBy: t.field({
        extensions: rowsField({ points: 100 }),
        type: [refs.GovMissedVoteRef],
        description:
          'The bonded validators that had not voted when it was decided. null while it is open, and if the decision lies outside of the coverage.',
        resolve: usesContext((record, _args, context) =>
          andThen(govRecordsAt(record, context), async (loaders) => {
            const misses = loaders && (await loaders.misses.load(record));
            return misses?.map((miss) => pinned(pinOf(record), miss));
          }),
        ),
      }),
      deposits: t.field({
        ...nonNullList(
          refs.GovDepositRecordRef,
          'The deposits, in the order in which they were made. One without a height is the sum of an account before the coverage.',
        ),
        extensions: rowsField({ points: 100 }),
        resolve: usesContext((record, _args, context) =>
          andThen(govRecordsAt(record, context), async (loaders) => {
            const deposits = loaders === null ? [] : await loaders.deposits.load(record);
            return deposits.map((deposit) => pinned(pinOf(record), deposit));
          }),
        ),
      }),
      depositEnd: t.field({
        type: GovDepositEnd,
        description: 'What became of the deposits. null while they are held, and if their end lies before the coverage.',
        resolve: ({ end }) => end?.deposits ?? null,
      }),
      complete: t.expose(
        'isComplete',
        nonNull('Boolean', 'False if part of its life lies outside of the coverage, or if one block submitted and deleted it.'),
      ),
      proposal: t.field({
        type: GovProposalRef,
        description: 'The proposal in the state of the chain at the height read. null if the chain has deleted it.',
        resolve: (record) => govProposalAt(record, record.id),
      }),
    }),
  });
}

function addVote(builder: Builder): void {
  builder.objectType(refs.GovVoteRecordRef, {
    description: 'A vote on a proposal of the governance module, as it was cast.',
    fields: (t) => ({
      proposalId: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ proposalId }) => proposalId.toString() }),
      record: t.field({
        type: refs.GovProposalRecordRef,
        description: 'The record of the proposal.',
        resolve: usesContext((vote, _args, context) =>
          andThen(govRecordsAt(vote, context), async (loaders) => {
            const record = loaders && (await loaders.record.load(vote.proposalId));
            return record && pinned(pinOf(vote), record);
          }),
        ),
      }),
      voter: accountField(
        t,
        'The account that voted: also a contract, or one that authorized another to vote.',
        ({ voter }) => voter,
      ),
      options: t.field({
        ...nonNullList(GovVoteOptionRef, 'The options, whose weights add up to 1.'),
        resolve: ({ options }) => options.map(({ option, weight }) => ({ option: optionName(option), weight })),
      }),
      at: t.field({
        type: OccurrenceRef,
        nullable: false,
        description: 'Its height and time are null if it lies before the coverage.',
        resolve: (vote) => placeOf(pinOf(vote), vote.at),
      }),
      round: t.exposeInt('round', {
        nullable: false,
        description: 'The voting period: 1, and 2 after an expedited proposal has become a regular one.',
      }),
      replaced: t.exposeBoolean('isReplaced', {
        nullable: false,
        description: 'Whether a later vote of the account in the same round replaces it, so that it did not count.',
      }),
      isValidator: t.boolean({
        nullable: false,
        description: 'Whether the voter operated a bonded validator when the votes were counted.',
        resolve: ({ operator }) => operator !== null,
      }),
      validator: t.field({
        type: ValidatorRef,
        description: 'That validator in the state at the height read; null if there is none.',
        resolve: (vote) => (vote.operator === null ? null : validatorOfOperator(vote, vote.operator)),
      }),
      power: t.field({
        type: 'Decimal',
        description:
          'The voting power when the votes were counted, in base units: the sum of the two below. null before, for a replaced vote, and if the count lies outside of the coverage.',
        resolve: (vote) => powersOf(vote).power,
      }),
      delegatedPower: t.field({
        type: 'Decimal',
        description: 'The power of its own delegations, which its validators did not have. null as `power`.',
        resolve: (vote) => powersOf(vote).delegatedPower,
      }),
      validatorPower: t.field({
        type: 'Decimal',
        description:
          'The power that a validator had from delegators who did not vote themselves. null if it is none, and as `power`.',
        resolve: (vote) => powersOf(vote).validatorPower,
      }),
    }),
  });
}

function addParts(builder: Builder): void {
  builder.objectType(refs.GovRoundRef, {
    description: 'A voting period of a proposal.',
    fields: (t) => ({
      number: t.exposeInt('number', {
        nullable: false,
        description: '1, and 2 after an expedited proposal has become a regular one.',
      }),
      ended: t.field({
        type: OccurrenceRef,
        description: 'When it ended. null while votes are taken.',
        resolve: (round) => placeOf(pinOf(round), round.end?.at),
      }),
      log: t.string({
        description: 'What the chain says of its end. null while votes are taken.',
        resolve: ({ end }) => end?.log ?? null,
      }),
      tally: t.field({
        type: GovTallyRef,
        description: 'The tally of the chain at its end. null if there is none.',
        resolve: ({ end }) => (end?.tally ? countsOf(end.tally) : null),
      }),
      audit: t.field({
        type: refs.GovAuditRef,
        description: 'As `audit` of the record.',
        resolve: ({ end }) => auditOf(end),
      }),
    }),
  });
  builder.objectType(refs.GovAuditRef, {
    description: 'A tally of the chain beside the one computed from the recorded votes and the stake at that block.',
    fields: (t) => ({
      agrees: t.boolean({
        nullable: false,
        description: 'Whether both are equal. False is a bug or a wrong node.',
        resolve: auditAgrees,
      }),
      chain: t.field({ ...nonNull(GovTallyRef, 'The tally of the chain.'), resolve: ({ chain }) => countsOf(chain) }),
      computed: t.field({ ...nonNull(GovTallyRef, 'The computed tally.'), resolve: ({ computed }) => countsOf(computed) }),
    }),
  });
  builder.objectType(refs.GovDepositRecordRef, {
    description: 'A deposit for a proposal.',
    fields: (t) => ({
      depositor: accountField(t, 'The account that deposited.', ({ depositor }) => depositor),
      amount: coinsField(t, 'What it deposited.', ({ amount }) => amount),
      at: t.field({
        type: OccurrenceRef,
        nullable: false,
        description: 'Its height and time are null if it lies before the coverage.',
        resolve: (deposit) => placeOf(pinOf(deposit), deposit.at),
      }),
    }),
  });
  builder.objectType(refs.GovMissedVoteRef, {
    description: 'A bonded validator that did not vote on a proposal.',
    fields: (t) => ({
      operatorAddress: t.exposeString('operator', { nullable: false, description: 'The `…valoper1…` address.' }),
      account: accountField(t, 'The account of its operator, which could have voted.', ({ address }) => address),
      validator: t.field({
        type: ValidatorRef,
        description: 'The validator in the state at the height read; null if the staking module does not have it any more.',
        resolve: (miss) => validatorOfOperator(miss, miss.operator),
      }),
    }),
  });
  builder.objectType(refs.GovParticipationRef, {
    description: 'How a validator voted on decided proposals of the governance module for which it was bonded.',
    fields: (t) => {
      const votesFor = (option: number, description: string) =>
        t.int({ nullable: false, description, resolve: ({ votes }: refs.GovParticipation) => votes.get(option) ?? 0 });
      return {
        decided: t.exposeInt('decided', { nullable: false, description: 'Number of the proposals.' }),
        voted: t.exposeInt('voted', { nullable: false, description: 'Number of those that it voted on.' }),
        missed: t.int({
          nullable: false,
          description: 'Number of those that it did not vote on.',
          resolve: ({ decided, voted }) => decided - voted,
        }),
        percent: t.field({
          type: 'Decimal',
          description: 'Share of the proposals that it voted on. null if there was none.',
          resolve: ({ decided, voted }) => percentOf(decimal(String(voted)), decimal(String(decided))),
        }),
        yes: votesFor(1, 'Number of yes votes.'),
        abstain: votesFor(2, 'Number of abstentions.'),
        no: votesFor(3, 'Number of no votes.'),
        noWithVeto: votesFor(4, 'Number of votes of no with veto.'),
        split: votesFor(0, 'Number of votes that split its power between options.'),
      };
    },
  });
}
