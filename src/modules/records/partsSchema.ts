import { decimal, percentOf } from '../../reads/decimal.ts';
import { unrecognized } from '../../reads/input.ts';
import { andThen } from '../../reads/loader.ts';
import { pinned, pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { memberOf } from '../group/state/derived.ts';
import type { GroupEnums } from '../group/state/enums.ts';
import { proposalExecutorResults, voteOptions } from '../group/state/model.ts';
import { GroupMemberRef, TallyResultRef } from '../group/state/refs.ts';
import { createTransactionLoaders } from '../transactions/query.ts';
import { TransactionRef } from '../transactions/schema.ts';
import type { RecordEnums } from './enums.ts';
import { recordsAt } from './loaders.ts';
import { placeOf } from './places.ts';
import * as refs from './refs.ts';

/** Adds the types that records consist of. */
export function addRecordParts(builder: Builder, enums: RecordEnums & GroupEnums): void {
  addOccurrence(builder);
  addVoteRecord(builder, enums);
  addElector(builder);
  addEvents(builder, enums);
  builder.objectType(refs.TallyPointRef, {
    description: 'The tally after a vote.',
    fields: (t) => ({
      height: t.field({
        type: 'Int64',
        description: 'null if the vote lies before the coverage and only its time is known.',
        resolve: ({ at }) => at.height,
      }),
      time: t.field({
        type: 'DateTime',
        nullable: false,
        description: 'When the vote was cast.',
        resolve: ({ at }) => at.time,
      }),
      tally: t.expose('tally', { type: TallyResultRef, nullable: false }),
    }),
  });
  builder.objectType(refs.TallyAuditRef, {
    description: "The chain's final tally beside the one computed from the recorded votes.",
    fields: (t) => ({
      agrees: t.exposeBoolean('agrees', {
        nullable: false,
        description: 'Whether both are equal. False is a bug or a wrong node.',
      }),
      chain: t.expose('chain', { type: TallyResultRef, nullable: false, description: 'The final tally of the chain.' }),
      computed: t.expose('computed', { type: TallyResultRef, nullable: false, description: 'The computed tally.' }),
    }),
  });
  builder.objectType(refs.ParticipationRef, {
    description: 'How often a member of a group has voted.',
    fields: (t) => ({
      account: t.field({ type: AccountRef, nullable: false, resolve: (of) => accountOf(of, of.address) }),
      eligible: t.exposeInt('eligible', {
        nullable: false,
        description:
          'Number of closed proposals that it could vote on. Those that it did not vote on are left out if the chain has counted votes whose voters are not\nknown, and if nobody else could vote, because one transaction submitted and decided them.',
      }),
      voted: t.exposeInt('voted', { nullable: false, description: 'Number of those that it voted on.' }),
      percent: t.field({
        type: 'Decimal',
        description: 'Share of the proposals that it voted on. null if there was none.',
        resolve: ({ eligible, voted }) => percentOf(decimal(String(voted)), decimal(String(eligible))),
      }),
    }),
  });
}

function addOccurrence(builder: Builder): void {
  builder.objectType(refs.OccurrenceRef, {
    description: "A place in the chain's history.",
    fields: (t) => ({
      height: t.expose('height', {
        type: 'Int64',
        description: 'null if it lies before the coverage and neither the state nor the events of the nodes show it.',
      }),
      time: t.expose('time', {
        type: 'DateTime',
        description:
          'Time of the block. null if it lies before the coverage and is not known either. Of votes and submissions it is always known.',
      }),
      hash: t.expose('hash', { type: 'Hex', description: 'Hash of the transaction. null for what a block did by itself.' }),
      transaction: t.field({
        type: TransactionRef,
        description:
          'The transaction. null for what a block did by itself. INDEX_UNAVAILABLE if no node has a transaction index.',
        resolve: ({ hash, ...place }) =>
          hash === null
            ? null
            : andThen(
                pinOf(place).loaders(createTransactionLoaders).transaction.load(hash),
                (found) => found && pinned(pinOf(place), found),
              ),
      }),
    }),
  });
}

function addVoteRecord(builder: Builder, enums: RecordEnums & GroupEnums): void {
  builder.objectType(refs.VoteRecordRef, {
    description: 'A vote, as it was cast.',
    fields: (t) => ({
      proposalId: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ proposalId }) => proposalId.toString() }),
      record: t.field({
        type: refs.ProposalRecordRef,
        description: 'The record of the proposal.',
        resolve: (vote, _args, context) =>
          andThen(recordsAt(vote, context), async (loaders) => {
            const found = loaders && (await loaders.record.load(vote.proposalId));
            return found && pinned(pinOf(vote), found);
          }),
      }),
      voter: t.field({ type: AccountRef, nullable: false, resolve: (vote) => accountOf(vote, vote.voter) }),
      option: t.field({
        type: enums.VoteOption,
        nullable: false,
        resolve: ({ option }) => voteOptions[option] ?? unrecognized,
      }),
      metadata: t.exposeString('metadata', { nullable: false, description: 'Free text of the voter; can be empty.' }),
      at: t.field({ type: refs.OccurrenceRef, nullable: false, resolve: (vote) => placeOf(pinOf(vote), vote.at) }),
      origin: t.expose('origin', { type: enums.VoteOrigin, nullable: false, description: 'How the vote was cast.' }),
      weight: t.expose('weight', {
        type: 'Decimal',
        description:
          'Weight of the voter at the close (now, while votes are taken). null if the voter had left the group, so that the vote did not count.',
      }),
    }),
  });
}

function addElector(builder: Builder): void {
  builder.objectType(refs.ElectorRef, {
    description: 'An account that could vote on a proposal.',
    fields: (t) => ({
      account: t.field({ type: AccountRef, nullable: false, resolve: (elector) => accountOf(elector, elector.address) }),
      weight: t.expose('weight', { type: 'Decimal', nullable: false, description: 'Weight in the tally.' }),
      weightPercent: t.field({
        type: 'Decimal',
        description: 'Share of the total weight. null if the total weight is 0 or not known.',
        resolve: ({ weight, totalWeight }) => (totalWeight === null ? null : percentOf(decimal(weight), decimal(totalWeight))),
      }),
      member: t.field({
        type: GroupMemberRef,
        description: 'Its membership in the group in the state of the chain at the height read. null if it has left the group.',
        resolve(elector) {
          const pin = pinOf(elector);
          if (elector.groupId === null) return null;
          return andThen(memberOf(pin, elector.groupId, elector.address), (member) => member && pinned(pin, member));
        },
      }),
      vote: t.field({
        type: refs.VoteRecordRef,
        description: 'The vote. null if it did not vote, and if `complete` is false also if it is not known.',
        resolve: (elector) => elector.vote && pinned(pinOf(elector), elector.vote),
      }),
    }),
  });
}

function addEvents(builder: Builder, enums: RecordEnums & GroupEnums): void {
  builder.objectType(refs.ProposalExecutionRef, {
    description: "An attempt to execute a proposal's messages.",
    fields: (t) => ({
      at: t.field({ type: refs.OccurrenceRef, nullable: false, resolve: (of) => placeOf(pinOf(of), of.at) }),
      executor: t.field({
        type: AccountRef,
        description: 'The account that executed it. null if it is not known.',
        resolve: (of) => (of.executor === null ? null : accountOf(of, of.executor)),
      }),
      result: t.field({
        type: enums.ProposalExecutorResult,
        nullable: false,
        description: 'NOT_RUN if the tally was not final, or did not accept the proposal.',
        resolve: ({ result }) => proposalExecutorResults[result] ?? unrecognized,
      }),
      logs: t.exposeString('logs', {
        nullable: false,
        description: 'Log of the chain; empty on success, and if it is not known.',
      }),
    }),
  });
  builder.objectType(refs.ProposalEventRef, {
    description: 'Something that happened to a proposal.',
    fields: (t) => ({
      kind: t.expose('kind', { type: enums.ProposalEventKind, nullable: false }),
      at: t.field({ type: refs.OccurrenceRef, nullable: false, resolve: (event) => placeOf(pinOf(event), event.at) }),
      account: t.field({
        type: AccountRef,
        description: 'The account that caused it. null if there is none, or it is not known.',
        resolve: (event) => (event.account === null ? null : accountOf(event, event.account)),
      }),
      vote: t.field({
        type: refs.VoteRecordRef,
        description: 'The vote. Only for VOTED.',
        resolve: (event) => event.vote && pinned(pinOf(event), event.vote),
      }),
      detail: t.exposeString('detail', { description: 'More about it, depending on `kind`.' }),
    }),
  });
}
